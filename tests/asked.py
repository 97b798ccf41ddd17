"""Requests and messages for tests of summarizers."""

from __future__ import annotations

from typing import Any

from treering.compaction.summarizer import ModelCall, SpanMessage, SummaryRequest
from treering.facts.fold import FactState
from treering.session.messages import decode_message


def message(role: str, content: Any = None, **fields: Any) -> SpanMessage:
    return SpanMessage("e", decode_message({"role": role, "content": content, **fields}))


WORK = (
    message("user", "Fix the parser in src/parser.py. Never touch the tests."),
    message(
        "assistant",
        [
            {"type": "thinking", "thinking": "The error is in the tokenizer."},
            {"type": "text", "text": "I read the file first."},
            {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "src/parser.py"}},
        ],
    ),
    message("toolResult", "def parse(text):\n    return text.split()\n" * 40, toolName="read", toolCallId="c1"),
    message("assistant", "The split loses quotes. I use shlex instead."),
)
"""A span that is long enough that a summary is shorter."""

SUMMARY = "## Goal\n- Fix src/parser.py\n\n## Constraints & Preferences\n- Never touch the tests\n"


def request(
    history: tuple[SpanMessage, ...] = WORK, *, calls: list[ModelCall] | None = None, **fields: Any
) -> SummaryRequest:
    """A request with the work above, whose calls are collected."""
    return SummaryRequest(
        history=history,
        **{"facts": FactState(), "budget": 2000, "on_call": None if calls is None else calls.append} | fields,
    )
