"""A span as text for a model: every message under its author, every block bounded, nothing that can pose as a tag.

The form is chosen against three faults that others saw. Content is indented under its heading, so text that imitates
a heading stays content (who said it is never in doubt). Tool calls are told in words, one argument a line, so that a
model does not learn a call protocol to imitate. And our own tags inside the data are made inert, so that data cannot
close the element that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from treering.session.messages import (
    Block,
    ImageBlock,
    JsonObject,
    Message,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

OWN_TAGS = (
    "conversation",
    "previous-summary",
    "additional-context",
    "instructions",
    "summary",
    "read-files",
    "modified-files",
)
"""The tags that our requests, summaries and contexts use."""

INDENT = "  "


class TranscriptLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How many characters of one block are shown; what is left out is said in its place.

    Attributes:
        user: a text of the user, or of a role that is not known here.
        assistant: a text of the assistant.
        thinking: a block of reasoning.
        call: the arguments of one tool call together.
        result: a tool result, and the output of a command of the user.
        summary: an earlier summary of a branch.
        other: a block of a kind that is not known here.
    """

    user: int = 20_000
    assistant: int = 10_000
    thinking: int = 2_000
    call: int = 2_000
    result: int = 2_000
    summary: int = 20_000
    other: int = 1_000


DEFAULT_LIMITS = TranscriptLimits()

# Zero-width characters and soft hyphens: invisible to people, and a model reads over them.
_INVISIBLE = "[\u00ad\u200b-\u200f\u2060\ufeff]*"
_NAMES = "|".join(_INVISIBLE.join(map(re.escape, name)) for name in OWN_TAGS)
_TAG = re.compile(rf"[<＜﹤](?=[\s/／{_INVISIBLE[1:-2]}]*(?:{_NAMES})(?![\w-]))", re.IGNORECASE)


def neutralise(text: str) -> str:
    """The text with our own tags made inert: `<` before their names becomes `‹`. Doing it again changes nothing."""
    return _TAG.sub("‹", text)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters of its own, its beginning and its end, and what was left out said.

    Two thirds of what is shown are the beginning; the rest is the end, where outputs tell how they ended.
    """
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    left_out = len(text) - limit
    return f"{text[:head]}\n[… {left_out} characters left out …]\n{text[len(text) - tail :]}"


def render_messages(
    messages: Iterable[Message],
    *,
    limits: TranscriptLimits = DEFAULT_LIMITS,
    clean: Callable[[str], str] | None = None,
) -> list[str]:
    """The pieces of the transcript in order: one a message, of an assistant one a block; empty ones are left out.

    Args:
        messages: the messages, oldest first.
        limits: characters that are shown of each kind of block.
        clean: applied to the text of every block before it is cut (redaction), so that a secret that the cut would
            split is still found. Of a very long text it gets the parts that can be shown.
    """
    return [
        f"{heading}:\n{_indent(neutralise(body))}"
        for message in messages
        for heading, body in _sections(message, limits, clean)
        if body.strip()
    ]


def transcript(pieces: Sequence[str]) -> str:
    """The pieces as one text."""
    return "\n\n".join(pieces)


def split_windows(pieces: Sequence[str], limit: int, estimate: Callable[[str], int]) -> list[list[str]]:
    """The pieces in groups of at most `limit` tokens each, in order, nothing left out.

    A piece that is longer than a window is continued in the next one under its own heading; a single line that is
    longer than a window is split where it must be.

    Args:
        pieces: what `render_messages` gave.
        limit: tokens of one window, at least 1.
        estimate: tokens of a text.
    """
    windows: list[list[str]] = []
    current: list[str] = []
    used = 0
    for part, size in _parts(pieces, limit, estimate):
        if current and used + size > limit:
            windows.append(current)
            current, used = [], 0
        current.append(part)
        used += size + 1  # the blank line between two pieces
    if current:
        windows.append(current)
    return windows


def _parts(pieces: Sequence[str], limit: int, estimate: Callable[[str], int]) -> Iterator[tuple[str, int]]:
    for piece in pieces:
        size = estimate(piece)
        if size <= limit:
            yield piece, size
            continue
        heading, _, body = piece.partition("\n")
        again = f"{heading.removesuffix(':').removesuffix(' (continued)')} (continued):"
        room = max(1, limit - estimate(again) - 1)
        first = True
        for chunk in _chunks(body, room, estimate):
            part = f"{heading if first else again}\n{chunk}"
            yield part, estimate(part)
            first = False


def _chunks(body: str, limit: int, estimate: Callable[[str], int]) -> Iterator[str]:
    """The lines of a body, grouped into chunks of at most `limit` tokens."""
    current: list[str] = []
    used = 0
    for line in body.split("\n"):
        for part in _split_line(line, limit, estimate):
            size = estimate(part) + 1
            if current and used + size > limit:
                yield "\n".join(current)
                current, used = [], 0
            current.append(part)
            used += size
    if current:
        yield "\n".join(current)


def _split_line(line: str, limit: int, estimate: Callable[[str], int]) -> Iterator[str]:
    if estimate(line) < limit or len(line) <= len(INDENT) + 1:
        yield line
        return
    # Halving keeps to any estimator, whatever its rule.
    middle = len(line) // 2
    yield from _split_line(line[:middle], limit, estimate)
    yield from _split_line(INDENT + line[middle:].lstrip(), limit, estimate)


def _sections(
    message: Message, limits: TranscriptLimits, clean: Callable[[str], str] | None
) -> Iterator[tuple[str, str]]:
    """The headings of a message, each with what stands under it."""

    def cut(text: str, limit: int) -> str:
        return _cut(text, limit, clean)

    match message.role:
        case "toolResult":
            outcome = "reported an error" if message.is_error else "answered"
            yield (
                f"The tool {_one_line(message.tool_name) or 'without a name'} {outcome}",
                cut(_joined(message.blocks, limits), limits.result),
            )
        case "bashExecution":
            command, output = (block.text for block in message.blocks[:2] if isinstance(block, TextBlock))
            yield "The user ran a command", cut(command, limits.call)
            ended = f"Its output (exit code {message.raw.get('exitCode')})" if message.is_error else "Its output"
            yield ended, cut(output, limits.result)
        case "branchSummary" | "compactionSummary":
            kind = "a branch that was left" if message.role == "branchSummary" else "earlier work"
            yield f"Summary of {kind}", cut(message.text, limits.summary)
        case "assistant":
            for block in message.blocks:
                yield _assistant_section(block, limits, clean)
            if isinstance(error := message.raw.get("errorMessage"), str):
                yield "The assistant's message failed", cut(error, limits.other)
        case "custom":
            kind = _one_line(str(message.raw.get("customType") or "another program"))
            yield f"Message of {kind}", cut(_joined(message.blocks, limits), limits.user)
        case "user":
            yield "User", cut(_joined(message.blocks, limits), limits.user)
        case role:
            yield f"Message ({_one_line(role)})", cut(_joined(message.blocks, limits), limits.user)


def _assistant_section(block: Block, limits: TranscriptLimits, clean: Callable[[str], str] | None) -> tuple[str, str]:
    if isinstance(block, ThinkingBlock):
        return "The assistant thought", _cut(block.text, limits.thinking, clean)
    if isinstance(block, ToolCallBlock):
        body = "\n".join(_arguments(block.arguments, limits.call, clean)) or "(no arguments)"
        return f"The assistant used the tool {_one_line(block.name) or 'without a name'}", body
    return "Assistant", _cut(_joined((block,), limits), limits.assistant, clean)


def _arguments(arguments: JsonObject, limit: int, clean: Callable[[str], str] | None) -> Iterator[str]:
    """One argument a line (`path: a.py`), all together in about `limit` characters, short ones before long ones cut."""
    values = {str(name): _value(value) for name, value in arguments.items()}
    room = max(limit, 200)
    # Each gets an equal share; what short ones leave goes to the long ones.
    shares: dict[str, int] = {}
    left = len(values)
    for name, value in sorted(values.items(), key=lambda item: len(item[1])):
        shares[name] = max(40, room // max(left, 1))
        room = max(0, room - min(len(value), shares[name]))
        left -= 1
    for index, (name, value) in enumerate(values.items()):
        if index == 50:
            yield f"[… {len(values) - index} further arguments left out …]"
            return
        text = _cut(value, shares[name], clean)
        label = _one_line(name)
        yield f"{label}:\n{_indent(text)}" if "\n" in text else f"{label}: {text}"


def _joined(blocks: Sequence[Block], limits: TranscriptLimits) -> str:
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, (TextBlock, ThinkingBlock)):
            parts.append(block.text)
        elif isinstance(block, ImageBlock):
            parts.append(f"[an image, {block.mime_type or 'type not recorded'}]")
        elif isinstance(block, OtherBlock):
            parts.append(f"[{_one_line(block.type)}] {shorten(_value(block.raw), limits.other)}")
        else:
            parts.append(f"[a call of {_one_line(block.name)}]")
    return "\n".join(parts)


def _cut(text: str, limit: int, clean: Callable[[str], str] | None) -> str:
    if clean is not None:
        if len(text) > 6 * limit + 6000:
            # Only the two ends can be shown; cleaning megabytes for that would cost seconds.
            margin = 2 * limit + 2000
            head, tail, between = clean(text[:margin]), clean(text[-margin:]), len(text) - 2 * margin
            shown = limit * 2 // 3
            left_out = between + len(head) - shown + len(tail) - (limit - shown)
            return f"{head[:shown]}\n[… {left_out} characters left out …]\n{tail[len(tail) - (limit - shown) :]}"
        text = clean(text)
    return shorten(text, limit)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, UnicodeError):
        # Bytes, lone surrogates, cycles: what cannot be written is still told, never raised.
        return repr(value)[:4000].encode("utf-8", "replace").decode()


def _indent(text: str) -> str:
    # Every character that a reader may take for a line break starts a new indented line.
    return "\n".join(INDENT + line if line.strip() else "" for line in text.splitlines())


def _one_line(text: str) -> str:
    return neutralise(" ".join(text.split())[:120])
