"""`demo`: what Treering does, shown on the session that comes with it."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import chdir
from importlib import resources
from pathlib import Path

import click

from treering.cli.common import echo

EXAMPLE = "example-session.v3.jsonl"
NAME = "example.jsonl"
WINDOW = 64_000
"""Tokens of the window that the example is to fit into: that of many models one runs oneself."""


@click.command(short_help="Compact the bundled example, shown before and after.")
@click.option("--to", "target", type=click.Path(dir_okay=False), metavar="FILE", help="Keep the session that is made.")
@click.pass_context
def demo(ctx: click.Context, target: str | None) -> None:
    """Compact the bundled example session, and show it before and after."""
    from treering.cli.compact import compact
    from treering.cli.show import context, show

    data = resources.files("treering.data").joinpath(EXAMPLE).read_bytes()
    kept = str(Path(target).absolute()) if target else None
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path(NAME).write_bytes(data)
        for name, command, file in (
            ("show", show, NAME),
            ("context", context, NAME),
            ("compact", compact, NAME),
            ("context", context, kept or NAME),
        ):
            to = f" --to {shlex.quote(kept)}" if name == "compact" and kept else ""
            echo(click.style(f"$ treering {name} {shlex.quote(file)} --window {WINDOW}{to}\n", fg="cyan"))
            options = {"target": kept} if name == "compact" else {}
            try:
                ctx.invoke(command, file=file, window=WINDOW, **options)
            except click.exceptions.Exit as end:
                if end.exit_code:
                    raise
            echo()
    if target is None:
        echo("This was done to a copy that is gone now: `treering demo --to FILE` keeps it.")
