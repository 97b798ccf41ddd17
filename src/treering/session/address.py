"""Addresses of entries, as people give them: an id or its beginning, a label, the leaf, or so many turns back.

| address | means |
|---|---|
| `3f2a` | the entry whose id is, or alone begins with, this |
| `before-refactor` | the entry with this label |
| `HEAD`, `@last` | the leaf |
| `HEAD~2` | two turn starts back from there; `~2` may follow any address |
| `@root` | before the first entry |
"""

from __future__ import annotations

import re

from treering.errors import EntryNotFoundError
from treering.session.entries import Entry
from treering.session.outline import Outline
from treering.session.rows import preview
from treering.session.tree import Session

ROOT = "@root"
"""Before the first entry."""

_BACK = re.compile(r"(?s)(.+?)~(\d*)\Z")
_LEAF = frozenset({"HEAD", "@last"})


def resolve(session: Session, address: str) -> str | None:
    """The id of the entry that an address means; None for `@root`.

    Raises:
        EntryNotFoundError: nothing or several entries are meant; the message says what there is.
    """
    if address == ROOT:
        return None
    if address in _LEAF:
        return _leaf(session)
    back = _BACK.fullmatch(address)
    if back is None:
        return _named(session, address)
    # A label may hold a tilde: then it is meant as it is.
    if address in session.labels().values():
        return _named(session, address)
    base, steps = back[1], int(back[2] or 1)
    start = resolve(session, base)
    if start is None:
        raise EntryNotFoundError(f"{address}: nothing lies before {ROOT}")
    return _turns_back(session, address, start, steps)


def _leaf(session: Session) -> str:
    if session.leaf_id is None:
        raise EntryNotFoundError("the leaf is before the first entry: there is no entry there")
    return session.leaf_id


def _turns_back(session: Session, address: str, start: str, steps: int) -> str:
    if steps == 0:
        return start
    seen = 0
    for entry in session.store.walk(start):
        if starts_turn(entry) and not (seen == 0 and entry.id == start and start != session.leaf_id):
            seen += 1
            if seen == steps:
                return entry.id
    begin = {0: "no turn begins", 1: "only 1 turn begins"}.get(seen, f"only {seen} turns begin")
    raise EntryNotFoundError(f"{address}: {begin} before {start}")


def starts_turn(entry: Entry) -> bool:
    """Whether a turn begins with this entry (SPEC §1)."""
    if entry.type in {"custom_message", "branch_summary"}:
        return True
    return entry.type == "message" and entry.message is not None and entry.message.starts_turn


def _named(session: Session, address: str) -> str:
    if not address:
        raise EntryNotFoundError("an empty address: give an id, the beginning of one, a label, or HEAD~2")
    outline = Outline(session.store.scan(), session.leaf_id)
    beginning: list[Entry] = []
    for entry in outline.entries:
        if entry.id == address:
            return entry.id
        if entry.id.startswith(address):
            beginning.append(entry)
    labelled = [outline.entries[node] for node, label in outline.labels.items() if label == address]
    found = labelled or beginning
    if len(found) == 1:
        return found[0].id
    if found:
        what = f"the label {address!r}" if labelled else f"an id that begins with {address!r}"
        listing = "".join(f"\n  {entry.id}  {entry.type}  {preview(entry, 60)}" for entry in found[:8])
        more = f"\n  and {len(found) - 8} more" if len(found) > 8 else ""
        raise EntryNotFoundError(
            f"{len(found)} entries have {what}: give more of the id\n{listing.lstrip(chr(10))}{more}"
        )
    raise EntryNotFoundError(_nothing_found(address, outline))


def _nothing_found(address: str, outline: Outline) -> str:
    import difflib

    labels = sorted(set(outline.labels.values()))
    message = f"no entry has the id, the beginning of an id, or the label {address!r}"
    near = difflib.get_close_matches(address, labels, n=3, cutoff=0.5)
    if not near and len(address) >= 4:
        ids = [entry.id for entry in outline.entries[-2000:]]
        near = difflib.get_close_matches(address, [entry_id[: len(address)] for entry_id in ids], n=1, cutoff=0.8)
    if near:
        return f"{message}; did you mean {' or '.join(near)}?"
    if labels:
        return (
            f"{message}; labels are {', '.join(repr(label) for label in labels[:8])}{' …' if len(labels) > 8 else ''}"
        )
    return f"{message}; `treering tree` shows what there is"
