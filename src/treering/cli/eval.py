"""`eval`: how well summaries keep what sessions of one's own needed later."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from treering.cli.common import emit_json, json_option, plural

if TYPE_CHECKING:
    from treering.evaluation.report import Row
    from treering.evaluation.run import Job

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")

TABLE_WIDTH = 118
HEADINGS = {
    "files": "files",
    "names": "names",
    "commands": "cmds",
    "numbers": "nums",
    "directives": "rules",
    "relations": "relat.",
    "next_steps": "next",
    "errors": "errors",
    "bare": "bare",
}


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them; each may end in % or k."""

    name = "numbers"

    def __init__(self, least: float, most: float) -> None:
        """Accept numbers in this range, both ends included."""
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """Read the list."""
        if isinstance(value, tuple):
            return cast("tuple[float, ...]", value)
        found = [self._number(text.strip(), param, ctx) for text in str(value).split(",") if text.strip()]
        if not found:
            self.fail("give at least one number", param, ctx)
        return tuple(found)

    def _number(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        scale = {"%": 0.01, "k": 1000.0}.get(text[-1:].lower(), 1.0)
        try:
            number = float(text[:-1] if scale != 1.0 else text) * scale
        except ValueError:
            self.fail(f"{text!r} is no number", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{text} is not between {self.least:g} and {self.most:g}", param, ctx)
        return number


@click.group("eval", short_help="Measure summaries by what sessions used later.")
def eval_group() -> None:
    """Measure summaries by hindsight: what did these sessions use later, and was it still in the summary?"""


def shared_options(command: F) -> F:
    """The options that all evaluations have."""
    options = (
        click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False)),
        click.option(
            "--summarizer",
            "summarizers",
            multiple=True,
            default=("extractive",),
            show_default=True,
            metavar="NAME",
            help="Whom to measure besides the baselines; also module:attribute of one of your own. Repeatable.",
        ),
        click.option(
            "--budget", "budgets", type=Numbers(1, 1e6), default="512,1100,2000,4000", show_default=True,
            metavar="N,…", help="Tokens that a summary may have.",
        ),
        click.option("--keep-recent", type=click.IntRange(min=0), default=20_000, show_default=True, metavar="N",
                     help="Tokens before the cut that stay verbatim."),
        click.option("--least-region", type=click.IntRange(min=0), default=15_000, show_default=True, metavar="N",
                     help="Leave out cuts that would replace fewer tokens."),
        click.option("--exact", is_flag=True, help="Count tokens exactly (needs treering[exact])."),
        click.option("--plain", is_flag=True, help="Read the measures by the letter, not strictly."),
        click.option("--seed", type=int, default=1, show_default=True, help="For the random lines."),
        click.option("--processes", type=click.IntRange(min=1), metavar="N", help="At once.  [default: one a core]"),
        json_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@eval_group.command(short_help="Cut sessions, summarise, and look at what came after.")
@shared_options
@click.option("--cuts", type=Numbers(0.01, 0.99), default="50%,70%,85%", show_default=True, metavar="SHARE,…",
              help="Where to cut each session, as shares of its messages.")  # fmt: skip
@click.option("--missed", is_flag=True, help="With --json: the summaries, and what each of them lacks.")
@click.option("--plot", type=click.Path(dir_okay=False, writable=True), metavar="FILE.svg",
              help="Draw recall against tokens.")  # fmt: skip
def hindsight(
    files: tuple[str, ...], cuts: tuple[float, ...], as_json: bool, missed: bool, plot: str | None, **options: Any
) -> int:
    """Cut each session of FILES at some points, summarise what lies before, and look at what came after.

    Shares are means over the cuts, in percent. Of bare (words in mere lists), stale, invented and over less is better.
    """
    from treering.evaluation.report import Result, mean_rows
    from treering.evaluation.report import as_json as report_json
    from treering.evaluation.run import evaluate_file, over_files

    job = _job(at=cuts, **options)
    results: list[Result] = []
    failed = 0
    with _bar(len(files)) as advance:
        for found in over_files(evaluate_file, files, job, processes=options["processes"]):
            advance(found.source)
            failed += _complain(found.source, found.error, found.cuts)
            results += found.results
    results.sort(key=lambda result: (result.source, result.at))
    rows = mean_rows(results)
    if plot and rows:
        from treering.evaluation.plot import plot_svg

        _write(plot, plot_svg(rows, title=f"What {plural(len({r.source for r in results}), 'session')} used later"))
    if as_json:
        emit_json(report_json(results, missed=missed))
    elif rows:
        _print_rows(rows, f"{plural(rows[0].cuts, 'cut')} of {plural(len({r.source for r in results}), 'session')}")
    return 1 if failed else 0


@eval_group.command(short_help="Compact sessions again and again while they grow.")
@shared_options
@click.option("--rounds", "number", type=click.IntRange(min=2), default=5, show_default=True, metavar="N",
              help="How many compactions in a row.")  # fmt: skip
def rounds(files: tuple[str, ...], number: int, as_json: bool, **options: Any) -> int:
    """Compact each session of FILES several times while it grows, and see what drifts away.

    Beside the last round stands a summary of everything at once: what the rounds lose against it, they lose by being
    rounds.
    """
    from functools import partial

    from treering.evaluation.report import row_json
    from treering.evaluation.rounds import RoundResult, rounds_of_file, stage_rows
    from treering.evaluation.run import over_files

    job = _job(**options)
    results: list[RoundResult] = []
    failed = 0
    with _bar(len(files)) as advance:
        work = partial(rounds_of_file, rounds=number)
        for found in over_files(work, files, job, processes=options["processes"]):
            advance(found.source)
            failed += _complain(found.source, found.error, found.cuts)
            results += found.results
    stages = stage_rows(results)
    differing = sum(not found.repeatable for found in results)
    if as_json:
        data = {stage.replace(" ", "_"): [row_json(row) for row in rows] for stage, rows in stages.items()}
        emit_json({**data, "not_repeatable": differing})
    else:
        for stage, rows in stages.items():
            if rows:
                title = {"first": "the first round", "last": f"after {number} rounds", "at once": "everything at once"}
                _print_rows(rows, f"{title[stage]}, {plural(rows[0].cuts, 'session')}")
        if results:
            click.echo(f"Asked twice, {plural(differing, 'summary', 'summaries')} of {len(results)} differed.")
    return 1 if failed else 0


def _job(**options: Any) -> Job:
    from treering.evaluation.hindsight import CUTS
    from treering.evaluation.measures import PLAIN, STRICT
    from treering.evaluation.run import Job, chosen_summarizers, counter

    job = Job(
        summarizers=options["summarizers"],
        budgets=tuple(int(budget) for budget in options["budgets"]),
        at=options.get("at", CUTS),
        keep_tokens=options["keep_recent"],
        least_region=options["least_region"],
        seed=options["seed"],
        reading=PLAIN if options["plain"] else STRICT,
        exact=options["exact"],
    )
    chosen_summarizers(job, counter(job.exact))  # what cannot be had is said before the work begins
    return job


def _complain(source: str, error: str | None, cuts: int) -> int:
    """Say on standard error what is wrong with a file; 1 if it failed."""
    if error is not None:
        click.echo(f"Error: {source}: {error}", err=True)
        return 1
    if cuts == 0:
        click.echo(f"Note: {source} is too short to be cut: see --least-region and --keep-recent", err=True)
    return 0


@contextmanager
def _bar(total: int) -> Generator[Callable[[str], None]]:
    """A progress bar on a terminal's standard error. Yields what to call after each file."""
    import sys

    if total < 2 or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda source: progress.update(task, advance=1, description=source)


def _print_rows(rows: Sequence[Row], title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("budget", justify="right")
    table.add_column("summarizer", no_wrap=True)
    for heading in (*HEADINGS.values(), "stale", "inv.", "over", "tokens"):
        table.add_column(heading, justify="right")
    budget = 0
    for row in rows:
        if budget and row.budget != budget:
            table.add_section()
        shown = "" if row.budget == budget else str(row.budget)
        budget = row.budget
        table.add_row(shown, row.summarizer, *_cells(row))
    console = Console()
    # A table that is cut off says nothing: a narrow terminal wraps it, and a pipe gets it whole.
    Console(width=max(console.width, TABLE_WIDTH)).print(table)


def _cells(row: Row) -> Iterable[str]:
    for name in HEADINGS:
        rate = row.rates[name]
        yield "–" if rate is None else f"{100 * rate:.0f}"
    yield f"{row.stale:.2g}"
    yield f"{row.invented:.2g}"
    yield str(row.over_budget)
    yield f"{row.tokens:.0f}"


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from error
