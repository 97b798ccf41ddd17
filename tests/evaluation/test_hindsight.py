"""Cutting sessions: what is replaced, what stays, what came afterwards."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest
from evaluation_parts import assistant, call, result, user

from treering.compaction.summarizer import Summary
from treering.evaluation.hindsight import make_cuts, reference_of, summary_text
from treering.evaluation.replay import Replay, whole_history
from treering.session.tree import Session
from treering.session.validity import pairing


def session_of(*messages) -> Session:
    session = Session.in_memory(cwd="/srv/demo")
    for message in messages:
        session.append_message(message)
    return session


def rounds_of(number: int):
    for index in range(number):
        yield user(f"step {index}: please look at module_{index}.py now")
        yield assistant("I look.", call(f"c{index}", "read", path=f"src/module_{index}.py"))
        yield result(f"c{index}", "read", f"def function_{index}(): ...\n" * 30)
        yield assistant(f"function_{index} is fine.")


def test_the_parts_follow_each_other_and_make_the_whole():
    path = session_of(*rounds_of(20)).path()
    for cut in make_cuts(path, keep_tokens=500, least_region=0):
        parts = (*cut.history, *cut.turn_prefix, *cut.kept, *cut.future)
        assert [span.entry_id for span in parts] == [entry.id for entry in path]
        assert cut.history
        assert cut.kept
        assert len(cut.future) == len(path) - int(len(path) * cut.at)


def test_the_kept_part_never_begins_with_a_result():
    for keep in (10, 200, 300, 400, 900):
        for cut in make_cuts(session_of(*rounds_of(12)).path(), at=(0.4, 0.6, 0.77), keep_tokens=keep, least_region=0):
            assert cut.kept[0].message.role != "toolResult"
            assert bool(cut.turn_prefix) != cut.kept[0].message.starts_turn


def test_small_regions_are_left_out():
    path = session_of(*rounds_of(10)).path()
    assert not list(make_cuts(path))
    assert list(make_cuts(path, keep_tokens=300, least_region=100))


def test_the_history_behind_an_older_compaction_is_looked_at_too():
    session = session_of(*rounds_of(10))
    first = session.path()[30].id
    session.append({"type": "compaction", "summary": "all fine", "firstKeptEntryId": first, "tokensBefore": 1})
    for message in rounds_of(10):
        session.append_message(message)
    (cut,) = make_cuts(session.path(), at=(0.75,), keep_tokens=300, least_region=0)
    assert cut.history[0].entry_id == session.path()[0].id
    assert all(span.message.role != "compactionSummary" for span in cut.region)


class Recorder:
    name = "recorder"

    def summarize(self, request):
        self.request = request
        return Summary(text="In short: all is fine.", summarizer=self.name)


def test_the_text_is_what_the_product_would_store():
    (cut,) = make_cuts(session_of(*rounds_of(20)).path(), at=(0.5,), keep_tokens=300, least_region=0, cwd="/srv/demo")
    recorder = Recorder()
    text = summary_text(cut, recorder, budget=700)
    assert text.startswith("In short: all is fine.")
    assert "<read-files>\nsrc/module_" in text  # the list of files that were read
    assert recorder.request.history == cut.history
    assert recorder.request.kept == cut.kept
    assert recorder.request.cwd == "/srv/demo"
    assert summary_text(cut, recorder, budget=700) == text


def test_a_replay_keeps_ids_and_words():
    path = session_of(*rounds_of(3)).path()
    replay = Replay(whole_history(path), cwd="/srv/demo", keep_tokens=100)
    replay.grow(5)
    replay.grow(9)
    assert [entry.id for entry in replay.session.path()] == [entry.id for entry in path][:9]
    assert [entry.message for entry in replay.session.path()] == [entry.message for entry in path][:9]


@pytest.mark.parametrize("name", ["real-02210dc3", "real-eeac8907"])
def test_real_sessions_have_something_to_keep_at_every_cut(shared: FilePath, name: str):
    with Session.open(shared / "sessions/pi" / f"{name}.v3.jsonl") as session:
        cuts = list(make_cuts(session.path()))
    assert [cut.at for cut in cuts] == [0.5, 0.7, 0.85]
    for cut in cuts:
        reference = reference_of(cut)
        assert reference.names
        assert reference.directives
        assert cut.region_tokens >= 15_000
        messages = [span.message for span in (*cut.region, *cut.kept, *cut.future)]
        orphans = [
            m
            for m, caller in zip(messages, pairing(messages), strict=True)
            if m.role == "toolResult" and caller is None
        ]
        assert not orphans
