"""A session in memory: the store for tests, for sub-agents and for `fit`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treering.errors import EntryNotFoundError
from treering.session.entries import Entry
from treering.session.store import End, Header, to_root


class MemoryStore:
    """Entries in a list; its `End` is their number. Several sessions may share one store."""

    def __init__(self, header: Header, entries: Sequence[Entry] = ()) -> None:
        self._header = header
        self._entries: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._add(entries)

    @property
    def header(self) -> Header:
        """The session's header."""
        return self._header

    def walk(self, entry_id: str) -> Iterator[Entry]:
        """From this entry to its root."""
        entry = self._by_id.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(f"there is no entry {entry_id} in session {self._header.id}")
        yield from to_root(entry, self._by_id.get)

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None."""
        return self._by_id.get(entry_id)

    def last(self) -> Entry | None:
        """The newest entry."""
        return self._entries[-1] if self._entries else None

    def scan(self) -> Iterator[Entry]:
        """All entries, oldest first."""
        yield from tuple(self._entries)

    def end(self) -> End:
        """The number of entries."""
        return len(self._entries)

    def since(self, end: End) -> list[Entry]:
        """The entries behind `end`."""
        return self._entries[end:] if isinstance(end, int) else []

    def append(self, entries: Sequence[Entry], expected_end: End, *, sync: bool) -> bool:  # noqa: ARG002 - nothing to sync
        """Append the batch if nothing came in between."""
        if expected_end != len(self._entries):
            return False
        self._add(entries)
        return True

    def close(self) -> None:
        """Nothing is held."""

    def _add(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._entries.append(entry)
            self._by_id.setdefault(entry.id, entry)
