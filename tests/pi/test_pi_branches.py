"""Real pi opens what the operations on branches wrote, and stands on the same branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawn import bodies
from treering.operations.branch import navigate_tree_sync
from treering.operations.branches import clone, delete_branch, fork, lost_branches, set_name
from treering.operations.vacuum import vacuum
from treering.session.entries import encode_object
from treering.session.outline import read_outline
from treering.session.tree import Session, new_header
from treering.testing.trees import Tree, session_trees

DRAWING = """
    U1(Read both files) → A1(read a.py) → R1 → A2 → U3(try it) → A3(edit lexer.py) → R3
    A2 → U4(a parser) → A4(edit parser.py) → R4 → C5(Goal: a parser.; k=U4) → U6(and now?) → A6
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "session.jsonl"
    lines = [new_header(cwd="/srv/demo", session_id="source"), *bodies(DRAWING)]
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


def same(seen: dict[str, Any], session: Session) -> None:
    """pi stands at the same place, and would send the same messages."""
    assert seen["leaf"] == session.leaf_id
    assert seen["path"] == [entry.id for entry in session.path()]
    theirs = [message for message in seen["messages"] if not message.get("excludeFromContext")]
    assert theirs == [each.entry.message.raw for each in session.context() if each.entry.message]
    assert seen["labels"] == session.labels()
    assert seen["name"] == read_outline(session).name


@pytest.mark.parametrize("target", ["U1", "A1", "U3", "R3", "A2", "C5", "U6", None])
@pytest.mark.parametrize("summarize", [False, True])
def test_a_move(pi: Any, path: Path, target: str | None, summarize: bool) -> None:
    with Session.open(path) as session:
        assert navigate_tree_sync(session, target, summarize=summarize).outcome == "applied"
        same(pi.open(path), session)


def test_pi_goes_on_where_treering_moved_to(pi: Any, path: Path) -> None:
    with Session.open(path) as session:
        navigate_tree_sync(session, "U3", summarize=True)
        summary = session.leaf_id
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop"}
    seen = pi.open(path, ["appendMessage", {"role": "user", "content": "again"}], ["appendMessage", answer])
    with Session.open(path) as session:
        same(seen, session)
        assert session.path()[-3].id == summary
        assert [branch.tip_id for branch in lost_branches(session)] == ["R3", "A6"]


def test_treering_goes_on_where_pi_moved_to(pi: Any, path: Path) -> None:
    details = {"readFiles": ["grammar.txt"], "modifiedFiles": ["lexer.py"]}
    seen = pi.open(path, ["branchWithSummary", "A2", "Tried in vain.", details, False])
    with Session.open(path) as session:
        same(seen, session)
        result = navigate_tree_sync(session, "R3", summarize=True)
        assert result.summary is not None
        assert result.summary.details["readFiles"] == ["grammar.txt"]
        assert result.summary.details["modifiedFiles"] == ["lexer.py"]
        same(pi.open(path), session)


def test_a_fork_and_a_clone(pi: Any, path: Path, tmp_path: Path) -> None:
    with Session.open(path) as session:
        session.set_label("A1", "base")
        set_name(session, "parsers")
        copies = [fork(session, tmp_path / "fork.jsonl", "R3"), clone(session, tmp_path / "clone.jsonl")]
    for copy in copies:
        before = copy.read_bytes()
        with Session.open(copy) as session:
            seen = pi.open(copy)
            same(seen, session)
            assert seen["header"]["parentSession"] == str(path)
        assert copy.read_bytes() == before


def test_a_deleted_branch_and_a_vacuum(pi: Any, path: Path) -> None:
    with Session.open(path) as session:
        session.set_label("A1", "base")
        delete_branch(session, "R3")
        same(pi.open(path), session)
    vacuum(path)
    with Session.open(path) as session:
        seen = pi.open(path)
        same(seen, session)
        assert "U3" not in seen["entries"]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=session_trees(without=("reset",)), data=st.data())
def test_any_tree_and_any_target(pi: Any, tmp_path: Path, tree: Tree, data: st.DataObject) -> None:
    path = tree.write(tmp_path / "s.jsonl")
    with Session.open(path) as session:
        target = data.draw(st.sampled_from([None, *session.store.scan()]))
        summarize = data.draw(st.booleans())
        navigate_tree_sync(session, target.id if target else None, summarize=summarize)
        seen = pi.open(path)
        assert seen["leaf"] == session.leaf_id
        assert seen["path"] == [entry.id for entry in session.path()]
        theirs = [message for message in seen["messages"] if not message.get("excludeFromContext")]
        assert theirs == [each.entry.message.raw for each in session.context() if each.entry.message]
