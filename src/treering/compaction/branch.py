"""What a move in the tree leaves behind, and what a summary of it is made from (SPEC §10): pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from treering.compaction.summarizer import SpanMessage, span_message
from treering.session import records
from treering.session.context import renders
from treering.session.entries import Entry

BRANCH_SUMMARY_TOKENS = 2048
"""What a branch summary may have in all, preamble and file tags included (SPEC §8)."""

FULL_SHARE = 0.9
"""A summary entry that does not fit still goes in while less than this share of the budget is used."""

_SILENT_RECORDS = frozenset({records.LEAF, records.UNDO, records.DELETION, records.ATTEMPT})


class TreeMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move of the leaf, planned.

    Attributes:
        target_id: what was chosen; None: before the first entry.
        old_leaf_id: where the leaf stands.
        new_leaf_id: where it will stand; for a user message that is to be edited the entry before it.
        ancestor_id: the deepest entry that both paths share; None if they share none.
        abandoned: the entries from behind the ancestor to the old leaf, oldest first.
        text: the text of the target, if it is to be edited.
        moves: whether there is anything to do.
    """

    target_id: str | None
    old_leaf_id: str | None
    new_leaf_id: str | None
    ancestor_id: str | None
    abandoned: tuple[Entry, ...] = ()
    text: str | None = None
    moves: bool = True


def plan_move(
    target: Entry | None, old_leaf_id: str | None, walk: Callable[[str], Iterable[Entry]], *, edit: bool = True
) -> TreeMove:
    """Plan a move of the leaf to a target.

    A user message or a custom_message is edited: the leaf goes before it, and its text is handed back. Anything else
    becomes the leaf. Where only records lie between that place and the leaf, the leaf is there already.

    Args:
        target: the chosen entry; None: before the first entry.
        old_leaf_id: where the leaf stands.
        walk: the entries from one to its root, lazily.
        edit: without it, the target itself becomes the leaf whatever it is.
    """
    text = _text_to_edit(target) if target is not None and edit else None
    if target is not None and target.id == old_leaf_id and target.type == "custom_message":
        text = None  # the leaf itself is nothing to move to, but for an unanswered user message (SPEC §10.1)
    new_leaf = None if target is None else target.id if text is None else target.parent_id
    ancestor, abandoned = collect_branch(walk(old_leaf_id) if old_leaf_id else (), walk(new_leaf) if new_leaf else ())
    moves = new_leaf != old_leaf_id and not (ancestor == new_leaf and all(map(is_silent, abandoned)))
    return TreeMove(
        target_id=target.id if target else None,
        old_leaf_id=old_leaf_id,
        new_leaf_id=new_leaf,
        ancestor_id=ancestor,
        abandoned=abandoned,
        text=text,
        moves=moves,
    )


def collect_branch(old: Iterable[Entry], new: Iterable[Entry]) -> tuple[str | None, tuple[Entry, ...]]:
    """The deepest entry that two paths share, and what of the old one lies behind it, oldest first.

    Both are walked from the leaf to the root in turn, so it costs the distance to where they part. Compactions do
    not stop the collection: they are among the entries.
    """
    old_walk, new_walk = iter(old), iter(new)
    left: dict[str, Entry] = {}
    seen: set[str] = set()
    more = True
    while more:
        more = False
        if (entry := next(old_walk, None)) is not None:
            if entry.id in seen:
                return entry.id, tuple(reversed(left.values()))
            left[entry.id] = entry
            more = True
        if (entry := next(new_walk, None)) is not None:
            if entry.id in left:
                ids = list(left)
                behind = ids[: ids.index(entry.id)]
                return entry.id, tuple(left[entry_id] for entry_id in reversed(behind))
            seen.add(entry.id)
            more = True
    return None, tuple(reversed(left.values()))


def branch_messages(abandoned: Sequence[Entry]) -> tuple[SpanMessage, ...]:
    """All that the branch says, oldest first; compactions and branch summaries count as messages."""
    return tuple(
        span_message(entry, entry.message)
        for entry in abandoned
        if entry.message is not None and (entry.type == "compaction" or renders(entry))
    )


def newest_within(
    messages: Sequence[SpanMessage], budget: int | None, count: Callable[[SpanMessage], int]
) -> tuple[SpanMessage, ...]:
    """The newest messages that fit into a budget, oldest first (SPEC §10.3).

    A summary that does not fit still goes in if less than 90 % of the budget is used; then it stops.

    Args:
        messages: oldest first.
        budget: in the unit of `count`; None: all.
        count: the size of a message.
    """
    if budget is None:
        return tuple(messages)
    used = 0
    first = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        size = count(messages[index])
        if used + size > budget:
            is_summary = messages[index].message.role in {"compactionSummary", "branchSummary"}
            if is_summary and used < FULL_SHARE * budget:
                first = index
            break
        used += size
        first = index
    return tuple(messages[first:])


def _text_to_edit(target: Entry) -> str | None:
    message = target.message
    if message is None:
        return None
    if target.type == "custom_message" or (target.type == "message" and message.role == "user"):
        return message.text
    return None


def is_silent(entry: Entry) -> bool:
    """Whether an entry changes nothing of what the model is sent, on this path or later."""
    return entry.type in {"label", "session_info"} or (entry.custom_type in _SILENT_RECORDS and entry.type == "custom")


def left_leaf(entry: Entry) -> str | None:
    """The leaf that was left where a branch summary was made; None if the entry does not tell.

    pi writes the new parent there instead, so only another id than that is trusted (SPEC §10.4).
    """
    from_id = entry.body.get("fromId")
    trusted = entry.type == "branch_summary" and isinstance(from_id, str) and from_id not in {entry.parent_id, "root"}
    return from_id if trusted else None
