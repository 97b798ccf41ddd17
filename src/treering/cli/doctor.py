"""`doctor`: what is wrong with a session file, and a repaired copy of it."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from treering.cli.common import echo, emit_json, file_argument, json_option, number, plural, progress
from treering.session.doctor import Diagnosis, examine, report
from treering.session.doctor import repair as write_repaired

LISTED = 100
"""Findings that are listed for people; `--json` has all."""


@click.command(short_help="Find damage in a session FILE; repair it in a copy.")
@file_argument
@click.option("--repair", is_flag=True, help="Write a repaired copy. FILE itself is never changed.")
@click.option(
    "--to", type=click.Path(dir_okay=False), metavar="COPY", help="Where to.  [default: FILE with .repaired.jsonl]"
)
@json_option
@click.pass_context
def doctor(context: click.Context, file: str, repair: bool, to: str | None, as_json: bool) -> None:
    """Find what is wrong with a session FILE; with --repair, write a repaired copy.

    Exit code 3 if damage is left (in the copy, with --repair); what Treering can live with is a warning, and 0.
    """
    if to is not None and not repair:
        raise click.UsageError("--to says where the repaired copy goes: give --repair too")
    with progress("examining"):
        if repair:
            done = write_repaired(file, to or _copy_name(file))
            before, left, notes = done.before, done.after, done.notes
        else:
            before = left = examine(file)
            notes = ()
    if as_json:
        repaired = {**report(left), "notes": notes} if repair else None
        emit_json({**report(before), "repaired": repaired})
    else:
        _tell(before)
        if repair:
            _tell_repair(left, notes)
        elif before.damaged:
            echo(f"\n`treering doctor --repair {shlex.quote(file)}` writes a copy in which the damage is repaired.")
    context.exit(3 if left.damaged else 0)


def _copy_name(file: str) -> str:
    """A name beside the file that is free."""
    path = Path(file)
    count = 1
    while (copy := path.with_name(f"{path.stem}.repaired{'' if count == 1 else f'-{count}'}.jsonl")).exists():
        count += 1
    return str(copy)


def _tell(diagnosis: Diagnosis) -> None:
    name = click.style(str(diagnosis.path), bold=True)
    echo(f"{name}  version {diagnosis.version}, {plural(diagnosis.entries, 'entry', 'entries')}")
    for finding in diagnosis.findings[:LISTED]:
        where = f"line {finding.line}" if finding.line else "the file"
        color = "red" if finding.severity == "damage" else "yellow"
        echo(f"  {where:>12}  {click.style(f'{finding.severity:<7}', fg=color)}  {finding.text}")
    if len(diagnosis.findings) > LISTED:
        echo(f"  and {number(len(diagnosis.findings) - LISTED)} more: --json has all of them")
    if not diagnosis.findings:
        echo("  nothing is wrong with it")


def _tell_repair(left: Diagnosis, notes: tuple[str, ...]) -> None:
    echo()
    for note in notes[:LISTED]:
        echo(f"  {note}")
    if len(notes) > LISTED:
        echo(f"  and {number(len(notes) - LISTED)} more")
    state = "damage is left" if left.damaged else "no damage is left"
    echo(f"written: {left.path}, {plural(left.entries, 'entry', 'entries')}; {state}")
