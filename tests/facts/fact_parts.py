"""Messages for tests of facts."""

from __future__ import annotations

from treering.compaction.summarizer import SpanMessage
from treering.session.messages import decode_message


def said(role: str, text: str, number: int = 0) -> SpanMessage:
    return SpanMessage(f"e{number}", decode_message({"role": role, "content": text}))


def called(name: str, arguments: dict[str, object], number: int) -> SpanMessage:
    block = {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": arguments}
    return SpanMessage(f"e{number}", decode_message({"role": "assistant", "content": [block]}))


def answered(text: str, number: int, *, error: bool = False) -> SpanMessage:
    raw = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "bash", "content": text, "isError": error}
    return SpanMessage(f"r{number}", decode_message(raw))
