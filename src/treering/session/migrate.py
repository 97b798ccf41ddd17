"""Old versions of the session file: reading them as version 3, and the upgrade that the first append makes.

Version 1 has no ids: entries are a chain, and a compaction names its first kept entry by its index among all records
(the header is 0). Version 2 has the role `hookMessage` where version 3 has `custom` (FORMATS §1).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from treering.session.entries import Entry, derived_id, encode_object, parse_line
from treering.session.messages import JsonObject, as_object
from treering.session.store import Header
from treering.session.system import OPEN_FLAGS, lock, sync_folder

CURRENT_VERSION = 3

HEAD_TYPES = frozenset({"session", "title"})
"""Records that are no entries: the header, and the title line of oh-my-pi."""


def as_current(lines: Iterable[tuple[int, bytes]], header: Header) -> Iterator[Entry]:
    """The entries of an old file in version-3 form, oldest first. The same input gives the same ids.

    `lines` are all lines of the file with their offsets, the header's included.
    """
    ids: list[str | None] = []  # by index among all records, as version 1 counts them
    parent: str | None = None
    for number, (offset, line) in enumerate(lines, start=1):
        for entry in parse_line(line, offset):
            if entry.type in HEAD_TYPES:
                ids.append(None)
                continue
            current = entry
            if not entry.id:
                above = entry.parent_id if header.version >= 2 else parent
                current = entry.replace_head(entry_id=derived_id(header.id, number, entry.raw), parent_id=above)
            current = _with_first_kept(current, ids)
            ids.append(current.id)
            parent = current.id
            yield _rename_role(current)


def _with_first_kept(entry: Entry, ids: list[str | None]) -> Entry:
    """Version 1 names the first kept entry by its index, version 3 by its id."""
    if entry.type != "compaction" or "firstKeptEntryIndex" not in entry.body:
        return entry
    body: dict[str, Any] = {**entry.body}
    index = body.pop("firstKeptEntryIndex")
    first_kept = ids[index] if isinstance(index, int) and 0 <= index < len(ids) else None
    if first_kept is not None:
        body["firstKeptEntryId"] = first_kept
    return msgspec.structs.replace(entry, raw=encode_object(body))


def _rename_role(entry: Entry) -> Entry:
    if entry.type != "message" or b"hookMessage" not in entry.raw:
        return entry
    message = as_object(entry.body.get("message"))
    if message is None or message.get("role") != "hookMessage":
        return entry
    body = {**entry.body, "message": {**message, "role": "custom"}}
    return msgspec.structs.replace(entry, raw=encode_object(body))


def current_header(header: Header) -> JsonObject:
    """The header in version-3 form."""
    raw = {**header.raw, "version": CURRENT_VERSION}
    if "branchedFrom" in raw:
        raw["parentSession"] = raw.pop("branchedFrom")
    return raw


def upgrade_file(
    path: Path, header: Header, lines: Iterable[tuple[int, bytes]], *, title: bytes = b""
) -> tuple[Path, int]:
    """Write the version-3 form over an old file.

    Written beside, with the same mode, synced, then renamed over, and the folder synced: whatever happens, the name
    holds the whole old file or the whole new one. The caller holds the lock of the old one. `path` must be no link.
    `title` is the line that a file of oh-my-pi has before its header.

    Returns:
        the backup, whose bytes are those of the original; and a descriptor of the new file, open for appending and
        locked since before it had the name, so that nobody was first.

    Raises:
        OSError: the folder cannot be written, or is full; the original is untouched.
    """
    import glob  # here, so that whoever only reads starts quicker

    for left in glob.glob(f".{glob.escape(path.name)}.*.upgrade", root_dir=path.parent):  # of one that was killed
        with contextlib.suppress(OSError):
            (path.parent / left).unlink()
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.upgrade")
    fd = os.open(temporary, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, 0o600)
    backup: Path | None = None
    try:
        lock(fd)
        with open(fd, "wb", closefd=False) as file:
            file.write(title + encode_object(current_header(header)) + b"\n")
            for entry in as_current(lines, header):
                file.write(entry.raw + b"\n")
        _take_over_owner(path, temporary)
        os.fsync(fd)
        backup = _keep_backup(path, header.version)
        temporary.replace(path)
    except BaseException:
        os.close(fd)
        temporary.unlink(missing_ok=True)
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return backup, fd


def _take_over_owner(path: Path, temporary: Path) -> None:
    status = path.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
    temporary.chmod(stat.S_IMODE(status.st_mode))


def _keep_backup(path: Path, version: int) -> Path:
    for number in itertools.count(1):
        backup = path.with_name(
            f"{path.name}.v{version}.bak" if number == 1 else f"{path.name}.v{version}.{number}.bak"
        )
        try:
            os.link(path, backup)  # the rename then leaves the original's own bytes under this name
        except FileExistsError:
            continue
        except OSError:  # no links here
            if backup.exists():
                continue
            _copy(path, backup)
        return backup
    raise AssertionError("counting has no end")


def _copy(path: Path, backup: Path) -> None:
    import shutil

    try:
        with path.open("rb") as source, backup.open("xb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        shutil.copystat(path, backup)
    except BaseException:
        backup.unlink(missing_ok=True)
        raise
