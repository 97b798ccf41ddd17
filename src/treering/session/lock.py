"""An exclusive lock on a file that is already open, held while a batch is appended."""

from __future__ import annotations

import sys
from collections.abc import Callable

if sys.platform == "win32":  # pragma: no cover - not run in CI
    import msvcrt

    _REGION = 0x7FFF_FFFF
    """Locked far behind any data, so that readers are never kept out."""

    def _lock(fd: int) -> None:
        import os

        os.lseek(fd, _REGION, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)

    def _unlock(fd: int) -> None:
        import os

        os.lseek(fd, _REGION, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


lock: Callable[[int], None] = _lock
"""Wait until this open file is ours alone. The system frees the lock if the process dies."""

unlock: Callable[[int], None] = _unlock
"""Give the lock back."""
