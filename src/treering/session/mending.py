"""Reading the lines of a damaged file: what is odd about each, and records that only joining makes whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from treering.session.entries import Entry, decode_object, encode_object, parse_line, parse_plain
from treering.session.messages import as_object
from treering.session.reader import BYTE_ORDER_MARK

LONG_LINE = 32 << 20
"""Bytes from which a line is worth a warning: other tools hold it in memory several times over."""

_JOINED_LINES = 200
_JOINED_BYTES = 4 << 20
"""How far a record that is broken over lines is followed."""

_LENIENT = json.JSONDecoder(strict=False)
"""Takes raw newlines inside of strings."""


Note = Callable[[int, str, str], None]
"""Takes what is found: line, kind, text."""


def _silent(line: int, kind: str, text: str) -> None:
    pass


class Mender:
    """The lines of a file, as many as there are: a record that is broken over several stands whole on its first one.

    Attributes:
        line: the number of the line that was given last, from 1.
    """

    def __init__(
        self, lines: Iterable[tuple[int, bytes]], note: Note = _silent, *, entries_have_ids: bool = True
    ) -> None:
        self.line = 0
        self._entries_have_ids = entries_have_ids
        self._lines = iter(lines)
        self._note = note
        self._ahead: list[tuple[int, bytes]] = []
        self._headers = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        while (item := self._next()) is not None:
            self.line += 1
            offset, line = item
            if self.line == 1 and line.startswith(BYTE_ORDER_MARK):
                self._note(1, "byte-order-mark", "the file begins with a byte order mark")
                line = line.removeprefix(BYTE_ORDER_MARK)
                offset += len(BYTE_ORDER_MARK)
            if not line.strip():
                yield offset, b""
                continue
            if len(line) > LONG_LINE:
                self._note(self.line, "long-line", f"the line has {len(line) >> 20} MB")
            entries = parse_line(line, offset)
            if entries:
                self._look_at(line, offset, entries)
                yield offset, line
                continue
            joined, used = self._join(line)
            if joined is None:
                self._look_at_rest(line, self.line, last=self._peek() is None)
                yield offset, line
                continue
            text = f"one record is broken over {used + 1} lines: readers skip them all"
            self._note(self.line, "broken-over-lines", text)
            yield offset, joined
            for _ in range(used):
                self.line += 1
                yield self._ahead.pop(0)[0], b""

    def _next(self) -> tuple[int, bytes] | None:
        return self._ahead.pop(0) if self._ahead else next(self._lines, None)

    def _peek(self, number: int = 0) -> tuple[int, bytes] | None:
        while len(self._ahead) <= number:
            item = next(self._lines, None)
            if item is None:
                return None
            self._ahead.append(item)
        return self._ahead[number]

    def _look_at(self, line: bytes, offset: int, entries: list[Entry]) -> None:
        number = self.line
        covered = offset + len(line) - len(line.lstrip())
        stub = False
        for entry in entries:
            stub = stub or bool(line[covered - offset : entry.offset - offset].strip())
            covered = entry.offset + len(entry.raw)
            if entry.type == "session":
                self._headers += 1
                if self._headers > 1:
                    self._note(number, "second-header", "a second header: readers pass it over")
            elif not entry.id and self._entries_have_ids and entry.type != "title":
                self._note(number, "no-id", "the entry has no id; it is read under one made from its line")
        rest = line[covered - offset :].strip()
        if len(entries) > 1:
            text = f"{len(entries)} records on one line: pi and most other tools lose them all"
            self._note(number, "fused", text)
        if stub or (rest and self._peek() is not None):
            text = "an unfinished record and a whole one on one line: pi and most other tools lose both"
            self._note(number, "fused-stub", text)
        elif rest:
            self._note(number, "torn-tail", f"the last record is unfinished ({len(rest)} bytes)")
        elif len(entries) == 1 and parse_plain(line) is None:
            if decode_object(entries[0].raw) is None:
                text = "the record is nested too deeply to be decoded: it is kept, but cannot be shown"
                self._note(number, "deep", text)
            else:
                text = "the record is not strict JSON (NaN, or a head of odd types): other tools may skip it"
                self._note(number, "not-strict", text)

    def _look_at_rest(self, line: bytes, number: int, *, last: bool) -> None:
        """A line without any whole record."""
        size = f"{len(line)} bytes"
        if _is_stub(line):
            if last:
                text = f"the last line is unfinished ({size}): its writer was stopped; readers skip it"
                self._note(number, "torn-tail", text)
            else:
                text = f"an unfinished record ({size}) that a stopped writer left: readers skip it"
                self._note(number, "stub", text)
        elif not line.strip(b"\0 \t\r"):
            self._note(number, "unreadable", f"{size} of zeros, as a crash of the system leaves them")
        elif _is_json(line):
            self._note(number, "no-object", "JSON, but no record: readers skip it")
        else:
            self._note(number, "unreadable", f"no record ({size}): readers skip it")

    def _join(self, line: bytes) -> tuple[bytes | None, int]:
        """A record that goes on over the next lines, and how many of them it takes."""
        if not line.lstrip().startswith(b"{") or not _is_stub(line, strict=False):
            return None, 0
        parts = [line]
        size = len(line)
        for number in range(_JOINED_LINES):
            item = self._peek(number)
            if item is None or size > _JOINED_BYTES or parse_line(item[1]):
                break
            parts.append(item[1])
            size += len(item[1])
            if item[1].rstrip().endswith(b"}"):
                record = _lenient_object(b"\n".join(parts))
                if record is not None:
                    return record, number + 1
        return None, 0


def _lenient_object(data: bytes) -> bytes | None:
    try:
        value = as_object(_LENIENT.decode(data.decode("utf-8", "surrogateescape").strip()))
    except (ValueError, RecursionError):
        return None
    if value is None or not isinstance(value.get("type"), str) or "timestamp" not in value:
        return None
    return encode_object(value)


def _is_stub(line: bytes, *, strict: bool = True) -> bool:
    """Whether the line is the beginning of an object: all that is wrong with it is that it ends."""
    text = line.decode("utf-8", "surrogateescape").strip()
    if not text.startswith("{"):
        return False
    try:
        json.JSONDecoder(strict=strict).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text) - 6 or error.msg.startswith("Unterminated string")
    except RecursionError:
        return True
    return False


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return False
    return True
