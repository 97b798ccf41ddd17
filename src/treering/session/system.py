"""What differs between operating systems: reading at a position, locks, and what an error number asks for."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

if sys.platform == "win32":  # pragma: no cover - not run in CI
    import msvcrt

    _REGION = 0x7FFF_FFFF
    """Locked far behind any data, so that readers are never kept out."""

    def _lock(fd: int) -> None:
        os.lseek(fd, _REGION, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)

    def _try_lock(fd: int) -> bool:
        os.lseek(fd, _REGION, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, _REGION, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

    def _read_at(fd: int, length: int, offset: int) -> bytes:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, length)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)

    _read_at = os.pread


lock: Callable[[int], None] = _lock
"""Wait until this open file is ours alone. The system frees the lock if the process dies."""

try_lock: Callable[[int], bool] = _try_lock
"""The same without waiting: False if another open file has it."""

unlock: Callable[[int], None] = _unlock
"""Give the lock back."""

read_at: Callable[[int, int, int], bytes] = _read_at
"""Up to so many bytes of an open file from an offset on: `read_at(fd, length, offset)`."""

OPEN_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
"""For every open: bytes as they are, not inherited, and no waiting for the other end of a pipe."""

_ADVICE = {
    errno.EACCES: "check the permissions of the file and of its folder",
    errno.EPERM: "check the permissions of the file and of its folder",
    errno.EROFS: "the disk is read-only: work on a copy",
    errno.ENOSPC: "the disk is full: free some space and try again",
    errno.EDQUOT: "your share of the disk is full: free some space and try again",
    errno.EFBIG: "the file has reached the largest size that is allowed here",
    errno.ENOENT: "check the name; it may have been moved or removed",
}


def explain(error: OSError) -> str:
    """What the system said, and what to do about it."""
    said = error.strerror or str(error)
    advice = _ADVICE.get(error.errno or 0)
    return f"{said} ({advice})" if advice else said


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in this folder last. Does nothing where folders cannot be synced."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows, or a folder that may be entered but not listed
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)
