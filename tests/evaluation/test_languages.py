"""The same story in four languages, and chats without tools: no language may fare worse than English."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from treering.evaluation.hindsight import make_cuts
from treering.evaluation.report import Row, mean_rows
from treering.evaluation.run import Job, evaluate_cut, evaluate_file
from treering.session.tree import Session

DATA = Path(__file__).resolve().parents[1] / "data"
OTHERS = ("es", "hi", "zh")
WORSE = 0.1
"""By how much a measure may be below that of English: one fact more or less of the few that a short session has."""


def story_rows(language: str) -> dict[int, Row]:
    job = Job(
        budgets=(1100, 2000), at=(0.6, 0.75, 0.9), keep_tokens=3000, least_region=4000, exact=True, with_baselines=False
    )
    found = evaluate_file(str(DATA / f"languages/bookshelf-{language}.v3.jsonl"), job)
    assert found.error is None
    assert found.cuts == 3
    return {row.budget: row for row in mean_rows(found.results)}


def chat_row(language: str, budget: int) -> Row:
    session = Session.in_memory()
    for role, text in json.loads((DATA / f"chats/{language}.json").read_text(encoding="utf-8")):
        session.append_message({"role": role, "content": [{"type": "text", "text": text}]})
    job = Job(budgets=(budget,), exact=True, with_baselines=False)
    cuts = make_cuts(session.path(), at=(0.7, 0.8, 0.95), keep_tokens=150, least_region=500)
    (row,) = mean_rows(result for cut in cuts for result in evaluate_cut(cut, job, language))
    assert row.cuts == 3
    return row


@pytest.fixture(scope="module")
def english() -> dict[int, Row]:
    return story_rows("en")


@pytest.mark.parametrize("language", OTHERS)
def test_a_coding_session_is_kept_as_well_as_in_english(language: str, english: dict[int, Row]):
    rows = story_rows(language)
    for measure in ("files", "names", "commands", "directives", "relations", "next_steps", "errors"):
        assert rows[2000].rates[measure] >= english[2000].rates[measure] - WORSE, measure
    for row in rows.values():
        assert row.rates["bare"] <= 0.35
        assert (row.invented, row.over_budget) == (0, 0)
    assert rows[2000].stale == 0
    assert rows[2000].rates["directives"] >= 0.95


def test_a_corrected_value_is_never_given_without_the_new_one():
    budgets = (600, 800, 1100)
    job = Job(
        budgets=budgets, at=(0.6, 0.75, 0.9), keep_tokens=3000, least_region=4000, exact=True, with_baselines=False
    )
    for language in ("en", *OTHERS):
        found = evaluate_file(str(DATA / f"languages/bookshelf-{language}.v3.jsonl"), job)
        stale = [(result.budget, result.at) for result in found.results if result.score.stale.hit]
        assert not stale, language
        assert chat_row(language, budget=400).stale == 0, language


def test_no_summary_is_over_its_budget_by_the_exact_count():
    job = Job(
        budgets=(600, 800, 1100, 2000),
        at=(0.6, 0.75, 0.9),
        keep_tokens=3000,
        least_region=4000,
        exact=True,
        with_baselines=False,
    )
    for language in ("en", *OTHERS):
        found = evaluate_file(str(DATA / f"languages/bookshelf-{language}.v3.jsonl"), job)
        over = [(r.budget, r.score.tokens) for r in found.results if r.score.over_budget]
        assert not over, language


@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_a_chat_without_tools_keeps_its_open_request_and_invents_nothing(language: str):
    row = chat_row(language, budget=400)
    assert row.rates["next_steps"] == 1.0
    assert row.rates["directives"] >= 0.55
    assert (row.invented, row.over_budget) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_the_recorded_sessions_are_what_the_tools_really_do(language: str):
    sys.path.insert(0, str(DATA / "languages"))
    try:
        spec = importlib.util.spec_from_file_location("record_bookshelf", DATA / "languages/record.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        again = module.record(language)
    finally:
        sys.path.remove(str(DATA / "languages"))
    recorded = (DATA / f"languages/bookshelf-{language}.v3.jsonl").read_text(encoding="utf-8")
    assert [outline(line) for line in again.split("\n")] == [outline(line) for line in recorded.split("\n")]


def outline(line: str) -> object:
    """An entry without the texts of tools, whose tracebacks differ from Python to Python."""
    message = json.loads(line).get("message") if line else None
    if message and message["role"] == "toolResult":
        return message["toolCallId"], message["isError"]
    return message
