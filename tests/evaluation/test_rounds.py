"""Rounds: each compacts a further part on top of the one before."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from test_hindsight import rounds_of, session_of

from treering.compaction.summarizer import Summary
from treering.evaluation.hindsight import make_cuts
from treering.evaluation.rounds import round_requests, rounds_of_file, stage_rows
from treering.evaluation.run import Job
from treering.session.tree import Session

POINTS = (0.3, 0.5, 0.7, 0.9)


class Recorder:
    """A summarizer that keeps what it was asked."""

    name = "recorder"
    asked: ClassVar[list] = []

    def summarize(self, request):
        Recorder.asked.append(request)
        return Summary(text=f"summary of {len(request.history)}", summarizer=self.name)


def test_rounds_share_the_past_among_them_without_gap_or_overlap():
    cuts = list(make_cuts(session_of(*rounds_of(20)).path(), at=POINTS, keep_tokens=400, least_region=0))
    stops = list(round_requests(cuts))
    seen = [span.entry_id for stop in stops for span in (*stop.request.history, *stop.request.turn_prefix)]
    assert seen == [span.entry_id for span in cuts[-1].region]
    assert [stop.round for stop in stops] == [1, 2, 3, 4]


def test_each_round_is_given_the_summary_of_the_one_before(tmp_path: Path):
    with Session.create(tmp_path / "s.jsonl") as session:
        for message in rounds_of(20):
            session.append_message(message)
    Recorder.asked.clear()
    job = Job(
        summarizers=(f"{__name__}:Recorder",), budgets=(300,), keep_tokens=300, least_region=0, with_baselines=False
    )
    found = rounds_of_file(str(tmp_path / "s.jsonl"), job, rounds=3)
    assert [result.round for result in found.results] == [1, 2, 3, 0]
    assert all(result.repeatable for result in found.results)
    previous = [request.previous_summary for request in Recorder.asked[::2]]
    assert previous == [None, found.results[0].result.text, found.results[1].result.text, None]
    stages = stage_rows(found.results)
    assert [stages[stage][0].cuts for stage in ("first", "last", "at once")] == [1, 1, 1]


def test_a_file_that_is_no_session_is_reported(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text("nothing\n")
    found = rounds_of_file(str(tmp_path / "x.jsonl"), Job(summarizers=()))
    assert found.error
    assert not found.results


@pytest.mark.slow
def test_rounds_of_a_real_session(shared: Path):
    job = Job(summarizers=("greedy cover",), budgets=(2000,), with_baselines=False)
    found = rounds_of_file(str(shared / "sessions/pi/real-ec984358.v3.jsonl"), job)
    assert found.cuts >= 2
    assert not any(result.result.score.over_budget for result in found.results)
