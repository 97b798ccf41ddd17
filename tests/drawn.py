"""Session trees from drawings, so that a test shows its input.

    U1 → A1(read a.py) → R1 → A2 → U3 → A3
    A2 → U4 → A4(edit b.py) → C5(k=U4) → U6

A line is a chain; one that begins with an id that exists already goes on from there. The last entry of the drawing is
the leaf. The first letter tells the kind: U user, A assistant, R tool result, S bashExecution, M custom_message,
B branch summary, C compaction, X a record without meaning, P a record of ours. What stands in parentheses, split by
`;`: the text; for A also tool calls (`read a.py`); for C its first kept entry (`k=U4`); for C and B `read=a,b`,
`modified=a,b`, and `ext` (an extension wrote it).
"""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta

from treering.session import records
from treering.session.entries import encode_object, parse_line
from treering.session.memory import MemoryStore
from treering.session.store import decode_header
from treering.session.tree import Session, new_header

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_NODE = re.compile(r"([URASMBCXP]\w*)(?:\(([^)]*)\))?\Z")
_CALL = re.compile(r"(read|write|edit|bash) (.+)")


def drawn(text: str, *, cwd: str = "/srv/demo") -> Session:
    """The session of a drawing, in memory, with a clock and ids that are always the same."""
    ticks = itertools.count(1)
    numbers = itertools.count(1)
    header = decode_header(new_header(cwd=cwd, now=lambda: START, session_id="drawn"))
    store = MemoryStore(header, [parse_line(encode_object(body))[0] for body in bodies(text)])
    return Session(
        store, now=lambda: START + timedelta(days=1, seconds=next(ticks)), new_id=lambda: f"new{next(numbers)}"
    )


def bodies(text: str) -> list[dict]:
    """The entries of a drawing, in order."""
    found: dict[str, dict] = {}
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        parent = None
        for number, part in enumerate(re.split(r"\s*(?:→|->)\s*", line)):
            match = _NODE.fullmatch(part)
            assert match, f"cannot read {part!r} in {line!r}"
            name, inner = match[1], match[2] or ""
            if number == 0 and name in found:
                parent = name
                continue
            assert name not in found, f"{name} is drawn twice"
            stamp = (START + timedelta(seconds=len(found))).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            body = _body(name, [item.strip() for item in inner.split(";") if item.strip()])
            found[name] = {"type": body.pop("type"), "id": name, "parentId": parent, "timestamp": stamp, **body}
            parent = name
    return list(found.values())


def _body(name: str, items: list[str]) -> dict:
    kind = name[0]
    fields = dict(item.split("=", 1) for item in items if re.match(r"\w+=", item))
    texts = (item for item in items if "=" not in item and item != "ext")
    said = next((item for item in texts if kind != "A" or not _CALL.fullmatch(item)), "")
    if kind == "U":
        return _message("user", content=said or f"please do {name}")
    if kind == "A":
        calls = [
            {
                "type": "toolCall",
                "id": f"{name}-{number}",
                "name": call[1],
                "arguments": {"command" if call[1] == "bash" else "path": call[2]},
            }
            for number, call in enumerate(filter(None, map(_CALL.fullmatch, items)))
        ]
        content = [{"type": "text", "text": said or f"answer {name}"}, *calls]
        reason = "toolUse" if calls else "stop"
        return _message("assistant", content=content, provider="anthropic", model="some-model", stopReason=reason)
    if kind == "R":
        call = fields.get("of", f"A{name[1:]}-0")
        content = [{"type": "text", "text": said or f"output {name}"}]
        return _message("toolResult", toolCallId=call, toolName="read", content=content, isError=False)
    if kind == "S":
        return _message("bashExecution", command=said or "make", output="ok", exitCode=0)
    if kind == "M":
        return {"type": "custom_message", "customType": "ext", "content": said or f"note {name}", "display": True}
    if kind == "X":
        return {"type": "custom", "customType": "ext", "data": {}}
    if kind == "P":
        return records.record(records.LEAF, left=None)
    files = {"readFiles": _list(fields.get("read")), "modifiedFiles": _list(fields.get("modified"))}
    common = {"summary": said or f"summary {name}", "details": files, **({"fromHook": True} if "ext" in items else {})}
    if kind == "B":
        return {"type": "branch_summary", "fromId": fields.get("from", "root"), **common}
    return {"type": "compaction", "firstKeptEntryId": fields.get("k", name), "tokensBefore": 1000, **common}


def _message(role: str, **fields: object) -> dict:
    return {"type": "message", "message": {"role": role, **fields, "timestamp": 1767323045000}}


def _list(value: str | None) -> list[str]:
    return value.split(",") if value else []
