"""A path: the entries from the root to a leaf, or as much of its end as the context reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from treering.session import records
from treering.session.entries import Entry
from treering.session.messages import as_object

MARK_TYPES = frozenset({"compaction", "reset_boundary", "custom"})
"""Types of entries that change how others render. A path knows where they stand, so a plan costs what is kept."""


class Path:
    """Entries in order, oldest first.

    Attributes:
        entries: root to leaf; if not `complete`, from the first entry that the newest compaction keeps.
        complete: whether `entries` begin at the root (or at the first entry that is reachable).
    """

    def __init__(
        self, entries: Iterable[Entry], *, complete: bool = True, marks: Sequence[tuple[int, str]] | None = None
    ) -> None:
        """Make a path.

        Args:
            entries: in order.
            complete: whether they begin at the root.
            marks: index and type of the entries of `MARK_TYPES`, in order, where the caller has them.
        """
        self.entries = tuple(entries)
        self.complete = complete
        self._known_marks = marks

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __getitem__(self, index: int) -> Entry:
        return self.entries[index]

    @property
    def leaf_id(self) -> str | None:
        """The id of the last entry, None if there is none."""
        return self.entries[-1].id if self.entries else None

    @cached_property
    def compaction_index(self) -> int | None:
        """Where the compaction in force stands: the newest one that no reset follows; None if there is none."""
        for index, kind in reversed(self._marks):
            if kind != "custom":
                return index if kind == "compaction" else None
        return None

    @property
    def compaction(self) -> Entry | None:
        """The compaction in force."""
        return None if self.compaction_index is None else self.entries[self.compaction_index]

    @cached_property
    def start(self) -> int:
        """Index of the first entry that the context renders, the summary apart (SPEC §3.1).

        That is the first kept entry of the compaction in force, or the compaction itself if it keeps nothing; without
        a compaction the entry after the newest `reset_boundary`, or 0.
        """
        limit = len(self.entries) if self.compaction_index is None else self.compaction_index
        resets = [index for index, kind in self._marks if kind == "reset_boundary" and index < limit]
        floor = resets[-1] + 1 if resets else 0
        if self.compaction_index is None:
            return floor
        first_kept = self.entries[self.compaction_index].first_kept_id
        for index in range(self.compaction_index - 1, floor - 1, -1):
            if self.entries[index].id == first_kept:
                return index
        return self.compaction_index

    @cached_property
    def pruned(self) -> Mapping[str, int]:
        """The tool results that prune records on this path shorten: entry id → tokens that were cut (SPEC §6)."""
        found: dict[str, int] = {}
        for index in self.customs:
            data = records.record_data(self.entries[index], records.PRUNE)
            results = as_object(data.get("results")) if data else None
            for entry_id, tokens in (results or {}).items():
                if isinstance(tokens, int):
                    found[entry_id] = tokens
        return found

    @cached_property
    def customs(self) -> tuple[int, ...]:
        """Indices of the entries of type `custom`, among which Treering's own records are."""
        return tuple(index for index, kind in self._marks if kind == "custom")

    @cached_property
    def _marks(self) -> Sequence[tuple[int, str]]:
        if self._known_marks is not None:
            return self._known_marks
        return [(index, entry.type) for index, entry in enumerate(self.entries) if entry.type in MARK_TYPES]

    def index_of(self, entry_id: str) -> int | None:
        """Where the entry with this id stands, or None."""
        return self._positions.get(entry_id)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {entry.id: index for index, entry in enumerate(self.entries)}


def read_path(walk: Iterable[Entry], *, whole: bool) -> Path:
    """The path from a walk that runs from the leaf to the root.

    Unless `whole`, the walk is left as soon as all that the context needs is there: at the first entry that the
    newest compaction keeps, or at a reset (SPEC §2 "Reading costs what is read").
    """
    entries: list[Entry] = []
    marks: list[tuple[int, str]] = []  # counted from the leaf
    first_kept: str | None = None
    compacted = False
    complete = True
    for entry in walk:
        kind = entry.type
        if kind in MARK_TYPES:
            marks.append((len(entries), kind))
        entries.append(entry)
        if whole:
            continue
        if kind == "reset_boundary" or (compacted and entry.id == first_kept):
            complete = entry.parent_id is None
            break
        if kind == "compaction" and not compacted:
            compacted = True
            first_kept = entry.first_kept_id
            if first_kept in {entry.id, None}:
                complete = entry.parent_id is None
                break
    entries.reverse()
    last = len(entries) - 1
    return Path(entries, complete=complete, marks=[(last - index, kind) for index, kind in reversed(marks)])
