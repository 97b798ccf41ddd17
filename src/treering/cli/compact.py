"""`compact`, `prune` and `undo`."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import Any

import click
import msgspec

from treering.cli.bars import Part, bar
from treering.cli.common import (
    echo,
    echo_whole,
    emit_json,
    file_argument,
    json_option,
    number,
    open_session,
    plural,
    progress,
    terminal_width,
    user_hooks,
    window_option,
)
from treering.config import load_settings
from treering.operations.compact import compact_sync
from treering.operations.prune import prune as prune_session
from treering.operations.result import CompactionResult
from treering.operations.undo import redo as redo_undo
from treering.operations.undo import undo as undo_compaction
from treering.session.copy import copy_session
from treering.session.tree import Session
from treering.settings import Settings
from treering.summarizers.choose import choose_summarizer

EXIT_CODES = {"applied": 0, "skipped": 0, "failed": 1, "cancelled": 130}


@click.command()
@file_argument
@click.argument("instructions", nargs=-1)
@window_option
@click.option("--reserve", type=click.IntRange(min=0), metavar="N", help="Tokens kept free in the window.")
@click.option(
    "--keep-recent", type=click.IntRange(min=0), metavar="N", help="Newest tokens that stay.  [default: 20000]"
)
@click.option("--budget", type=click.IntRange(min=1), metavar="N", help="Tokens the summary may have.  [default: 2000]")
@click.option(
    "--summarizer",
    "summarizers",
    multiple=True,
    metavar="NAME",
    help="extractive, a model (anthropic:…, openai:…, NAME@URL) or the URL of an endpoint. Repeat for candidates in "
    "order.  [default: by the settings, else extractive]",
)
@click.option("--short", is_flag=True, default=None, help="Two or three sentences for people too.")
@click.option("--dry-run", is_flag=True, help="Show what would be; write nothing.")
@click.option("--to", "target", type=click.Path(dir_okay=False), metavar="FILE", help="Write a compacted copy instead.")
@json_option
def compact(
    file: str,
    instructions: tuple[str, ...],
    window: int | None,
    reserve: int | None,
    keep_recent: int | None,
    budget: int | None,
    summarizers: tuple[str, ...],
    short: bool | None,
    dry_run: bool,
    target: str | None,
    as_json: bool,
) -> None:
    """Replace the old history of FILE by a summary. INSTRUCTIONS say what matters; it is all kept readable.

    With --to, FILE is not touched: the copy gets the whole tree, and the compaction if there is one.
    """
    if dry_run and target:
        raise click.UsageError("--dry-run writes nothing and --to always writes: give one of them")
    settings = _settings(reserve, keep_recent, short)
    summarizer = choose_summarizer(settings, summarizers)
    with ExitStack() as stack:
        session = stack.enter_context(open_session(file))
        if target:
            copy_session(session, target)
            session = stack.enter_context(Session.open(target))
        tell = stack.enter_context(progress("compacting"))
        result = compact_sync(
            session,
            instructions=" ".join(instructions) or None,
            settings=settings,
            summarizer=summarizer,
            short=settings.summary.short,
            hooks=user_hooks(settings),
            window=window,
            budget=budget,
            dry_run=dry_run,
            on_progress=tell,
        )
        kept = _kept(session, result)
    if as_json:
        emit_json({**msgspec.to_builtins(result), "file": target or file})
    else:
        _report(result, kept, target or file)
    refused = result.outcome == "cancelled" and result.cause_code == "hook"  # by a hook, not by the user
    raise click.exceptions.Exit(1 if refused else EXIT_CODES[result.outcome])


def _settings(reserve: int | None, keep_recent: int | None, short: bool | None) -> Settings:
    return load_settings(
        {
            "compaction": {"reserve_tokens": reserve, "keep_recent_tokens": keep_recent},
            "summary": {"short": short},
        }
    )


def _kept(session: Session, result: CompactionResult) -> tuple[int, int]:
    """How many entries of the path the compaction replaces, and how many it keeps."""
    path = session.path()
    cut = path.index_of(result.first_kept_entry_id) if result.first_kept_entry_id else None
    if cut is None:
        return 0, len(path)
    end = path.index_of(result.entry_id) if result.entry_id else None
    return cut, (len(path) if end is None else end) - cut


def _report(result: CompactionResult, kept: tuple[int, int], file: str) -> None:
    if result.outcome != "applied":
        echo(f"{result.outcome}: {result.cause}", err=result.outcome == "failed")
        return
    width = terminal_width() - 20
    before, after = result.tokens_before, result.tokens_after or 0
    summary = result.summary_tokens or 0
    title = "would compact" if result.dry_run else "compacted"
    echo(f"{click.style(title, bold=True)} {file}: {number(before)} → {number(after)} tokens")
    echo(f"  before [{bar([Part('context', before, 'red')], before, width)}] {number(before):>9}")
    parts = [Part("summary", summary, "magenta"), Part("kept", max(0, after - summary), "green")]
    echo(f"  after  [{bar(parts, before, width)}] {number(after):>9}")
    turn = " (inside a turn)" if result.split_turn else ""
    echo(f"  {plural(kept[0], 'entry', 'entries')} summarised in {number(summary)} tokens by {result.summarizer}")
    echo(f"  {plural(kept[1], 'entry', 'entries')} kept word for word, from {result.first_kept_entry_id}{turn}")
    if result.pruned.results:
        echo(f"  {plural(result.pruned.results, 'tool output')} pruned, {number(result.pruned.tokens)} tokens")
    if result.branched:
        echo("  Another process continued the session meanwhile: the compaction is on a branch of its own.")
    if result.check is not None:
        echo(f"  {_check_line(result.check)}")
    if result.short_summary:
        echo_whole(f"\n{result.short_summary}")
    echo_whole(f"\n{result.summary}\n")
    if not result.dry_run:
        name = shlex.quote(file)
        echo(f"Nothing is lost: `treering entry {name} ID` shows any entry, `treering undo {name}` takes this back.")


def _check_line(check: dict[str, Any]) -> str:
    """What the check of the summary found, in one line."""
    told, missing = len(check["kept"]), len(check["missing"])
    parts = [f"check: {told} of {told + missing} facts that must not be lost are there"]
    if check["repaired"]:
        parts.append(f"{len(check['repaired'])} of them put back")
    if check["invented"]:
        parts.append(f"invented: {', '.join(check['invented'][:3])}")
    if check["stale"]:
        parts.append(f"out of date: {', '.join(check['stale'][:3])}")
    return "; ".join(parts)


@click.command(short_help="Shorten old, large tool outputs.")
@file_argument
@click.option("--dry-run", is_flag=True, help="Show what would be; write nothing.")
@json_option
def prune(file: str, dry_run: bool, as_json: bool) -> None:
    """Shorten old, large tool outputs at the leaf of FILE. What is cut stays readable under its entry's id."""
    with open_session(file) as session, progress("pruning"):
        pruned = prune_session(session, dry_run=dry_run)
    if as_json:
        outcome = "applied" if pruned.results else "skipped"
        emit_json({"outcome": outcome, "dry_run": dry_run, "pruned": msgspec.to_builtins(pruned)})
    elif pruned.results:
        verb = "would prune" if dry_run else "pruned"
        echo(f"{verb} {plural(pruned.results, 'tool output')}: {number(pruned.tokens)} tokens less")
    else:
        echo("nothing to prune: old tool outputs would save too little (see `prune` in the settings)")


@click.command(short_help="Take the newest compaction back, or an undo.")
@file_argument
@click.option("--redo", is_flag=True, help="Take the newest undo back.")
@json_option
def undo(file: str, redo: bool, as_json: bool) -> None:
    """Take the newest compaction of FILE back; again: the one before it."""
    with open_session(file) as session:
        result = redo_undo(session) if redo else undo_compaction(session)
        tokens = _size(session)
    if as_json:
        emit_json({**msgspec.to_builtins(result), "tokens": tokens})
        return
    if result.outcome == "skipped":
        echo("nothing to redo" if redo else "nothing to undo: no compaction is in force")
        return
    back = f"the summary of {result.restored} is in force again" if result.restored else "no compaction is in force now"
    echo(f"{'redone' if redo else 'undone'}: {result.undone}; {back}. The context has {number(tokens)} tokens.")


def _size(session: Session) -> Any:
    from treering.operations.measure import measure

    return measure(session.context()).tokens
