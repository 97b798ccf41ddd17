"""Which tool outputs a prune shortens (SPEC §6)."""

from __future__ import annotations

from hypothesis import given
from tests.sketch import draw

from treering.compaction.prune import plan_prune, plan_shortening
from treering.operations.prune import prune
from treering.session import records
from treering.settings import PruneSettings, Settings
from treering.testing.trees import Tree, session_trees
from treering.tokens.measuring import context_size

SMALL = PruneSettings(protect_tokens=300, minimum_tokens=100)


def pruned(drawing: str, settings: PruneSettings = SMALL) -> list[str]:
    return list(plan_prune(draw(drawing).context(), settings).results)


def test_the_newest_outputs_stay_whole_and_older_ones_go() -> None:
    assert pruned("U A[a] R(a)*400 A[b] R(b)*200 A[c] R(c)*200 A") == ["e2"]


def test_an_output_that_begins_inside_the_protected_part_stays_whole() -> None:
    assert pruned("U A[a] R(a)*400 A[b] R(b)*5000 A[c] R(c)*200 A") == ["e2"]


def test_too_little_to_save_is_left_alone() -> None:
    assert pruned("U A[a] R(a)*60 A[b] R(b)*400 A") == []


def test_outputs_of_protected_tools_are_never_pruned() -> None:
    assert pruned("U A[read:a] R(read:a)*900 A[Skill:b] R(Skill:b)*900 A[c] R(c)*900 A[d] R(d)*900 A") == ["e6"]


def test_an_output_that_the_placeholder_would_make_longer_is_left_alone() -> None:
    assert pruned("U A[a] R(a)=ok A[b] R(b)*900 A[c] R(c)*900 A") == ["e4"]


def test_an_awaited_call_is_left_alone() -> None:
    context = draw("U A[a] R(a)*900 A[b] R(b)*900 A").context()
    assert list(plan_prune(context, SMALL, awaited={"a"}).results) == []


def test_what_is_pruned_already_counts_at_the_size_it_renders() -> None:
    session = draw("U A[a] R(a)*900 A[b] R(b)*900 A[c] R(c)*900 A")
    assert prune(session, Settings(prune=SMALL)).results == 2
    assert prune(session, Settings(prune=SMALL)).results == 0
    assert [
        data["results"].keys() for entry in session.path() if (data := records.record_data(entry, records.PRUNE))
    ] == [{"e2", "e4"}]


def test_a_dry_run_writes_nothing() -> None:
    session = draw("U A[a] R(a)*900 A[b] R(b)*900 A[c] R(c)*900 A")
    assert prune(session, Settings(prune=SMALL), dry_run=True).results == 2
    assert session.leaf_id == "e7"


def test_the_last_resort_takes_the_largest_of_any_tool() -> None:
    context = draw("U A[read:a] R(read:a)*900 A[b] R(b)*200 A[c] R(c)*400 A").context()
    assert list(plan_shortening(context, 800).results) == ["e2"]
    assert list(plan_shortening(context, 1300).results) == ["e2", "e6"]


@given(session_trees())
def test_a_prune_never_grows_a_context(tree: Tree) -> None:
    session = tree.open()
    before = context_size(session.context()).estimate
    settings = Settings(prune=PruneSettings(protect_tokens=50, minimum_tokens=0))
    saved = prune(session, settings)
    after = context_size(session.context()).estimate
    assert after == before - saved.tokens
    assert prune(session, settings).results == 0
