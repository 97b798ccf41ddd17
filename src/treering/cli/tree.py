"""`tree`: the tree of a session, a row a turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import click

from treering.cli.common import (
    echo,
    emit_json,
    file_argument,
    json_option,
    open_session,
    plural,
    progress,
    terminal_width,
)
from treering.cli.drawing import Sizes, draw_row, short_length
from treering.operations.ends import BranchEnds
from treering.session.outline import Outline, read_outline
from treering.session.rows import Row, one_line, preview, read_rows


@click.command()
@file_argument
@click.option("--all", "everything", is_flag=True, help="A row an entry, nothing shortened, deleted branches too.")
@click.option("--deleted", is_flag=True, help="Deleted branches too.")
@json_option
def tree(file: str, everything: bool, deleted: bool, as_json: bool) -> None:
    """Draw the tree of a session FILE.

    Turns are folded into one row each; a side branch is indented, and the line that the leaf is on goes on below it.
    """
    with open_session(file) as session, progress("reading"):
        outline = read_outline(session)
        rows = list(read_rows(outline, every_entry=everything, deleted=deleted or everything))
        ends = BranchEnds(outline)
        # The leaf first: if anything is only guessed, then not the size of the context that one works in.
        sizes = {row.last: ends.tokens(row.last) for row in sorted(rows, key=lambda row: not row.leaf) if row.tip}
    if as_json:
        emit_json(_as_json(outline, rows, sizes))
        return
    branches = sum(row.tip for row in rows)
    name = click.style(one_line(outline.name or os.path.basename(file), 60), bold=True)
    echo(f"{name}  {plural(len(outline), 'entry', 'entries')}, {plural(branches, 'branch', 'branches')}")
    lines = draw(outline, rows, sizes, terminal_width(most=160))
    while block := "\n".join(islice(lines, 500)):  # a flush a line would take longer than all the rest
        echo(block)
    if outline.position() < 0:
        echo(click.style("← leaf: before the first entry", bold=True))


_STYLES: dict[str, dict[str, Any]] = {
    "rails": {"dim": True},
    "mark": {"fg": "green"},
    "id": {"fg": "yellow"},
    "id aside": {"fg": "yellow", "dim": True},
    "aside": {"dim": True},
    "compaction": {"fg": "magenta"},
    "summary": {"fg": "cyan"},
    "label": {"fg": "blue", "bold": True},
    "leaf": {"bold": True},
    "note": {"dim": True},
}
"""Style → arguments of `click.style`; what is not here looks like any text."""


def draw(outline: Outline, rows: Iterable[Row], sizes: Sizes, width: int) -> Iterator[str]:
    """The rows as lines of about `width` columns."""
    length = short_length(outline)
    for row in rows:
        pieces = draw_row(outline, row, sizes, width, length)
        yield "".join(
            click.style(text, **_STYLES[style]) if style in _STYLES and text else text for text, style in pieces
        )


def _as_json(outline: Outline, rows: list[Row], sizes: Sizes) -> dict[str, Any]:
    return {
        "name": outline.name,
        "entries": len(outline),
        "leaf": outline.entries[outline.leaf].id if outline.leaf >= 0 else None,
        "rows": [
            {
                "kind": row.kind,
                "id": outline.entries[row.first].id,
                "last": outline.entries[row.last].id,
                "parent": outline.entries[row.first].parent_id,
                "type": outline.entries[row.first].type,
                "text": preview(outline.entries[row.first], 200),
                "depth": row.depth,
                "opens": row.opens,
                "replies": row.replies,
                "tools": row.tools,
                "turns": row.turns,
                "labels": list(row.labels),
                "on_path": row.on_path,
                "leaf": row.leaf,
                "tip": row.tip,
                "deleted": row.deleted,
                "tokens": sizes[row.last][0] if row.tip else None,
                "tokens_counted": sizes[row.last][1] if row.tip else None,
            }
            for row in rows
        ],
    }
