"""Entries: one immutable record each, opaque first.

An entry is its id, its parent's id, its type, its timestamp and its raw line. The body is decoded when it is asked
for; copies and forks write the raw line, so fields and types that are not known here survive everything (SPEC §2).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property

import msgspec

from treering.session.messages import JsonObject, Message, TextBlock, as_object, decode_message

METADATA_TYPES = frozenset({"custom", "label", "session_info", "model_change", "thinking_level_change"})
"""Types that never reach the model (SPEC §2). Entries of unknown types do not either."""

MESSAGE_TYPES = frozenset({"message", "custom_message", "branch_summary"})
"""Types that render as a message where they stand; a compaction renders only if it is the newest one."""


class Entry(msgspec.Struct, frozen=True, dict=True):
    """One record of a session.

    Attributes:
        id: unique in its session; derived from its line where the file has none.
        parent_id: the entry it continues; None for a root.
        type: `message`, `compaction`, `custom`, …; empty if the line has none.
        timestamp: ISO 8601, as written.
        raw: the JSON object's bytes as they stand in the file, without the newline.
        offset: byte position of the object in its file; -1 if it was not read from one.
        peeked_role: the role of its message, if that was seen without decoding it.
    """

    id: str
    parent_id: str | None
    type: str
    timestamp: str
    raw: bytes
    offset: int = -1
    peeked_role: str | None = None

    @cached_property
    def body(self) -> JsonObject:
        """The decoded object. For a line that no decoder takes: only the fields of the head."""
        decoded = decode_object(self.raw)
        if decoded is None:
            return {"type": self.type, "id": self.id, "parentId": self.parent_id, "timestamp": self.timestamp}
        return decoded

    @cached_property
    def message(self) -> Message | None:
        """What the entry says to the model, if it says anything. A compaction gives its summary."""
        return _entry_message(self)

    @property
    def role(self) -> str:
        """For an entry of type `message`: the role as stored; else empty."""
        if self.peeked_role is not None:
            return self.peeked_role
        message = as_object(self.body.get("message")) if self.type == "message" else None
        return _text(message.get("role")) if message else ""

    @property
    def custom_type(self) -> str:
        """For `custom` and `custom_message`: their customType; else empty."""
        if self.type not in {"custom", "custom_message"}:
            return ""
        value = self.body.get("customType")
        return value if isinstance(value, str) else ""

    @property
    def details(self) -> JsonObject:
        """The entry's `details`, empty if there are none."""
        return as_object(self.body.get("details")) or {}

    @property
    def from_extension(self) -> bool:
        """Whether an extension wrote this summary (`fromExtension`; pi writes `fromHook`)."""
        return self.body.get("fromExtension") is True or self.body.get("fromHook") is True

    @property
    def first_kept_id(self) -> str | None:
        """For a compaction: the id of the first entry that it keeps."""
        value = self.body.get("firstKeptEntryId")
        return value if isinstance(value, str) else None

    @property
    def summary(self) -> str:
        """For a compaction or a branch summary: its text."""
        value = self.body.get("summary")
        return value if isinstance(value, str) else ""

    def replace_head(self, *, entry_id: str, parent_id: str | None) -> Entry:
        """The same record under another id and parent, e.g. for a line that had none. All else stays as it stands."""
        head = {"id": entry_id, "parentId": parent_id}
        body = decode_object(self.raw)
        if body is not None and not body.keys().isdisjoint(head):
            raw = encode_object({**body, **head})
        else:
            rest = self.raw.lstrip()[1:].lstrip()
            raw = encode_object(head)[:-1] + (b"" if rest.startswith(b"}") else b",") + rest
        return Entry(entry_id, parent_id, self.type, self.timestamp, raw, self.offset, self.peeked_role)


class _MessageHead(msgspec.Struct, gc=False):
    role: str = ""


class _Head(msgspec.Struct, gc=False):
    """The fields that the tree needs; the rest of the line is skipped, which is what makes a scan quick."""

    type: str = ""
    id: str | None = None
    parentId: str | None = None  # noqa: N815 - the name on disk
    timestamp: str = ""
    message: _MessageHead | None = None


_decode_head = msgspec.json.Decoder(_Head).decode
_decode_any = msgspec.json.Decoder().decode
_PYTHON_DECODER = json.JSONDecoder()
_UNDECODABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_WHITESPACE = re.compile(r"[ \t\r\n]*")


def parse_line(line: bytes, offset: int = -1) -> list[Entry]:
    """All entries on one line; usually one, none for a blank line, a stub or anything that is no JSON object.

    An entry without an id gets the empty id; the reader gives it one. Never raises.
    """
    entry = parse_plain(line, offset)
    return [entry] if entry is not None else list(_parse_odd_line(line, offset))


def parse_plain(line: bytes, offset: int = -1) -> Entry | None:
    """The entry on a line that is one record in strict JSON with a usual head, as other tools take it; else None."""
    try:
        head = _decode_head(line)
    except _UNDECODABLE:
        return None
    role = head.message.role if head.message is not None else None
    raw = line if line[-1] != 13 else line.rstrip(b"\r")
    return Entry(head.id or "", head.parentId or None, head.type, head.timestamp, raw, offset, role)


def _parse_odd_line(line: bytes, offset: int) -> Iterator[Entry]:
    """What the quick decoder does not take: two objects on a line, NaN, odd types in the head, deep nesting."""
    text = line.decode("utf-8", "surrogateescape")
    position = _skip_whitespace(text, 0)
    counted, place = 0, offset  # characters that were counted in bytes, and the byte position behind them
    while position < len(text):
        try:
            value, end = _PYTHON_DECODER.raw_decode(text, position)
            head = as_object(value)
        except RecursionError:
            head, end = _shallow_head(text, position)
        except ValueError:
            start = _object_after_stub(text, position)
            if start is None:
                return
            position = start
            continue
        if head is not None:
            raw = text[position:end].encode("utf-8", "surrogateescape")
            place += len(text[counted:position].encode("utf-8", "surrogateescape"))
            yield Entry(
                _text(head.get("id")),
                _text(head.get("parentId")) or None,
                _text(head.get("type")),
                _text(head.get("timestamp")),
                raw,
                place if offset >= 0 else -1,
            )
            place += len(raw)
            counted = end
        position = _skip_whitespace(text, end)


_ENTRY_START = re.compile(r'\{\s*"(?:type|id)"\s*:\s*"')
_STARTS_TRIED = 10_000
"""In one line; nested starts, each decoded anew, would otherwise take for ever in a line made to be nasty."""


def _object_after_stub(text: str, position: int) -> int | None:
    """Where a whole entry begins behind an unfinished one that it was fused with; None if there is none.

    Blocks of content look like entries at their start, so only an object with type and timestamp that reaches the
    end of the line, or another object, counts.
    """
    for found in itertools.islice(_ENTRY_START.finditer(text, position + 1), _STARTS_TRIED):
        try:
            value, end = _PYTHON_DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        head = as_object(value)
        after = _skip_whitespace(text, end)
        if head and {"type", "timestamp"} <= head.keys() and text[after : after + 1] in {"", "{"}:
            return found.start()
    return None


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\]]')
_SCALAR_MEMBER = re.compile(r'\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|null)')


def _shallow_head(text: str, start: int) -> tuple[JsonObject | None, int]:
    """The string members of an object nested too deeply to decode, and where it ends. No recursion."""
    depth = 0
    head: dict[str, object] = {}
    for token in _TOKEN.finditer(text, start):
        first = token.group()[0]
        if first in "{[":
            depth += 1
        elif first in "}]":
            depth -= 1
            if depth == 0:
                return head, token.end()
        elif depth == 1 and (member := _SCALAR_MEMBER.match(text, token.end())):
            with contextlib.suppress(ValueError):  # a bad escape
                head.setdefault(json.loads(token.group()), json.loads(member.group(1)))
    return None, len(text)


def decode_object(raw: bytes) -> JsonObject | None:
    """The JSON object in `raw`, with NaN and lone surrogates allowed; None if it cannot be decoded."""
    try:
        return as_object(_decode_any(raw))
    except _UNDECODABLE:
        pass
    try:
        return as_object(json.loads(raw.decode("utf-8", "surrogateescape")))
    except (ValueError, RecursionError):
        return None


_encoder = msgspec.json.Encoder()


def encode_object(body: JsonObject) -> bytes:
    """One line of JSON without its newline.

    Line separators that `str.splitlines` knows (U+2028, U+2029, U+0085) are escaped, so that no reader splits there
    (CASES STORE-3); lone surrogates are written as escapes.
    """
    try:
        line = _encoder.encode(body)
    except (TypeError, ValueError, OverflowError):  # lone surrogates, huge integers
        return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if not line.isascii() and (b"\xe2\x80\xa8" in line or b"\xe2\x80\xa9" in line or b"\xc2\x85" in line):
        line = (
            line.replace(b"\xe2\x80\xa8", b"\\u2028")
            .replace(b"\xe2\x80\xa9", b"\\u2029")
            .replace(b"\xc2\x85", b"\\u0085")
        )
    return line


def derived_id(session_id: str, line_number: int, line: bytes) -> str:
    """The id of an entry that has none: the same on every reading (SPEC §2)."""
    import hashlib  # here, so that whoever reads files of version 3 starts quicker

    return hashlib.sha256(b"%s\n%d\n%s" % (session_id.encode("utf-8", "surrogatepass"), line_number, line)).hexdigest()[
        :16
    ]


def milliseconds(timestamp: str) -> int:
    """An entry's ISO timestamp in milliseconds since 1970, as messages carry it; 0 if it cannot be read."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return 0
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _entry_message(entry: Entry) -> Message | None:
    body = entry.body
    if entry.type == "message":
        raw = as_object(body.get("message"))
        if raw is None:
            note = f"[Entry {entry.id} holds a message that cannot be decoded.]"
            return Message("unknown", (TextBlock(note),), {"role": "unknown", "content": note})
        if raw.get("role") == "hookMessage":
            raw = {**raw, "role": "custom"}
        return decode_message(raw)
    if entry.type == "custom_message":
        keys = ("customType", "content", "display", "details")
        raw = {"role": "custom", **{key: body[key] for key in keys if key in body}}
    elif entry.type == "branch_summary":
        if not entry.summary:
            return None
        raw = {"role": "branchSummary", "summary": entry.summary, "fromId": body.get("fromId")}
    elif entry.type == "compaction":
        raw = {"role": "compactionSummary", "summary": entry.summary, "tokensBefore": body.get("tokensBefore")}
    else:
        return None
    return decode_message({**raw, "timestamp": milliseconds(entry.timestamp)})


def _skip_whitespace(text: str, position: int) -> int:
    found = _WHITESPACE.match(text, position)
    return found.end() if found else position


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
