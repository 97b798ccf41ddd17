"""Lists of chat messages, in OpenAI's form and in Anthropic's.

Both say the same in two ways: a tool result is a message of its own (`role: tool`), or a block of a user message
(`tool_result`). Here each becomes messages of the session's own form, and back where a message was changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from treering.errors import TreeringError
from treering.session.messages import JsonObject, as_list, as_object

Form = Literal["openai", "anthropic"]

SYSTEM_ROLES = frozenset({"system", "developer"})


class MessagesError(TreeringError):
    """A list of messages is in none of the forms that are known."""


def recognise(messages: Sequence[object]) -> Form:
    """Which form a list of messages is in; `openai` if nothing in it tells.

    Raises:
        MessagesError: an item is no message, or marks of both forms stand in one list.
    """
    marks: dict[Form, int] = {}
    for index, item in enumerate(messages):
        message = as_object(item)
        if message is None or not isinstance(message.get("role"), str):
            raise MessagesError(f"message {index} is no chat message: it needs a role, like 'user'")
        form = _mark(message)
        if form is not None:
            marks.setdefault(form, index)
    if len(marks) == 2:
        raise MessagesError(
            f"message {marks['openai']} is in OpenAI's form and message {marks['anthropic']} in Anthropic's: use one"
        )
    return "anthropic" if "anthropic" in marks else "openai"


def _mark(message: JsonObject) -> Form | None:
    if message["role"] in {"tool", "function", *SYSTEM_ROLES} or message.get("tool_calls"):
        return "openai"
    kinds = {(as_object(block) or {}).get("type") for block in as_list(message.get("content")) or []}
    if kinds & {"tool_use", "tool_result", "thinking", "redacted_thinking", "image"}:
        return "anthropic"
    return "openai" if kinds & {"image_url", "input_audio", "file"} else None


def to_session(message: JsonObject, tools: Mapping[str, str]) -> list[dict[str, Any]]:
    """One chat message as messages of the session's own form: results first, then what else it says.

    Args:
        message: in either form.
        tools: the name of the tool of each call so far, by the call's id.
    """
    role = message["role"]
    if role in {"tool", "function"}:
        call_id = message.get("tool_call_id") or message.get("name") or ""
        return [_result(str(call_id), tools, message.get("content"), is_error=False)]
    blocks = as_list(message.get("content"))
    if blocks is None:
        content = [_text(message["content"])] if message.get("content") else []
        blocks = []
    else:
        content: list[dict[str, Any]] = []
    converted: list[dict[str, Any]] = []
    for item in blocks:
        block = as_object(item) or {"type": "text", "text": str(item)}
        if block.get("type") == "tool_result":
            is_error = block.get("is_error") is True
            converted.append(_result(str(block.get("tool_use_id")), tools, block.get("content"), is_error=is_error))
        else:
            content.append(_block(block))
    content += [_call(as_object(call) or {}) for call in as_list(message.get("tool_calls")) or []]
    if content or not converted:
        converted.append({"role": role, "content": content})
    return converted


def with_output(message: Mapping[str, Any], call_id: str, text: str) -> dict[str, Any]:
    """The chat message with the output of one call replaced by a text."""
    if message["role"] in {"tool", "function"}:
        return {**message, "content": text}
    changed: list[Any] = []
    for item in as_list(message.get("content")) or []:
        block = as_object(item)
        changed.append({**block, "content": text} if block and block.get("tool_use_id") == call_id else item)
    return {**message, "content": changed}


def without_blocks(message: Mapping[str, Any], kinds: frozenset[str]) -> dict[str, Any] | None:
    """The chat message without blocks of these types; None if nothing is left of it."""
    blocks = as_list(message.get("content"))
    if blocks is None:
        return dict(message)
    kept = [block for block in blocks if (as_object(block) or {}).get("type") not in kinds]
    return {**message, "content": kept} if kept else None


def _block(block: JsonObject) -> dict[str, Any]:
    kind = block.get("type")
    if kind in {"text", "input_text", "output_text"}:
        return _text(block.get("text"))
    if kind == "tool_use":
        arguments = as_object(block.get("input"))
        return _tool_call(block.get("id"), block.get("name"), dict(arguments) if arguments is not None else {})
    if kind == "thinking":
        signature = {"thinkingSignature": block["signature"]} if block.get("signature") else {}
        return {"type": "thinking", "thinking": str(block.get("thinking", "")), **signature}
    if kind in {"image", "image_url"}:
        return {"type": "image", "mimeType": ""}
    return dict(block)


def _call(call: JsonObject) -> dict[str, Any]:
    function = as_object(call.get("function")) or {}
    arguments: Any = function.get("arguments")
    if isinstance(arguments, str):
        try:
            decoded = json.loads(arguments)
        except (ValueError, RecursionError):
            decoded = arguments
        arguments = as_object(decoded) or {"input": arguments}
    return _tool_call(call.get("id"), function.get("name"), arguments or {})


def _tool_call(call_id: object, name: object, arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": str(call_id or ""), "name": str(name or ""), "arguments": arguments}


def _result(call_id: str, tools: Mapping[str, str], content: Any, *, is_error: bool) -> dict[str, Any]:
    blocks = as_list(content)
    shown = (
        [_text(content)]
        if blocks is None
        else [_block(as_object(block) or {"type": "text", "text": block}) for block in blocks]
    )
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": tools.get(call_id, ""),
        "content": shown,
        "isError": is_error,
    }


def _text(text: object) -> dict[str, Any]:
    return {"type": "text", "text": "" if text is None else str(text)}
