"""Rows of a session's tree as pieces of text with the name of a style each, for the command line and the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from treering.cli.common import number, plural
from treering.session.outline import Outline
from treering.session.rows import Row, one_line, preview

DEEPEST = 10
"""Branchings that are drawn; deeper ones are counted."""

NARROW = 60
"""In fewer columns the notes behind a row are shortened."""

LABEL_WIDTH = 32

StyleName = Literal[
    "rails", "mark", "mark aside", "id", "id aside", "text", "aside", "compaction", "summary", "label", "leaf", "note"
]

_MARKS = {"turn": "●", "part": "┆", "compaction": "◆", "branch_summary": "◇", "entry": "·", "gap": "⋮"}

Sizes = Mapping[int, tuple[int, bool]]
"""Tokens by the last node of a branch, and whether they were counted."""


class Piece(NamedTuple):
    """Some text, and how it is to look."""

    text: str
    style: StyleName


def draw_row(outline: Outline, row: Row, sizes: Sizes, width: int, id_length: int) -> list[Piece]:
    """One row in about `width` columns."""
    rails = Piece(_rails(row), "rails")
    if row.kind == "gap":
        return [rails, Piece(f"⋮ {plural(row.turns, 'turn')}", "note")]
    notes = _notes(outline, row, sizes, narrow=width < NARROW)
    entry = outline.entries[row.first]
    taken = len(rails.text) + id_length + sum(len(note.text) + 2 for note in notes) + 3
    text = preview(entry, max(16, width - taken))
    style: StyleName = "text" if row.on_path else "aside"
    if row.kind == "compaction":
        text, style = f"compaction: {preview(entry, max(12, width - taken - 12))}", "compaction"
    elif row.kind == "branch_summary":
        style = "summary"
    mark = _MARKS[row.kind] if row.on_path or row.kind != "turn" else "○"
    pieces = [
        rails,
        Piece(mark + " ", "mark" if row.on_path else "mark aside"),
        Piece(one_line(entry.id[:id_length], id_length) + " ", "id" if row.on_path else "id aside"),
        Piece(text, style),
    ]
    for note in notes:
        pieces += [Piece("  ", "note"), note]
    return pieces


def short_length(outline: Outline) -> int:
    """How many characters of an id tell it from all others: at least 8."""
    ids = {entry.id for entry in outline.entries}
    longest = max(map(len, ids), default=8)
    for length in range(8, longest):
        if len({entry_id[:length] for entry_id in ids}) == len(ids):
            return length
    return longest


def _notes(outline: Outline, row: Row, sizes: Sizes, *, narrow: bool) -> list[Piece]:
    """What stands behind a row: labels, counts, the leaf, the size at a branch's end."""
    notes = [Piece(f"[{one_line(label, LABEL_WIDTH)}]", "label") for label in row.labels]
    counts = [plural(row.replies, "reply", "replies")] if row.replies else []
    counts += [plural(row.tools, "tool")] if row.tools else []
    if row.kind == "entry":
        notes.insert(0, Piece(f"<{outline.kinds[row.first].replace('_', ' ')}>", "note"))
    elif counts and not narrow:
        notes.append(Piece(f"({', '.join(counts)})", "note"))
    if row.leaf:
        notes.append(Piece("←" if narrow else "← leaf", "leaf"))
    if row.tip and row.last in sizes:
        tokens, counted = sizes[row.last]
        size = f"{tokens / 1000:.1f}k" if narrow else f"{number(tokens)} tokens"
        notes.append(Piece(size if counted else f"~{size}", "note"))
    if row.deleted and row.opens:
        notes.append(Piece("deleted", "note"))
    return notes


def _rails(row: Row) -> str:
    if row.depth == 0:
        return ""
    outer = row.depth - 1
    rails = "│ " * min(outer, DEEPEST) + (f"(+{outer - DEEPEST}) " if outer > DEEPEST else "")
    return rails + ("├─" if row.opens else "│ ")
