"""Lines of a file, forwards and backwards, by position. Split on newlines only (CASES STORE-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Read = Callable[[int, int], bytes]
"""Reads up to so many bytes from an offset on: `read(length, offset)`. Nothing: the file ends there."""

FORWARD_BLOCK = 1 << 20
FIRST_BACKWARD_BLOCK = 1 << 16
LAST_BACKWARD_BLOCK = 1 << 20
"""Bytes of the reads from the end: each takes twice as much as the one before, so that little is read in vain."""


def lines_forward(
    read: Read, start: int = 0, end: int | None = None, *, size: int = FORWARD_BLOCK
) -> Iterator[tuple[int, bytes]]:
    """Each line from byte `start` up to byte `end`: its offset, and its bytes without the newline.

    A last unfinished line counts. `size` is how many bytes are read at once.
    """
    parts: list[bytes] = []  # of a line that reaches over blocks
    offset = position = start
    while end is None or position < end:
        block = read(size if end is None else min(size, end - position), position)
        if not block:
            break
        position += len(block)
        lines = block.split(b"\n")
        if parts and len(lines) > 1:
            lines[0] = b"".join([*parts, lines[0]])
            parts.clear()
        last = lines.pop()
        for line in lines:
            yield offset, line
            offset += len(line) + 1
        if last:
            parts.append(last)
    if parts:
        yield offset, b"".join(parts)


def lines_backward(read: Read, end: int) -> Iterator[list[tuple[int, bytes]]]:
    """The lines before byte `end`, block by block, each block's lines newest first.

    The blocks grow, with a line of many megabytes to any size, so that the work stays linear.
    """
    tail: list[bytes] = []  # pieces of the line that reaches into the block before, last piece first
    position = end
    size = FIRST_BACKWARD_BLOCK
    while position > 0:
        start = max(0, position - size)
        block = _read_exactly(read, start, position - start)
        newline = block.rfind(b"\n")
        if newline < 0 and start > 0:
            tail.append(block)
            position = start
            size *= 2
            continue
        lines: list[tuple[int, bytes]] = []
        if newline >= 0:
            last = block[newline + 1 :] + b"".join(reversed(tail))
            lines.append((start + newline + 1, last))
            stop = newline
            while (newline := block.rfind(b"\n", 0, stop)) >= 0:
                lines.append((start + newline + 1, block[newline + 1 : stop]))
                stop = newline
            head = block[:stop]
        else:
            head = block + b"".join(reversed(tail))
        if start == 0:
            lines.append((0, head))
            tail = []
        else:
            tail = [head]
        position = start
        size = min(2 * size, LAST_BACKWARD_BLOCK)
        yield lines


def _read_exactly(read: Read, start: int, length: int) -> bytes:
    block = read(length, start)
    while len(block) < length:
        more = read(length - len(block), start + len(block))
        if not more:  # the file was cut while it was read: what is gone counts as blank
            return block + b"\n" * (length - len(block))
        block += more
    return block
