"""Work on the tree of a session: fork, clone, name, delete and bring back branches, compare two of them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from treering.compaction.branch import branch_messages, collect_branch
from treering.compaction.files import FileOperations, file_operations
from treering.compaction.summarizer import SpanMessage
from treering.errors import TreeringError
from treering.session import records
from treering.session.copy import copy_session, write_session
from treering.session.entries import Entry, encode_object, parse_line
from treering.session.outline import Branch, Outline, read_outline
from treering.session.tree import Appended, Session, new_header
from treering.tokens.estimate import estimate_message


class BranchError(TreeringError):
    """A branch cannot be treated as was asked; the message says why, and what to do."""


class BranchSide(msgspec.Struct, frozen=True, kw_only=True):
    """What one of two branches did by itself.

    Attributes:
        tip_id: its last entry.
        first_id: its first entry behind the fork; None if it lies on the other one's path.
        messages: how many messages are its own.
        turns: how many turns begin in it.
        tokens: estimated tokens of its own messages.
        requests: what the user asked in it, oldest first.
        files: what it read and changed.
    """

    tip_id: str
    first_id: str | None
    messages: int
    turns: int
    tokens: int
    requests: tuple[str, ...]
    files: FileOperations


class BranchComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two branches, and where they part.

    Attributes:
        ancestor_id: the last entry that both share; None if they share none.
        left: the one branch.
        right: the other one.
        modified_by_both: files that both changed.
    """

    ancestor_id: str | None
    left: BranchSide
    right: BranchSide

    @property
    def modified_by_both(self) -> tuple[str, ...]:
        """Files that both branches changed, most recent of the left one first."""
        other = set(self.right.files.modified)
        return tuple(path for path in self.left.files.modified if path in other)


def compare_branches(session: Session, left: str, right: str) -> BranchComparison:
    """What two branches did to which files, and where they part.

    Raises:
        EntryNotFoundError: there is no such entry.
    """
    walk = session.store.walk
    ancestor, left_own = collect_branch(walk(left), walk(right))
    _, right_own = collect_branch(walk(right), walk(left))
    cwd = session.header.cwd
    return BranchComparison(ancestor_id=ancestor, left=_side(left, left_own, cwd), right=_side(right, right_own, cwd))


def _side(tip_id: str, own: tuple[Entry, ...], cwd: str) -> BranchSide:
    messages = branch_messages(own)
    return BranchSide(
        tip_id=tip_id,
        first_id=own[0].id if own else None,
        messages=len(messages),
        turns=sum(span.message.starts_turn for span in messages),
        tokens=sum(estimate_message(span.message) for span in messages),
        requests=tuple(span.message.text for span in messages if _is_request(span)),
        files=file_operations(messages, cwd=cwd),
    )


def _is_request(span: SpanMessage) -> bool:
    return span.message.role == "user" and bool(span.message.text.strip())


def set_name(session: Session, name: str) -> Appended:
    """Give the session a name.

    Raises:
        BranchError: the name is empty.
    """
    if not name.strip():
        raise BranchError("a session's name cannot be empty")
    return session.append({"type": "session_info", "name": name.strip()})


def fork(session: Session, destination: str | os.PathLike[str], entry_id: str | None = None) -> Path:
    """Write the path to an entry (the leaf if none is given) as a session of its own; returns its file.

    Lines and ids stay as they are; the new header names the session that it came from. Labels of its entries, and the
    session's name, are written again behind the path where they stand on another branch.

    Raises:
        EntryNotFoundError: there is no such entry.
        BranchError: there is nothing to fork.
        StorageError: the file exists or cannot be written.
    """
    path = session.path(entry_id)
    if not path.entries:
        raise BranchError("there is nothing to fork: the leaf is before the first entry")
    header = new_header(cwd=session.header.cwd, parent_session=source_of(session), now=session.now)
    missing = carry_over(read_outline(session), list(path), path.leaf_id)
    write_session(destination, header, [*path, *missing])
    return Path(destination)


def clone(session: Session, destination: str | os.PathLike[str]) -> Path:
    """Write the whole tree as another session with a link back; ids stay as they are. Returns its file.

    Raises:
        StorageError: the file exists or cannot be written.
    """
    copy_session(session, destination)
    return Path(destination)


def source_of(session: Session) -> str:
    """What a copy names as its parent session: the file's absolute path, or the id of a session without one."""
    path = getattr(session.store, "path", None)
    return str(path.absolute()) if isinstance(path, Path) else session.header.id


def carry_over(outline: Outline, entries: list[Entry], leaf_id: str | None) -> list[Entry]:
    """The label and name entries that a selection of entries lacks to say what the whole session says about them.

    They stand behind `leaf_id`, one after the other, with the timestamps of the entries that they repeat.
    """
    kept = Outline(entries, leaf_id)
    wanted = {outline.entries[node].id: label for node, label in outline.labels.items()}
    has = {kept.entries[node].id: label for node, label in kept.labels.items()}
    present = {entry.id for entry in kept.entries}
    bodies: list[dict[str, str]] = []
    for target in [entry.id for entry in kept.entries if wanted.get(entry.id) != has.get(entry.id)]:
        label = {"label": wanted[target]} if target in wanted else {}
        bodies.append({"type": "label", "targetId": target, **label})
    if outline.name and outline.name != kept.name:
        bodies.append({"type": "session_info", "name": outline.name})
    last = entries[-1].timestamp if entries else ""
    found: list[Entry] = []
    parent = leaf_id
    for number, body in enumerate(bodies):
        entry_id = _free_id(parent or "", number, present)
        raw = encode_object({"type": body["type"], "id": entry_id, "parentId": parent, "timestamp": last, **body})
        found.append(parse_line(raw)[0])
        parent = entry_id
    return found


def _free_id(parent: str, number: int, taken: set[str]) -> str:
    """An id that follows from its place, so that the same copy has the same bytes."""
    import hashlib

    seed = f"{parent}\n{number}"
    while (entry_id := hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:16]) in taken:
        seed += "\n"
    taken.add(entry_id)
    return entry_id


def lost_branches(session: Session, *, deleted: bool = False) -> list[Branch]:
    """The branches that the leaf's path does not take, oldest first; deleted ones only if asked for."""
    return read_outline(session).lost_branches(deleted=deleted)


def delete_branch(session: Session, entry_id: str) -> str:
    """Delete the branch that an entry lies in; returns the id of its first entry.

    It begins where nothing else hangs on it: a record says that it is deleted, so it is no longer listed. Nothing is
    erased; `restore_branch` brings it back, and `treering.operations.vacuum` erases it when asked by name.

    Raises:
        EntryNotFoundError: there is no such entry.
        BranchError: the leaf's path goes through it.
    """
    outline = read_outline(session)
    node = outline.index_of(entry_id)
    if node in outline.on_path:
        raise BranchError(f"{entry_id} is on the path of the leaf: check out another branch first")
    parent = outline.parents[node]
    while parent >= 0 and parent not in outline.on_path and outline.branches_at(parent) == [node]:
        node, parent = parent, outline.parents[parent]
    root = outline.entries[node].id
    if node not in outline.deleted:
        session.append(records.record(records.DELETION, entry=root))
    return root


def restore_branch(session: Session, entry_id: str) -> list[str]:
    """Bring back a deleted branch, by any of its entries; returns the ids of the deletions that were taken back.

    Raises:
        EntryNotFoundError: there is no such entry.
        BranchError: it was not deleted.
    """
    outline = read_outline(session)
    node = outline.index_of(entry_id)
    roots: list[str] = []
    seen: set[int] = set()
    while node >= 0 and node not in seen:
        seen.add(node)
        if node in outline.deleted:
            roots.append(outline.entries[node].id)
        node = outline.parents[node]
    if not roots:
        raise BranchError(f"{entry_id} lies in no deleted branch")
    session.append(*(records.record(records.DELETION, entry=root, deleted=False) for root in roots))
    return roots
