"""The outline as rows to draw: turns folded into one row each, side branches before the line goes on.

A line of turns is not indented further and further: only a side branch is, and the line that it left goes on below it
at its old depth. So a row's depth is the number of branchings around it, and every outer line still goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from treering.session.entries import Entry
from treering.session.messages import TextBlock, ToolCallBlock
from treering.session.outline import TURN_KINDS, Outline

FOLD_OVER = 12
"""Straight stretches of more plain turns than this are shortened."""
SHOWN_ENDS = 3
"""Turns that stay visible at each end of a shortened stretch."""


class Row(msgspec.Struct, kw_only=True, gc=False):
    """One row of the drawing.

    Attributes:
        kind: `turn`; `part` (of a turn that a branching has cut in two); `compaction`; `branch_summary` (a turn that
            begins with one); `entry` (where nothing is folded); `gap` (turns that are left out).
        first: the first node of the row.
        last: the last one; `Outline.parents` leads back from it to the first.
        depth: branchings around it.
        opens: whether a side branch begins here.
        replies: assistant messages in it.
        tools: tool results in it.
        turns: for a gap: how many turns it stands for.
        labels: labels of its nodes.
        on_path: whether the path of the leaf goes through it.
        leaf: whether work goes on here.
        tip: whether the branch ends here.
        deleted: whether it lies in a deleted branch.
    """

    kind: Literal["turn", "part", "compaction", "branch_summary", "entry", "gap"]
    first: int
    last: int
    depth: int = 0
    opens: bool = False
    replies: int = 0
    tools: int = 0
    turns: int = 0
    labels: tuple[str, ...] = ()
    on_path: bool = False
    leaf: bool = False
    tip: bool = False
    deleted: bool = False

    @property
    def plain(self) -> bool:
        """Whether nothing is lost by leaving it out of a long stretch."""
        return self.kind in {"turn", "part"} and not (self.labels or self.leaf or self.tip or self.opens)


def read_rows(
    outline: Outline, *, every_entry: bool = False, fold_over: int | None = FOLD_OVER, deleted: bool = False
) -> Iterator[Row]:
    """The rows of a session, from the top.

    Args:
        outline: the tree.
        every_entry: a row an entry, metadata included, instead of a row a turn.
        fold_over: shorten straight stretches of more turns than this; None: never.
        deleted: deleted branches too.
    """
    position = outline.position()
    roots = outline.branches_at(-1, deleted=deleted)
    # What is still to be drawn, the next on top: first node, depth, whether a side branch opens, whether it is deleted.
    waiting: list[tuple[int, int, bool, bool]] = []

    def push(children: list[int], depth: int, gone: bool) -> None:
        *sides, main = children
        waiting.append((main, depth, False, gone or main in outline.deleted))
        waiting.extend((side, depth + 1, True, gone or side in outline.deleted) for side in reversed(sides))

    if roots:
        push(roots, 0, False)
    while waiting:
        node, depth, opens, gone = waiting.pop()
        rows: list[Row] = []
        following: list[int] = []
        while True:
            if every_entry or outline.substantial(node):
                _add(rows, outline, node, every_entry, position)
            following = outline.branches_at(node, deleted=deleted)
            if len(following) != 1:
                break
            node = following[0]
        for number, row in enumerate(rows):
            row.depth, row.opens, row.deleted = depth, opens and number == 0, gone
        if rows and not following:
            rows[-1].tip = True
        yield from rows if fold_over is None or every_entry else _shorten(rows, fold_over)
        if following:
            push(following, depth, gone)


def row_nodes(outline: Outline, row: Row) -> list[int]:
    """The nodes of a row, oldest first, metadata between them included."""
    nodes = [row.last]
    while nodes[-1] != row.first:
        nodes.append(outline.parents[nodes[-1]])
    nodes.reverse()
    return nodes


def preview(entry: Entry, width: int = 120) -> str:
    """What an entry says, on one line of at most `width` characters, safe to print on a terminal."""
    return one_line(_text(entry), width)


def one_line(text: str, width: int) -> str:
    """Text on one line; characters that a terminal would act on are left out."""
    text = " ".join(text[: width * 4 + 200].split())
    if not text.isprintable():
        text = " ".join("".join(char for char in text if char.isprintable()).split())
    return text if len(text) <= width else text[: max(0, width - 1)].rstrip() + "…"


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal would act on. Newlines and tabs stay."""


def printable(text: str) -> str:
    """Text of several lines that is safe to print on a terminal: what it would act on is left out."""
    return _CONTROL.sub("", text)


def _text(entry: Entry) -> str:
    body = entry.body
    if entry.type in {"compaction", "branch_summary"}:
        short = body.get("shortSummary")
        return short if isinstance(short, str) and short else _first_lines(entry.summary)
    if entry.type == "model_change":
        return f"model {body.get('model') or body.get('modelId')}"
    if entry.type == "thinking_level_change":
        return f"thinking {body.get('thinkingLevel')}"
    if entry.type == "label":
        return f"label {body.get('label')!r}" if body.get("label") else "label taken away"
    if entry.type == "session_info":
        return f"name {body.get('name')!r}"
    if entry.type == "custom":
        return f"record {entry.custom_type}"
    message = entry.message
    if message is None:
        return entry.type or "an entry without a type"
    if message.role == "bashExecution":
        return "$ " + str(message.raw.get("command", ""))
    if text := message.text.strip():
        return text
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    if calls:
        return ", ".join(_call(call) for call in calls)
    kinds = {type(block).__name__.removesuffix("Block").lower() for block in message.blocks}
    return f"({', '.join(sorted(kinds - {TextBlock.__name__})) or 'empty'})"


def _call(call: ToolCallBlock) -> str:
    argument = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    return f"{call.name}({argument[:80]})"


def _first_lines(summary: str) -> str:
    """The first lines of a summary that say something: those behind its first heading, if it has one."""
    lines = [line.strip() for line in summary.splitlines()]
    first = next((number for number, line in enumerate(lines) if line.startswith("#")), -1)
    said = [line.removeprefix("- ") for line in lines[first + 1 :] if line and not line.startswith(("#", "<"))]
    return " ".join(said[:6]) or " ".join(lines)


def _add(rows: list[Row], outline: Outline, node: int, every_entry: bool, position: int) -> None:
    """Put a node into the newest row, or begin another one."""
    kind = outline.kinds[node]
    current = rows[-1] if rows else None
    if every_entry:
        row = Row(kind="entry", first=node, last=node)
        rows.append(row)
    elif kind == "compaction":
        row = Row(kind="compaction", first=node, last=node)
        rows.append(row)
    elif current is None or current.kind == "compaction" or kind in TURN_KINDS:
        which = "branch_summary" if kind == "branch_summary" else "turn" if kind in TURN_KINDS else "part"
        row = Row(kind=which, first=node, last=node)
        rows.append(row)
    else:
        row = current
        row.last = node
    row.replies += kind == "assistant"
    row.tools += kind == "result"
    row.on_path = row.on_path or node in outline.on_path
    row.leaf = row.leaf or node == (outline.leaf if every_entry else position)
    if node in outline.labels:
        row.labels += (outline.labels[node],)


def _shorten(rows: list[Row], fold_over: int) -> Iterator[Row]:
    start = 0
    while start < len(rows):
        stop = start
        while stop < len(rows) and rows[stop].plain:
            stop += 1
        run = rows[start:stop]
        if len(run) > fold_over:
            hidden = run[SHOWN_ENDS:-SHOWN_ENDS]
            yield from run[:SHOWN_ENDS]
            yield Row(
                kind="gap",
                first=hidden[0].first,
                last=hidden[-1].last,
                depth=hidden[0].depth,
                turns=len(hidden),
                on_path=hidden[0].on_path,
                deleted=hidden[0].deleted,
            )
            yield from run[-SHOWN_ENDS:]
        else:
            yield from run
        if stop < len(rows):
            yield rows[stop]
        start = stop + 1
