"""Reading one session file: from its end, and only as far back as is asked for (SPEC §2)."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from treering.errors import DamagedFileError, EntryNotFoundError, StorageError
from treering.session.entries import Entry, decode_object, derived_id, parse_line, parse_plain
from treering.session.lines import Read, lines_backward, lines_forward
from treering.session.migrate import CURRENT_VERSION, HEAD_TYPES, as_current
from treering.session.store import Header, decode_header, to_root
from treering.session.system import OPEN_FLAGS, explain, read_at

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_HEADER_WITHIN = 4 << 20
"""Bytes at the start of a file in which a header must stand; what has none there is another kind of file."""

_HEADER_BLOCK = 1 << 12
"""Bytes of one read for the header: more would be read for nothing in nearly every file."""

_TAIL = 64
"""Bytes before the end that are remembered, to notice that another program wrote the file anew."""


class FileReader:
    """The entries of one open file that have been read so far, and the way to the others.

    Attributes:
        header: the session's header.
        title: the line before it in a file of oh-my-pi, else empty.
        inode: which file this is; an upgrade puts another one in its place.
        end: byte position behind the newest whole entry. What stands behind it, if anything, is unfinished.
        tail: bytes that stand before `end`; at least the last few.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd, status = open_file(path)
        try:
            self.inode = status.st_ino
            self.header, self.title = read_header(self._read, path)
            self._by_id: dict[str, Entry] = {}
            self._newest: Entry | None = None
            self.end = self._behind_last_entry(status.st_size)
            self.tail = self._read(min(self.end, _TAIL), max(0, self.end - _TAIL))
            self._backwards: Iterator[list[tuple[int, bytes]]] | None = lines_backward(self._read, self.end)
            if self.header.version < CURRENT_VERSION:  # ids and parents come from what stands before
                self._read_all()
        except BaseException:
            self.close()
            raise

    @property
    def unfinished(self) -> int:
        """Bytes behind the newest whole entry, up to the end of the file as it is now; 0 if only blanks are there."""
        rest = b"".join(line for _, line in lines_forward(self._read, self.end))
        return len(rest) if rest.strip() else 0

    def close(self) -> None:
        """Close the file. What was read stays readable."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None; reads back until it is found."""
        entry = self._by_id.get(entry_id)
        while entry is None and self._read_back():
            entry = self._by_id.get(entry_id)
        return entry

    def walk(self, entry_id: str) -> Iterator[Entry]:
        """From this entry to its root, reading back as far as is taken."""
        entry = self.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(f"{self._path}: there is no entry {entry_id}")
        yield from to_root(entry, self.get)

    def last(self) -> Entry | None:
        """The newest entry."""
        while self._newest is None and self._read_back():
            pass
        return self._newest

    def scan(self, end: int | None = None) -> Iterator[Entry]:
        """All entries up to `self.end` (or another position), oldest first, without keeping them."""
        return entries_of(lines_forward(self._read, 0, self.end if end is None else end), self.header)

    def read_on(self, offset: int) -> list[Entry]:
        """The entries from a byte offset on, to where the file ends now. They become known, and `end` moves.

        Raises:
            StorageError: the file is not the one that was read: it was cut, or written anew in place.
        """
        tail = self.tail[-_TAIL:]
        if self._read(len(tail), self.end - len(tail)) != tail:
            raise StorageError(
                f"{self._path} was cut or written anew by another program since it was opened: open the session again"
            )
        found: list[Entry] = []
        for start, line in lines_forward(self._read, offset):
            found += [entry for entry in parse_line(line, start) if entry.type not in HEAD_TYPES]
        if not found:
            return []
        behind = found[-1].offset + len(found[-1].raw)
        rest = self._read(2, behind)
        behind += 2 if rest == b"\r\n" else rest[:1] == b"\n"
        if self.header.version < CURRENT_VERSION or not all(entry.id for entry in found):
            found = [entry for entry in self.scan(behind) if entry.offset >= offset]
        self.learn(found, behind, self._read(min(behind, _TAIL), max(0, behind - _TAIL)))
        return found

    def learn(self, entries: Sequence[Entry], end: int, tail: bytes) -> None:
        """Take in entries that stand before the new `end`, and what the file's last bytes are now."""
        if self._newest is None:
            self.last()  # which is read before anything newer is known
        for entry in entries:
            self._by_id.setdefault(entry.id, entry)
        self._newest = entries[-1]
        self.end = end
        self.tail = tail

    def check_open(self) -> None:
        """Refuse to go on with a closed file.

        Raises:
            StorageError: it was closed.
        """
        if self._fd < 0:
            raise StorageError(f"{self._path}: the session is closed; open it again")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """All lines, with their offsets."""
        return lines_forward(self._read)

    def _read(self, length: int, offset: int) -> bytes:
        try:
            return read_at(self._fd, length, offset)
        except OSError as error:
            self.check_open()
            raise StorageError(f"{self._path} cannot be read: {explain(error)}") from error

    def _read_back(self) -> bool:
        """Read one more block towards the start of the file; False if there is none."""
        block = next(self._backwards, None) if self._backwards else None
        if block is None:
            self._backwards = None
            return False
        for offset, line in block:
            for entry in reversed(parse_line(line, offset)):
                if entry.type in HEAD_TYPES:
                    continue
                if not entry.id:  # it gets an id by the number of its line, which only a scan knows
                    self._read_all()
                    return True
                self._newest = self._newest or entry
                self._by_id[entry.id] = entry  # of two with one id, the first in the file wins
        return True

    def _read_all(self) -> None:
        self._backwards = None
        self._by_id.clear()
        for entry in self.scan():
            self._by_id.setdefault(entry.id, entry)
            self._newest = entry

    def _behind_last_entry(self, size: int) -> int:
        """Where whole entries end: a last line without newline counts as far as it is complete."""
        if size == 0 or self._read(1, size - 1) == b"\n":
            return size
        offset, line = next(lines_backward(self._read, size))[0]
        entries = parse_line(line, offset)
        return entries[-1].offset + len(entries[-1].raw) if entries else offset


def open_file(path: Path) -> tuple[int, os.stat_result]:
    """Open a session file for reading: its descriptor and its status.

    Raises:
        StorageError: it cannot be opened, or is no regular file.
    """
    try:
        fd = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        said = explain(error) if isinstance(error, OSError) else str(error)
        raise StorageError(f"{path} cannot be read: {said}") from error
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise StorageError(f"{path} is {kind}: give the name of a session file")
    return fd, status


def read_header(read: Read, path: Path) -> tuple[Header, bytes]:
    """The header, and the title line that stands before it in a file of oh-my-pi.

    As in pi, what is no JSON before it is passed over.

    Raises:
        DamagedFileError: there is none.
    """
    number = 0
    title = b""
    for number, (_, line) in enumerate(lines_forward(read, 0, _HEADER_WITHIN, size=_HEADER_BLOCK), start=1):
        for entry in parse_line(line.removeprefix(BYTE_ORDER_MARK)):
            if entry.type == "session" and entry.id and decode_object(entry.raw) is not None:
                return decode_header(entry.body), title
            if entry.type != "title":
                what = f"a record of type {entry.type!r}" if entry.type else "a record without type"
                what = "a header without id" if entry.type == "session" else what
                raise DamagedFileError(
                    f"{path}, line {number}: no session header stands here, but {what}. Is it a file of "
                    f"another tool? If the header is lost, `treering doctor --repair` writes a copy that has one."
                )
            title = line + b"\n"
    if number == 0:
        raise DamagedFileError(f"{path} is empty: there is no session in it")
    raise DamagedFileError(f"{path}, line 1: this is no session file (one begins with a JSON header)")


def entries_of(lines: Iterable[tuple[int, bytes]], header: Header) -> Iterator[Entry]:
    """The entries on all lines of a file (with their offsets, from the first line on), in version-3 form."""
    if header.version < CURRENT_VERSION:
        yield from as_current(lines, header)
        return
    for number, (offset, line) in enumerate(lines, start=1):
        plain = parse_plain(line, offset)
        if plain is not None and plain.id and plain.type not in HEAD_TYPES:
            yield plain
            continue
        for entry in parse_line(line, offset):
            if entry.type in HEAD_TYPES:
                continue
            if entry.id:
                yield entry
            else:
                yield entry.replace_head(entry_id=derived_id(header.id, number, entry.raw), parent_id=entry.parent_id)
