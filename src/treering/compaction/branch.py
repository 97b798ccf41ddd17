"""What a move in the tree leaves behind (SPEC §10): pure."""

from __future__ import annotations

import msgspec

from treering.session.entries import Entry
from treering.session.path import Path


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


def collect_branch(old: Path, new: Path) -> tuple[str | None, tuple[Entry, ...]]:
    """The deepest entry that two paths share, and what of the old one lies behind it, oldest first.

    Compactions do not stop the collection: they are among the entries.
    """
    shared = {entry.id for entry in new}
    for index in range(len(old) - 1, -1, -1):
        if old[index].id in shared:
            return old[index].id, old.entries[index + 1 :]
    return None, old.entries
