"""Messages: what an entry says to the model, in one typed form for every role.

A message keeps the mapping it was decoded from (`raw`, the session's own form), so nothing that this module
does not know is lost; `blocks` is the typed view that planning, fact finding and summarising read.
Decoding never raises: what cannot be understood becomes an `OtherBlock`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

JsonObject = Mapping[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")


class TextBlock(msgspec.Struct, frozen=True, tag_field="block", tag="text"):
    """Plain text."""

    text: str


class ThinkingBlock(msgspec.Struct, frozen=True, tag_field="block", tag="thinking"):
    """A model's reasoning. `signed`: it carries a provider's signature and must not be edited."""

    text: str
    signed: bool = False


class ToolCallBlock(msgspec.Struct, frozen=True, tag_field="block", tag="toolCall"):
    """A call of a tool. `arguments` is the decoded object; a string stays under the key `input`."""

    id: str
    name: str
    arguments: dict[str, Any]


class ImageBlock(msgspec.Struct, frozen=True, tag_field="block", tag="image"):
    """An image; its bytes stay in the message's `raw`."""

    mime_type: str = ""


class OtherBlock(msgspec.Struct, frozen=True, tag_field="block", tag="other"):
    """A block of a kind that is not known here, as it was stored."""

    type: str
    raw: Any


Block = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock | OtherBlock


class Message(msgspec.Struct, frozen=True, dict=True):
    """One message of a context.

    Attributes:
        role: `user`, `assistant`, `toolResult`, `bashExecution`, `custom`, `branchSummary`, `compactionSummary`,
            or a role that is not known here.
        blocks: the content in order.
        raw: the message in the session's own form. Never change it.
    """

    role: str
    blocks: tuple[Block, ...]
    raw: JsonObject

    @property
    def text(self) -> str:
        """All text blocks, joined by newlines; without thinking and calls."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    @property
    def tool_calls(self) -> tuple[ToolCallBlock, ...]:
        """The calls of an assistant message, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCallBlock))

    @property
    def tool_call_id(self) -> str | None:
        """For a tool result: the id of the call that it answers."""
        return _string(self.raw.get("toolCallId")) if self.role == "toolResult" else None

    @property
    def tool_name(self) -> str:
        """For a tool result: the tool's name; empty if it is not recorded."""
        return _string(self.raw.get("toolName")) or ""

    @property
    def is_error(self) -> bool:
        """For a tool result or a bashExecution: whether it failed."""
        if self.role == "bashExecution":
            return bool(self.raw.get("exitCode"))
        return self.raw.get("isError") is True

    @property
    def stop_reason(self) -> str | None:
        """For an assistant message: stop, length, toolUse, error, aborted, if recorded."""
        return _string(self.raw.get("stopReason"))

    @property
    def usage(self) -> JsonObject:
        """For an assistant message: the provider's usage in tokens; empty if it is not recorded."""
        return as_object(self.raw.get("usage")) or {}

    @property
    def starts_turn(self) -> bool:
        """Whether a turn begins here (SPEC §1). Roles that are not known here are user-side, and begin one too."""
        return self.role not in {"assistant", "toolResult", "compactionSummary"}


def decode_message(raw: JsonObject) -> Message:
    """The typed view of a message in the session's own form. Never raises.

    The role `hookMessage` of session version 2 is read as `custom`. Texts of a bashExecution (its command and its
    output) and of summaries become text blocks, so that every role can be read through `blocks`.
    """
    role = _string(raw.get("role")) or "unknown"
    if role == "hookMessage":
        role = "custom"
    if role == "bashExecution":
        blocks: tuple[Block, ...] = (
            TextBlock(_string(raw.get("command")) or ""),
            TextBlock(_string(raw.get("output")) or ""),
        )
    elif role in {"branchSummary", "compactionSummary"}:
        blocks = (TextBlock(_string(raw.get("summary")) or ""),)
    else:
        blocks = tuple(decode_content(raw.get("content")))
    return Message(role, blocks, raw)


def decode_content(content: object) -> Iterator[Block]:
    """The blocks of a message's `content`: a string, a list of blocks, or nothing."""
    if isinstance(content, str):
        yield TextBlock(content)
    elif isinstance(content, (list, tuple)):
        for block in cast("list[object]", content):
            yield _decode_block(block)
    elif content is not None:
        yield OtherBlock("unknown", content)


def as_object(value: object) -> JsonObject | None:
    """The value if it is a JSON object, else None. For reading data of unknown form with types intact."""
    # The first question is the quick one: asking for a Mapping takes ten times as long.
    return cast("JsonObject", value) if type(value) is dict or isinstance(value, Mapping) else None


def as_list(value: object) -> list[Any] | None:
    """The value if it is a JSON array, else None."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def _decode_block(value: object) -> Block:
    if isinstance(value, str):
        return TextBlock(value)
    raw = as_object(value)
    if raw is None:
        return OtherBlock("unknown", value)
    kind = _string(raw.get("type")) or "unknown"
    if kind == "text" and isinstance(raw.get("text"), str):
        return TextBlock(raw["text"])
    if kind == "thinking" and isinstance(raw.get("thinking"), str):
        return ThinkingBlock(raw["thinking"], signed=bool(raw.get("thinkingSignature")))
    if kind == "toolCall":
        arguments = raw.get("arguments")
        known = as_object(arguments)
        if known is None:
            known = {} if arguments is None else {"input": arguments}
        return ToolCallBlock(_string(raw.get("id")) or "", _string(raw.get("name")) or "", dict(known))
    if kind == "image":
        return ImageBlock(_string(raw.get("mimeType")) or "")
    return OtherBlock(kind, raw)


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def without_tagged(text: str, opening: re.Pattern[str]) -> str:
    """A text without what stands between tags, each with its tags replaced by a line break; in linear time.

    Args:
        text: any text. A tag that nobody closes stays as it is.
        opening: an opening tag; its first group is the name.
    """
    kept: list[str] = []
    unclosed: set[str] = set()
    end = 0
    for tag in opening.finditer(text):
        name = tag[1]
        if tag.start() < end or name in unclosed:
            continue
        closing = f"</{name}>"
        at = text.find(closing, tag.end())
        if at < 0:
            unclosed.add(name)
            continue
        kept.append(text[end : tag.start()])
        end = at + len(closing)
    return "\n".join([*kept, text[end:]])


def strings_in(value: object) -> Iterator[str]:
    """The strings in a JSON value, in order, without the keys of its objects."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif (fields := as_object(item)) is not None:
            pending.extend(reversed(list(fields.values())))
        elif isinstance(item, (list, tuple)):
            pending.extend(reversed(cast("list[object]", item)))


def whole_text(message: Message) -> str:
    """All that a message says: its texts, its thinking, and the strings that its calls were made with."""
    parts: list[str] = []
    for block in message.blocks:
        if isinstance(block, (TextBlock, ThinkingBlock)):
            parts.append(block.text)
        elif isinstance(block, ToolCallBlock):
            parts.extend(strings_in(block.arguments))
    return "\n".join(parts)


def without_surrogates(message: Message) -> Message:
    """The message with U+FFFD for lone surrogates, which no provider and no encoder takes; the same if it has none."""
    try:
        msgspec.json.encode(message.raw)
    except (UnicodeEncodeError, TypeError, ValueError):
        return decode_message(_replace_surrogates(message.raw))
    return message


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if (fields := as_object(value)) is not None:
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in fields.items()}
    if (items := as_list(value)) is not None:
        return [_replace_surrogates(item) for item in items]
    return value
