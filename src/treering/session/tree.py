"""The session: a tree of entries with a leaf where work goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal

import msgspec

from treering.errors import EntryNotFoundError, InvalidEntryError
from treering.session import records
from treering.session.context import Context, ModelInForce, build_context, model_in_force
from treering.session.entries import Entry, encode_object
from treering.session.jsonl import JsonlStore
from treering.session.memory import MemoryStore
from treering.session.messages import JsonObject, as_object
from treering.session.path import Path, read_path
from treering.session.stamps import Stamps, iso_timestamp
from treering.session.store import Header, Store, decode_header

ADOPTED_TYPES = frozenset({"custom", "label", "session_info", "compaction"})
"""What another process may append on our leaf without making ours a branch (SPEC §2)."""

SYNCED_TYPES = frozenset({"compaction", "branch_summary"})
"""What is synced before it is acknowledged, as user messages are (SPEC §2)."""

NewId = Callable[[], str]
Now = Callable[[], datetime]


class Appended(msgspec.Struct, frozen=True, gc=False):
    """What an append did.

    Attributes:
        entries: the new entries, in order.
        adopted: entries of another process that came in between and that the new ones continue.
        branched: another process had continued the leaf with work of its own, so the new entries are a branch.
    """

    entries: tuple[Entry, ...]
    adopted: tuple[Entry, ...] = ()
    branched: bool = False

    @property
    def id(self) -> str:
        """The id of the last new entry."""
        return self.entries[-1].id


class Session:
    """A session, open. Not safe to share between threads.

    Make one with `open`, `create` or `in_memory`; use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        store: Store,
        *,
        now: Now | None = None,
        new_id: NewId = lambda: os.urandom(8).hex(),
        sync: Literal["important", "all"] = "important",
    ) -> None:
        """Work on a store.

        Args:
            store: where the entries lie.
            now: the clock; give one for the same bytes from the same input.
            new_id: makes entry ids (16 random hex digits); as `now`.
            sync: `important` syncs compactions, branch summaries and user messages to the disk before they are
                acknowledged, and only flushes the rest; `all` syncs everything.
        """
        self.store = store
        self._now = now or _utc_now
        self._timestamp = Stamps().now if now is None else lambda: iso_timestamp(now())
        self._new_id = new_id
        self._sync_all = sync == "all"
        last = store.last()
        self._leaf_id = last.id if last else None
        self._end = store.end()  # what this session knows of; the store may know more, if it is shared
        self._overtaken = False  # others continued our leaf with work of their own, and no append has said so yet
        self._children: dict[str | None, dict[str, None]] | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> Session:
        """Open a session file. The last entry of the file is the leaf. `options` as for `Session(...)`.

        Raises:
            StorageError: the file cannot be opened.
            DamagedFileError: it holds no session.
        """
        return cls(JsonlStore(path), **options)

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], *, cwd: str = "", parent_session: str | None = None, **options: Any
    ) -> Session:
        """Make a new session file (mode 0600). `options` as for `Session(...)`.

        Raises:
            StorageError: the file exists, or cannot be made.
        """
        return cls(
            JsonlStore.create(path, new_header(cwd=cwd, parent_session=parent_session, **_clock(options))), **options
        )

    @classmethod
    def in_memory(cls, *, cwd: str = "", **options: Any) -> Session:
        """A new session that lives in memory only. `options` as for `Session(...)`."""
        return cls(MemoryStore(decode_header(new_header(cwd=cwd, **_clock(options)))), **options)

    @property
    def header(self) -> Header:
        """The session's header."""
        return self.store.header

    @property
    def leaf_id(self) -> str | None:
        """Where work goes on; None if that is before the first entry."""
        return self._leaf_id

    def get(self, entry_id: str) -> Entry:
        """The entry with this id.

        Raises:
            EntryNotFoundError: there is none.
        """
        entry = self.store.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(f"there is no entry {entry_id} in session {self.header.id}")
        return entry

    def find(self, prefix: str) -> Entry:
        """The entry whose id is, or alone begins with, `prefix`; `@last` is the leaf. Reads the whole session.

        Raises:
            EntryNotFoundError: none, or more than one begins so.
        """
        if prefix == "@last":
            if self._leaf_id is None:
                raise EntryNotFoundError(f"session {self.header.id} has no leaf: it is before the first entry")
            return self.get(self._leaf_id)
        found: dict[str, Entry] = {}
        for entry in self.store.scan():
            if entry.id == prefix:
                return entry
            if prefix and entry.id.startswith(prefix):
                found.setdefault(entry.id, entry)
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            raise EntryNotFoundError(f"no entry of session {self.header.id} has an id that begins with {prefix!r}")
        some = ", ".join(list(found)[:5]) + (" …" if len(found) > 5 else "")
        raise EntryNotFoundError(
            f"{len(found)} entries have an id that begins with {prefix!r} ({some}): give more of it"
        )

    def path(self, entry_id: str | None = None, *, whole: bool = True) -> Path:
        """The path to an entry (the leaf if none is given).

        With `whole=False` it goes back only as far as the context does, which costs the same however long the
        history behind the newest compaction is.
        """
        start = entry_id or self._leaf_id
        if start is None:
            return Path(())
        return read_path(self.store.walk(start), whole=whole)

    def context(self, entry_id: str | None = None) -> Context:
        """What the model is sent at an entry (the leaf if none is given)."""
        path = self.path(entry_id, whole=False)
        return build_context(path, lambda: self._model_in_force(path))

    def append(self, *bodies: JsonObject) -> Appended:
        """Append entries as one batch behind the leaf; the last one becomes the leaf.

        Args:
            bodies: entries without id, parent and timestamp, e.g. `{"type": "message", "message": {…}}`.

        Raises:
            InvalidEntryError: a body has no type, or is none that can be written as JSON.
            StorageError: the file cannot be written; nothing of the batch was kept.
        """
        return self._append(self._leaf_id, bodies)

    def append_at(self, parent_id: str | None, *bodies: JsonObject) -> Appended:
        """As `append`, behind another entry than the leaf (None: as a root). The last new entry becomes the leaf."""
        return self._append(parent_id, bodies)

    def append_message(self, message: JsonObject) -> Appended:
        """Append one message in the session's own form, e.g. `{"role": "user", "content": "…"}`."""
        if as_object(message) is None:
            raise InvalidEntryError(f"a message is an object with a role, like 'user'; got {message!r:.60}")
        stamped = message if "timestamp" in message else {**message, "timestamp": int(self._now().timestamp() * 1000)}
        return self.append({"type": "message", "message": stamped})

    def checkout(self, entry_id: str | None) -> None:
        """Move the leaf, and nothing more: a leaf record under the target, so that every tool stands there too.

        Raises:
            EntryNotFoundError: there is no such entry. None stands for before the first entry.
        """
        if entry_id is not None:
            self.get(entry_id)
        if entry_id != self._leaf_id:
            self.append_at(entry_id, records.record(records.LEAF, left=self._leaf_id))

    def children(self, entry_id: str | None) -> list[Entry]:
        """The entries that continue this one (None: the roots), oldest first. Reads the whole session once."""
        if self._children is None:
            self._children = {}
            known: set[str] = set()
            for entry in self.store.scan():
                if entry.id not in known:
                    known.add(entry.id)
                    self._note_children((entry,))
        return [self.get(child) for child in self._children.get(entry_id, ())]

    def labels(self) -> dict[str, str]:
        """All labels in force, by the id of the entry they stand on; the last one in the file wins (FORMATS §1)."""
        labels: dict[str, str] = {}
        for entry in self.store.scan():
            if entry.type == "label":
                target, label = entry.body.get("targetId"), entry.body.get("label")
                if isinstance(target, str):
                    labels.pop(target, None)
                    if isinstance(label, str) and label:
                        labels[target] = label
        return labels

    def set_label(self, entry_id: str, label: str | None) -> Appended:
        """Put a label on an entry; None or an empty one takes it away."""
        self.get(entry_id)
        body: dict[str, Any] = {"type": "label", "targetId": entry_id}
        return self.append({**body, "label": label} if label else body)

    def refresh(self) -> list[Entry]:
        """Learn what other processes appended. The leaf follows if they continued it, as when appending."""
        return self._learn_foreign()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def now(self) -> datetime:
        """The session's clock, in UTC."""
        return self._now()

    def _append(self, parent_id: str | None, bodies: Sequence[JsonObject]) -> Appended:
        if not bodies:
            raise InvalidEntryError("nothing to append: give at least one entry")
        for body in bodies:
            check_body(body)
        entries = self._make_entries(parent_id, bodies)
        sync = self._sync_all
        for entry in entries:
            sync = sync or entry.peeked_role == "user" or entry.type in SYNCED_TYPES
        adopted: tuple[Entry, ...] = ()
        at_leaf = parent_id == self._leaf_id
        branched = at_leaf and self._overtaken
        while not self.store.append(entries, self._end, sync=sync):
            foreign = self._learn_foreign()
            if at_leaf:
                branched = self._overtaken
                if self._leaf_id != parent_id:
                    adopted += tuple(foreign)
                    parent_id = self._leaf_id
                    entries = self._make_entries(parent_id, bodies)
            else:
                branched = branched or any(entry.parent_id == parent_id for entry in foreign)
        self._end = self.store.end()
        self._overtaken = False
        self._leaf_id = entries[-1].id
        if self._children is not None:
            self._note_children(entries)
        return Appended(entries, adopted, branched)

    def _learn_foreign(self) -> list[Entry]:
        """What others appended. If it may be adopted, the leaf follows; that it is work on our leaf is kept in mind."""
        foreign = self.store.since(self._end)
        self._end = self.store.end()
        self._note_children(foreign)
        if _continues(self._leaf_id, foreign):
            self._leaf_id = foreign[-1].id
        elif any(entry.parent_id == self._leaf_id for entry in foreign):
            self._overtaken = True
        return foreign

    def _note_children(self, entries: Iterable[Entry]) -> None:
        if self._children is not None:
            for entry in entries:
                self._children.setdefault(entry.parent_id, {})[entry.id] = None

    def _make_entries(self, parent: str | None, bodies: Iterable[JsonObject]) -> tuple[Entry, ...]:
        timestamp = self._timestamp()
        entries: list[Entry] = []
        for body in bodies:
            kind, entry_id = body["type"], self._new_id()
            whole = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": timestamp, **body}
            if len(whole) != 3 + len(body):  # the body brought an id, a parent or a time of its own
                whole |= {"id": entry_id, "parentId": parent, "timestamp": timestamp}
            try:
                raw = encode_object(whole)
            except (TypeError, ValueError, RecursionError) as error:
                raise InvalidEntryError(f"an entry of type {kind!r} cannot be written as JSON: {error}") from error
            role: str | None = body["message"]["role"] if kind == "message" else None
            entries.append(Entry(entry_id, parent, kind, timestamp, raw, -1, role))
            parent = entry_id
        return tuple(entries)

    def _model_in_force(self, path: Path) -> ModelInForce:
        found = model_in_force(path)
        carried = path.compaction is not None and as_object(records.treering_details(path.compaction).get("model"))
        if path.complete or carried or (found.model_id and found.thinking_level != "off"):
            return found
        return model_in_force(self.path(path.leaf_id))


def new_header(
    *,
    cwd: str = "",
    parent_session: str | None = None,
    now: Now = lambda: datetime.now(UTC),
    session_id: str | None = None,
) -> JsonObject:
    """A version-3 header for a new session."""
    import uuid  # here, so that whoever opens a session starts quicker

    header: dict[str, Any] = {
        "type": "session",
        "version": 3,
        "id": session_id or str(uuid.uuid4()),
        "timestamp": iso_timestamp(now()),
        "cwd": cwd,
    }
    return {**header, "parentSession": parent_session} if parent_session else header


def _utc_now() -> datetime:
    return datetime.now(UTC)


def check_body(body: JsonObject) -> None:
    """Refuse what other readers would not understand.

    Raises:
        InvalidEntryError: the type is missing or belongs to the header, or a message has no role.
    """
    if as_object(body) is None:
        raise InvalidEntryError(f"an entry is an object with a type, like 'message'; got {body!r:.60}")
    kind = body.get("type")
    if not isinstance(kind, str) or not kind:
        raise InvalidEntryError(f"an entry needs a type, like 'message'; got {kind!r}")
    if kind in {"session", "title"}:
        raise InvalidEntryError(f"{kind!r} is the type of a header, not of an entry")
    if kind == "message":
        message = as_object(body.get("message"))
        if message is None or not isinstance(message.get("role"), str):
            raise InvalidEntryError("an entry of type 'message' needs a message with a role, like 'user'")


def _continues(leaf: str | None, entries: list[Entry]) -> bool:
    """Whether foreign entries form a chain on our leaf that may be adopted."""
    for entry in entries:
        if entry.parent_id != leaf or entry.type not in ADOPTED_TYPES:
            return False
        leaf = entry.id
    return bool(entries)


def _clock(options: dict[str, Any]) -> dict[str, Any]:
    return {"now": options["now"]} if "now" in options else {}
