"""The floor: baselines stay in their budget, give the same lines again, and rank as they should."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluation_parts import assistant, call, result, span, user

from treering.compaction.summarizer import SummaryRequest
from treering.evaluation.baselines import baselines
from treering.evaluation.report import mean_rows
from treering.evaluation.run import Job, evaluate_file
from treering.evaluation.texts import read_part
from treering.facts.fold import FactState
from treering.tokens.estimate import estimate_text


def region():
    return span(
        user("Never touch the vendor folder.\nplease fix the parser"),
        assistant("Reading parseTokens in src/lexer.py", call("1", "bash", command="pytest -x tests")),
        result("1", "bash", "\n".join(f"tests/test_{n}.py::test_case_{n} passed" for n in range(200))),
        assistant("The bug is in readNumber: it drops the sign."),
    )


@pytest.mark.parametrize("name", list(baselines(estimate_text)))
@pytest.mark.parametrize("budget", [10, 60, 300])
def test_no_baseline_is_over_its_budget_or_invents_a_line(name: str, budget: int):
    request = SummaryRequest(history=tuple(region()), facts=FactState(), budget=budget)
    first = baselines(estimate_text)[name].summarize(request)
    assert estimate_text(first.text) <= budget
    assert baselines(estimate_text)[name].summarize(request) == first
    source = read_part(region()).text
    assert all(line in source for line in first.text.split("\n"))


def test_rules_and_commands_come_first_in_the_greedy_cover():
    request = SummaryRequest(history=tuple(region()), facts=FactState(), budget=40)
    lines = baselines(estimate_text)["greedy cover"].summarize(request).text.split("\n")
    assert lines[:3] == ["Never touch the vendor folder.", "please fix the parser", "pytest -x"]


def test_a_previous_summary_is_the_oldest_text_of_the_span():
    request = SummaryRequest(history=(), previous_summary="old words\nlast words", facts=FactState(), budget=4)
    assert baselines(estimate_text)["last lines"].summarize(request).text == "last words"


@pytest.mark.slow
def test_on_a_real_session_the_floors_rank_as_known(shared: Path):
    file = str(shared / "sessions/pi/real-ed9c86d9.v3.jsonl")
    found = evaluate_file(file, Job(summarizers=(), budgets=(2000,), exact=False))
    rows = {row.summarizer: row.rates for row in mean_rows(found.results)}
    assert rows["user's text"]["directives"] == pytest.approx(1.0, abs=0.1)
    assert rows["greedy cover"]["names"] > rows["random lines"]["names"] > 0
    assert rows["greedy, kept left out"]["names"] > rows["greedy cover"]["names"]
    assert rows["greedy cover"]["commands"] == 1.0
    assert all(rate is None or 0 <= rate <= 1 for row in rows.values() for rate in row.values())
