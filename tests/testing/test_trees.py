"""The generated session trees are what they say they are."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings

from treering.session.tree import Session
from treering.testing.damage import DAMAGES, damaged_files
from treering.testing.trees import HEADER, STEPS, Tree, session_trees


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(session_trees())
def test_parents_stand_before_their_children_and_ids_are_unique(tree: Tree) -> None:
    seen: set[str] = set()
    for body in tree.bodies:
        assert body["parentId"] is None or body["parentId"] in seen
        assert body["id"] not in seen
        seen.add(body["id"])
    assert tree.open().leaf_id == tree.bodies[-1]["id"]


def test_every_step_leaves_its_mark() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=120, deadline=None, database=None, derandomize=True)
    @given(session_trees(min_steps=12))
    def look(tree: Tree) -> None:
        for body in tree.bodies:
            seen[body["type"]] += 1
            seen[str(body.get("customType"))] += 1
            if body["type"] == "message":
                seen[body["message"]["role"]] += 1

    look()
    expected = {
        "user",
        "assistant",
        "toolResult",
        "bashExecution",
        "developer",
        "compaction",
        "branch_summary",
        "label",
    }
    expected |= {"custom_message", "reset_boundary", "treering.leaf", "treering.prune", "treering.undo", "session_info"}
    assert expected <= seen.keys()


@settings(max_examples=30, deadline=None)
@given(session_trees(without=("move", "undone_compaction")))
def test_steps_can_be_left_out(tree: Tree) -> None:
    parents = [body["parentId"] for body in tree.bodies]
    assert parents == [None, *(body["id"] for body in tree.bodies[:-1])], "without moves there is one branch"
    assert {"move", "undone_compaction"} <= set(STEPS)


def test_a_tree_in_a_file_is_the_tree_in_memory(tmp_path) -> None:
    @settings(max_examples=40, deadline=None, database=None)
    @given(session_trees())
    def compare(tree: Tree) -> None:
        with Session.open(tree.write(tmp_path / "s.jsonl")) as session:
            in_memory = tree.open()
            assert [e.id for e in session.path()] == [e.id for e in in_memory.path()]
            assert [m.message.raw for m in session.context()] == [m.message.raw for m in in_memory.context()]

    compare()


def test_every_damage_changes_the_file() -> None:
    tree = Tree(HEADER, ({"type": "custom", "id": "a", "parentId": None, "timestamp": ""},) * 3)
    data = b"".join(line + b"\n" for line in tree.lines)
    for name, damage in DAMAGES.items():
        assert damage(data, 1) != data, name


@settings(max_examples=20, deadline=None)
@given(damaged_files())
def test_damaged_files_are_bytes(data: bytes) -> None:
    assert isinstance(data, bytes)
