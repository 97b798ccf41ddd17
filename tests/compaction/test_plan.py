"""Where a compaction cuts, by drawings (SPEC §7, CASES group A)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sketch import draw, extend

from treering.compaction.plan import Plan, Skip, plan_compaction
from treering.session import records
from treering.session.path import Path
from treering.session.tree import Session
from treering.session.validity import pairing
from treering.settings import CompactionSettings, Settings
from treering.testing.trees import Tree, session_trees


def plan(session: Session, keep: int, **options: Any) -> Plan | Skip:
    settings = Settings(compaction=CompactionSettings(keep_recent_tokens=keep))
    return plan_compaction(session.path(whole=False), settings, **options)


def cut(session: Session, keep: int, **options: Any) -> str:
    """history | turn prefix | kept, as entry numbers; or the cause of a skip."""
    made = plan(session, keep, **options)
    if isinstance(made, Skip):
        return made.cause
    numbers = [
        " ".join(span.entry_id.removeprefix("e") for span in part)
        for part in (made.history, made.turn_prefix, made.kept)
    ]
    return " | ".join(numbers)


@pytest.mark.parametrize(
    ("drawing", "keep", "expected"),
    [
        ("U*50 A*50 U*50 A*50", 100, "0 1 |  | 2 3"),
        ("U*50 A*50 U*50 A*50", 20, "0 1 | 2 | 3"),
        ("U*50 A*50 U*50 A[t1]*50 R(t1)*50 A*50", 80, "0 1 | 2 3 4 | 5"),
        ("U*50 A*50 U*50 A[t1]*50 R(t1)*200", 80, "0 1 | 2 | 3 4"),
        ("U*25 A[t1,t2]*25 R(t1)*50 R(t2)*5", 25, " | 0 | 1 2 3"),
        ("U*50 A*50 U*50 A*50", 5000, "nothing_to_summarise"),
        ("U*50 A*50 E*50 A*50 M*50 A*50", 90, "0 1 2 3 |  | 4 5"),
        ("U*50 A*50 B*50 A*50", 90, "0 1 |  | 2 3"),
    ],
    ids=[
        "at a turn start",
        "inside a turn, at an answer",
        "never at a result, so at the next place",
        "never at a result; the newest message with its results stays",
        "between two results of parallel calls: back past both (PAIR-2)",
        "all of it fits",
        "a custom message starts a turn",
        "a branch summary starts a turn",
    ],
)
def test_the_cut(drawing: str, keep: int, expected: str) -> None:
    assert cut(draw(drawing), keep) == expected


def test_an_empty_session_is_skipped_with_its_reason() -> None:
    assert cut(draw(""), 10) == "empty"
    assert cut(draw("S X"), 10) == "empty"


def test_metadata_before_the_cut_moves_to_the_kept_side() -> None:
    made = plan(draw("U*50 A*50 S X U*50 A*50"), 100)
    assert isinstance(made, Plan)
    assert made.first_kept_id == "e2"
    assert made.is_valid_cut(2)
    assert made.is_valid_cut(4)


def test_the_span_begins_at_the_kept_part_of_the_compaction_before() -> None:
    # CASES OVER-3: the kept region of one compaction belongs to the span of the next.
    session = draw("U*50 A*50 U*50 A*50 C(k=2) U*50 A*50 U*50 A*50")
    assert cut(session, 100) == "2 3 5 6 |  | 7 8"


def test_a_second_compaction_of_one_state_has_nothing_to_do() -> None:
    session = draw("U*50 A*50 U*50 A*50 C(k=2)")
    assert cut(session, 100) == "nothing_to_summarise"
    assert cut(draw("U*50 A*50 C(k=9)"), 100) == "already_compacted"


def test_a_compaction_entry_in_the_kept_range_of_the_next_does_not_part_a_pair() -> None:
    session = draw("U*50 A*50 U*50 A[t1]*50 C(k=2) R(t1)*50 A*50 U*50 A*50")
    assert cut(session, 100) == "2 3 5 6 |  | 7 8"


def test_unanswered_user_messages_stay() -> None:
    assert cut(draw("U*50 A*50 U*900 U*900 U*10"), 20) == "0 1 |  | 2 3 4"


def test_calls_of_the_last_turn_without_a_result_stay() -> None:
    # CASES PAIR-8: the answer that holds the call crossed the threshold, its result is not there yet.
    assert cut(draw("U*50 A*50 U*50 A[t1]*50"), 5) == "0 1 | 2 | 3"
    assert cut(draw("U*50 A*50 U*50 A[t1]*50 U*50"), 5) == "0 1 | 2 | 3 4"


def test_a_dead_call_holds_nothing_back() -> None:
    # CASES PAIR-4: the pod died, the result never came.
    assert cut(draw("U*50 A[dead]*50 U*50 A*50 U*50 A*50"), 100) == "0 1 2 3 |  | 4 5"


def test_a_named_pending_call_stays_however_old() -> None:
    # CASES PAIR-5: a confirmation is answered later.
    session = draw("U*50 A*50 U*50 A[c1]*50 U*50 A*50 U*50 A*50")
    assert cut(session, 100, pending_calls={"c1"}) == "0 1 | 2 | 3 4 5 6 7"
    session.append(records.record(records.PENDING, calls=["c1"]))
    assert cut(session, 100) == "0 1 | 2 | 3 4 5 6 7"


def test_a_long_running_tool_stays_until_its_final_result() -> None:
    # CASES PAIR-6: the first result says that it is still in progress.
    session = draw("U*50 A*50 U*50 A[job:t1]*50 R(job:t1)*20 U*50 A*50 U*50 A*50")
    assert cut(session, 100, long_running_tools={"job"}) == "0 1 | 2 | 3 4 5 6 7 8"
    extend(session, "R(job:t1)*10 A*50 U*50 A*50")
    assert cut(session, 100, long_running_tools={"job"}) == "0 1 2 3 4 5 6 7 8 9 10 |  | 11 12"


def test_an_awaited_call_that_would_keep_too_much_is_summarised_as_open() -> None:
    session = draw("U*50 A[c1]*50 U*900 A*900 U*50 A*50")
    made = plan(session, 100, window=1500, pending_calls={"c1"})
    assert isinstance(made, Plan)
    assert made.open_calls == ("c1",)
    assert [span.entry_id for span in made.kept] == ["e4", "e5"]


def test_a_turn_that_began_before_the_span_is_split_again() -> None:
    session = draw("U*50 A[a]*50 R(a)*50 A[b]*50 R(b)*50 C(k=3) A[c]*50 R(c)*50 A*50")
    made = plan(session, 60)
    assert isinstance(made, Plan)
    assert made.split_turn
    assert made.history == ()
    assert [span.entry_id for span in made.turn_prefix] == ["e3", "e4", "e6", "e7"]


def test_a_plan_costs_what_is_kept() -> None:
    session = draw("U*20 A*20 " * 300)
    path = session.path()
    decoded = [entry for entry in path if "message" in vars(entry)]
    assert decoded == []
    made = plan_compaction(path, Settings(compaction=CompactionSettings(keep_recent_tokens=500)))
    assert isinstance(made, Plan)
    decoded = [entry for entry in path if "message" in vars(entry)]
    assert len(decoded) < 100


@given(session_trees(), st.integers(0, 3000), st.integers(2000, 300_000))
def test_no_plan_parts_a_pair_or_cuts_at_a_result(tree: Tree, keep: int, window: int) -> None:
    session = tree.open()
    path = session.path(whole=False)
    made = plan_compaction(path, Settings(compaction=CompactionSettings(keep_recent_tokens=keep)), window=window)
    if isinstance(made, Skip):
        return
    assert made.start <= made.cut < len(path)
    assert made.kept
    assert made.history or made.turn_prefix
    kept = [span.message for span in made.kept]
    assert kept[0].role != "toolResult"
    span = [span.message for span in (*made.history, *made.turn_prefix)]
    for caller, index in zip(pairing([*span, *kept]), range(len(span) + len(kept)), strict=True):
        assert caller is None or (caller < len(span)) == (index < len(span))


def test_a_partial_path_gives_the_same_plan_as_the_whole_one() -> None:
    session = draw("U*50 A*50 U*50 A*50 C(k=2) U*50 A*50 U*50 A*50")
    settings = Settings(compaction=CompactionSettings(keep_recent_tokens=100))
    whole = plan_compaction(session.path(), settings)
    part = plan_compaction(session.path(whole=False), settings)
    assert isinstance(whole, Plan)
    assert isinstance(part, Plan)
    assert whole.first_kept_id == part.first_kept_id
    assert [span.entry_id for span in whole.history] == [span.entry_id for span in part.history]


def test_a_path_is_what_it_was_given() -> None:
    assert len(Path(())) == 0
    assert Path(()).leaf_id is None
