"""`demo`: what Treering does, shown on the session that comes with it."""

from __future__ import annotations

import tempfile
from importlib import resources
from pathlib import Path

import click

EXAMPLE = "example-session.v3.jsonl"
WINDOW = 64_000
"""Tokens of the window that the example is to fit into: that of many models one runs oneself."""


@click.command()
@click.option("--to", "target", type=click.Path(dir_okay=False), metavar="FILE", help="Keep the session that is made.")
@click.pass_context
def demo(ctx: click.Context, target: str | None) -> None:
    """Compact the bundled example session, and show it before and after."""
    from treering.cli.compact import compact
    from treering.cli.show import context, show

    data = resources.files("treering.data").joinpath(EXAMPLE)
    with tempfile.TemporaryDirectory() as folder, resources.as_file(data) as source:
        example = Path(folder) / "example.jsonl"
        example.write_bytes(source.read_bytes())
        for name, command, file in (
            ("show", show, str(example)),
            ("context", context, str(example)),
            ("compact", compact, str(example)),
            ("context", context, target or str(example)),
        ):
            click.echo(click.style(f"$ treering {name} {Path(file).name} --window {WINDOW}\n", fg="cyan"))
            options = {"target": target} if name == "compact" else {}
            try:
                ctx.invoke(command, file=file, window=WINDOW, **options)
            except click.exceptions.Exit as end:
                if end.exit_code:
                    raise
            click.echo()
