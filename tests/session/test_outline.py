"""The outline of a session, its rows, and addresses in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import drawn
from treering.errors import EntryNotFoundError
from treering.session import records
from treering.session.address import resolve
from treering.session.entries import parse_line
from treering.session.outline import Outline, read_outline
from treering.session.rows import one_line, preview, read_rows, row_nodes
from treering.testing.trees import session_trees

SIDE = """
    U1 → A1 → R1 → A2 → U3 → A3
    A2 → U4 → A4 → C5(k=U4) → U6 → A6
"""


def sketch(session, **options):
    """The rows as a drawing: depth by indentation, `+` opens a side branch, `*` is the leaf, `.` ends a branch."""
    outline = read_outline(session)
    lines = []
    for row in read_rows(outline, **options):
        name = f"({row.turns} turns)" if row.kind == "gap" else outline.entries[row.first].id
        more = f"-{outline.entries[row.last].id}" if row.first != row.last and row.kind != "gap" else ""
        marks = "".join(f" {label!r}" for label in row.labels) + " *" * row.leaf + " ." * row.tip
        lines.append("  " * row.depth + "+" * row.opens + name + more + marks)
    return lines


def test_the_line_that_work_took_is_not_indented():
    assert sketch(drawn(SIDE)) == ["U1-A2", "  +U3-A3 .", "U4-A4", "C5", "U6-A6 * ."]


def test_the_path_of_the_leaf_goes_on_below_even_if_another_branch_is_newer():
    session = drawn(SIDE)
    session.checkout("A3")
    assert sketch(session) == ["U1-A2", "  +U4-A4", "  C5", "  U6-A6 .", "U3-A3 * ."]


def test_a_branching_inside_a_turn_cuts_it_in_two():
    rows = sketch(drawn("U1 → A1 → R1 → A2 \n A1 → R3 → A3"))
    assert rows == ["U1-A1", "  +R1-A2 .", "R3-A3 * ."]


def test_branches_in_branches_and_several_roots():
    rows = sketch(drawn("U1 → A1 \n U2 → A2 → U3 \n A2 → U4 → A4 \n U4 → A5 \n A2 → U6"))
    assert rows == ["  +U1-A1 .", "U2-A2", "  +U3 .", "  +U4", "    +A4 .", "  A5 .", "U6 * ."]


def test_a_move_alone_is_no_branch():
    session = drawn("U1 → A1 → U2 → A2")
    session.checkout("A1")
    session.checkout("U1")
    session.checkout("A2")
    assert sketch(session) == ["U1-A1", "U2-A2 * ."]
    assert read_outline(session).lost_branches() == []


def test_long_straight_stretches_are_shortened_and_labels_stay():
    chain = " → ".join(f"U{n} → A{n}" for n in range(30))
    session = drawn(chain)
    assert sketch(session) == ["U0-A0", "U1-A1", "U2-A2", "(23 turns)", "U26-A26", "U27-A27", "U28-A28", "U29-A29 * ."]
    assert len(sketch(session, fold_over=None)) == 30
    session.set_label("A14", "here")
    assert "U14-A14 'here'" in sketch(session)


def test_every_entry_has_a_row_if_asked():
    session = drawn("U1 → X1 → A1")
    assert sketch(session, every_entry=True) == ["U1", "X1", "A1 * ."]


def test_a_deleted_branch_is_shown_only_if_asked():
    session = drawn(SIDE)
    session.append(records.record(records.DELETION, entry="U3"))
    assert sketch(session) == ["U1-A2", "U4-A4", "C5", "U6-A6 * ."]
    assert "  +U3-A3 ." in sketch(session, deleted=True)
    assert read_outline(session).lost_branches() == []
    assert read_outline(session).lost_branches(deleted=True)[0].deleted
    session.append(records.record(records.DELETION, entry="U3", deleted=False))
    assert "  +U3-A3 ." in sketch(session)


def test_lost_branches_tell_where_they_part_and_how_much_they_hold():
    (lost,) = read_outline(drawn(SIDE)).lost_branches()
    assert (lost.tip_id, lost.root_id, lost.ancestor_id, lost.entries, lost.turns) == ("A3", "U3", "A2", 2, 1)


def test_a_tree_of_any_depth_is_read_without_recursion():
    lines = [b'{"type":"message","id":"0","parentId":null,"message":{"role":"user","content":"x"}}']
    for n in range(1, 20_000):
        parent = b"%d" % (n - 1 if n % 2 else max(0, n - 2))  # a fishbone: each joint has a bone
        lines.append(
            b'{"type":"message","id":"%d","parentId":"%s","message":{"role":"user","content":"x"}}' % (n, parent)
        )
    outline = Outline([parse_line(line)[0] for line in lines], "19999")
    assert len(list(read_rows(outline))) == 20_000
    nested = [
        b'{"type":"message","id":"%d","parentId":%s,"message":{"role":"user","content":"x"}}'
        % (n, b"null" if n == 0 else b'"%d"' % ((n - 1) // 2 * 2 if n % 2 else n - 2))
        for n in range(20_000)
    ]
    assert len(list(read_rows(Outline([parse_line(line)[0] for line in nested], "0")))) > 10_000


def test_cycles_missing_parents_and_doubled_ids_are_passed_over():
    def message(entry_id, parent):
        raw = b'{"type":"message","id":"%s","parentId":"%s","message":{"role":"user","content":"x"}}'
        return parse_line(raw % (entry_id.encode(), parent.encode()))[0]

    entries = [message("a", "b"), message("b", "a"), message("c", "nowhere"), message("c", "a"), message("d", "d")]
    outline = Outline(entries, "b")
    assert [outline.entries[row.first].id for row in read_rows(outline)] == ["c"]
    assert outline.lost_branches()[0].tip_id == "c"


@given(session_trees())
def test_every_message_is_in_exactly_one_row(tree):
    session = tree.open()
    outline = read_outline(session)
    drawn_nodes = [
        node
        for row in read_rows(outline, fold_over=None, deleted=True)
        for node in row_nodes(outline, row)
        if outline.substantial(node)
    ]
    assert sorted(drawn_nodes) == [node for node in range(len(outline)) if outline.substantial(node)]
    assert sum(row.leaf for row in read_rows(outline, fold_over=None)) == (outline.position() >= 0)


@given(session_trees())
def test_lost_branches_and_the_path_are_all_there_is(tree):
    session = tree.open()
    outline = read_outline(session)
    covered = {entry.id for entry in session.path()}
    for branch in outline.lost_branches(deleted=True):
        own = session.path(branch.tip_id)
        assert branch.ancestor_id is None or branch.ancestor_id in covered or branch.ancestor_id in own.entries[0].id
        covered |= {entry.id for entry in own}
    assert {outline.entries[node].id for node in range(len(outline)) if outline.substantial(node)} <= covered


@given(st.text())
def test_one_line_is_one_line_and_safe_for_a_terminal(text):
    line = one_line(text, 20)
    assert len(line) <= 20
    assert all(char.isprintable() for char in line)


@given(session_trees())
def test_every_entry_has_a_preview(tree):
    assert all(preview(entry).isprintable() for entry in tree.entries)


def test_addresses():
    session = drawn("U1 → A1 → U2 → A2 → M3 → A3 → S4 \n A1 → U5abc → A5 → U5abd → A6")
    session.set_label("A1", "before-refactor")
    session.set_label("A2", "v~1")
    assert resolve(session, "U5abc") == "U5abc"
    assert resolve(session, "M") == "M3"
    assert resolve(session, "before-refactor") == "A1"
    assert resolve(session, "v~1") == "A2"
    assert resolve(session, "@root") is None
    assert resolve(session, "@last") == resolve(session, "HEAD") == session.leaf_id
    assert resolve(session, "HEAD~1") == resolve(session, "HEAD~") == "U5abd"
    assert resolve(session, "HEAD~2") == "U5abc"
    assert resolve(session, "HEAD~3") == "U1"
    assert resolve(session, "A3~2") == "U2"
    assert resolve(session, "U2~1") == "U1"
    assert resolve(session, "before-refactor~1") == "U1"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("U5", r"2 entries have an id that begins with 'U5'.*U5abc.*U5abd"),
        ("twice", r"2 entries have the label 'twice'.*A1.*A2"),
        ("before-refactr", "did you mean before-refactor"),
        ("HEAD~9", "only 3 turns begin before"),
        ("nonsense", "labels are 'before-refactor', 'twice'"),
        ("@root~1", "nothing lies before"),
        ("", "an empty address"),
    ],
)
def test_addresses_that_mean_nothing_or_too_much(address, message):
    session = drawn("U1 → A1 → U2 → A2 \n A1 → U5abc → A5 → U5abd → A6")
    for entry_id, label in (("A1", "twice"), ("A2", "twice"), ("A5", "before-refactor")):
        session.set_label(entry_id, label)
    with pytest.raises(EntryNotFoundError, match=f"(?s){message}"):
        resolve(session, address)


def test_addresses_in_an_empty_session():
    session = drawn("")
    for address in ("HEAD", "HEAD~1", "abc"):
        with pytest.raises(EntryNotFoundError):
            resolve(session, address)
