"""Sizes of the contexts at the ends of branches."""

from __future__ import annotations

from hypothesis import given

from drawn import drawn
from treering.operations.ends import BranchEnds
from treering.operations.measure import measure
from treering.session.outline import read_outline
from treering.testing.trees import session_trees


@given(session_trees())
def test_what_is_counted_is_what_the_context_has(tree):
    session = tree.open()
    outline = read_outline(session)
    ends = BranchEnds(outline, budget=1 << 40)
    for node, entry in enumerate(outline.entries):
        assert ends.tokens(node) == (measure(session.context(entry.id)).tokens, True)


@given(session_trees())
def test_a_guess_never_fails(tree):
    outline = read_outline(tree.open())
    ends = BranchEnds(outline, budget=-1)
    for node in range(len(outline)):
        tokens, counted = ends.tokens(node)
        assert tokens >= 0
        assert not counted


def test_a_guess_is_of_what_the_context_holds():
    session = drawn(f"U1({'word ' * 900}) → A1 → U2 → A2 → C3(k=U2) → U4({'word ' * 90}) → A4")
    outline = read_outline(session)
    ends = BranchEnds(outline, budget=0)
    whole, _ = ends.tokens(outline.index_of("A2"))
    compacted, _ = ends.tokens(outline.index_of("A4"))
    assert 800 < whole < 1500
    assert 90 < compacted < 500
