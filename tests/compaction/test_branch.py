"""What a move leaves behind, by drawn trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import drawn
from treering.compaction.branch import branch_messages, newest_within, plan_move
from treering.session import records
from treering.testing.trees import session_trees

FORK = "U1 → A1 → U2 → A2 → U3 → A3 \n A1 → U4 → A4 → U5 → A5"
NESTED = """
    U1 → A1 → U2 → A2
    A1 → B3(from=A2) → U4 → A4 → C5(k=U4) → U6 → A6
    A4 → B7(from=A6) → U8 → A8
"""


def move(drawing, target, **options):
    session = drawn(drawing)
    entry = None if target is None else session.get(target)
    return plan_move(entry, session.leaf_id, session.store.walk, **options)


@pytest.mark.parametrize(
    ("drawing", "target", "new_leaf", "ancestor", "abandoned", "text"),
    [
        # an answer on another branch: it becomes the leaf, the branch behind the fork is left
        (FORK, "A3", "A3", "A1", "U4 A4 U5 A5", None),
        (FORK, "A2", "A2", "A1", "U4 A4 U5 A5", None),
        # a user message: the leaf goes before it, and its text comes back
        (FORK, "U3", "A2", "A1", "U4 A4 U5 A5", "please do U3"),
        (FORK, "U2", "A1", "A1", "U4 A4 U5 A5", "please do U2"),
        # back on the same branch
        (FORK, "U5", "A4", "A4", "U5 A5", "please do U5"),
        (FORK, "A4", "A4", "A4", "U5 A5", None),
        (FORK, "A1", "A1", "A1", "U4 A4 U5 A5", None),
        # before the first entry
        (FORK, "U1", None, None, "U1 A1 U4 A4 U5 A5", "please do U1"),
        (FORK, None, None, None, "U1 A1 U4 A4 U5 A5", None),
        # a custom_message is edited as well; a bashExecution is not
        ("U1 → A1 → M2(remember) → A2", "M2", "A1", "A1", "M2 A2", "remember"),
        ("U1 → A1 → S2 → A2", "S2", "S2", "S2", "A2", None),
        # two roots share nothing
        ("U1 → A1 \n U2 → A2", "A1", "A1", None, "U2 A2", None),
        # branch summaries and compactions inside
        (NESTED, "A6", "A6", "A4", "B7 U8 A8", None),
        (NESTED, "A2", "A2", "A1", "B3 U4 A4 B7 U8 A8", None),
        ("U1 → A1 → C2(k=U1) → U3 → A3", "A1", "A1", "A1", "C2 U3 A3", None),
        # records on the way are collected too
        ("U1 → A1 → X2 → U3 → X4", "A1", "A1", "A1", "X2 U3 X4", None),
        # the unanswered user message at the leaf can be edited
        ("U1 → A1 → U2", "U2", "A1", "A1", "U2", "please do U2"),
        # below the leaf there is nothing to leave
        ("U1 → A1 → U2 → A2 \n A1 → P3", "A2", "A2", "A1", "P3", None),
    ],
)
def test_collection(drawing, target, new_leaf, ancestor, abandoned, text):
    found = move(drawing, target)
    assert found.moves
    assert (found.new_leaf_id, found.ancestor_id, found.text) == (new_leaf, ancestor, text)
    assert [entry.id for entry in found.abandoned] == abandoned.split()


@pytest.mark.parametrize(
    ("drawing", "target"),
    [
        ("U1 → A1 → U2 → A2", "A2"),
        ("U1 → A1 → M2", "M2"),
        ("U1 → A1 → P2", "A1"),  # only the record of an earlier move lies between
        ("U1 → A1 → P2 → P3", "P2"),
        ("", None),
        ("P1", None),
    ],
)
def test_the_leaf_is_there_already(drawing, target):
    assert not move(drawing, target).moves


@pytest.mark.parametrize("kind", [records.PRUNE, records.PENDING, records.PIN])
def test_records_that_change_the_context_are_something_to_leave(kind):
    session = drawn("U1 → A1")
    session.append(records.record(kind))
    assert plan_move(session.get("A1"), session.leaf_id, session.store.walk).moves


def test_a_user_message_can_be_the_leaf_itself():
    found = move(FORK, "U3", edit=False)
    assert (found.new_leaf_id, found.text) == ("U3", None)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (None, "U1 C2 A3 B4 A5"),
        (50, "U1 C2 A3 B4 A5"),
        (49, "C2 A3 B4 A5"),
        (40, "C2 A3 B4 A5"),
        (30, "A3 B4 A5"),
        (20, "B4 A5"),
        (15, "B4 A5"),  # 10 of 15 used: under 90 %, so the summary goes in, and then it stops
        (11, "A5"),  # 10 of 11 used: over 90 %
        (10, "A5"),
        (9, ""),
    ],
)
def test_newest_first_within_a_budget(budget, expected):
    messages = branch_messages(drawn("U1 → C2(k=U1) → A3 → B4 → A5").path().entries)
    chosen = newest_within(messages, budget, lambda span: 10)
    assert [span.entry_id for span in chosen] == expected.split()


def test_what_the_model_never_saw_is_no_message_of_the_branch():
    assert [m.entry_id for m in branch_messages(drawn("U1 → X2 → A3 → P4 → C5(k=U1)").path().entries)] == [
        "U1",
        "A3",
        "C5",
    ]


@given(session_trees(), st.data())
def test_any_tree_and_any_target(tree, data):
    session = tree.open()
    target = data.draw(st.sampled_from([None, *session.store.scan()]))
    found = plan_move(target, session.leaf_id, session.store.walk)
    old = [entry.id for entry in session.path()]
    new = [entry.id for entry in session.path(found.new_leaf_id)] if found.new_leaf_id else []
    shared = [entry_id for entry_id in old if entry_id in set(new)]
    left = [entry.id for entry in found.abandoned]
    assert shared + left == old
    assert found.ancestor_id == (shared[-1] if shared else None)
    assert not set(left) & set(new)
    if found.text is not None and target is not None:
        assert found.new_leaf_id == target.parent_id
    budget = data.draw(st.integers(0, 3000))
    messages = branch_messages(found.abandoned)
    chosen = newest_within(messages, budget, lambda span: len(span.message.text))
    assert chosen == messages[len(messages) - len(chosen) :]
