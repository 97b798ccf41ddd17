"""How large the context is at the ends of branches, for many ends at once."""

from __future__ import annotations

from collections.abc import Iterator

from treering.operations.measure import measure
from treering.session.context import build_context
from treering.session.entries import Entry
from treering.session.outline import Outline
from treering.session.path import read_path

MEASURED_BYTES = 8 << 20
"""Bytes of entries whose tokens are counted for one drawing; what is beyond is guessed by its size."""
BYTES_PER_TOKEN = 5
"""Stored bytes for a token, about: JSON around the text included."""


class BranchEnds:
    """Sizes of contexts at the ends of branches; entries that several share are counted once."""

    def __init__(self, outline: Outline, budget: int = MEASURED_BYTES) -> None:
        self._outline = outline
        self._left = budget

    def tokens(self, node: int) -> tuple[int, bool]:
        """The size of the context at a node in tokens, and whether it was counted (or only guessed)."""
        path = read_path(self._walk(node), whole=False)
        size = sum(len(entry.raw) for entry in path.entries[path.start :] if "tokens" not in entry.__dict__)
        if size > self._left:
            return size // BYTES_PER_TOKEN, False
        self._left -= size
        return measure(build_context(path)).tokens, True

    def _walk(self, node: int) -> Iterator[Entry]:
        seen: set[int] = set()
        while node >= 0 and node not in seen:
            seen.add(node)
            yield self._outline.entries[node]
            node = self._outline.parents[node]
