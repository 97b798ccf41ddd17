"""Writing a session as a new file: the raw line of every entry, under a new header (SPEC §2)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from treering.errors import StorageError
from treering.session.entries import Entry, encode_object
from treering.session.messages import JsonObject
from treering.session.system import explain, sync_folder
from treering.session.tree import Session, new_header

BLOCK = 1 << 20
"""Bytes that are gathered before they are written."""


def copy_session(session: Session, path: str | os.PathLike[str]) -> None:
    """Write the whole tree to a new file: version 3, entry ids kept, a new header whose parentSession is the source.

    Raises:
        StorageError: the file exists, or cannot be written; nothing of it is left then.
    """
    source = getattr(session.store, "path", None)
    parent = str(source.absolute()) if isinstance(source, Path) else session.header.id
    header = new_header(cwd=session.header.cwd, parent_session=parent, now=session.now)
    write_session(path, header, session.store.scan())


def write_session(
    path: str | os.PathLike[str], header: JsonObject, entries: Iterable[Entry], *, title: bytes = b""
) -> None:
    """Write a new session file with mode 0600 and sync it. `title` goes before the header (as oh-my-pi has it).

    Raises:
        StorageError: the file exists, or cannot be written; nothing of it is left then.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise StorageError(f"{path} exists already: choose another name") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {explain(error)}") from error
    try:
        with os.fdopen(descriptor, "wb", buffering=BLOCK) as file:
            file.write(title + encode_object(header) + b"\n")
            for entry in entries:
                file.write(entry.raw + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        Path(path).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError(f"{path} cannot be written: {explain(error)}") from error
        raise
    sync_folder(Path(path).absolute().parent)
