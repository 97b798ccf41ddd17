"""What the tree of the browser shows: rows, filtered, folded and unfolded. No terminal in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

from treering.session.entries import Entry
from treering.session.outline import Outline
from treering.session.rows import Row, read_rows, row_nodes

Filter = Literal["all", "user", "labelled"]
FILTERS: tuple[Filter, ...] = ("all", "user", "labelled")


class Line(NamedTuple):
    """One line of the tree.

    Attributes:
        row: what it shows.
        inner: whether it is an entry of an unfolded turn.
        hidden: lines of the side branch beginning here that are folded away.
    """

    row: Row
    inner: bool = False
    hidden: int = 0


class TreeLines:
    """The lines of one outline under a filter, with what the user has unfolded.

    Attributes:
        outline: the tree.
        lines: what is shown, from the top.
        filter: which rows: all, turns of the user, or labelled ones.
    """

    def __init__(self, outline: Outline, *, deleted: bool = False) -> None:
        self.outline = outline
        self.filter: Filter = "all"
        self.lines: list[Line] = []
        self._rows = list(read_rows(outline, fold_over=None, deleted=deleted))
        self._number_of = {row.first: number for number, row in enumerate(self._rows)}
        self._unfolded: set[int] = set()
        self._folded: set[int] = set()
        self.rebuild()

    def rebuild(self) -> None:
        """Make the lines anew."""
        lines: list[Line] = []
        kinds = self.outline.kinds
        number = 0
        rows = self._rows
        while number < len(rows):
            row = rows[number]
            number += 1
            hidden = 0
            if row.opens and row.first in self._folded:
                end = self._branch_end(number - 1)
                hidden = end - number
                number = end
            if self.filter == "labelled" and not row.labels:
                continue
            if self.filter == "user" and not (row.kind == "turn" and kinds[row.first] == "user"):
                continue
            lines.append(Line(row, hidden=hidden))
            if self.filter == "all" and row.first in self._unfolded and row.first != row.last and not hidden:
                lines += [Line(inner, inner=True) for inner in self._inner(row)]
        self.lines = lines

    def take_over(self, other: TreeLines) -> None:
        """Show what another one showed, of an outline of the same session."""

        def translate(nodes: set[int]) -> set[int]:
            return {new for node in nodes if (new := self.outline.find(other.outline.entries[node].id)) is not None}

        self._unfolded, self._folded = translate(other._unfolded), translate(other._folded)
        self.filter = other.filter
        self.rebuild()

    def next_filter(self) -> None:
        """Show by the next filter."""
        self.filter = FILTERS[(FILTERS.index(self.filter) + 1) % len(FILTERS)]
        self.rebuild()

    def unfold(self, index: int) -> int | None:
        """Show more at a line: a folded side branch, or the entries of a turn; of a filtered turn, all around it.

        Returns the line to stand at afterwards; None if there is no more.
        """
        row = self.lines[index].row
        if row.first in self._folded and row.opens:
            self._folded.discard(row.first)
        elif not self.lines[index].inner and row.first != row.last and not self._shows_inner(row):
            self._unfolded.add(row.first)
            self.filter = "all"
        else:
            return None
        self.rebuild()
        return self.index_of(row.first)

    def _shows_inner(self, row: Row) -> bool:
        return self.filter == "all" and row.first in self._unfolded

    def fold(self, index: int) -> int:
        """Show less at a line: its turn's entries, then its side branch. Returns the line to stand at afterwards."""
        line = self.lines[index]
        if line.inner:
            while self.lines[index].inner:
                index -= 1
            self._unfolded.discard(self.lines[index].row.first)
        elif self._shows_inner(line.row):
            self._unfolded.discard(line.row.first)
        else:
            number = self._number_of[line.row.first]
            while number >= 0 and not (self._rows[number].opens and self._rows[number].depth <= line.row.depth):
                if self._rows[number].depth < line.row.depth:
                    return index
                number -= 1
            if number < 0 or line.row.depth == 0:
                return index
            self._folded.add(self._rows[number].first)
            self.rebuild()
            return self.index_of(self._rows[number].first)
        self.rebuild()
        return index

    def index_of(self, node: int) -> int:
        """The line that shows a node, or its nearest ancestor that is shown; 0 if there is none."""
        shown = {line.row.first: index for index, line in enumerate(self.lines)}
        steps = 0
        while node >= 0 and steps <= len(self.outline):
            if node in shown:
                return shown[node]
            node = self.outline.parents[node]
            steps += 1
        return 0

    def reveal(self, node: int) -> int:
        """Unfold whatever hides a node, and return its line."""
        if node < 0:
            return 0
        first = self._path_to_row(node)[-1]
        if first not in self._number_of:
            return self.index_of(node)
        row = self._rows[self._number_of[first]]
        if first != node:
            self._unfolded.add(first)
        self._folded -= {other.first for other in self._branches_around(row)}
        if self.filter != "all":
            self.filter = "all"
        self.rebuild()
        return self.index_of(node)

    def _path_to_row(self, node: int) -> list[int]:
        """The nodes from this one up to the first node of its row."""
        found = [node]
        while (
            found[-1] not in self._number_of
            and self.outline.parents[found[-1]] >= 0
            and len(found) <= len(self.outline)
        ):
            found.append(self.outline.parents[found[-1]])
        return found

    def _branches_around(self, row: Row) -> list[Row]:
        """The first rows of the side branches that a row lies in."""
        found: list[Row] = []
        depth = row.depth + 1
        for number in range(self._number_of[row.first], -1, -1):
            other = self._rows[number]
            if other.opens and other.depth < depth:
                found.append(other)
                depth = other.depth
            if depth <= 1:
                break
        return found

    def _branch_end(self, number: int) -> int:
        """Where the side branch that begins at a row ends."""
        depth = self._rows[number].depth
        end = number + 1
        while end < len(self._rows):
            row = self._rows[end]
            if row.depth < depth or (row.depth == depth and row.opens):
                break
            end += 1
        return end

    def _inner(self, row: Row) -> list[Row]:
        outline = self.outline
        position = outline.position()
        return [
            Row(
                kind="entry",
                first=node,
                last=node,
                depth=row.depth,
                labels=(outline.labels[node],) if node in outline.labels else (),
                on_path=node in outline.on_path,
                leaf=node == position,
                deleted=row.deleted,
            )
            for node in row_nodes(outline, row)[1:]
            if outline.substantial(node)
        ]


def search(outline: Outline, query: str, stopped: Callable[[], bool] = lambda: False) -> list[int]:
    """The nodes whose text holds a query, letter case aside, oldest first.

    The raw lines are looked through first, in both ways that JSON may write the query; only what has it there is
    decoded. `stopped` ends the search early.
    """
    import json

    wanted = query.casefold()
    if not wanted:
        return []
    needles = {json.dumps(query, ensure_ascii=ascii_only)[1:-1].lower().encode() for ascii_only in (True, False)}
    # Lower case of other letters than ASCII ones is not the same length in bytes: there only decoding tells.
    quick = query.isascii()
    found: list[int] = []
    for node, entry in enumerate(outline.entries):
        if node % 256 == 0 and stopped():
            return found
        if quick:
            raw = entry.raw.lower()
            if not any(needle in raw for needle in needles):
                continue
        if outline.substantial(node) and wanted in searchable_text(entry).casefold():
            found.append(node)
    return found


def searchable_text(entry: Entry) -> str:
    """All that an entry says: texts, thinking, and what tools were called with."""
    from treering.session.messages import TextBlock, ThinkingBlock, ToolCallBlock

    parts: list[str] = []
    message = msgspec.structs.replace(entry).message  # a copy: what a search decodes would fill the memory
    for block in message.blocks if message else ():
        if isinstance(block, (TextBlock, ThinkingBlock)):
            parts.append(block.text)
        elif isinstance(block, ToolCallBlock):
            parts += [block.name, *(value for value in block.arguments.values() if isinstance(value, str))]
    return "\n".join(parts)
