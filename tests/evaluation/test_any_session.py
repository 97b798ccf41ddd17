"""The scorer takes whatever a session holds, never raises, and never takes long."""

from __future__ import annotations

import random
import string
import time

import pytest
from evaluation_parts import assistant, call, result, span, user
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.compaction.plan import span_messages
from treering.evaluation.measures import PLAIN, STRICT, Measure, make_reference, score_summary
from treering.evaluation.replay import whole_history
from treering.testing.trees import Tree, session_trees, texts


@settings(deadline=None, max_examples=60)
@given(tree=session_trees(), cuts=st.tuples(st.floats(0, 1), st.floats(0, 1)), summary=texts(), plain=st.booleans())
def test_any_session_any_cut_and_any_summary_have_a_score(tree: Tree, cuts, summary: str, plain: bool):
    entries = whole_history(tree.open().path())
    first, second = sorted(int(share * len(entries)) for share in cuts)
    parts = ((0, first), (first, second), (second, len(entries)))
    region, kept, future = (span_messages(entries, start, stop) for start, stop in parts)
    reference = make_reference(region, kept, future, PLAIN if plain else STRICT)
    score = score_summary(reference, summary, tokens=len, budget=100)
    for name in score.__struct_fields__:
        value = getattr(score, name)
        if isinstance(value, Measure):
            assert 0 <= value.hit <= value.total


@settings(deadline=None, max_examples=40)
@given(tree=session_trees())
def test_a_summary_that_is_the_region_itself_keeps_all_facts(tree: Tree):
    entries = whole_history(tree.open().path())
    region = span_messages(entries, 0, len(entries))
    reference = make_reference(region, (), region)
    score = score_summary(reference, reference.region_text, tokens=len)
    for measure in (score.files, score.names, score.numbers):
        assert not measure.missed
    assert not score.invented


@pytest.mark.parametrize(
    "text",
    [
        "a." * 20000,
        "a/" * 20000,
        "aB" * 20000,
        "1," * 20000,
        " " * 40000,
        "<a-b>" * 8000,
        '\\"' * 20000,
        "<<EOF\n" * 4000,
        "上" * 20000,
        "x: " * 10000,
        "".join(random.Random(1).choices(string.ascii_letters + string.digits + "+/", k=40000)),
    ],
    ids=lambda text: text[:6],
)
def test_no_text_takes_long(text: str):
    region = span(user(text), assistant(text, call("1", "bash", command=text)), result("1", "bash", text, error=True))
    started = time.process_time()
    score_summary(make_reference(region, (), region), text, tokens=len)
    assert time.process_time() - started < 10  # a quadratic pattern took minutes
