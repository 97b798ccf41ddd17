"""The expected use of terms: weights and features are of each other, and the weights can be made anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from treering.facts.expect import CONTEXT, HISTORY, Focus, history_features, history_score, use_weights
from treering.facts.lexicon import FILE, NAME, NUMBER
from treering.facts.roles import ASSISTANT, RESULT, USER
from treering.facts.state import FactState, Quote, TermFact
from treering.facts.weights import WEIGHTS

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks/fit_expectation.py"


def term(name: str = "readToken", kind: str = NAME, **history) -> TermFact:
    return TermFact(kind, name, **({"messages": 1, "turns": 1, "last": 0, "last_turn": 0, "roles": RESULT} | history))


@pytest.fixture
def shipped_weights():
    yield
    use_weights(WEIGHTS)


def test_every_feature_has_a_weight_for_every_kind_and_no_weight_is_of_nothing():
    assert set(WEIGHTS) == {FILE, NAME, NUMBER}
    for weights in WEIGHTS.values():
        assert tuple(weights) == (*HISTORY, *CONTEXT)


def test_there_are_as_many_values_as_names():
    state = FactState(terms=(term(),))
    assert len(history_features("readToken", term(), 5)) == len(HISTORY)
    assert len(Focus(state, [], {}).features(state.terms[0])) == len(CONTEXT)


@pytest.mark.parametrize(
    ("name", "history", "clock", "expected"),
    [
        ("readToken", {}, 0, {"result": 1, "local": 1}),
        ("ReadToken", {"roles": USER | ASSISTANT}, 0, {"assistant": 1}),
        ("read_token", {"last": 10_000}, 10_000, {"result": 1}),
        ("ReadToken", {"messages": 2}, 10_000, {"messages": 0.693, "age": 0.693, "result": 1}),
        ("ReadToken", {"last": 20}, 10, {"result": 1}),  # a clock that runs behind makes nothing young
    ],
)
def test_features_of_a_history(name, history, clock, expected):
    found = dict(zip(HISTORY, history_features(name, term(name, **history), clock), strict=True))
    assert {key: round(value, 3) for key, value in found.items() if value} == {"bias": 1} | expected


def test_features_of_a_context():
    texts = ("readToken calls nextChar", "nextChar of charBuffer")
    state = FactState(
        terms=(
            term(home="lexer.py", prose=0),
            term("nextChar", home="lexer.py", prose=0),
            term("writeFile", home="disk.py"),
        ),
        quotes=tuple(Quote(text, "e", 0, 0, USER, "", 50) for text in texts),
    )
    terms_of = {texts[0]: [(NAME, "readToken"), (NAME, "nextChar")], texts[1]: [(NAME, "nextChar")]}
    focus = Focus(state, [(NAME, "nextChar"), (NAME, "tokenStream")], terms_of)
    near, far = (dict(zip(CONTEXT, focus.features(state.terms[index]), strict=True)) for index in (0, 2))
    assert near["likeness"] > 0.2  # the word token
    assert near["beside"] == 0.5
    assert near["home"] == 0.5
    assert far == {"likeness": 0, "beside": 0, "home": 0}


def test_other_weights_can_be_taken(shipped_weights):
    use_weights({NAME: {"bias": 2.0, "result": -0.5, "home": 3.0}})
    assert history_score(NAME, "readToken", term(), 0) == 1.5
    state = FactState(terms=(term(home="a.py"), term("nextChar", home="a.py")))
    assert Focus(state, [(NAME, "nextChar")], {}).score(state.terms[0]) == 1.5


@pytest.mark.slow
def test_the_weights_can_be_fitted_anew(shared):
    pytest.importorskip("sklearn", reason="scikit-learn is not here (requirements-bench.txt)")
    sessions = [shared / "sessions/pi" / f"real-{name}.v3.jsonl" for name in ("2243c588", "8c24f0f9", "ec984358")]
    done = subprocess.run([sys.executable, SCRIPT, *sessions], check=True, capture_output=True, text=True)
    figures, module = done.stdout.split('"""Weights of', 1)
    assert "| fitted, held out |" in figures
    made: dict = {}
    exec('"""Weights of' + module, made)
    assert [tuple(weights) for weights in made["WEIGHTS"].values()] == [(*HISTORY, *CONTEXT)] * len(WEIGHTS)
    assert made["WEIGHTS"][NAME]["messages"] > 0
    assert made["WEIGHTS"] != WEIGHTS


@pytest.mark.slow
def test_sessions_that_teach_nothing_are_said(shared):
    pytest.importorskip("sklearn", reason="scikit-learn is not here (requirements-bench.txt)")
    session = shared / "sessions/pi/tiny.v3.jsonl"
    done = subprocess.run([sys.executable, SCRIPT, session], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("too few files to learn from")


@pytest.mark.slow
def test_the_shipped_weights_are_what_comes_out(shared):
    pytest.importorskip("sklearn", reason="scikit-learn is not here (requirements-bench.txt)")
    done = subprocess.run([sys.executable, SCRIPT, "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
