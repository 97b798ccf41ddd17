"""Small session parts, written by hand."""

from __future__ import annotations

from typing import Any

from treering.compaction.summarizer import SpanMessage
from treering.session.messages import decode_message


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *calls]}


def call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": identity, "name": name, "arguments": arguments}


def result(identity: str, name: str, text: str, *, error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": identity, "toolName": name, "content": content, "isError": error}


def span(*messages: dict[str, Any]) -> list[SpanMessage]:
    return [SpanMessage(f"{number:08x}", decode_message(raw)) for number, raw in enumerate(messages)]
