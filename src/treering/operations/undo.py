"""Undo of a compaction, and redo (SPEC §9). Nothing is erased: an undo is an entry like any other."""

from __future__ import annotations

from typing import Any

import msgspec

from treering.errors import EntryNotFoundError
from treering.session import records
from treering.session.entries import METADATA_TYPES, Entry
from treering.session.path import Path
from treering.session.tree import Session

NO_SUMMARY = "The compaction of this session was undone; the whole conversation follows."
"""Stands where a compaction entry is needed that replaces nothing."""


class UndoResult(msgspec.Struct, frozen=True):
    """What an undo did.

    Attributes:
        outcome: applied, or skipped if there was no compaction in force.
        undone: the compaction that is no longer in force.
        entry_id: the entry that undid it.
        restored: the compaction whose summary is in force again; None if there is none.
    """

    outcome: str
    undone: str | None = None
    entry_id: str | None = None
    restored: str | None = None


def undo(session: Session, entry_id: str | None = None) -> UndoResult:
    """Undo the newest compaction in force; called again, the one before it.

    If only metadata follows the compaction, the work goes on before it, as if it had never been made, for other
    tools too. Otherwise a new compaction entry restores the summary and the kept entries that were in force before.

    Args:
        session: works at its leaf.
        entry_id: undo this entry instead: a compaction in force, or an undo, which is then redone.

    Raises:
        EntryNotFoundError: `entry_id` is neither a compaction in force nor an undo at the leaf.
        StorageError: the file cannot be written.
    """
    path = session.path()
    if entry_id is not None:
        return _undo_entry(session, path, session.get(entry_id))
    target = in_force(path, path.compaction)
    return UndoResult("skipped") if target is None else _undo_compaction(session, path, target)


def redo(session: Session) -> UndoResult:
    """Take the newest undo at the leaf back.

    Raises:
        StorageError: the file cannot be written.
    """
    path = session.path()
    for entry in reversed(path.entries):
        if records.record_data(entry, records.UNDO) is not None:
            return _redo_record(session, entry)
        if entry.type == "compaction":
            return _undo_compaction(session, path, entry) if _undoes(entry) else UndoResult("skipped")
    return UndoResult("skipped")


def in_force(path: Path, compaction: Entry | None) -> Entry | None:
    """The compaction that made the summary in force.

    An undo that had to be written as a compaction stands for the one before the compaction it undid.
    """
    while compaction is not None and (undone := _undoes(compaction)):
        compaction = before(path, undone)
    return compaction


def before(path: Path, entry_id: str) -> Entry | None:
    """The compaction in force before the one with this id; None if there was none."""
    position = path.index_of(entry_id)
    if position is None:
        return None
    for index in range(position - 1, -1, -1):
        if path[index].type == "compaction":
            return in_force(path, path[index])
        if path[index].type == "reset_boundary":
            return None
    return None


def _undo_entry(session: Session, path: Path, entry: Entry) -> UndoResult:
    if records.record_data(entry, records.UNDO) is not None:
        return _redo_record(session, entry)
    if entry.type == "compaction" and entry in (path.compaction, in_force(path, path.compaction)):
        return _undo_compaction(session, path, entry)
    raise EntryNotFoundError(
        f"entry {entry.id} is a {entry.type} and no compaction in force at the leaf: only the newest one can be undone"
    )


def _redo_record(session: Session, entry: Entry) -> UndoResult:
    data = records.record_data(entry, records.UNDO) or {}
    left = data.get("left")
    if not isinstance(left, str):
        return UndoResult("skipped")
    session.checkout(left)
    return UndoResult("applied", undone=entry.id, entry_id=session.leaf_id, restored=str(data.get("undoes")))


def _undo_compaction(session: Session, path: Path, target: Entry) -> UndoResult:
    position = path.index_of(target.id)
    assert position is not None, "the compaction is on the path"
    restored = before(path, target.id)
    restored_id = restored.id if restored else None
    if path.compaction is target and all(entry.type in METADATA_TYPES for entry in path.entries[position + 1 :]):
        first = _first_of_operation(path, target, position)
        body = records.record(records.UNDO, undoes=target.id, left=path.leaf_id)
        appended = session.append_at(path[first].parent_id, body)
        return UndoResult("applied", target.id, appended.id, restored_id)
    appended = session.append(_restoring(path, target, restored))
    return UndoResult("applied", target.id, appended.id, restored_id)


def _first_of_operation(path: Path, target: Entry, position: int) -> int:
    """Where the operation that made the compaction begins: its prune goes too."""
    prune = records.treering_details(target).get("prune")
    if isinstance(prune, str) and (index := path.index_of(prune)) is not None:
        return index
    return position


def _restoring(path: Path, target: Entry, restored: Entry | None) -> dict[str, Any]:
    """A compaction entry with what was in force before."""
    details: dict[str, Any] = {"treering": {"version": records.RECORD_VERSION, "undoes": target.id}}
    body: dict[str, Any] = {"type": "compaction", "tokensBefore": target.body.get("tokensBefore", 0)}
    if restored is None:
        first = next((entry.id for entry in path if entry.type != "reset_boundary"), target.id)
        return {**body, "summary": NO_SUMMARY, "firstKeptEntryId": first, "details": details}
    kept_fields = ("summary", "shortSummary", "firstKeptEntryId", "preserveData", "fromExtension", "fromHook")
    carried = {key: restored.body[key] for key in kept_fields if key in restored.body}
    own = {**records.treering_details(restored), **details["treering"]}
    return {**body, **carried, "details": {**restored.details, "treering": own}}


def _undoes(compaction: Entry) -> str | None:
    value = records.treering_details(compaction).get("undoes")
    return value if isinstance(value, str) else None
