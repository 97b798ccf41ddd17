"""`pin` and `unpin`: texts that survive every compaction word for word."""

from __future__ import annotations

import click

from treering.cli.common import (
    echo,
    echo_whole,
    emit_json,
    entry_at,
    file_argument,
    json_option,
    open_session,
    plural,
    window_option,
)
from treering.operations.pins import pin as pin_entry
from treering.operations.pins import pins_on
from treering.operations.pins import unpin as unpin_entry
from treering.settings import DEFAULT_WINDOW
from treering.tokens.estimate import estimate_text


@click.command(short_help="Pin an entry: its text survives every compaction.")
@file_argument
@click.argument("entry_id", metavar="ID", required=False)
@click.option("--text", help="What is to survive, instead of the entry's own text.")
@window_option
@json_option
def pin(file: str, entry_id: str | None, text: str | None, window: int | None, as_json: bool) -> None:
    """Pin an entry of FILE: its text survives every compaction word for word. Without ID: list the pins."""
    with open_session(file) as session:
        if entry_id is not None:
            pin_entry(session, entry_at(session, entry_id).id, text, window=window or DEFAULT_WINDOW)
        pins = pins_on(session.path(whole=False))
    if as_json:
        emit_json({"pins": [{"entry_id": found.entry_id, "text": found.text} for found in pins]})
        return
    for found in pins:
        echo(f"{click.style(found.entry_id, bold=True)}  {plural(estimate_text(found.text), 'token')}")
        echo_whole(f"{found.text}\n")
    if not pins:
        echo("no pins at this leaf: `treering pin FILE ID` pins an entry")


@click.command()
@file_argument
@click.argument("entry_id", metavar="ID")
@json_option
def unpin(file: str, entry_id: str, as_json: bool) -> None:
    """Take the pin of an entry of FILE away."""
    with open_session(file) as session:
        pinned = [found.entry_id for found in pins_on(session.path(whole=False)) if found.entry_id.startswith(entry_id)]
        target = pinned[0] if len(pinned) == 1 else entry_at(session, entry_id).id
        removed = unpin_entry(session, target) is not None
    if as_json:
        emit_json({"outcome": "applied" if removed else "skipped", "entry_id": target})
    else:
        echo(f"unpinned {target}" if removed else f"{target} is not pinned at this leaf: nothing to do")
