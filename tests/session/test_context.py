"""The context of a leaf, by drawings (SPEC §3)."""

from __future__ import annotations

import pytest
from tests.sketch import draw, extend

from treering.session import records
from treering.session.context import Context


def shown(context: Context) -> str:
    return " ".join(item.entry_id for item in context)


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("U A", "e0 e1"),
        ("U S X A", "e0 e3"),
        ("U A U A C(k=2)", "e4 e2 e3"),
        ("U A U A C(k=2) U", "e4 e2 e3 e5"),
        ("U A C(k=0) U A C(k=3) U", "e5 e3 e4 e6"),
        ("U A C(k=0) U A C(k=1) U", "e5 e1 e3 e4 e6"),
        ("U A U C(k=99) A", "e3 e4"),
        ("U A U C(k=3) A", "e3 e4"),
        ("U B M E A", "e0 e1 e2 e3 e4"),
    ],
    ids=[
        "all of it without a compaction",
        "changes and records say nothing",
        "the summary first then the kept",
        "then what follows",
        "only the newest compaction renders",
        "an older one in the kept range does not",
        "nothing is kept if the first kept entry is not on the path",
        "nothing is kept if it is the compaction itself",
        "summaries, custom messages and executions are messages",
    ],
)
def test_which_entries_render(drawing: str, expected: str) -> None:
    assert shown(draw(drawing).context()) == expected


def test_a_reset_cuts_the_context_and_a_compaction_before_it() -> None:
    session = draw("U A C(k=0)")
    session.append({"type": "reset_boundary"})
    extend(session, "U A")
    assert shown(session.context()) == "e4 e5"


def test_an_execution_that_is_excluded_is_left_out() -> None:
    session = draw("U A")
    message = {"role": "bashExecution", "command": "ls", "output": "x", "exitCode": 0, "excludeFromContext": True}
    session.append({"type": "message", "message": message})
    assert shown(session.context()) == "e0 e1"


def test_a_message_that_only_speaks_of_exclusion_stays() -> None:
    session = draw("U=excludeFromContext A")
    assert shown(session.context()) == "e0 e1"


def test_a_pruned_result_reads_as_its_placeholder_and_stays_readable() -> None:
    session = draw("U A[t1] R(t1)*500=output A")
    session.append(records.record(records.PRUNE, results={"e2": 500}))
    assert session.context().messages[2].message.text == "[Output truncated - 500 tokens]"
    assert session.get("e2").message is not None
    assert "output word" in session.get("e2").message.text


def test_a_prune_on_another_branch_changes_nothing_here() -> None:
    session = draw("U A[t1] R(t1)*500 A")
    session.append(records.record(records.PRUNE, results={"e2": 500}))
    session.checkout("e3")
    assert "truncated" not in session.context().messages[2].message.text


def test_before_the_first_entry_there_is_nothing() -> None:
    session = draw("U A")
    session.checkout(None)
    assert shown(session.context()) == ""
    assert session.leaf_id is not None, "the move itself is recorded"


def test_the_model_in_force_is_the_newest_of_change_and_answer() -> None:
    assert draw("U A").context().model[:2] == ("p", "m1")
    assert draw("U A S U").context().model[:2] == ("p", "m2")
    assert draw("U S A").context().model[:2] == ("p", "m1")
    assert draw("U").context().model == (None, None, "off")


def test_a_context_reads_no_further_back_than_the_kept_part() -> None:
    session = draw("U A U A C(k=2) U")
    path = session.path(whole=False)
    assert [entry.id for entry in path] == ["e2", "e3", "e4", "e5"]
    assert not path.complete
