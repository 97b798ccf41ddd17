"""How large the context is at the ends of branches, for many ends at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from treering.operations.measure import measure
from treering.session.context import build_context
from treering.session.entries import Entry
from treering.session.outline import Outline
from treering.session.path import read_path

MEASURED_BYTES = 8 << 20
"""Bytes of entries whose tokens are counted for one drawing; what is beyond is guessed by its size."""
MEASURED_ENTRIES = 10_000
"""Entries that are walked for one end."""
BYTES_PER_TOKEN = 5
"""Stored bytes for a token, about: JSON around the text included."""


class BranchEnds:
    """Sizes of contexts at the ends of branches.

    One pass from the roots down tells, for every node, the bytes that its context holds; so a guess costs nothing, and
    counting is left to the ends that are small enough.
    """

    def __init__(self, outline: Outline, budget: int = MEASURED_BYTES) -> None:
        self._outline = outline
        self._left = budget
        count = len(outline)
        self._bytes = [0] * count  # from the root, or the newest reset, to the node
        self._compaction = [-1] * count  # the newest one on the path
        for node in outline.top_down():
            parent = outline.parents[node]
            entry = outline.entries[node]
            if entry.type == "reset_boundary":
                continue
            before, compaction = (self._bytes[parent], self._compaction[parent]) if parent >= 0 else (0, -1)
            self._bytes[node] = before + (len(entry.raw) if outline.substantial(node) else 0)
            self._compaction[node] = node if outline.kinds[node] == "compaction" else compaction

    def tokens(self, node: int) -> tuple[int, bool]:
        """The size of the context at a node in tokens, and whether it was counted (or only guessed)."""
        size = self._context_bytes(node)
        if size <= self._left:
            walked = list(islice(self._walk(node), MEASURED_ENTRIES + 1))
            path = read_path(walked, whole=False)
            if len(path) <= MEASURED_ENTRIES:
                self._left -= size
                return measure(build_context(path)).tokens, True
        return size // BYTES_PER_TOKEN, False

    def _context_bytes(self, node: int) -> int:
        outline = self._outline
        compaction = self._compaction[node]
        if compaction < 0:
            return self._bytes[node]
        first_kept = outline.find(outline.entries[compaction].first_kept_id or "")
        start = compaction if first_kept is None or self._bytes[first_kept] > self._bytes[compaction] else first_kept
        parent = outline.parents[start]
        return max(0, self._bytes[node] - (self._bytes[parent] if parent >= 0 else 0))

    def _walk(self, node: int) -> Iterator[Entry]:
        seen: set[int] = set()
        while node >= 0 and node not in seen:
            seen.add(node)
            yield self._outline.entries[node]
            node = self._outline.parents[node]
