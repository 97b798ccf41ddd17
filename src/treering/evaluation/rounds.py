"""Rounds: a session compacted again and again while it grows, so that drift shows.

Each round compacts a further part, on top of the summary and the facts of the round before, and is measured against all
that was there from the beginning. Beside the last round stands the same summarizer's summary of everything at once:
whatever the rounds lose against that, they lose by being rounds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Literal, NamedTuple

import msgspec

from treering.compaction.summarizer import Summarizer, SummaryRequest
from treering.errors import TreeringError
from treering.evaluation.hindsight import NO_FACTS, Cut, find_facts, make_cuts, reference_of, summary_request
from treering.evaluation.measures import Reference, score_summary
from treering.evaluation.report import Result, Row, mean_rows
from treering.evaluation.run import Job, chosen_summarizers, counter, run_summarizer
from treering.session.tree import Session

ROUNDS = 5
LAST_POINT = 0.85
"""Where the session stands at the last round, as a share of its messages."""

Stage = Literal["first", "last", "at once"]
"""`first` and `last` of the rounds, and everything `at once` where the last one stands."""


class RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """One round of one session.

    Attributes:
        round: 1 for the first; 0 for the summary of everything at once.
        result: what it keeps.
        repeatable: whether the same request gave the same bytes a second time.
    """

    round: int
    result: Result
    repeatable: bool


class RoundsOfFile(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file: rounds, or the reason why there are none."""

    source: str
    results: tuple[RoundResult, ...] = ()
    cuts: int = 0
    error: str | None = None


def rounds_of_file(file: str, job: Job, rounds: int = ROUNDS) -> RoundsOfFile:
    """Compact a session in rounds with every summarizer and budget of the job."""
    source = FilePath(file).name
    points = tuple(LAST_POINT * (number + 1) / rounds for number in range(rounds))
    try:
        with Session.open(file) as session:
            path, cwd = session.path(), session.header.cwd
        cuts = list(make_cuts(path, at=points, keep_tokens=job.keep_tokens, least_region=job.least_region, cwd=cwd))
        cuts = [cut for before, cut in pairwise([None, *cuts]) if cut and (not before or _is_longer(cut, before))]
        if len(cuts) < 2:
            return RoundsOfFile(source=source)
        stops = [*round_requests(cuts), Stop(0, cuts[-1], summary_request(cuts[-1], budget=0))]
        references = {stop.cut.at: reference_of(stop.cut, job.reading) for stop in stops}
        results = [
            found
            for name, summarizer in chosen_summarizers(job, counter(job.exact)).items()
            for budget in job.budgets
            for found in _run(stops, references, Task(source, name, summarizer, budget, job.exact))
        ]
    except TreeringError as error:
        return RoundsOfFile(source=source, error=str(error))
    return RoundsOfFile(source=source, results=tuple(results), cuts=len(cuts))


class Stop(NamedTuple):
    """A point where a session is compacted: which round (0: all at once), the cut, and what is asked."""

    round: int
    cut: Cut
    request: SummaryRequest


class Task(NamedTuple):
    """Who compacts a session, and with how many tokens."""

    source: str
    name: str
    summarizer: Summarizer
    budget: int
    exact: bool


def round_requests(cuts: Sequence[Cut]) -> Iterator[Stop]:
    """The requests of the rounds, without budget and without the summary before, which only then are known."""
    done, facts = 0, NO_FACTS
    for number, cut in enumerate(cuts, start=1):
        region = cut.region
        prefix = max(done, len(cut.history))
        facts = find_facts(region[done:], cwd=cut.cwd, state=facts)
        prefix_facts = find_facts(region[prefix:], cwd=cut.cwd) if prefix < len(region) else None
        request = SummaryRequest(
            history=region[done:prefix],
            turn_prefix=region[prefix:],
            kept=cut.kept,
            facts=facts,
            prefix_facts=prefix_facts,
            budget=0,
            cwd=cut.cwd,
        )
        yield Stop(number, cut, request)
        done = len(region)


def _run(stops: Sequence[Stop], references: Mapping[float, Reference], task: Task) -> Iterator[RoundResult]:
    text: str | None = None
    for stop in stops:
        before = text if stop.round else None
        request = msgspec.structs.replace(stop.request, budget=task.budget, previous_summary=before)
        started = time.perf_counter()
        text = run_summarizer(task.summarizer, request).text
        seconds = time.perf_counter() - started
        again = run_summarizer(task.summarizer, request).text
        score = score_summary(references[stop.cut.at], text, tokens=counter(task.exact), budget=task.budget)
        result = Result(
            source=task.source,
            at=stop.cut.at,
            summarizer=task.name,
            budget=task.budget,
            score=score,
            seconds=seconds,
            text=text,
        )
        yield RoundResult(round=stop.round, result=result, repeatable=again == text)


def stage_rows(results: Sequence[RoundResult]) -> dict[Stage, list[Row]]:
    """Means over sessions of the first round, the last, and everything at once."""
    last: dict[tuple[str, str, int], int] = {}
    for found in results:
        key = _key(found)
        last[key] = max(last.get(key, 0), found.round)
    return {
        "first": mean_rows(found.result for found in results if found.round == 1),
        "last": mean_rows(found.result for found in results if found.round and found.round == last[_key(found)]),
        "at once": mean_rows(found.result for found in results if found.round == 0),
    }


def _key(found: RoundResult) -> tuple[str, str, int]:
    return found.result.source, found.result.summarizer, found.result.budget


def _is_longer(cut: Cut, before: Cut) -> bool:
    return len(cut.region) > len(before.region)
