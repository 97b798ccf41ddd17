"""`tree`: the tree of a session, a row a turn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import click

from treering.cli.common import (
    emit_json,
    file_argument,
    json_option,
    number,
    open_session,
    plural,
    progress,
    terminal_width,
)
from treering.operations.ends import BranchEnds
from treering.session.outline import Outline, read_outline
from treering.session.rows import Row, preview, read_rows

DEEPEST = 10
"""Branchings that are drawn; deeper ones are counted."""

_MARKS = {"turn": "●", "part": "┆", "compaction": "◆", "branch_summary": "◇", "entry": "·", "gap": "⋮"}


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
    name = click.style(outline.name or os.path.basename(file), bold=True)
    click.echo(f"{name}  {plural(len(outline), 'entry', 'entries')}, {plural(branches, 'branch', 'branches')}")
    lines = draw(outline, rows, sizes, terminal_width(most=160))
    while block := "\n".join(islice(lines, 500)):  # a flush a line would take longer than all the rest
        click.echo(block)
    if outline.position() < 0:
        click.echo(click.style("← leaf: before the first entry", bold=True))


def draw(
    outline: Outline, rows: Iterable[Row], sizes: dict[int, tuple[int, bool]], width: int, id_length: int | None = None
) -> Iterator[str]:
    """The rows as lines of about `width` columns. `sizes` holds tokens by the last node of a branch."""
    length = id_length or short_length(outline)
    for row in rows:
        rails = _rails(row)
        if row.kind == "gap":
            yield click.style(f"{rails}⋮ {plural(row.turns, 'turn')}", dim=True)
            continue
        notes = row_notes(outline, row, sizes)
        plain = "  ".join(notes)
        entry = outline.entries[row.first]
        room = width - len(rails) - length - len(plain) - 6
        text = preview(entry, max(20, room))
        mark = _MARKS[row.kind] if row.on_path or row.kind != "turn" else "○"
        if row.kind == "compaction":
            text = f"compaction: {preview(entry, max(12, room - 12))}"
        color = {"compaction": "magenta", "branch_summary": "cyan"}.get(row.kind)
        yield "".join(
            (
                click.style(rails, dim=True),
                click.style(mark, fg=color or ("green" if row.on_path else None), bold=row.leaf),
                " ",
                click.style(entry.id[:length], fg="yellow", dim=not row.on_path),
                " ",
                click.style(text, fg=color, dim=not row.on_path, strikethrough=row.deleted or None),
                "  " if plain else "",
                _styled_notes(notes),
            )
        ).rstrip()


def row_notes(outline: Outline, row: Row, sizes: dict[int, tuple[int, bool]]) -> list[str]:
    """What stands behind a row: labels, counts, the leaf, the size at a branch's end."""
    notes = [f"[{label}]" for label in row.labels]
    counts = [plural(row.replies, "reply", "replies")] if row.replies else []
    counts += [plural(row.tools, "tool")] if row.tools else []
    if counts and row.kind != "entry":
        notes.append(f"({', '.join(counts)})")
    if row.kind == "entry":
        notes.insert(0, f"<{outline.kinds[row.first].replace('_', ' ')}>")
    if row.leaf:
        notes.append("← leaf")
    if row.tip and row.last in sizes:
        tokens, counted = sizes[row.last]
        notes.append(f"{'' if counted else '~'}{number(tokens)} tokens")
    if row.deleted and row.opens:
        notes.append("deleted")
    return notes


def short_length(outline: Outline) -> int:
    """How many characters of an id tell it from all others: at least 8."""
    ids = {entry.id for entry in outline.entries}
    longest = max(map(len, ids), default=8)
    for length in range(8, longest):
        if len({entry_id[:length] for entry_id in ids}) == len(ids):
            return length
    return longest


def _rails(row: Row) -> str:
    if row.depth == 0:
        return ""
    outer = row.depth - 1
    rails = "│ " * min(outer, DEEPEST) + (f"(+{outer - DEEPEST}) " if outer > DEEPEST else "")
    return rails + ("├─" if row.opens else "│ ")


def _styled_notes(notes: list[str]) -> str:
    def style(note: str) -> str:
        if note.startswith("["):
            return click.style(note, fg="blue", bold=True)
        if note.startswith("←"):
            return click.style(note, bold=True)
        return click.style(note, dim=True)

    return "  ".join(map(style, notes))


def _as_json(outline: Outline, rows: list[Row], sizes: dict[int, tuple[int, bool]]) -> dict[str, Any]:
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
