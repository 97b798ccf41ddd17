"""Session files of any size: the same seed gives the same bytes.

python benchmarks/generate.py 100000 big.jsonl            1e5 entries of about 1 kB, a compaction every 300
python benchmarks/generate.py 100000 big.jsonl --branches
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

COMPACTION_EVERY = 300
KEPT = 40
"""Entries that a compaction keeps."""

_WORDS = [
    "read",
    "the",
    "file",
    "and",
    "run",
    "tests",
    "again",
    "error",
    "in",
    "line",
    "parse",
    "token",
    "session",
    "tree",
    "entry",
    "result",
    "value",
    "config",
    "path",
    "module",
    "import",
    "return",
    "function",
    "class",
    "def",
    "assert",
    "None",
    "True",
    "expected",
    "got",
    "failed",
    "passed",
    "warning",
    "total",
]


def generate(
    path: Path, entries: int, *, size: int = 1000, compactions: bool = True, branches: bool = False, seed: int = 1
) -> Path:
    """Write a session of so many entries of about so many bytes; with branches, one is left every 100 entries."""
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in lines(entries, size, compactions, branches, random.Random(seed)))
    return path


def lines(entries: int, size: int, compactions: bool, branches: bool, chance: random.Random) -> Iterator[bytes]:
    """The lines of such a session, without newlines."""
    texts = [_text(chance, max(40, size - 330)) for _ in range(97)]
    header = {"type": "session", "version": 3, "id": f"bench-{entries}", "timestamp": _time(0), "cwd": "/srv/demo"}
    yield json.dumps(header).encode()
    parent: str | None = None
    ids: list[str] = []  # the end of the path
    for number in range(entries):
        entry_id = f"{number:08x}"
        if compactions and number % COMPACTION_EVERY == COMPACTION_EVERY - 1:
            kept = ids[-KEPT]
            body = {"type": "compaction", "summary": texts[0], "firstKeptEntryId": kept, "tokensBefore": 90_000}
        else:
            body = {"type": "message", "message": _message(number, texts[number % len(texts)])}
        head = {"type": body["type"], "id": entry_id, "parentId": parent, "timestamp": _time(number)}
        yield json.dumps({**head, **body}, separators=(",", ":")).encode()
        ids.append(entry_id)
        del ids[: -KEPT * 2]
        if branches and number % 100 == 70:  # what was done last is left as a branch
            del ids[-20:]
        parent = ids[-1]


def _message(number: int, text: str) -> dict[str, object]:
    stamp = 1_767_323_045_000 + number * 1000
    kind = number % 4
    if kind == 0:
        return {"role": "user", "content": text, "timestamp": stamp}
    if kind == 2:
        block = {"type": "text", "text": text}
        call = {"toolCallId": f"call_{number - 1}", "toolName": "read"}
        return {"role": "toolResult", **call, "content": [block], "isError": False, "timestamp": stamp}
    blocks: list[dict[str, object]] = [{"type": "text", "text": text}]
    if kind == 1:
        path = {"path": f"src/module_{number % 50}.py"}
        blocks = [{"type": "text", "text": text[:200]}]
        blocks.append({"type": "toolCall", "id": f"call_{number}", "name": "read", "arguments": path})
    usage = {"input": 900, "output": 90, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 990}
    fields = {"api": "anthropic-messages", "provider": "anthropic", "model": "some-model", "usage": usage}
    stop = "toolUse" if kind == 1 else "stop"
    return {"role": "assistant", "content": blocks, **fields, "stopReason": stop, "timestamp": stamp}


def _text(chance: random.Random, size: int) -> str:
    words: list[str] = []
    length = 0
    while length < size:
        word = chance.choice(_WORDS) if chance.random() < 0.9 else f"name_{chance.randrange(10**6)}"
        words.append(word)
        length += len(word) + 1
    return " ".join(words)


def _time(number: int) -> str:
    minutes, seconds = divmod(number, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"2026-01-{1 + days % 28:02d}T{hours:02d}:{minutes:02d}:{seconds:02d}.000Z"


if __name__ == "__main__":
    generate(Path(sys.argv[2]), int(float(sys.argv[1])), branches="--branches" in sys.argv)
