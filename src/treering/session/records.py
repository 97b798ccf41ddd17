"""Treering's own records: `custom` entries that other tools ignore (SPEC §2).

Each is a child of the leaf it concerns, and carries a version in its data.
"""

from __future__ import annotations

from typing import Any

from treering.session.entries import Entry
from treering.session.messages import JsonObject, as_object

RECORD_VERSION = 1

LEAF = "treering.leaf"
PRUNE = "treering.prune"
UNDO = "treering.undo"
ATTEMPT = "treering.attempt"
PENDING = "treering.pending"
PIN = "treering.pin"
DELETION = "treering.delete"

CONTINUE = "treering.continue"
"""The customType of the custom_message that asks an agent to go on after an automatic compaction (SPEC §5)."""


def record(kind: str, **data: Any) -> dict[str, Any]:
    """The body of a record of this kind, to be appended."""
    return {"type": "custom", "customType": kind, "data": {"version": RECORD_VERSION, **data}}


def record_data(entry: Entry, kind: str) -> JsonObject | None:
    """The data of an entry if it is a record of this kind that this version understands, else None."""
    if entry.type != "custom" or entry.custom_type != kind:
        return None
    data = as_object(entry.body.get("data"))
    return data if data is not None and data.get("version") == RECORD_VERSION else None


def treering_details(entry: Entry) -> JsonObject:
    """What Treering keeps on a compaction or branch summary (`details.treering`); empty if it is another tool's."""
    return as_object(entry.details.get("treering")) or {}
