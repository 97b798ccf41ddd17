"""Sessions drawn as text, so that a test shows its input: `U A[t1,t2] R(t1) R(t2) A C(k=3) U`.

`U` user, `A` assistant, `A[t1,t2]` assistant with calls, `R(t1)` result of t1, `B` branch summary, `C(k=3)` compaction
whose first kept entry is number 3 (counted from 0), `M` custom message, `E` bashExecution, `S` model change, `X` a
custom record. `*50` behind one makes its text about 50 tokens long; `=words_with_underscores` gives the text.
"""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from treering.session.tree import Session

_ITEM = re.compile(
    r"(?P<kind>[A-Z])(?:\[(?P<calls>[^\]]*)\]|\((?P<argument>[^)]*)\))?(?:\*(?P<size>\d+))?(?:=(?P<text>\S+))?"
)


def draw(drawing: str, **options: Any) -> Session:
    """The session in memory; entry ids are e0, e1, …; its clock ticks a second an entry."""
    ids = (f"e{number}" for number in itertools.count())
    clock = (datetime(2026, 1, 2, tzinfo=UTC) + timedelta(seconds=number) for number in itertools.count())
    session = Session.in_memory(now=lambda: next(clock), new_id=lambda: next(ids), **options)
    return extend(session, drawing)


def extend(session: Session, drawing: str) -> Session:
    """Append a drawing at the leaf of a session."""
    for item in drawing.split():
        match = _ITEM.fullmatch(item)
        assert match, f"{item!r} is no item of a drawing"
        session.append(_body(match))
    return session


def _body(match: re.Match[str]) -> dict[str, Any]:
    kind, argument = match["kind"], match["argument"] or ""
    words = (match["text"] or kind.lower()).replace("_", " ")
    text = words if not match["size"] else " ".join([words] + ["word"] * (int(match["size"]) - 1))
    if kind == "U":
        return _message("user", content=text)
    if kind == "A":
        calls = [call for call in (match["calls"] or "").split(",") if call]
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
        for call in calls:
            name, _, call_id = call.rpartition(":")
            arguments = {"command": f"do {call_id}"}
            blocks.append({"type": "toolCall", "id": call_id, "name": name or "bash", "arguments": arguments})
        return _message(
            "assistant", content=blocks, model="m1", provider="p", stopReason="toolUse" if calls else "stop"
        )
    if kind == "R":
        name, _, call_id = argument.rpartition(":")
        content = [{"type": "text", "text": text}]
        return _message("toolResult", toolCallId=call_id, toolName=name or "bash", content=content, isError=False)
    if kind == "E":
        return _message("bashExecution", command="ls", output=text, exitCode=0, cancelled=False, truncated=False)
    if kind == "B":
        return {"type": "branch_summary", "fromId": "e0", "summary": text}
    if kind == "C":
        kept = argument.removeprefix("k=")
        return {"type": "compaction", "summary": text, "firstKeptEntryId": f"e{kept}", "tokensBefore": 1000}
    if kind == "M":
        return {"type": "custom_message", "customType": "note", "content": text, "display": True}
    if kind == "S":
        return {"type": "model_change", "provider": "p", "modelId": "m2"}
    if kind == "X":
        return {"type": "custom", "customType": "other", "data": {"n": 1}}
    raise AssertionError(f"{kind!r} is not drawn")


def _message(role: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, **fields, "timestamp": 1}}
