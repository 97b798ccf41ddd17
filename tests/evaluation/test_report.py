"""Means and the plot."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from evaluation_parts import assistant, span, user

from treering.evaluation.measures import score
from treering.evaluation.plot import CHARTS, plot_svg
from treering.evaluation.report import Result, as_json, mean_rows


def result(summary: str, *, summarizer: str = "mine", budget: int = 100, text: str = "loadUser saveUser") -> Result:
    region = [user("always write tests for the loader"), assistant(text)]
    found = score(span(*region), [], span(assistant(text)), summary, tokens=len(summary.split()), budget=budget)
    return Result(source="a", at=0.5, summarizer=summarizer, budget=budget, score=found, seconds=0.1, text=summary)


def test_a_row_is_the_mean_over_cuts_that_have_something_to_keep():
    rows = mean_rows([result("loadUser"), result("loadUser saveUser"), result("", text="nothing here")])
    (row,) = rows
    assert row.rates["names"] == 0.75
    assert row.rates["commands"] is None
    assert (row.cuts, row.tokens) == (3, 1.0)


def test_rows_come_by_budget_and_in_the_order_in_which_summarizers_were_named():
    results = [result("", summarizer=name, budget=budget) for name in ("mine", "a") for budget in (200, 100)]
    assert [(row.budget, row.summarizer) for row in mean_rows(results)] == [
        (100, "mine"),
        (100, "a"),
        (200, "mine"),
        (200, "a"),
    ]


def test_invented_names_and_summaries_over_budget_are_counted():
    (row,) = mean_rows([result("otherName here", budget=1), result("fine words", budget=9)][:1])
    assert (row.invented, row.over_budget) == (1.0, 1)


def test_json_tells_what_is_missed_only_if_asked():
    data = as_json([result("loadUser")], missed=True)
    assert data["results"][0]["names"] == {"hit": 1, "total": 2, "missed": ["saveUser"]}
    assert data["results"][0]["text"] == "loadUser"
    assert "missed" not in json.dumps(as_json([result("loadUser")]))


def test_the_plot_is_svg_with_a_chart_for_each_measure_and_every_name_safe():
    rows = mean_rows([result("loadUser", summarizer="<mine> & co", budget=budget) for budget in (512, 2000)])
    root = ElementTree.fromstring(plot_svg(rows, title="1 < 2"))
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<mine> & co" in texts
    assert all(any(text.startswith(chart) for text in texts) for chart in CHARTS)
    assert root.findall("{http://www.w3.org/2000/svg}polyline")
    ElementTree.fromstring(plot_svg([], title="nothing"))
