"""Hypothesis strategies: session files as kills, full disks and careless programs leave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from treering.session.entries import encode_object
from treering.session.messages import JsonObject
from treering.testing.trees import Tree, session_trees

Damage = Callable[[bytes, int], bytes]
"""From a file's bytes and a number that says where, to the damaged bytes."""


def damaged_files(*, max_steps: int = 12) -> st.SearchStrategy[bytes]:
    """The bytes of session files that were damaged one to four times."""
    wounds = st.tuples(st.sampled_from(sorted(DAMAGES)), st.integers(0, 10**6))
    return st.builds(_damage, session_trees(max_steps=max_steps), st.lists(wounds, min_size=1, max_size=4))


def _damage(tree: Tree, wounds: Sequence[tuple[str, int]]) -> bytes:
    data = b"".join(line + b"\n" for line in tree.lines)
    for name, number in wounds:
        data = DAMAGES[name](data, number)
    return data


def _inserted(insert: bytes) -> Damage:
    """Something put in at the start of a line."""

    def damage(data: bytes, number: int) -> bytes:
        lines = data.split(b"\n")
        index = number % len(lines)
        return b"\n".join([*lines[:index], insert + lines[index], *lines[index + 1 :]])

    return damage


def _appended(*records: JsonObject) -> Damage:
    lines = b"".join(encode_object(record) + b"\n" for record in records)
    return lambda data, _: data + lines


def _record(**fields: object) -> JsonObject:
    return {"type": "custom", "customType": "x", "timestamp": "2026-01-02T03:04:05.000Z", **fields}


def _cut(data: bytes, number: int) -> bytes:
    return data[: number % max(1, len(data))]


def _fused(data: bytes, number: int) -> bytes:
    """A newline lost: two records on a line."""
    lines = data.split(b"\n")
    index = number % max(1, len(lines) - 1)
    return b"\n".join([*lines[:index], b"".join(lines[index : index + 2]), *lines[index + 2 :]])


def _flipped(data: bytes, number: int) -> bytes:
    if not data:
        return data
    at = number % len(data)
    return data[:at] + bytes([data[at] ^ 1 << number % 8]) + data[at + 1 :]


def _twice(data: bytes, number: int) -> bytes:
    lines = data.split(b"\n")
    return data + lines[number % len(lines)] + b"\n"


_DEEP = b'{"type":"custom","id":"deep","parentId":null,"timestamp":"","data":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
_NAN = b'{"type":"custom","id":"nan","parentId":null,"timestamp":"","data":NaN}'

DAMAGES: dict[str, Damage] = {
    "cut": _cut,
    "no newline at the end": lambda data, _: data.rstrip(b"\n"),
    "two lines fused": _fused,
    "stub fused with the next line": _inserted(b'{"type":"message","id":"half","mess'),
    "a run of zeros": _inserted(b"\0" * 5000),
    "a flipped bit": _flipped,
    "a line twice": _twice,
    "garbage": _inserted(b"not json \xff\xfe\n"),
    "no object": _inserted(b"[1,2]\n"),
    "no header": lambda data, _: data.partition(b"\n")[2],
    "CRLF": lambda data, _: data.replace(b"\n", b"\r\n"),
    "byte order mark": lambda data, _: b"\xef\xbb\xbf" + data,
    "NaN": _inserted(_NAN + b"\n"),
    "lone surrogate": _inserted(encode_object(_record(id="lone", parentId=None, data="\ud800")) + b"\n"),
    "deep nesting": _inserted(_DEEP + b"\n"),
    "own parent": _appended(_record(id="self", parentId="self")),
    "cycle": _appended(_record(id="x1", parentId="x2"), _record(id="x2", parentId="x1")),
    "missing parent": _appended(_record(id="lost", parentId="nowhere")),
    "no id": _appended(_record(parentId=None)),
    "odd head": _appended(_record(id=5, parentId=["x"])),
    "empty lines": _inserted(b"\n \n\r\n"),
}
"""Every kind of damage by its name."""
