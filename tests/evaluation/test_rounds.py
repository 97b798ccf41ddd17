"""Rounds: each compacts a further part on top of the one before."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from test_hindsight import rounds_of

from treering.compaction.summarizer import Summary
from treering.evaluation.rounds import rounds_of_file, stage_rows
from treering.evaluation.run import Job
from treering.session.tree import Session


class Recorder:
    """A summarizer that keeps what it was asked."""

    name = "recorder"
    asked: ClassVar[list] = []

    def summarize(self, request):
        Recorder.asked.append(request)
        return Summary(text=f"summary of {len(request.history)}", summarizer=self.name)


def played(tmp_path: Path, rounds: int, **job) -> tuple:
    with Session.create(tmp_path / "s.jsonl") as session:
        for message in rounds_of(20):
            session.append_message(message)
    Recorder.asked.clear()
    whole = Job(
        summarizers=(f"{__name__}:Recorder",),
        budgets=(300,),
        keep_tokens=300,
        least_region=0,
        with_baselines=False,
        **job,
    )
    return rounds_of_file(str(tmp_path / "s.jsonl"), whole, rounds=rounds).results


def test_rounds_share_the_past_among_them_without_gap_or_overlap(tmp_path: Path):
    found = played(tmp_path, rounds=4)
    requests = Recorder.asked[1::2]  # each is asked twice
    seen = [span.entry_id for request in requests[:-1] for span in (*request.history, *request.turn_prefix)]
    at_once = [span.entry_id for span in (*requests[-1].history, *requests[-1].turn_prefix)]
    assert seen == at_once
    assert len(set(seen)) == len(seen)
    assert [result.round for result in found] == [1, 2, 3, 4, 0]


def test_each_round_is_given_the_summary_of_the_one_before(tmp_path: Path):
    found = played(tmp_path, rounds=3)
    assert all(result.repeatable for result in found)
    previous = [request.previous_summary for request in Recorder.asked[1::2]]
    assert previous == [None, found[0].result.text, found[1].result.text, None]
    stages = stage_rows(found)
    assert [stages[stage][0].cuts for stage in ("first", "last", "at once")] == [1, 1, 1]


def test_a_round_is_measured_against_all_that_was_there(tmp_path: Path):
    found = played(tmp_path, rounds=3)
    totals = [result.result.score.user_sentences.total for result in found]
    assert totals[0] < totals[1] < totals[2] == totals[3]


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
