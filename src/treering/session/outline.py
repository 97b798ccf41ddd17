"""The outline: the whole tree of a session at a glance, from one scan.

It knows who continues whom, what is a branch and what only a trace of one (a record without any message behind it),
labels, names and deletions. Nothing here recurses: trees of any depth and damaged ones are fine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from treering.errors import EntryNotFoundError
from treering.session import records
from treering.session.entries import METADATA_TYPES, Entry
from treering.session.messages import as_object
from treering.session.tree import Session

Kind = Literal["user", "bash", "custom", "assistant", "result", "compaction", "branch_summary", "metadata", "unknown"]

TURN_KINDS: frozenset[str] = frozenset({"user", "bash", "custom", "branch_summary"})
"""Kinds that begin a turn (SPEC §1)."""

_ROLES: dict[str, Kind] = {
    "user": "user",
    "bashExecution": "bash",
    "assistant": "assistant",
    "toolResult": "result",
}
_TYPES: dict[str, Kind] = {
    "custom_message": "custom",
    "compaction": "compaction",
    "branch_summary": "branch_summary",
    **dict.fromkeys(METADATA_TYPES, "metadata"),
}


class _PeekedMessage(msgspec.Struct):
    role: str = ""


class _Peeked(msgspec.Struct):
    """The role only: what a scan of a large session can afford to decode."""

    message: _PeekedMessage | None = None


_peek = msgspec.json.Decoder(_Peeked).decode


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """A branch that the leaf's path does not take.

    Attributes:
        tip_id: its last entry.
        root_id: its first entry, where it parts from the path of the leaf.
        ancestor_id: the last entry that it shares with the path of the leaf; None if it has a root of its own.
        entries: how many entries are its own, metadata apart.
        turns: how many turns begin in it.
        deleted: whether it was deleted; nothing of it is erased.
    """

    tip_id: str
    root_id: str
    ancestor_id: str | None
    entries: int
    turns: int
    deleted: bool


class Outline:
    """The tree of a session. Nodes are numbered by the order of their entries in the file.

    Attributes:
        entries: the entry of each node; a second entry with the same id is left out.
        parents: the parent of each node; -1 for a root, or if the parent is missing.
        kinds: what each node is.
        labels: labels in force, by node.
        name: the session's name, if it has one.
        leaf: the node of the leaf; -1 before the first entry.
        deleted: nodes whose branch was deleted.
    """

    def __init__(self, entries: Iterator[Entry] | Sequence[Entry], leaf_id: str | None) -> None:
        self.entries: list[Entry] = []
        self.kinds: list[Kind] = []
        self.name: str | None = None
        self._index: dict[str, int] = {}
        labels: dict[str, str] = {}
        deletions: dict[str, bool] = {}
        for entry in entries:
            if entry.id in self._index:
                continue
            self._index[entry.id] = len(self.entries)
            self.entries.append(entry)
            kind = _kind(entry)
            self.kinds.append(kind)
            if kind == "metadata":
                self._read_metadata(entry, labels, deletions)
        self.parents = [-1 if e.parent_id is None else self._index.get(e.parent_id, -1) for e in self.entries]
        self.leaf = -1 if leaf_id is None else self._index.get(leaf_id, -1)
        self.labels = {self._index[i]: label for i, label in labels.items() if i in self._index}
        self.deleted = {self._index[i] for i, gone in deletions.items() if gone and i in self._index}
        self._link()

    def __len__(self) -> int:
        return len(self.entries)

    def find(self, entry_id: str) -> int | None:
        """The node of an entry, None if there is none."""
        return self._index.get(entry_id)

    def index_of(self, entry_id: str) -> int:
        """The node of an entry.

        Raises:
            EntryNotFoundError: there is none.
        """
        index = self._index.get(entry_id)
        if index is None:
            raise EntryNotFoundError(f"there is no entry {entry_id} in this session")
        return index

    def children(self, node: int) -> list[int]:
        """The nodes that continue this one (-1: the roots), oldest first."""
        return self._children.get(node, [])

    def top_down(self) -> Sequence[int]:
        """All nodes that hang on a root, parents before children."""
        return self._order

    def branches_at(self, node: int, *, deleted: bool = False) -> list[int]:
        """The children that lead to something: oldest first, the one where work went on last.

        That is the child on the leaf's path, or the one with the newest entry. Records without a message behind
        them are left out, and deleted branches too unless asked for.
        """
        found = [
            child
            for child in self._children.get(node, ())
            if child in self.on_path or (self._newest[child] >= 0 and (deleted or child not in self.deleted))
        ]
        if len(found) > 1:
            found.sort(key=lambda child: (child in self.on_path, self._newest[child]))
        return found

    def substantial(self, node: int) -> bool:
        """Whether the node says something, or stands for something that was said."""
        return self.kinds[node] != "metadata"

    def position(self) -> int:
        """The newest node on the leaf's path that is no metadata; -1 if there is none."""
        node = self.leaf
        while node >= 0 and not self.substantial(node):
            node = self.parents[node]
        return node

    def lost_branches(self, *, deleted: bool = False) -> list[Branch]:
        """The branches that the leaf's path does not take, oldest first."""
        found: list[Branch] = []
        # Counted from the top down, so that a tip knows its branch without walking up: node → (root, entries, turns).
        counts: dict[int, tuple[int, int, int, bool]] = {}
        for node in self._order:
            if node in self.on_path:
                continue
            root, entries, turns, gone = counts.pop(node, (node, 0, 0, False))
            gone = gone or node in self.deleted
            entries += self.substantial(node)
            turns += self.kinds[node] in TURN_KINDS
            following = [child for child in self._children.get(node, ()) if self._newest[child] >= 0]
            for child in following:
                counts[child] = (root, entries, turns, gone)
            if following or (not self.substantial(node) and self._newest[node] < 0) or (gone and not deleted):
                continue
            found.append(
                Branch(
                    tip_id=self.entries[node].id,
                    root_id=self.entries[root].id,
                    ancestor_id=self.entries[root].parent_id if self.parents[root] >= 0 else None,
                    entries=entries,
                    turns=turns,
                    deleted=gone,
                )
            )
        found.sort(key=lambda branch: self._index[branch.tip_id])
        return found

    def _read_metadata(self, entry: Entry, labels: dict[str, str], deletions: dict[str, bool]) -> None:
        if entry.type == "label":
            target, label = entry.body.get("targetId"), entry.body.get("label")
            if isinstance(target, str):
                labels.pop(target, None)
                if isinstance(label, str) and label:
                    labels[target] = label
        elif entry.type == "session_info":
            name = entry.body.get("name")
            if isinstance(name, str) and name.strip():
                self.name = name.strip()
        elif entry.type == "custom" and b"treering.delete" in entry.raw:
            data = records.record_data(entry, records.DELETION)
            target = data.get("entry") if data else None
            if data and isinstance(target, str):
                deletions[target] = data.get("deleted") is not False

    def _link(self) -> None:
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parents):
            self._children.setdefault(parent, []).append(node)
        self.on_path: set[int] = set()
        node = self.leaf
        while node >= 0 and node not in self.on_path:
            self.on_path.add(node)
            node = self.parents[node]
        # Parents before children, whatever their order in the file; what hangs in a cycle is reached by no root.
        self._order: list[int] = list(self._children.get(-1, ()))
        for node in self._order:
            self._order.extend(self._children.get(node, ()))
        self._newest = [node if kind != "metadata" else -1 for node, kind in enumerate(self.kinds)]
        for node in reversed(self._order):
            parent = self.parents[node]
            if parent >= 0 and self._newest[node] > self._newest[parent]:
                self._newest[parent] = self._newest[node]


def read_outline(session: Session) -> Outline:
    """The outline of a session as it is now."""
    return Outline(session.store.scan(), session.leaf_id)


def _kind(entry: Entry) -> Kind:
    if entry.type != "message":
        return _TYPES.get(entry.type, "unknown")
    try:
        message = _peek(entry.raw).message
        role = message.role if message else ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        body = as_object(entry.body.get("message")) or {}
        role = str(body.get("role", ""))
    return _ROLES.get(role, "custom")
