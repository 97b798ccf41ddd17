"""Rounds: a session compacted again and again while it grows, so that drift shows.

Each round compacts a further part, on top of the summary and the facts of the round before, and is measured against all
that was there from the beginning. Beside the last round stands the same summarizer's summary of everything at once:
whatever the rounds lose against that, they lose by being rounds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath
from typing import Literal

import msgspec

from treering.compaction.plan import span_messages
from treering.compaction.summarizer import Summarizer
from treering.errors import TreeringError
from treering.evaluation.measures import Reference, make_reference, score_summary
from treering.evaluation.replay import Replay, stopping_points, whole_history
from treering.evaluation.report import Result, Row, mean_rows
from treering.evaluation.run import Job, chosen_summarizers, counter
from treering.operations.result import CompactionResult
from treering.session.entries import Entry
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
    try:
        with Session.open(file) as session:
            entries, cwd = whole_history(session.path()), session.header.cwd
        played = _Played(source, entries, cwd, job)
        points = stopping_points(entries, [LAST_POINT * (number + 1) / rounds for number in range(rounds)])
        results = [
            found
            for name, summarizer in chosen_summarizers(job, counter(job.exact)).items()
            for budget in job.budgets
            for found in played.run(points, name, summarizer, budget)
        ]
    except TreeringError as error:
        return RoundsOfFile(source=source, error=str(error))
    return RoundsOfFile(source=source, results=tuple(results), cuts=len({found.result.at for found in results}))


class _Played:
    """A session that is played again for each summarizer; what a summary is measured against is found once a cut."""

    def __init__(self, source: str, entries: Sequence[Entry], cwd: str, job: Job) -> None:
        self._source = source
        self._entries = entries
        self._cwd = cwd
        self._job = job
        self._places = {entry.id: index for index, entry in enumerate(entries)}
        self._references: dict[tuple[int, int], Reference] = {}

    def run(
        self, points: Sequence[tuple[float, int]], name: str, summarizer: Summarizer, budget: int
    ) -> Iterator[RoundResult]:
        """The rounds at these points, and everything at once at the last of them that had one."""
        replay = self._replay()
        done = 0
        last: tuple[float, int] | None = None
        for at, end in points:
            replay.grow(end)
            if not done and replay.region_tokens() < self._job.least_region:
                continue
            found = self._compact(replay, at, end, summarizer, budget)
            if found is not None:
                done += 1
                last = (at, end)
                yield _named(found, name, done)
        if last is not None and done >= 2:
            whole = self._replay()
            whole.grow(last[1])
            found = self._compact(whole, *last, summarizer, budget)
            if found is not None:
                yield _named(found, name, 0)

    def _replay(self) -> Replay:
        return Replay(self._entries, cwd=self._cwd, keep_tokens=self._job.keep_tokens)

    def _compact(self, replay: Replay, at: float, end: int, summarizer: Summarizer, budget: int) -> RoundResult | None:
        dry = replay.compact(summarizer, budget, dry_run=True)
        started = time.perf_counter()
        made = replay.compact(summarizer, budget)
        seconds = time.perf_counter() - started
        if made.outcome != "applied" or made.summary is None:
            return None
        score = score_summary(self._reference(made, end), made.summary, tokens=counter(self._job.exact), budget=budget)
        result = Result(
            source=self._source,
            at=at,
            summarizer="",
            budget=budget,
            score=score,
            seconds=seconds,
            text=made.summary,
        )
        return RoundResult(round=0, result=result, repeatable=dry.summary == made.summary)

    def _reference(self, made: CompactionResult, end: int) -> Reference:
        cut = self._places.get(made.first_kept_entry_id or "", end)
        if (cut, end) not in self._references:
            parts = ((0, cut), (cut, end), (end, len(self._entries)))
            region, kept, future = (span_messages(self._entries, start, stop) for start, stop in parts)
            self._references[cut, end] = make_reference(region, kept, future, self._job.reading)
        return self._references[cut, end]


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


def _named(found: RoundResult, name: str, number: int) -> RoundResult:
    result = msgspec.structs.replace(found.result, summarizer=name)
    return msgspec.structs.replace(found, result=result, round=number)
