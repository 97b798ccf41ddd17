"""Lines of a file: backwards they are the same as forwards, whatever the size of the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st

from treering.session import lines
from treering.session.entries import parse_line


def split(data: bytes) -> list[tuple[int, bytes]]:
    """What must come out: split on newlines; nothing behind the last one."""
    found = []
    offset = 0
    for line in data.split(b"\n"):
        found.append((offset, line))
        offset += len(line) + 1
    return found if data and not data.endswith(b"\n") else found[:-1]


def backwards(data: bytes) -> Iterator[tuple[int, bytes]]:
    for block in lines.lines_backward(lambda length, offset: data[offset : offset + length], len(data)):
        yield from block


ANY_LINES = st.lists(st.binary(max_size=40), max_size=30).map(b"\n".join)


@given(ANY_LINES, st.integers(1, 50))
@example(b"", 1)
@example(b"\n", 1)
@example(b"\n\n\n", 2)
@example(b"no newline", 3)
def test_forwards(data: bytes, size: int) -> None:
    def read(length: int, offset: int) -> bytes:
        return data[offset : offset + length]

    assert list(lines.lines_forward(read, size=size)) == split(data)
    middle = len(data) // 2
    expected = [(offset + middle, line) for offset, line in split(data[middle:])]
    assert list(lines.lines_forward(read, middle, size=size)) == expected
    assert list(lines.lines_forward(read, 0, middle, size=size)) == split(data[:middle])


@given(ANY_LINES, st.integers(1, 50), st.integers(1, 200))
@example(b"", 1, 1)
@example(b"\n", 1, 1)
@example(b"a\n\n\nb", 1, 1)
@example(b"x" * 300 + b"\n" + b"y" * 300, 1, 1)
def test_backwards(data: bytes, first: int, most: int) -> None:
    with mock.patch.multiple(lines, FIRST_BACKWARD_BLOCK=first, LAST_BACKWARD_BLOCK=max(first, most)):
        found = list(backwards(data))
    whole = split(data) if not data.endswith(b"\n") else [*split(data), (len(data), b"")]
    assert found == whole[::-1]


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b'{"type":"a","id":"1"}{"type":"b","id":"2"}')
@example(b'{"type":"a","id":"1","x":"\xff"}')
@example(b'{"id":"\\ud800"}')
@example(b'{"type":1e999,"id":-0}')
@example(b'{"a":' * 3000)
@example(b'{"type":"a","x":' + b"[" * 3000 + b'"\\q' + b"]" * 3000 + b"}")
def test_parsing_never_raises_and_gives_bytes_of_the_line(line: bytes) -> None:
    for entry in parse_line(line.replace(b"\n", b""), 7):
        assert entry.raw in line.replace(b"\n", b"")
        assert line.replace(b"\n", b"")[entry.offset - 7 :].startswith(entry.raw)
        assert isinstance(entry.body, dict)
        assert isinstance(entry.role, str)
