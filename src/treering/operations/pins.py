"""Pins: texts that survive every compaction word for word (SPEC §15.3)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from treering.errors import TreeringError
from treering.session import records
from treering.session.context import renders
from treering.session.entries import Entry
from treering.session.messages import as_list, as_object
from treering.session.path import Path
from treering.session.tree import Appended, Session
from treering.settings import DEFAULT_WINDOW, Settings, reserve_for
from treering.tokens.estimate import estimate_text

PINS_SHARE = 0.25
"""All pins together may take this share of the reserve."""


class PinTooLargeError(TreeringError):
    """The pinned texts together would be larger than what is reserved for them."""


class Pin(msgspec.Struct, frozen=True):
    """A pinned text, and the entry that it comes from."""

    entry_id: str
    text: str


def pins_on(path: Path) -> tuple[Pin, ...]:
    """The pins in force on a path, in the order in which they were set.

    Those that a compaction carried forward come first; so the path need not reach behind it.
    """
    pins: dict[str, str] = {}
    for entry in path:
        if entry.type == "compaction":
            for carried in as_list(records.treering_details(entry).get("pins")) or []:
                data = as_object(carried) or {}
                if isinstance(data.get("entry"), str) and isinstance(data.get("text"), str):
                    pins.setdefault(data["entry"], data["text"])
            continue
        data = records.record_data(entry, records.PIN)
        if data is None or not isinstance(data.get("entry"), str):
            continue
        if data.get("removed") is True:
            pins.pop(data["entry"], None)
        elif isinstance(data.get("text"), str):
            pins[data["entry"]] = data["text"]
    return tuple(Pin(entry_id, text) for entry_id, text in pins.items())


def pin(
    session: Session,
    entry_id: str,
    text: str | None = None,
    *,
    settings: Settings = Settings(),
    window: int = DEFAULT_WINDOW,
) -> Appended:
    """Pin an entry's text, or `text`, which then stands for it: it survives every compaction word for word.

    If the entry was compacted already, its text is appended as a custom message too, so that the model reads it now.

    Raises:
        EntryNotFoundError: there is no such entry.
        PinTooLargeError: with this one, the pins would take more than a quarter of the reserve.
        TreeringError: the entry has no text to pin.
    """
    entry = session.get(entry_id)
    pinned = text if text is not None else _text_of(entry)
    if not pinned.strip():
        raise TreeringError(f"entry {entry_id} has no text of its own: say what to pin (text=…, --text)")
    path = session.path(whole=False)
    limit = int(PINS_SHARE * reserve_for(settings.compaction, window))
    others = [other for other in pins_on(path) if other.entry_id != entry_id]
    total = estimate_text(pinned) + sum(estimate_text(other.text) for other in others)
    if total > limit:
        raise PinTooLargeError(
            f"pins may have {limit} tokens together (a quarter of the reserve); with this one they would have {total}: "
            f"pin a shorter text (--text), or unpin another one"
        )
    bodies = [records.record(records.PIN, entry=entry_id, text=pinned)]
    if not _is_shown(path, entry_id):
        message = {"type": "custom_message", "customType": records.PIN, "content": pinned, "display": True}
        bodies.append(message)
    return session.append(*bodies)


def unpin(session: Session, entry_id: str) -> Appended | None:
    """Take a pin away; None if the entry was not pinned at this leaf."""
    if entry_id not in {found.entry_id for found in pins_on(session.path(whole=False))}:
        return None
    return session.append(records.record(records.PIN, entry=entry_id, removed=True))


def pins_of_span(pins: Iterable[Pin], path: Path, cut: int) -> tuple[Pin, ...]:
    """The pins that a summary must carry: all but those whose entry stays verbatim after the cut."""
    kept = {entry.id for entry in path.entries[cut:] if renders(entry)}
    return tuple(found for found in pins if found.entry_id not in kept)


def render_pins(pins: Iterable[Pin]) -> str:
    """The pins as they stand in a summary; empty if there are none."""
    blocks = [f"<pinned>\n{found.text.strip()}\n</pinned>" for found in pins]
    return "\n".join(blocks)


def _is_shown(path: Path, entry_id: str) -> bool:
    position = path.index_of(entry_id)
    return position is not None and position >= path.start and renders(path[position])


def _text_of(entry: Entry) -> str:
    return entry.message.text if entry.message is not None else ""
