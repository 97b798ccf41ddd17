"""CASES groups D, E and F where branches are concerned: leaves that move, trunks that get lost, file lists."""

from __future__ import annotations

import asyncio
import threading

import pytest

from drawn import bodies, drawn
from treering.cancel import CancelToken
from treering.compaction.branch import left_leaf
from treering.compaction.summarizer import Summary
from treering.hooks import Hooks
from treering.operations.branch import navigate_tree, navigate_tree_sync
from treering.operations.branches import lost_branches
from treering.operations.compact import compact, compact_sync
from treering.operations.undo import undo
from treering.session.entries import encode_object
from treering.session.tree import Session, new_header
from treering.settings import CompactionSettings, Settings
from treering.tokens.estimate import estimate_text

LITTLE = Settings(compaction=CompactionSettings(keep_recent_tokens=300))


class Answering:
    name = "answering"

    def __init__(self, text="a summary", during=lambda: None):
        self.text, self.during = text, during

    def summarize(self, request):
        self.during()
        return Summary(text=self.text, summarizer=self.name)


def long_session(turns=8):
    return drawn(" → ".join(f"U{n}({'word ' * 120}) → A{n}({'answer ' * 120})" for n in range(turns)))


def write(path, drawing):
    lines = [new_header(cwd="/srv/demo", session_id="s"), *bodies(drawing)]
    path.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return path


def ids(session):
    return [message.entry_id for message in session.context()]


def test_conc_1_the_leaf_moves_while_a_compaction_waits_for_its_hook():
    session = long_session()
    hooks = Hooks()
    hooks.on("before_compact")(lambda event: navigate_tree_sync(session, "A1") and None)
    result = compact_sync(session, settings=LITTLE, hooks=hooks)
    assert (result.outcome, result.cause_code) == ("failed", "leaf_moved")
    assert ids(session) == ["U0", "A0", "U1", "A1"]
    assert not any(entry.type == "compaction" for entry in session.store.scan())


async def test_conc_4_several_moves_at_once_make_one_summary():
    session = drawn("U1 → A1 → U2 → A2 \n A1 → U3 → A3")
    release = threading.Event()
    summarizer = Answering(during=lambda: release.wait(30))
    moves = [asyncio.create_task(navigate_tree(session, "A2", summarize=True, summarizer=summarizer)) for _ in range(4)]
    await asyncio.sleep(0.05)
    release.set()
    outcomes = sorted([(await move).outcome for move in moves])
    assert outcomes == ["applied", "skipped", "skipped", "skipped"]
    assert sum(entry.type == "branch_summary" for entry in session.store.scan()) == 1


async def test_conc_5_a_compaction_during_a_move_does_not_lose_either():
    session = long_session()
    release = threading.Event()
    move = asyncio.create_task(
        navigate_tree(session, "A1", summarize=True, summarizer=Answering(during=lambda: release.wait(30)))
    )
    await asyncio.sleep(0.05)
    compacted = await compact(session, settings=LITTLE, summarizer=Answering())
    release.set()
    moved = await move
    assert compacted.outcome == "applied"
    assert (moved.outcome, moved.cause_code) == ("failed", "leaf_moved")
    assert session.context().compaction.id == compacted.entry_id
    assert (await navigate_tree(session, "A1", summarize=True, summarizer=Answering())).outcome == "applied"


def test_conc_8_two_processes_on_one_leaf_are_two_branches(tmp_path):
    path = write(tmp_path / "s.jsonl", "U1 → A1 → U2 → A2")
    with Session.open(path) as one, Session.open(path) as two:
        navigate_tree_sync(one, "U2")
        two.append_message({"role": "user", "content": "I stay here"})
        one.append_message({"role": "user", "content": "I go on there"})
    with Session.open(path) as session:
        texts = {entry.message.text for entry in session.store.scan() if entry.message}
        assert {"I stay here", "I go on there"} <= texts
        assert len(lost_branches(session)) == 1


def test_conc_10_a_late_cancel_is_no_failure():
    session, token, hooks = drawn("U1 → A1 → U2 → A2"), CancelToken(), Hooks()
    hooks.on("after_tree")(lambda event: token.cancel())
    assert navigate_tree_sync(session, "A1", hooks=hooks, cancel=token).outcome == "applied"
    token = CancelToken()
    token.cancel()
    assert navigate_tree_sync(session, "A2", cancel=token).outcome == "cancelled"


def test_conc_12_a_summary_is_no_turn_of_the_assistant():
    session = drawn("U1 → A1 → U2 → A2 \n A1 → U3 → A3")
    model = session.context().model
    navigate_tree_sync(session, "A2", summarize=True, summarizer=Answering())
    assert session.context().model == model
    assert session.context().messages[-1].message.role == "branchSummary"


def test_store_7_one_can_go_back_between_two_compactions():
    session = long_session(20)
    first = compact_sync(session, settings=LITTLE, summarizer=Answering("first"))
    between = [session.append_message({"role": "user", "content": f"{n} " * 200}).id for n in range(4)]
    session.append_message({"role": "assistant", "content": [{"type": "text", "text": "yes " * 200}]})
    second = compact_sync(session, settings=LITTLE, summarizer=Answering("second"))
    assert (first.outcome, second.outcome) == ("applied", "applied")
    navigate_tree_sync(session, between[1], edit=False)
    context = session.context()
    assert context.compaction.id == first.entry_id
    assert context.messages[0].message.text == first.summary
    assert context.messages[-1].entry_id == between[1]


def test_store_8_the_trunk_is_reachable_after_moves_summaries_and_compactions():
    session = long_session()
    for step in range(6):
        target = f"A{step}"
        navigate_tree_sync(session, target, summarize=bool(step % 2), summarizer=Answering())
        session.append_message({"role": "user", "content": "word " * 400})
        session.append_message({"role": "assistant", "content": [{"type": "text", "text": "answer " * 400}]})
        compact_sync(session, settings=LITTLE, summarizer=Answering())
        if step == 3:
            undo(session)
    for entry in session.store.scan():
        root = list(session.store.walk(entry.id))[-1]
        assert root.parent_id is None
        assert session.context(entry.id) is not None
    assert "A7" in {branch.tip_id for branch in lost_branches(session)}


def test_store_8_where_pi_writes_the_parent_it_is_not_taken_for_the_leaf_that_was_left():
    by_pi = drawn("U1 → A1 → U2 → A2 \n A1 → B3(from=A1)").get("B3")
    assert left_leaf(by_pi) is None
    at_root = drawn("U1 → A1 \n B2(from=root)").get("B2")
    assert left_leaf(at_root) is None
    session = drawn("U1 → A1 → U2 → A2")
    result = navigate_tree_sync(session, "A1", summarize=True, summarizer=Answering())
    assert left_leaf(result.summary) == "A2"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_qual_1_an_empty_summary_is_never_written(text):
    session = drawn("U1 → A1 → U2 → A2")
    assert navigate_tree_sync(session, "A1", summarize=True, summarizer=Answering(text)).outcome == "failed"
    assert session.leaf_id == "A2"


def test_qual_4_a_branch_without_a_word_of_the_user_is_summarised():
    rounds = " → ".join(f"A{n}(edit f{n}.py; say round {n}) → R{n}" for n in range(40))
    session = drawn(f"U → A → {rounds}")
    result = navigate_tree_sync(session, "A", summarize=True)
    assert result.summary.details["modifiedFiles"][0] == "f39.py"
    assert "f39.py" in result.summary.summary


def test_qual_7_file_lists_stay_bounded_over_many_branches():
    session = drawn("U → A")
    for n in range(30):
        for file in range(40):
            call = {"type": "toolCall", "id": f"c{n}-{file}", "name": "edit", "arguments": {"path": f"d{n}/f{file}.py"}}
            session.append_message({"role": "assistant", "content": [call]})
        result = navigate_tree_sync(session, "A", summarize=True)
        assert result.outcome == "applied"
        assert estimate_text(result.summary.summary) <= 2048 * 1.05
        session.append_message({"role": "user", "content": f"try {n} again"})
    text = result.summary.summary
    assert text.count("<modified-files>") == 1
    assert "d29/f39.py" in text
    session.checkout(result.summary.id)
    again = navigate_tree_sync(session, "U", summarize=True).summary
    assert "d29/f39.py" in again.details["modifiedFiles"]  # carried on from the summary inside


def test_qual_20_a_hook_that_fails_does_not_make_a_summary_up():
    hooks = Hooks()
    hooks.on("before_tree")(lambda event: {"summary": {"summary": "", "details": "nonsense"}})
    result = navigate_tree_sync(
        drawn("U1 → A1 → U2 → A2"), "A1", summarize=True, summarizer=Answering("real"), hooks=hooks
    )
    assert "real" in result.summary.summary
    assert not result.summary.from_extension
    assert len(result.problems) == 1
