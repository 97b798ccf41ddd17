"""Old versions of the session file: reading them as version 3, and the upgrade that the first append makes.

Version 1 has no ids: entries are a chain, and a compaction names its first kept entry by its index among all records
(the header is 0). Version 2 has the role `hookMessage` where version 3 has `custom` (FORMATS §1).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from treering.session.entries import Entry, decode_object, derived_id, encode_object, parse_line
from treering.session.messages import JsonObject, as_object
from treering.session.store import Header

CURRENT_VERSION = 3


def as_current(lines: Iterable[tuple[int, bytes]], header: Header) -> Iterator[Entry]:
    """The entries of an old file in version-3 form, oldest first. The same input gives the same ids.

    `lines` are all lines of the file with their offsets, the header's included.
    """
    ids: list[str] = []  # by index among all records, as version 1 counts them
    parent: str | None = None
    for number, (offset, line) in enumerate(lines, start=1):
        for entry in parse_line(line, offset):
            if entry.type == "session":
                ids.append("")
                continue
            if header.version >= 2:
                current = _rename_role(entry)
            else:
                current = _from_version_1(entry, derived_id(header.id, number, entry.raw), parent, ids)
            ids.append(current.id)
            parent = current.id
            yield current


def _from_version_1(entry: Entry, entry_id: str, parent: str | None, ids: list[str]) -> Entry:
    body = decode_object(entry.raw)
    if body is None:
        return msgspec.structs.replace(entry, id=entry_id, parent_id=parent)
    changed: dict[str, Any] = {**body, "id": entry_id, "parentId": parent}
    if entry.type == "compaction":
        index = changed.pop("firstKeptEntryIndex", None)
        if isinstance(index, int) and 0 < index < len(ids):
            changed["firstKeptEntryId"] = ids[index]
    return _rename_role(msgspec.structs.replace(entry, id=entry_id, parent_id=parent, raw=encode_object(changed)))


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


def upgrade_file(path: Path, header: Header, lines: Iterable[tuple[int, bytes]]) -> Path:
    """Write the version-3 form over an old file; returns the backup, whose bytes are those of the original.

    Written beside, with the same mode, synced, then renamed over, and the folder synced: whatever happens, the name
    holds the whole old file or the whole new one. The caller holds the lock. `path` must be no link.

    Raises:
        OSError: the folder cannot be written, or is full; the original is untouched.
    """
    backup = _backup_name(path, header.version)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".upgrade", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(encode_object(current_header(header)) + b"\n")
            for entry in as_current(lines, header):
                file.write(entry.raw + b"\n")
            file.flush()
            shutil.copymode(path, temporary)
            os.fsync(file.fileno())
        _keep_backup(path, backup)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return backup


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in this folder last. Does nothing where folders cannot be synced."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # pragma: no cover - Windows
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _backup_name(path: Path, version: int) -> Path:
    for number in range(1, 1000):
        suffix = f".v{version}.bak" if number == 1 else f".v{version}.{number}.bak"
        backup = path.with_name(path.name + suffix)
        if not backup.exists():
            return backup
    raise OSError(f"{path.parent} holds 999 backups of {path.name}: remove some")


def _keep_backup(path: Path, backup: Path) -> None:
    try:
        os.link(path, backup)  # the rename then leaves the original's own bytes under this name
    except OSError:
        shutil.copy2(path, backup)
