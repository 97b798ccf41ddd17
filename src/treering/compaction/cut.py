"""The cut: where the kept part may begin (SPEC §7.3). Reads back from the leaf only as far as it must."""

from __future__ import annotations

from treering.session.context import renders
from treering.session.entries import METADATA_TYPES
from treering.session.messages import Message
from treering.session.path import Path
from treering.session.validity import cuts_allowed

STEP = 64
"""Entries that the search for a valid cut goes further back at a time; doubled each time."""


def find_cut(path: Path, start: int, target: int) -> int | None:
    """The index of the valid cut point nearest to `target`: at or after it, else before it.

    Args:
        path: the path.
        start: nothing before this index is looked at.
        target: where the kept part would begin if every place were valid.

    Returns:
        An index from `start` on (`start` itself: nothing would be replaced), or None if there is no valid place.
    """
    allowed = _allowed_from(path, target)
    for index in sorted(allowed):
        if index >= target:
            return index
    step = STEP
    while target > start:
        lower = max(start, target - step)
        before = [index for index in _allowed_from(path, lower) if start <= index < target]
        if before:
            return max(before)
        if lower == start:
            return None
        step *= 2
    return None


def find_cut_before(path: Path, start: int, limit: int) -> int | None:
    """The last valid cut point at or before `limit`, above `start`; None if there is none."""
    step = STEP
    while True:
        lower = max(start, limit - step)
        found = [index for index in _allowed_from(path, lower) if start < index <= limit]
        if found:
            return max(found)
        if lower == start:
            return None
        step *= 2


def with_metadata(path: Path, start: int, cut: int) -> int:
    """The cut moved back over metadata just before it, to the next message or compaction (SPEC §7.3)."""
    while cut - 1 > start and path[cut - 1].type in METADATA_TYPES:
        cut -= 1
    return cut


def _allowed_from(path: Path, lower: int) -> list[int]:
    """Valid cut points from index `lower` on.

    A result whose call lies before `lower` forbids every cut up to itself, as it would part the pair.
    """
    positions: list[int] = []
    messages: list[Message] = []
    for index in range(lower, len(path)):
        message = path[index].message
        if message is not None and renders(path[index]):
            positions.append(index)
            messages.append(message)
    allowed = cuts_allowed(messages)
    callers = {call.id for message in messages for call in message.tool_calls}
    foreign = [
        number
        for number, message in enumerate(messages)
        if message.role == "toolResult" and message.tool_call_id not in callers
    ]
    blocked_up_to = foreign[-1] if foreign else -1
    return [position for number, position in enumerate(positions) if allowed[number] and number > blocked_up_to]
