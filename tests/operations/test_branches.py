"""Forks, clones, deleted branches, comparisons, and vacuum."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import bodies, drawn
from treering.errors import EntryNotFoundError, StorageError
from treering.operations.branches import (
    BranchError,
    clone,
    compare_branches,
    delete_branch,
    fork,
    lost_branches,
    restore_branch,
    set_name,
)
from treering.operations.vacuum import FileInUseError, vacuum
from treering.session.entries import encode_object
from treering.session.outline import read_outline
from treering.session.tree import Session, new_header
from treering.testing.trees import session_trees

FORK = """
    U1 → A1 → U2 → A2(read a.py; edit b.py) → R2 → A3
    A1 → U4(try a parser) → A4(edit lexer.py; edit b.py; read grammar.txt) → R4 → A5
"""


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "session.jsonl", FORK)


def write(target, drawing):
    lines = [new_header(cwd="/srv/demo", session_id="source"), *bodies(drawing)]
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


def lines_of(path):
    return path.read_bytes().splitlines(keepends=False)


# Copies


def test_a_fork_is_the_path_in_its_own_lines_with_a_link_back(path, tmp_path):
    source = lines_of(path)
    with Session.open(path) as session:
        forked = fork(session, tmp_path / "fork.jsonl", "A3")
    header, *lines = lines_of(forked)
    assert lines == source[1:7]
    assert json.loads(header)["parentSession"] == str(path)
    assert json.loads(header)["id"] != "source"
    assert json.loads(header)["cwd"] == "/srv/demo"
    with Session.open(forked) as session:
        assert session.leaf_id == "A3"


def test_a_fork_takes_labels_and_the_name_along(path, tmp_path):
    with Session.open(path) as session:
        session.set_label("A1", "base")
        set_name(session, "parsers")
        session.set_label("A2", "on the other branch")
        session.set_label("A5", "not on this path")
        forked = fork(session, tmp_path / "fork.jsonl", "A3")
    with Session.open(forked) as session:
        assert session.labels() == {"A1": "base", "A2": "on the other branch"}
        assert read_outline(session).name == "parsers"
        assert [m.entry_id for m in session.context()] == ["U1", "A1", "U2", "A2", "R2", "A3"]


def test_a_label_on_the_path_stays_where_it_is_and_the_chain_holds(path, tmp_path):
    with Session.open(path) as session:
        session.set_label("A1", "base")
        last = session.append_message({"role": "user", "content": "go on"}).id
        session.checkout("A3")
        session.set_label("A1", None)
        forked = fork(session, tmp_path / "fork.jsonl", last)
    with Session.open(forked) as session:
        assert session.labels() == {}
        assert [m.entry_id for m in session.context()] == ["U1", "A1", "U4", "A4", "R4", "A5", last]


def test_a_clone_holds_the_whole_tree(path, tmp_path):
    with Session.open(path) as session:
        session.checkout("A3")
        before = session.leaf_id
        cloned = clone(session, tmp_path / "clone.jsonl")
    assert lines_of(cloned)[1:] == lines_of(path)[1:]
    with Session.open(cloned) as session:
        assert session.header.parent_session == str(path)
        assert session.leaf_id == before


def test_no_copy_writes_over_a_file(path):
    before = path.read_bytes()
    with Session.open(path) as session:
        for copy in (fork, clone):
            with pytest.raises(StorageError, match="exists already"):
                copy(session, path)
    assert path.read_bytes() == before


def test_there_is_nothing_to_fork_before_the_first_entry(tmp_path):
    with pytest.raises(BranchError, match="nothing to fork"):
        fork(Session.in_memory(), tmp_path / "fork.jsonl")


@given(session_trees(), st.data())
def test_a_fork_has_the_context_of_its_source(tmp_path_factory, tree, data):
    session = tree.open()
    entry = data.draw(st.sampled_from(list(session.store.scan())))
    target = tmp_path_factory.mktemp("fork") / "fork.jsonl"
    fork(session, target, entry.id)
    context = session.context(entry.id)
    with Session.open(target) as forked:
        copy = forked.context()
        assert [(m.entry_id, m.message.raw) for m in copy] == [(m.entry_id, m.message.raw) for m in context]
        assert copy.model == context.model
        path_ids = {e.id for e in session.path(entry.id)}
        labels = {target: label for target, label in session.labels().items() if target in path_ids}
        assert {t: label for t, label in forked.labels().items() if t in path_ids} == labels


# Lost branches


def test_lost_branches_are_listed_deleted_and_brought_back():
    session = drawn(FORK)
    (lost,) = lost_branches(session)
    assert (lost.tip_id, lost.root_id, lost.ancestor_id) == ("A3", "U2", "A1")
    assert delete_branch(session, "A2") == "U2"
    assert lost_branches(session) == []
    assert [branch.deleted for branch in lost_branches(session, deleted=True)] == [True]
    assert session.get("A3").message.text == "answer A3"  # nothing is erased
    assert restore_branch(session, "A3") == ["U2"]
    assert [branch.tip_id for branch in lost_branches(session)] == ["A3"]


def test_only_what_hangs_on_a_branch_goes_with_it():
    session = drawn("U1 → A1 → U2 → A2 → U3 → A3 \n A2 → U4 → A4 \n A1 → U5 → A5")
    assert delete_branch(session, "A3") == "U3"
    assert [branch.tip_id for branch in lost_branches(session)] == ["A4"]
    assert delete_branch(session, "U2") == "U2"
    assert lost_branches(session) == []


def test_the_branch_one_stands_on_cannot_be_deleted():
    session = drawn(FORK)
    for entry_id in ("U1", "U4", "A5"):
        with pytest.raises(BranchError, match="check out another branch first"):
            delete_branch(session, entry_id)
    with pytest.raises(EntryNotFoundError):
        delete_branch(session, "nowhere")
    with pytest.raises(BranchError, match="no deleted branch"):
        restore_branch(session, "A3")


def test_a_deleted_branch_that_is_checked_out_again_is_there():
    session = drawn(FORK)
    delete_branch(session, "A3")
    session.checkout("A3")
    assert [branch.tip_id for branch in lost_branches(session)] == ["A5"]


# Comparison


def test_two_branches_are_compared():
    session = drawn(FORK)
    found = compare_branches(session, "A3", "A5")
    assert found.ancestor_id == "A1"
    assert (found.left.first_id, found.left.turns, found.left.messages) == ("U2", 1, 4)
    assert found.left.requests == ("please do U2",)
    assert (found.left.files.read, found.left.files.modified) == (("a.py",), ("b.py",))
    assert found.right.requests == ("try a parser",)
    assert set(found.right.files.modified) == {"lexer.py", "b.py"}
    assert found.modified_by_both == ("b.py",)
    assert found.left.tokens > 0


def test_a_branch_compared_with_its_own_beginning():
    found = compare_branches(drawn(FORK), "A1", "A5")
    assert (found.ancestor_id, found.left.first_id, found.left.messages, found.right.messages) == ("A1", None, 0, 4)


def test_roots_that_share_nothing_are_compared():
    found = compare_branches(drawn("U1 → A1 \n U2 → A2"), "A1", "A2")
    assert (found.ancestor_id, found.left.first_id, found.right.first_id) == (None, "U1", "U2")


# Vacuum


def test_vacuum_erases_deleted_branches_and_keeps_the_old_file(path):
    path.chmod(0o640)
    with Session.open(path) as session:
        delete_branch(session, "A3")
        context = [m.entry_id for m in session.context()]
        leaf = session.leaf_id
    before = path.read_bytes()
    result = vacuum(path)
    assert result.erased == 4
    assert result.backup.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert (result.bytes_before, result.bytes_after) == (len(before), path.stat().st_size)
    gone = [line for line in before.splitlines() if any(b'"id":"%s"' % i in line for i in (b"U2", b"A2", b"R2", b"A3"))]
    assert lines_of(path) == [line for line in before.splitlines() if line not in gone]
    with Session.open(path) as session:
        assert session.leaf_id == leaf
        assert [m.entry_id for m in session.context()] == context
        assert session.store.get("U2") is None
        session.append_message({"role": "user", "content": "go on"})
    with Session.open(result.backup) as session:
        assert session.get("A3").message.text == "answer A3"


def test_vacuum_writes_nothing_if_nothing_was_deleted(path, tmp_path):
    before = path.read_bytes()
    result = vacuum(path)
    assert (result.erased, result.backup) == (0, None)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["session.jsonl"]


def test_backups_of_several_vacuums_stand_side_by_side(path):
    for tip in ("A3", "A5"):
        with Session.open(path) as session:
            session.checkout("A5" if tip == "A3" else "A1")
            delete_branch(session, tip)
        result = vacuum(path)
    assert result.backup.name == "session.jsonl.before-vacuum.2.bak"


def test_labels_that_a_deleted_branch_held_for_others_stay(path):
    with Session.open(path) as session:
        session.checkout("A3")
        session.set_label("A1", "base")
        set_name(session, "parsers")
        session.append_message({"role": "user", "content": "more"})
        session.checkout("A5")
        delete_branch(session, "U2")
    assert vacuum(path).erased > 4
    with Session.open(path) as session:
        assert session.labels() == {"A1": "base"}
        assert read_outline(session).name == "parsers"
        assert [m.entry_id for m in session.context()] == ["U1", "A1", "U4", "A4", "R4", "A5"]


def test_vacuum_is_refused_while_somebody_has_the_file(path):
    with Session.open(path) as session:
        delete_branch(session, "A3")
        before = path.read_bytes()
        with pytest.raises(FileInUseError, match="open in this process"):
            vacuum(path)
    holder = subprocess.Popen(
        [sys.executable, "-c", f"f = open({str(path)!r}); print('open', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(FileInUseError, match=str(holder.pid)):
            vacuum(path)
        assert path.read_bytes() == before
    finally:
        holder.communicate("\n")
    assert vacuum(path).erased == 4


def test_a_writer_that_opened_before_a_vacuum_elsewhere_notices(path, monkeypatch):
    import treering.operations.vacuum as module

    with Session.open(path) as session:
        delete_branch(session, "A3")
        monkeypatch.setattr(module, "_refuse_if_held", lambda *_: None)  # as on a system that does not tell
        vacuum(path)
        added = session.append_message({"role": "user", "content": "go on"})
    with Session.open(path) as session:
        assert session.leaf_id == added.id


def test_lines_without_an_id_keep_the_one_they_had(path):
    with path.open("ab") as file:
        file.write(b'{"type":"custom","customType":"x","parentId":"A5","timestamp":""}\n{"broken\n')
    with Session.open(path) as session:
        leaf = session.leaf_id
        delete_branch(session, "A3")
    vacuum(path)
    with Session.open(path) as session:
        assert session.get(leaf).custom_type == "x"
        assert b"broken" not in path.read_bytes()


@given(session_trees(), st.data())
def test_vacuum_changes_nothing_but_what_was_deleted(tmp_path_factory, tree, data):
    path = tree.write(tmp_path_factory.mktemp("vacuum") / "session.jsonl")
    with Session.open(path) as session:
        lost = lost_branches(session)
        for branch in data.draw(st.lists(st.sampled_from(lost), unique=True)) if lost else []:
            if read_outline(session).index_of(branch.tip_id) not in read_outline(session).on_path:
                delete_branch(session, branch.tip_id)
        deleted = lost_branches(session, deleted=True)
        left = lost_branches(session)
        context = [(m.entry_id, m.message.raw) for m in session.context()]
        labels, name = session.labels(), read_outline(session).name
    result = vacuum(path)
    assert (result.erased > 0) == (len(deleted) > len(left))
    with Session.open(path) as session:
        assert [(m.entry_id, m.message.raw) for m in session.context()] == context
        assert [branch.tip_id for branch in lost_branches(session, deleted=True)] == [b.tip_id for b in left]
        present = {entry.id for entry in session.store.scan()}
        assert {t: label for t, label in session.labels().items() if t in present} == {
            t: label for t, label in labels.items() if t in present
        }
        assert read_outline(session).name == name


def test_a_real_session_is_forked_and_compared(shared, tmp_path):
    with Session.open(shared / "sessions/pi/branches-labels-compaction.v3.jsonl") as session:
        for branch in lost_branches(session):
            assert compare_branches(session, branch.tip_id, session.leaf_id).left.first_id == branch.root_id
            forked = fork(session, tmp_path / f"{branch.tip_id}.jsonl", branch.tip_id)
            with Session.open(forked) as copy:
                assert [m.entry_id for m in copy.context()] == [m.entry_id for m in session.context(branch.tip_id)]
