"""Lines of a file, forwards and backwards, by position. Split on newlines only (CASES STORE-3)."""

from __future__ import annotations

import os
from collections.abc import Iterator

FORWARD_BLOCK = 1 << 20
BACKWARD_BLOCK = 1 << 18
"""Bytes of one read from the end: about as much as the kept part of a context, so that one read often does."""


def lines_forward(fd: int, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Each line from byte `start` on: its offset, and its bytes without the newline. A last unfinished line counts."""
    parts: list[bytes] = []
    offset = position = start
    while block := os.pread(fd, FORWARD_BLOCK, position):
        begin = 0
        while (newline := block.find(b"\n", begin)) >= 0:
            parts.append(block[begin:newline])
            yield offset, parts[0] if len(parts) == 1 else b"".join(parts)
            parts.clear()
            begin = newline + 1
            offset = position + begin
        if begin < len(block):
            parts.append(block[begin:])
        position += len(block)
    if parts:
        yield offset, b"".join(parts)


def lines_backward(fd: int, end: int) -> Iterator[list[tuple[int, bytes]]]:
    """The lines before byte `end`, block by block, each block's lines newest first.

    A line of many megabytes makes the block grow, so that the work stays linear.
    """
    tail: list[bytes] = []  # pieces of the line that reaches into the block before, last piece first
    position = end
    size = BACKWARD_BLOCK
    while position > 0:
        start = max(0, position - size)
        block = _read_exactly(fd, start, position - start)
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
        size = BACKWARD_BLOCK
        yield lines


def _read_exactly(fd: int, start: int, length: int) -> bytes:
    block = os.pread(fd, length, start)
    while len(block) < length:
        more = os.pread(fd, length - len(block), start + len(block))
        if not more:  # the file was cut while it was read: what is gone counts as blank
            return block + b"\n" * (length - len(block))
        block += more
    return block
