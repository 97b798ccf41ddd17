"""Means over cuts: from the scores of single summaries to the table that people look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from treering.evaluation.measures import Measure, Score

KEPT = ("files", "names", "commands", "numbers", "directives", "relations", "next_steps", "errors")
"""Measures of which more is better, in the order of the tables."""
SHARES = (*KEPT, "bare")
"""All measures that are shares; of `bare` less is better."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One summary of one cut.

    Attributes:
        source: the session it comes from.
        at: where the session was cut, 0 to 1.
        summarizer: who made it.
        budget: tokens that it was allowed.
        score: what it keeps.
        seconds: how long it took.
        text: the summary.
    """

    source: str
    at: float
    summarizer: str
    budget: int
    score: Score
    seconds: float
    text: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The means of one summarizer at one budget.

    Attributes:
        rates: each share as its mean over the cuts that have something to keep, 0 to 1; None if none has.
        invented: invented names and paths, for each summary on average.
        stale: old values without the new ones, for each summary on average.
        over_budget: how many summaries were too large.
        tokens: the mean size.
        cuts: how many summaries these are means of.
        seconds: the mean time of one.
    """

    summarizer: str
    budget: int
    rates: Mapping[str, float | None]
    invented: float
    stale: float
    over_budget: int
    tokens: float
    cuts: int
    seconds: float


def mean_rows(results: Iterable[Result]) -> list[Row]:
    """One row for each budget and summarizer: budgets rising, summarizers in the order of their first result."""
    groups: dict[tuple[int, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.budget, result.summarizer), []).append(result)
    order = {name: place for place, name in enumerate(dict.fromkeys(name for _, name in groups))}
    return [_row(groups[key]) for key in sorted(groups, key=lambda key: (key[0], order[key[1]]))]


def _row(results: Sequence[Result]) -> Row:
    scores = [result.score for result in results]
    return Row(
        summarizer=results[0].summarizer,
        budget=results[0].budget,
        rates={name: _mean([measure(score, name).rate for score in scores]) for name in SHARES},
        invented=_average([len(score.invented) for score in scores]),
        stale=_average([score.stale.hit for score in scores]),
        over_budget=sum(score.over_budget for score in scores),
        tokens=_average([score.tokens for score in scores]),
        cuts=len(results),
        seconds=_average([result.seconds for result in results]),
    )


def measure(score: Score, name: str) -> Measure:
    """One of the shares of a score by its name."""
    value: Measure = getattr(score, name)
    return value


def _mean(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return _average(known) if known else None


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def as_json(results: Sequence[Result], *, missed: bool = False) -> dict[str, Any]:
    """Rows and single results as a JSON value; with `missed` also what each summary lacks, and its text."""
    return {
        "rows": [row_json(row) for row in mean_rows(results)],
        "results": [_result_json(result, missed) for result in results],
    }


def row_json(row: Row) -> dict[str, Any]:
    """A row as a JSON value; shares to four places."""
    value: dict[str, Any] = msgspec.to_builtins(row)
    value["rates"] = {name: rate if rate is None else round(rate, 4) for name, rate in row.rates.items()}
    return {**value, "seconds": round(row.seconds, 4)}


def _result_json(result: Result, missed: bool) -> dict[str, Any]:
    score = result.score
    value: dict[str, Any] = {
        "source": result.source,
        "at": result.at,
        "summarizer": result.summarizer,
        "budget": result.budget,
        "tokens": score.tokens,
        "over_budget": score.over_budget,
        "seconds": round(result.seconds, 4),
        "invented": list(score.invented),
        "stale": list(score.stale.missed),
    }
    for name in SHARES:
        found = measure(score, name)
        value[name] = {"hit": found.hit, "total": found.total}
        if missed:
            value[name]["missed"] = list(found.missed)
    if missed:
        value["text"] = result.text
    return value
