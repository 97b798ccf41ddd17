"""The session file: JSON Lines in version 3 of pi's format, read from its end and only ever appended to (SPEC §2)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from treering.errors import StorageError
from treering.session.entries import Entry, encode_object
from treering.session.messages import JsonObject
from treering.session.migrate import CURRENT_VERSION, upgrade_file
from treering.session.reader import FileReader
from treering.session.store import End, Header
from treering.session.system import OPEN_FLAGS, explain, lock, read_at, sync_folder, unlock


class FileEnd(msgspec.Struct, frozen=True, gc=False):
    """A position in a file: the file's identity (an upgrade renames another over it), and a byte offset."""

    inode: int
    offset: int


class JsonlStore:
    """One session file. Reading starts at the end and goes back only as far as it is asked to.

    Attributes:
        path: the file as it was named.
        backup: the original of a version-1 or version-2 file, once an append has upgraded it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open an existing session file.

        Raises:
            StorageError: it cannot be opened.
            DamagedFileError: it is empty, or begins with no session header.
        """
        self.path = Path(path)
        self.backup: Path | None = None
        self._location = os.path.abspath(self.path)  # the working directory may change
        self._append_fd = -1  # of the reader's file, if it is open
        self._reader = FileReader(self.path)
        self._end = FileEnd(self._reader.inode, self._reader.end)

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: JsonObject) -> JsonlStore:
        """Make a new file with this header, mode 0600.

        Raises:
            StorageError: the file exists, or cannot be made.
        """
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, 0o600)
        except FileExistsError:
            raise StorageError(f"{path} exists already: choose another name") from None
        except OSError as error:
            raise StorageError(f"{path} cannot be made: {explain(error)}") from error
        try:
            with open(fd, "wb", closefd=False) as file:
                file.write(encode_object(header) + b"\n")
            os.fsync(fd)
            sync_folder(Path(path).absolute().parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise StorageError(f"{path} cannot be made: {explain(error)}") from error
        finally:
            os.close(fd)
        return cls(path)

    @property
    def header(self) -> Header:
        """The session's header."""
        return self._reader.header

    @property
    def unfinished(self) -> int:
        """Bytes of an unfinished last line, which every reader skips; 0 if there is none."""
        return self._reader.unfinished

    def walk(self, entry_id: str) -> Iterator[Entry]:
        """From this entry to its root, reading back as far as is taken."""
        return self._reader.walk(entry_id)

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None; reads back until it is found."""
        return self._reader.get(entry_id)

    def last(self) -> Entry | None:
        """The newest entry."""
        return self._reader.last()

    def scan(self) -> Iterator[Entry]:
        """All entries up to the end, oldest first, streamed."""
        return self._reader.scan()

    def end(self) -> End:
        """Behind the newest whole entry that was read."""
        return self._end

    def since(self, end: End) -> list[Entry]:
        """What others appended, or all behind our newest entry if the file was upgraded meanwhile.

        Raises:
            StorageError: the file is gone, or is no longer the one that was opened.
        """
        if not isinstance(end, FileEnd):
            raise TypeError(f"{end!r} is no position in {self.path}")
        if end.inode == self._end.inode and self._inode_at_path() == end.inode:
            found = self._reader.read_on(end.offset)
        else:
            found = self._follow_rename()
        self._end = FileEnd(self._reader.inode, self._reader.end)
        return found

    def append(self, entries: Sequence[Entry], expected_end: End, *, sync: bool) -> bool:
        """One write of the whole batch under the lock, if nothing came behind `expected_end`.

        A file of version 1 or 2 is upgraded first. An unfinished last line is closed with a newline, and stays.
        """
        if expected_end is not self._end and expected_end != self._end:
            if not isinstance(expected_end, FileEnd):
                raise TypeError(f"{expected_end!r} is no position in {self.path}")
            return False
        try:
            if self._append_fd < 0 and not self._open_for_append():
                return False
            lock(self._append_fd)
            try:
                size = self._size_if_nobody_wrote()
                if size is None:
                    return False
                if self._reader.header.version < CURRENT_VERSION:
                    self._upgrade()
                    size = self._reader.end
                self._write(size, entries, sync)
            finally:
                unlock(self._append_fd)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {explain(error)}; nothing was kept") from error
        return True

    def close(self) -> None:
        """Close the file. What was read stays readable."""
        self._reader.close()
        self._close_append()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the reader closes itself: a walk may still be using it
            self._close_append()

    def _close_append(self) -> None:
        fd, self._append_fd = self._append_fd, -1
        if fd >= 0:
            os.close(fd)

    def _inode_at_path(self) -> int:
        try:
            return os.stat(self._location).st_ino
        except OSError:
            return -1

    def _follow_rename(self) -> list[Entry]:
        """Another file has our name now: an upgrade by another process, if all is well."""
        known = self.last()
        reader = FileReader(Path(self._location))
        entries = list(reader.scan())
        at = next((index for index, entry in enumerate(entries) if known and entry.id == known.id), -1)
        if reader.header.id != self.header.id or (known and at < 0):
            reader.close()
            raise StorageError(f"{self.path} was replaced by another file since it was opened: open the session again")
        self.close()
        self._reader = reader
        return entries[at + 1 :]

    def _open_for_append(self) -> bool:
        """Whether the file that was read could be opened; False if another one has its name now."""
        self._reader.check_open()
        fd = os.open(self._location, os.O_RDWR | os.O_APPEND | OPEN_FLAGS)
        if os.fstat(fd).st_ino != self._reader.inode:
            os.close(fd)
            return False
        self._append_fd = fd
        return True

    def _size_if_nobody_wrote(self) -> int | None:
        """The file's size, if it still has our name, and no entry came behind the end that we know."""
        reader = self._reader
        status = os.stat(self._location)
        if status.st_ino != reader.inode:
            return None
        size = status.st_size
        if size != reader.end and reader.read_on(reader.end):
            self._end = FileEnd(reader.inode, reader.end)
            return None
        return size

    def _write(self, size: int, entries: Sequence[Entry], sync: bool) -> None:
        fd, reader = self._append_fd, self._reader
        batch = entries[0].raw + b"\n" if len(entries) == 1 else b"".join([entry.raw + b"\n" for entry in entries])
        last_byte = reader.tail[-1:] if size == reader.end else read_at(fd, 1, size - 1)
        healed = batch if last_byte == b"\n" else b"\n" + batch
        try:
            written = os.write(fd, healed)
            while written < len(healed):
                written += os.write(fd, healed[written:])
            if sync:
                os.fsync(fd)
        except BaseException:  # an interrupt too: what is not acknowledged is not there
            os.ftruncate(fd, size)  # still locked: nobody has built on what was written
            raise
        offset = size + len(healed)
        reader.learn(entries, offset, batch)
        self._end = FileEnd(reader.inode, offset)

    def _upgrade(self) -> None:
        """Write the file anew as version 3. The old one is locked, and so is the new one before it gets the name."""
        old_fd = self._append_fd
        self.backup, self._append_fd = upgrade_file(
            Path(os.path.realpath(self._location)), self.header, self._reader.lines(), title=self._reader.title
        )
        os.close(old_fd)
        self._reader.close()
        self._reader = FileReader(Path(self._location))
        self._end = FileEnd(self._reader.inode, self._reader.end)
