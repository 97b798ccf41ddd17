"""What a part of a session says, by who wrote it: the ground on which every measure counts.

The text of a tool call is the decoded string values of its arguments, since a JSON dump would make names out of
escapes. Line numbers that a tool put before the lines of a file are stripped: they are no facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, cast

import msgspec

from treering.compaction.summarizer import SpanMessage
from treering.session.messages import Message, OtherBlock, TextBlock, ThinkingBlock, ToolCallBlock, without_tagged

Author = Literal["user", "assistant", "call", "command", "output", "summary"]
"""Who wrote a piece: `command` is the text of a shell command, `call` any other argument of a tool."""

SHELL_TOOLS = frozenset(
    {
        "bash", "shell", "sh", "zsh", "exec", "exec_command", "execute_command", "execute_bash", "run", "run_command",
        "run_shell", "run_shell_command", "run_terminal_cmd", "run_in_terminal", "local_shell", "terminal",
        "shell_command", "container_exec", "powershell", "cmd", "command", "user_shell",
    }
)  # fmt: skip
"""Names of shell tools, in lower case with `_` for every separator."""

_COMMAND_KEYS = ("command", "cmd", "commands", "script", "input", "code")
_ARROW_NUMBER = re.compile(r"^[ \t]*\d+(?:→|\t|[ ]?[|│](?=[ \t]|$)[ ]?)", re.MULTILINE)
_COLON_NUMBER = re.compile(r"^[ \t]*\d+[:\-](?!\d)[ ]?", re.MULTILINE)
_OPEN_TAG = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)(?:\s[^<>]*)?>")
_FENCE = re.compile(r"^```.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)


class Piece(msgspec.Struct, frozen=True):
    """A text with its author. `call` is the key of the call that it belongs to, for calls and their outputs."""

    author: Author
    text: str
    call: str = ""
    failed: bool = False
    entry: int = 0
    """Position of the message in its part."""


class Part(msgspec.Struct, frozen=True, dict=True):
    """A run of messages as pieces of text: a region, what was kept, or the future."""

    pieces: tuple[Piece, ...]

    @cached_property
    def text(self) -> str:
        """Everything, joined by newlines."""
        return "\n".join(piece.text for piece in self.pieces)

    def by(self, *authors: Author) -> str:
        """What these authors wrote, joined by newlines."""
        return "\n".join(piece.text for piece in self.pieces if piece.author in authors)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines that are not blank, stripped, in order."""
        return tuple(line for raw in self.text.split("\n") if (line := raw.strip()))

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """The shell commands that were run, in order, whole."""
        return tuple(piece.text for piece in self.pieces if piece.author == "command")


def read_part(messages: Sequence[SpanMessage]) -> Part:
    """The pieces of these messages. Never raises, whatever the messages hold."""
    pieces: list[Piece] = []
    calls: dict[str, str] = {}
    for position, span in enumerate(messages):
        pieces.extend(_read_message(span.message, position, calls))
    return Part(tuple(piece for piece in pieces if piece.text.strip()))


def own_words(text: str) -> str:
    """A user's message without what programs put into it: tagged blocks such as notifications, and fenced code."""
    return _FENCE.sub("\n", without_tagged(text, _OPEN_TAG)).strip()


def is_shell(tool_name: str) -> bool:
    """Whether this tool runs shell commands. Prefixes of servers (`mcp__box__bash`) are ignored."""
    name = re.sub(r"[^a-z]+", "_", tool_name.lower()).strip("_")
    return name in SHELL_TOOLS or name.rsplit("__", 1)[-1] in SHELL_TOOLS


def shell_command(call: ToolCallBlock) -> str | None:
    """The command line that a call of a shell tool runs; None for other tools."""
    if not is_shell(call.name):
        return None
    for key in _COMMAND_KEYS:
        value = call.arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)):
            words = [word for word in cast("list[object]", value) if isinstance(word, str)]
            # ["bash", "-lc", "make test"]: what the inner shell is given is the command.
            if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):
                return words[2]
            return " ".join(words)
    return None


def strip_line_numbers(text: str) -> str:
    """A tool's output without the numbers before its lines.

    `12→`, `12<tab>` and `12 |` are always such numbers; `12:` and `12-` (a search in one file) only if most lines have
    them, since a clock time or a list may begin so too.
    """
    text = _ARROW_NUMBER.sub("", text)
    lines = text.count("\n") + 1
    if lines > 1 and len(_COLON_NUMBER.findall(text)) * 5 >= lines * 3:
        text = _COLON_NUMBER.sub("", text)
    return text


def _read_message(message: Message, position: int, calls: dict[str, str]) -> Iterator[Piece]:
    role = message.role
    if role == "bashExecution":
        command, output = (block.text for block in message.blocks if isinstance(block, TextBlock))
        yield Piece("command", command, call=f"bash {command}", entry=position)
        failed = message.is_error
        yield Piece("output", strip_line_numbers(output), call=f"bash {command}", failed=failed, entry=position)
        return
    if role == "toolResult":
        key = calls.get(message.tool_call_id or "", message.tool_name)
        text = "\n".join(_block_texts(message))
        yield Piece("output", strip_line_numbers(text), call=key, failed=message.is_error, entry=position)
        return
    author: Author = "assistant" if role == "assistant" else "user"
    if role in {"branchSummary", "compactionSummary"}:
        author = "summary"
    for block in message.blocks:
        if isinstance(block, ToolCallBlock):
            yield from _read_call(block, position, calls)
        elif isinstance(block, (TextBlock, ThinkingBlock)):
            yield Piece(author, block.text, entry=position)
        elif isinstance(block, OtherBlock):
            yield Piece(author, "\n".join(strings(block.raw)), entry=position)


def _read_call(call: ToolCallBlock, position: int, calls: dict[str, str]) -> Iterator[Piece]:
    command = shell_command(call)
    values = list(strings(call.arguments))
    key = f"{call.name} {command if command is not None else ' '.join(values)}"
    calls[call.id] = key
    if command is not None:
        yield Piece("command", command, call=key, entry=position)
        values = [value for value in values if value != command]
    for value in values:
        yield Piece("call", value, call=key, entry=position)


def _block_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, TextBlock):
            yield block.text
        elif isinstance(block, OtherBlock):
            yield from strings(block.raw)


def strings(value: object) -> Iterator[str]:
    """All strings among the values of a JSON value, in order; numbers as they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[object]", value):
            yield from strings(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
