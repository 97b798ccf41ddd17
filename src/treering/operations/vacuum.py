"""Erase deleted branches for good: the only operation that takes anything out of a session file.

It runs only when asked for by name, writes a new file, and keeps the old one as a backup with identical bytes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from treering.errors import StorageError
from treering.operations.branches import carry_over
from treering.session.entries import derived_id, parse_line
from treering.session.lines import lines_forward
from treering.session.migrate import HEAD_TYPES
from treering.session.outline import Outline
from treering.session.reader import FileReader
from treering.session.system import OPEN_FLAGS, explain, lock, read_at, sync_folder, try_lock, unlock


class VacuumResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was erased.

    Attributes:
        erased: entries that are no longer in the file; 0 if there was nothing to erase, and nothing was written.
        bytes_before: the size of the file before.
        bytes_after: and after.
        backup: the old file; None if nothing was written.
    """

    erased: int
    bytes_before: int
    bytes_after: int
    backup: Path | None = None


class FileInUseError(StorageError):
    """Another process, or another session of this one, has the file open."""


def vacuum(path: str | os.PathLike[str]) -> VacuumResult:
    """Write a session file anew without its deleted branches; the old one stays beside it as a backup.

    Lines and ids of what stays are as they were. Labels and the name that a deleted branch held for others are
    written again. Unfinished lines go too.

    Raises:
        FileInUseError: somebody has the file open. (pi opens it only while it writes: end it yourself first.)
        StorageError: it cannot be read or written; it is as it was then.
    """
    real = Path(os.path.realpath(path))
    try:
        fd = os.open(real, os.O_RDWR | os.O_APPEND | OPEN_FLAGS)
    except OSError as error:
        raise StorageError(f"{path} cannot be opened: {explain(error)}") from error
    try:
        if not try_lock(fd):
            raise FileInUseError(f"{path} is being written by another process: try again when it has ended")
        try:
            _refuse_if_held(real, fd, str(path))
            return _rewrite(real, fd)
        finally:
            unlock(fd)
    except OSError as error:
        raise StorageError(f"{path} cannot be written anew: {explain(error)}; it is as it was") from error
    finally:
        os.close(fd)


def _rewrite(path: Path, fd: int) -> VacuumResult:
    reader = FileReader(path)
    try:
        last = reader.last()
        outline = Outline(reader.scan(), last.id if last else None)
    finally:
        reader.close()
    size = os.fstat(fd).st_size
    erased = _erased(outline)
    if not erased:
        return VacuumResult(erased=0, bytes_before=size, bytes_after=size)
    kept = [entry for node, entry in enumerate(outline.entries) if node not in erased]
    missing = carry_over(outline, kept, last.id if last else None)
    gone = {outline.entries[node].id for node in erased}
    temporary = path.with_name(f".{path.name}.{os.getpid()}.vacuum")
    backup: Path | None = None
    new_fd = os.open(temporary, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, 0o600)
    try:
        lock(new_fd)
        with open(new_fd, "wb", closefd=False, buffering=1 << 20) as file:
            for line in _lines(fd, reader.header.id, gone):
                file.write(line + b"\n")
            for entry in missing:
                file.write(entry.raw + b"\n")
        status = os.fstat(fd)
        with contextlib.suppress(OSError, AttributeError):  # only root may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
        temporary.chmod(stat.S_IMODE(status.st_mode))
        os.fsync(new_fd)
        backup = _keep(path)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise
    finally:
        os.close(new_fd)
    sync_folder(path.parent)
    return VacuumResult(erased=len(erased), bytes_before=size, bytes_after=path.stat().st_size, backup=backup)


def _erased(outline: Outline) -> set[int]:
    """The nodes of deleted branches, but for what the leaf's path needs."""
    erased: set[int] = set()
    waiting = sorted(outline.deleted)
    while waiting:
        node = waiting.pop()
        if node not in erased:
            if node not in outline.on_path:
                erased.add(node)
            waiting.extend(outline.children(node))
    return erased - outline.on_path


def _lines(fd: int, session_id: str, gone: set[str]) -> Iterator[bytes]:
    """The lines that stay: those of the head, and of the entries that are not gone; a line as it is wherever it can.

    An entry without an id gets the one that it has had by the number of its line, because that changes now.
    """
    lines = lines_forward(lambda length, offset: read_at(fd, length, offset), 0, os.fstat(fd).st_size)
    for number, (_, line) in enumerate(lines, start=1):
        for entry in parse_line(line):
            if entry.type in HEAD_TYPES:
                yield entry.raw
            elif not entry.id:
                entry_id = derived_id(session_id, number, entry.raw)
                if entry_id not in gone:
                    yield entry.replace_head(entry_id=entry_id, parent_id=entry.parent_id).raw
            elif entry.id not in gone:
                yield entry.raw


def _keep(path: Path) -> Path:
    """The old file under another name: a link to the same bytes, or a copy where there are no links."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.before-vacuum{'' if number == 1 else f'.{number}'}.bak")
        number += 1
        try:
            os.link(path, backup)
        except FileExistsError:
            continue
        except OSError:
            if backup.exists():
                continue
            shutil.copy2(path, backup)
        return backup


def _refuse_if_held(path: Path, own_fd: int, name: str) -> None:
    holders = holders_of(path, own_fd)
    if os.getpid() in holders:
        raise FileInUseError(f"{name} is open in this process: close the session first")
    if holders:
        some = ", ".join(map(str, sorted(holders)[:5]))
        raise FileInUseError(f"{name} is open in another process ({some}): end it first")


def holders_of(path: Path, own_fd: int) -> set[int]:
    """The ids of the processes that have a file open, as far as the system lets us see; `own_fd` does not count."""
    try:
        status = path.stat()
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return _holders_by_lsof(path)
    me = os.getpid()
    found: set[int] = set()
    for process in processes:
        folder = f"/proc/{process}/fd"
        try:
            descriptors = os.listdir(folder)
        except OSError:  # it has ended, or belongs to somebody else
            continue
        for descriptor in descriptors:
            if process == me and descriptor == str(own_fd):
                continue
            with contextlib.suppress(OSError):
                other = os.stat(f"{folder}/{descriptor}")
                if (other.st_dev, other.st_ino) == (status.st_dev, status.st_ino):
                    found.add(process)
    return found


def _holders_by_lsof(path: Path) -> set[int]:
    """Where there is no /proc. Without lsof only the lock tells."""
    import subprocess

    command = shutil.which("lsof")
    if command is None:
        return set()
    listed = subprocess.run([command, "-t", "--", str(path)], capture_output=True, text=True, check=False)
    return {int(line) for line in listed.stdout.split() if line.isdigit()} - {os.getpid()}
