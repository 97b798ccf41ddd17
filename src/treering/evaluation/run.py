"""Running an evaluation: files × cuts × budgets × summarizers, over all cores."""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from inspect import isawaitable
from pathlib import Path as FilePath
from typing import TypeVar, cast

import msgspec

from treering.compaction.summarizer import Summarizer, Summary, SummaryRequest
from treering.errors import SettingsError, TreeringError
from treering.evaluation.baselines import Baseline, baselines
from treering.evaluation.hindsight import CUTS, KEEP_TOKENS, LEAST_REGION, Cut, make_cuts, reference_of, summary_text
from treering.evaluation.measures import STRICT, Reading, score_summary
from treering.evaluation.report import Result
from treering.facts.fold import FactState
from treering.session.tree import Session
from treering.tokens.estimate import TokenCounter, estimate_text

R = TypeVar("R")

BUDGETS = (512, 1100, 2000, 4000)
"""Tokens of a summary, unless others are asked for."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be evaluated.

    Attributes:
        summarizers: names, or `module:attribute` of a summarizer or of a function that makes one.
        budgets: tokens that a summary may have.
        at: where sessions are cut, 0 to 1.
        keep_tokens: what stays verbatim.
        least_region: cuts that would replace fewer tokens are left out.
        seed: for the random lines.
        reading: how the measures are read.
        exact: whether tokens are counted exactly (needs the extra `exact`) or estimated.
        with_baselines: whether the baselines are measured too.
    """

    summarizers: tuple[str, ...] = ("extractive",)
    budgets: tuple[int, ...] = BUDGETS
    at: tuple[float, ...] = CUTS
    keep_tokens: int = KEEP_TOKENS
    least_region: int = LEAST_REGION
    seed: int = 1
    reading: Reading = STRICT
    exact: bool = False
    with_baselines: bool = True


class FileResults(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file: results, or the reason why there are none."""

    source: str
    results: tuple[Result, ...] = ()
    cuts: int = 0
    error: str | None = None


def over_files(
    work: Callable[[str, Job], R], files: Sequence[str], job: Job, *, processes: int | None = None
) -> Iterator[R]:
    """Do the work for each file, several at a time; results come as soon as they are there, in any order.

    Args:
        work: what to do with a file; `evaluate_file` or the like. It is sent to other processes.
        files: session files.
        job: what to measure.
        processes: how many work at once; None for one a core.
    """
    workers = min(processes or os.cpu_count() or 1, len(files))
    if workers <= 1:
        for file in files:
            yield work(file, job)
        return
    with ProcessPoolExecutor(workers) as pool:
        # Large files first, so that no core is left alone with one at the end.
        ordered = sorted(files, key=lambda file: -FilePath(file).stat().st_size if FilePath(file).exists() else 0)
        waiting = [pool.submit(work, file, job) for file in ordered]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            for future in waiting:
                future.cancel()


def evaluate_file(file: str, job: Job) -> FileResults:
    """Evaluate one file. What is wrong with the file or a summarizer is said in the result."""
    source = FilePath(file).name
    try:
        with Session.open(file) as session:
            path, cwd = session.path(), session.header.cwd
        cuts = list(make_cuts(path, at=job.at, keep_tokens=job.keep_tokens, least_region=job.least_region, cwd=cwd))
        results = [result for cut in cuts for result in evaluate_cut(cut, job, source)]
    except TreeringError as error:
        return FileResults(source=source, error=str(error))
    return FileResults(source=source, results=tuple(results), cuts=len(cuts))


def evaluate_cut(cut: Cut, job: Job, source: str) -> Iterator[Result]:
    """Every summarizer at every budget on one cut."""
    count = counter(job.exact)
    reference = reference_of(cut, job.reading)
    for name, summarizer in chosen_summarizers(job, count).items():
        for budget in job.budgets:
            started = time.perf_counter()
            text = _text(cut, summarizer, budget)
            seconds = time.perf_counter() - started
            yield Result(
                source=source,
                at=cut.at,
                summarizer=name,
                budget=budget,
                score=score_summary(reference, text, tokens=count, budget=budget),
                seconds=seconds,
                text=text,
            )


def _text(cut: Cut, summarizer: Summarizer, budget: int) -> str:
    if isinstance(summarizer, Baseline):
        # Bare: the lists of files that a compaction adds would lift it.
        request = SummaryRequest(
            history=cut.history, turn_prefix=cut.turn_prefix, kept=cut.kept, facts=FactState(), budget=budget
        )
        return summarizer.summarize(request).text
    return summary_text(cut, summarizer, budget)


def run_summarizer(summarizer: Summarizer, request: SummaryRequest) -> Summary:
    """A summarizer's answer; asynchronous ones get an event loop of their own."""
    answer = summarizer.summarize(request)
    if not isawaitable(answer):
        return answer

    async def waited() -> Summary:
        return await answer

    return asyncio.run(waited())


def chosen_summarizers(job: Job, count: TokenCounter) -> dict[str, Summarizer]:
    """The summarizers of a job by name, those that were asked for first.

    Raises:
        SettingsError: a name is unknown, or its module cannot be imported.
    """
    known: dict[str, Summarizer] = dict(baselines(count, seed=job.seed))
    chosen = {name: known[name] if name in known else find_summarizer(name) for name in job.summarizers}
    return {**chosen, **known} if job.with_baselines else chosen


def find_summarizer(name: str) -> Summarizer:
    """The summarizer of this name, or of a `module:attribute`.

    Raises:
        SettingsError: there is none.
    """
    module_name, _, attribute = _BUILT_IN.get(name, name).partition(":")
    try:
        found: object = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(
            f"there is no summarizer {name!r} ({error}): give one of {', '.join(_BUILT_IN)}, "
            f"or module:attribute of one of your own"
        ) from error
    made = found() if callable(found) and not hasattr(type(found), "summarize") else found
    return cast("Summarizer", made)


_BUILT_IN = {"extractive": "treering.summarizers.extractive:ExtractiveSummarizer"}


@cache
def counter(exact: bool) -> Callable[[str], int]:
    """What counts the tokens of summaries: exactly by o200k, or estimated.

    Raises:
        TokenizerNotAvailableError: the exact tokenizer is not installed.
    """
    if not exact:
        return estimate_text
    from treering.tokens.exact import exact_counter

    return exact_counter()
