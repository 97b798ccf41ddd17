"""What the tree of the browser shows, without a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import drawn
from treering.session.outline import read_outline
from treering.testing.trees import session_trees
from treering.tui.lines import TreeLines, search
from treering.tui.view import replaced_nodes

DRAWING = """
    U1 → A1 → U2(try regular expressions) → A4
    U2 → A2(edit lexer.py; say Lexer) → U3 → A3
    A1 → U5 → A5(read a.py) → R5 → A6 → C7(k=U5) → U8 → A8
"""


def model(drawing=DRAWING):
    return TreeLines(read_outline(drawn(drawing)))


def shown(lines):
    names = []
    for line in lines.lines:
        name = lines.outline.entries[line.row.first].id
        names.append(("  " if line.inner else "") + name + (f" +{line.hidden}" if line.hidden else ""))
    return names


def node(lines, entry_id):
    return lines.outline.index_of(entry_id)


def at(lines, entry_id):
    return lines.index_of(node(lines, entry_id))


def test_turns_are_unfolded_and_folded():
    lines = model()
    assert shown(lines) == ["U1", "U2", "A4", "A2", "U3", "U5", "C7", "U8"]
    assert lines.unfold(at(lines, "U5")) == 5
    assert shown(lines)[5:9] == ["U5", "  A5", "  R5", "  A6"]
    assert lines.unfold(at(lines, "U5")) is None
    assert lines.fold(at(lines, "R5")) == at(lines, "U5")
    assert shown(lines) == ["U1", "U2", "A4", "A2", "U3", "U5", "C7", "U8"]


def test_side_branches_are_folded_and_unfolded():
    lines = model()
    assert lines.fold(at(lines, "A4")) == at(lines, "U2") + 1
    assert lines.fold(at(lines, "U3")) == 1
    assert shown(lines) == ["U1", "U2 +3", "U5", "C7", "U8"]
    assert lines.fold(at(lines, "U8")) == at(lines, "U8")  # the line of the leaf is in no side branch
    assert lines.unfold(1) == 1
    assert shown(lines) == ["U1", "U2", "A4", "A2", "U3", "U5", "C7", "U8"]


def test_filters():
    session = drawn(DRAWING)
    session.set_label("A2", "lexer done")
    lines = TreeLines(read_outline(session))
    lines.next_filter()
    assert shown(lines) == ["U1", "U2", "U3", "U5", "U8"]
    assert lines.unfold(3) == 5
    assert shown(lines)[5:9] == ["U5", "  A5", "  R5", "  A6"]
    lines.next_filter()
    assert shown(lines) == ["U1", "U2", "U3", "U5", "U8"]
    lines.next_filter()
    assert shown(lines) == ["A2"]
    lines.next_filter()
    assert len(shown(lines)) == 11


def test_what_is_looked_for_is_unfolded():
    lines = model()
    lines.fold(at(lines, "U3"))
    lines.next_filter()
    assert lines.reveal(node(lines, "A3")) == shown(lines).index("  A3")
    assert shown(lines)[:6] == ["U1", "U2", "A4", "A2", "U3", "  A3"]
    assert lines.filter == "all"


def test_another_reading_shows_what_was_shown():
    session = drawn(DRAWING)
    lines = TreeLines(read_outline(session))
    lines.unfold(at(lines, "U5"))
    lines.fold(at(lines, "U3"))
    session.append_message({"role": "user", "content": "more"})
    later = TreeLines(read_outline(session))
    later.take_over(lines)
    assert shown(later)[:-1] == shown(lines)


def test_search_looks_at_all_that_is_said():
    outline = read_outline(drawn(DRAWING))

    def found(query):
        return [outline.entries[i].id for i in search(outline, query)]

    assert found("REGULAR") == ["U2"]
    assert found("lexer.py") == ["A2"]
    assert found("please do u5") == ["U5"]
    assert found("toolCall") == []  # what only the format says is no text
    assert found("") == []
    assert search(outline, "please", lambda: True) == []


@pytest.mark.parametrize("text", ["über", "文件", 'say "hi"', "back\\slash"])
def test_search_finds_any_text(text):
    session = drawn("U1")
    session.append_message({"role": "user", "content": f"so {text} it is"})
    outline = read_outline(session)
    assert len(search(outline, text)) == 1
    assert len(search(outline, text.upper())) == 1


@pytest.mark.parametrize(
    ("drawing", "compaction", "replaced"),
    [
        ("U1 → A1 → U2 → A2 → C3(k=U2) → U4", "C3", "U1 A1"),
        ("U1 → A1 → U2 → A2 → C3(k=U2) → U4 → A4 → U5 → C6(k=U5)", "C6", "C3 U2 A2 U4 A4"),
        ("U1 → A1 → C2 → U3", "C2", "U1 A1"),
        ("U1 → X2 → A1 → C2(k=nowhere)", "C2", "U1 A1"),
    ],
)
def test_what_a_compaction_replaced(drawing, compaction, replaced):
    outline = read_outline(drawn(drawing))
    nodes = replaced_nodes(outline, outline.index_of(compaction))
    assert [outline.entries[i].id for i in nodes] == replaced.split()


@given(session_trees(), st.data())
def test_folding_and_revealing_any_tree(tree, data):
    lines = TreeLines(read_outline(tree.open()))
    whole = shown(lines)
    for _ in range(5):
        if not lines.lines:
            return
        index = data.draw(st.integers(0, len(lines.lines) - 1))
        step = data.draw(st.sampled_from(["fold", "unfold", "filter", "reveal"]))
        if step == "fold":
            assert 0 <= lines.fold(index) < len(lines.lines)
        elif step == "unfold":
            lines.unfold(index)
        elif step == "filter":
            lines.next_filter()
        else:
            wanted = data.draw(st.sampled_from([i for i in range(len(lines.outline)) if lines.outline.substantial(i)]))
            index = lines.reveal(wanted)
            assert lines.lines[index].row.first == wanted
    lines.filter = "all"
    lines._folded.clear()
    lines._unfolded.clear()
    lines.rebuild()
    assert shown(lines) == whole
