"""The session file: JSON Lines in version 3 of pi's format, read from its end and only ever appended to (SPEC §2)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from treering.errors import DamagedFileError, EntryNotFoundError, StorageError
from treering.session import lines as file_lines
from treering.session.entries import Entry, decode_object, derived_id, encode_object, parse_line
from treering.session.lock import lock, unlock
from treering.session.messages import JsonObject
from treering.session.migrate import CURRENT_VERSION, as_current, sync_folder, upgrade_file
from treering.session.store import End, Header, decode_header

_HEAD_TYPES = frozenset({"session", "title"})
"""Records that are no entries: the header, and the title line of oh-my-pi."""


class FileEnd(msgspec.Struct, frozen=True):
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
        self._append_fd: int | None = None
        self._open()

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: JsonObject) -> JsonlStore:
        """Make a new file with this header, mode 0600.

        Raises:
            StorageError: the file exists, or cannot be made.
        """
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise StorageError(f"{path} exists already: choose another name") from None
        except OSError as error:
            raise StorageError(f"{path} cannot be made: {error.strerror}") from error
        try:
            os.write(descriptor, encode_object(header) + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        sync_folder(Path(path).absolute().parent)
        return cls(path)

    @property
    def header(self) -> Header:
        """The session's header."""
        return self._header

    def walk(self, entry_id: str) -> Iterator[Entry]:
        """From this entry to its root, reading back as far as is taken."""
        entry = self.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(f"{self.path}: there is no entry {entry_id}")
        seen: set[str] = set()
        while entry is not None and entry.id not in seen:
            seen.add(entry.id)
            yield entry
            entry = self.get(entry.parent_id) if entry.parent_id else None

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None; reads back until it is found."""
        while (entry := self._by_id.get(entry_id)) is None and self._read_back():
            pass
        return entry

    def last(self) -> Entry | None:
        """The newest entry."""
        while not self._newest and self._read_back():
            pass
        return self._newest

    def scan(self) -> Iterator[Entry]:
        """All entries, oldest first, streamed."""
        yield from self._entries(file_lines.lines_forward(self._fd))

    def end(self) -> End:
        """Behind the last whole line that was read."""
        return self._end

    def since(self, end: End) -> list[Entry]:
        """What others appended, or all behind our newest entry if the file was upgraded meanwhile."""
        if not isinstance(end, FileEnd):
            raise TypeError(f"{end!r} is no position in {self.path}")
        if self._inode_at_path() == end.inode:
            return self._read_on(end.offset)
        known = self.last()
        self._reopen()
        entries = list(self.scan())
        positions = [index for index, entry in enumerate(entries) if known is not None and entry.id == known.id]
        return entries[positions[0] + 1 :] if positions else entries

    def append(self, entries: Sequence[Entry], expected_end: End, *, sync: bool) -> bool:
        """One write of the whole batch under the lock, if nothing came behind `expected_end`.

        A file of version 1 or 2 is upgraded first. An unfinished last line is closed with a newline, and stays.
        """
        if not isinstance(expected_end, FileEnd):
            raise TypeError(f"{expected_end!r} is no position in {self.path}")
        fd = self._append_descriptor()
        lock(fd)
        try:
            status = os.fstat(fd)
            if status.st_ino != self._inode_at_path() or status.st_ino != expected_end.inode:
                return False
            if status.st_size != expected_end.offset and self._read_on(expected_end.offset):
                return False
            if self._header.version < CURRENT_VERSION:
                self._upgrade()
                fd, moved = self._append_descriptor(), fd
                lock(fd)
                unlock(moved)
                os.close(moved)
                status = os.fstat(fd)
                if status.st_size != self._end.offset and self._read_on(self._end.offset):
                    return False
            self._write(fd, status.st_size, entries, sync=sync)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror or error}") from error
        finally:
            with contextlib.suppress(OSError):
                unlock(fd)
        return True

    def close(self) -> None:
        """Close the file."""
        for fd in (self._fd, self._append_fd):
            if fd is not None and fd >= 0:
                os.close(fd)
        self._fd = -1
        self._append_fd = None

    # Reading

    def _open(self) -> None:
        try:
            self._fd = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror}") from error
        try:
            self._header = read_header(self._fd, self.path)
        except BaseException:
            os.close(self._fd)
            raise
        status = os.fstat(self._fd)
        self._by_id: dict[str, Entry] = {}
        self._newest: Entry | None = None
        self._end = FileEnd(status.st_ino, self._behind_last_line(status.st_size))
        self._backwards: Iterator[list[tuple[int, bytes]]] | None = file_lines.lines_backward(
            self._fd, self._end.offset
        )
        if self._header.version < CURRENT_VERSION:
            self._read_all()

    def _reopen(self) -> None:
        self.close()
        self._open()

    def _read_back(self) -> bool:
        """Read one more block towards the start of the file; False if there is none."""
        if self._backwards is None:
            return False
        block = next(self._backwards, None)
        if block is None:
            self._backwards = None
            return False
        for offset, line in block:
            for entry in reversed(parse_line(line, offset)):
                if entry.type in _HEAD_TYPES:
                    continue
                if not entry.id:  # it gets an id by the number of its line, which only a scan knows
                    self._read_all()
                    return False
                self._newest = self._newest or entry
                self._by_id[entry.id] = entry  # of two with one id, the first in the file wins
        return True

    def _read_all(self) -> None:
        self._backwards = None
        self._by_id.clear()
        for entry in self.scan():
            self._by_id.setdefault(entry.id, entry)
            self._newest = entry

    def _read_on(self, offset: int) -> list[Entry]:
        """The entries behind a byte offset; they become known, and the end moves behind them."""
        found: list[Entry] = []
        behind = offset
        for start, line in file_lines.lines_forward(self._fd, offset):
            entries = [entry for entry in parse_line(line, start) if entry.id]
            found += entries
            if entries:
                behind = start + len(line)
        if not found:
            return []
        size = os.fstat(self._fd).st_size
        if behind < size and os.pread(self._fd, 1, behind) == b"\n":
            behind += 1
        self._end = FileEnd(self._end.inode, behind)
        for entry in found:
            self._learn(entry)
        return found

    def _learn(self, entry: Entry) -> None:
        self._newest = entry
        self._by_id.setdefault(entry.id, entry)

    def _entries(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[Entry]:
        if self._header.version < CURRENT_VERSION:
            yield from as_current(lines, self._header)
            return
        for number, (offset, line) in enumerate(lines, start=1):
            for entry in parse_line(line, offset):
                if entry.type in _HEAD_TYPES:
                    continue
                if entry.id:
                    yield entry
                else:
                    yield entry.replace_head(
                        entry_id=derived_id(self._header.id, number, entry.raw), parent_id=entry.parent_id
                    )

    def _behind_last_line(self, size: int) -> int:
        """Where whole lines end: a last line without newline counts if it is complete."""
        if size == 0 or os.pread(self._fd, 1, size - 1) == b"\n":
            return size
        offset, line = next(file_lines.lines_backward(self._fd, size))[0]
        return size if decode_object(line) is not None else offset

    def _inode_at_path(self) -> int:
        try:
            return os.stat(self.path).st_ino
        except OSError:
            return -1

    # Writing

    def _append_descriptor(self) -> int:
        if self._append_fd is None:
            try:
                self._append_fd = os.open(self.path, os.O_RDWR | os.O_APPEND)
            except OSError as error:
                raise StorageError(f"{self.path} cannot be written: {error.strerror}") from error
        elif os.fstat(self._append_fd).st_ino != self._end.inode:
            os.close(self._append_fd)
            self._append_fd = None
            return self._append_descriptor()
        return self._append_fd

    def _write(self, fd: int, size: int, entries: Sequence[Entry], *, sync: bool) -> None:
        heal = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        batch = (b"\n" if heal else b"") + b"".join([entry.raw + b"\n" for entry in entries])
        try:
            written = os.write(fd, batch)
            while written < len(batch):
                written += os.write(fd, batch[written:])
            if sync:
                os.fsync(fd)
        except OSError:
            os.ftruncate(fd, size)  # still locked: nobody has built on what was written
            raise
        offset = size + heal
        for entry in entries:
            self._learn(msgspec.structs.replace(entry, offset=offset))
            offset += len(entry.raw) + 1
        self._end = FileEnd(self._end.inode, offset)

    def _upgrade(self) -> None:
        """Write the file anew as version 3; the lock on the old one is held, so nobody appends to it meanwhile."""
        real = self.path.resolve()
        self.backup = upgrade_file(real, self._header, file_lines.lines_forward(self._fd))
        os.close(self._fd)
        self._append_fd = None
        self._open()


def read_header(fd: int, path: Path) -> Header:
    """The header of a session file; in a file of oh-my-pi it follows a title line.

    Raises:
        DamagedFileError: the file is empty, or its first lines are no session header.
    """
    number = 0
    for number, (_, line) in enumerate(file_lines.lines_forward(fd), start=1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        for entry in parse_line(text):
            if entry.type == "session" and entry.id:
                return decode_header(entry.body)
            if entry.type != "title":
                raise DamagedFileError(
                    f"{path}, line {number}: no session header, but a record of type "
                    f"{entry.type or 'unknown'!r}. Is it a file of another tool? "
                    f"If the header is lost, `treering doctor --repair` writes a copy that has one."
                )
        if not parse_line(text):
            break
    if number == 0:
        raise DamagedFileError(f"{path} is empty: there is no session in it")
    raise DamagedFileError(f"{path}, line {number}: this is no session file (a session begins with a JSON header)")
