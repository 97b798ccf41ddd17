"""The store protocol: where the entries of one session lie.

A store keeps order and bytes. It knows nothing of leaves, contexts or compactions; `treering.testing` holds the
conformance suite that every store must pass.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Protocol

import msgspec

from treering.session.entries import Entry
from treering.session.messages import JsonObject


class Header(msgspec.Struct, frozen=True):
    """The first record of a session; it is no entry of the tree.

    Attributes:
        id: the session's id.
        version: of the file format, 1 to 3.
        timestamp: when the session began, ISO 8601.
        cwd: the directory that relative paths are relative to; empty if it is not recorded.
        parent_session: the session that this one was made from: a path or an id.
        raw: the whole header, as stored.
    """

    id: str
    version: int
    timestamp: str
    cwd: str
    parent_session: str | None
    raw: JsonObject


def decode_header(raw: JsonObject) -> Header:
    """The typed view of a header (`type` is `session`). A version-1 header has no version."""

    def text(key: str) -> str:
        value = raw.get(key)
        return value if isinstance(value, str) else ""

    return Header(
        id=text("id"),
        version=_version(raw.get("version")),
        timestamp=text("timestamp"),
        cwd=text("cwd"),
        parent_session=text("parentSession") or text("branchedFrom") or None,
        raw=raw,
    )


def _version(value: object) -> int:
    """As pi takes it: nothing is 1, and what counts as a number is one. Anything else is of a later kind."""
    if value is None:
        return 1
    try:
        return int(value) if isinstance(value, (int, float, str)) else 3
    except (ValueError, OverflowError):
        return 3


End = Hashable
"""A position behind the newest entry that a reader knows; opaque, compared only for equality."""


class Store(Protocol):
    """The entries of one session, in the order they were appended."""

    @property
    def header(self) -> Header:
        """The session's header."""
        ...

    def walk(self, entry_id: str) -> Iterator[Entry]:
        """From this entry to its root, lazily; costs what is taken. Ends at a missing parent and at a cycle.

        Raises:
            EntryNotFoundError: there is no such entry.
        """
        ...

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None. If the id occurs twice, the first one."""
        ...

    def last(self) -> Entry | None:
        """The newest entry: the leaf of a session that is opened (pi's rule)."""
        ...

    def scan(self) -> Iterator[Entry]:
        """All entries, oldest first, without keeping them."""
        ...

    def end(self) -> End:
        """The position behind the newest entry that this store has read."""
        ...

    def since(self, end: End) -> list[Entry]:
        """What others appended behind `end`; the store then knows these entries too."""
        ...

    def append(self, entries: Sequence[Entry], expected_end: End, *, sync: bool) -> bool:
        """Append a batch as one write, if nothing was appended behind `expected_end`.

        Returns False, and writes nothing, if something was. With `sync`, the batch is on the disk on return.

        Raises:
            StorageError: nothing of the batch was kept.
        """
        ...

    def close(self) -> None:
        """Release what is held. Closing twice is fine."""
        ...


def to_root(entry: Entry | None, get: Callable[[str], Entry | None]) -> Iterator[Entry]:
    """The walk that every store gives: an entry and its ancestors, each looked up when it is taken.

    Ends at a missing parent, and at a cycle. For those who write a store.
    """
    seen: set[str] = set()
    while entry is not None and entry.id not in seen:
        seen.add(entry.id)
        yield entry
        entry = get(entry.parent_id) if entry.parent_id else None
