"""Files of a span: what was read and what was changed, cumulative, and how a summary lists them (SPEC §8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, cast

import msgspec

from treering.facts.paths import normalise
from treering.facts.tools import file_touches
from treering.session.messages import JsonObject
from treering.tokens.estimate import estimate_text

if TYPE_CHECKING:
    from treering.compaction.summarizer import SpanMessage

MAX_FILES = 2000
"""Paths of one kind that are carried on; beyond it the oldest are dropped."""

_TAGS = re.compile(r"\s*<(read-files|modified-files)>.*?(?:</\1>|\Z)", re.DOTALL)


class FileOperations(msgspec.Struct, frozen=True):
    """Paths in the session's own spelling, most recent first; a modified file is not listed as read."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()


def file_operations(
    messages: Iterable[SpanMessage], *, cwd: str = "", previous: FileOperations | None = None
) -> FileOperations:
    """The files of these messages, and of all that came before.

    Args:
        messages: oldest first; the lists in the details of earlier summaries count, unless an extension wrote them.
        cwd: relative paths are relative to it, and paths in it are made so.
        previous: the files of the compaction before.
    """
    # Insertion order is age; a path that comes again moves to the end.
    read: dict[str, None] = {}
    modified: dict[str, None] = {}
    if previous is not None:
        read.update(dict.fromkeys(reversed(previous.read)))
        modified.update(dict.fromkeys(reversed(previous.modified)))
    for span in messages:
        if span.details is not None and not span.from_extension:
            _touch(read, (normalise(path, cwd) for path in _paths(span.details, "readFiles")))
            _touch(modified, (normalise(path, cwd) for path in _paths(span.details, "modifiedFiles")))
        for call in span.message.tool_calls:
            for touch in file_touches(call.name, call.arguments):
                path = normalise(touch.path, cwd)
                _touch(read if touch.operation == "read" else modified, (path,))
    return FileOperations(
        tuple(path for path in reversed(read) if path not in modified)[:MAX_FILES],
        tuple(reversed(modified))[:MAX_FILES],
    )


def render_file_tags(files: FileOperations, *, max_tokens: int, seen: Collection[str] = ()) -> str:
    """`<read-files>` and `<modified-files>` with a path a line, most recent first; empty if there is no file.

    Within `max_tokens`: modified files come before read ones, files that are `seen` elsewhere come last, and what is
    left out is counted.
    """
    room = max_tokens
    blocks: list[str] = []
    for tag, paths in (("modified-files", files.modified), ("read-files", files.read)):
        safe = [path for path in paths if "<" not in path and ">" not in path]
        safe.sort(key=lambda path: path in seen)
        frame = estimate_text(f"<{tag}>\n</{tag}>\n… 999\n") + 2
        lines: list[str] = []
        used = frame
        for path in safe:
            cost = estimate_text(path) + 1
            if used + cost > room:
                break
            lines.append(path)
            used += cost
        if not lines:
            continue
        room -= used
        if len(lines) < len(safe):
            lines.append(f"… {len(safe) - len(lines)}")
        blocks.append(f"<{tag}>\n" + "\n".join(lines) + f"\n</{tag}>")
    return "\n".join(reversed(blocks))


def strip_file_tags(text: str) -> str:
    """The text without the lists of files, whoever wrote them."""
    return _TAGS.sub("", text).rstrip()


def tag_budget(budget: int) -> int:
    """Tokens that the lists of files may take of a summary's budget.

    Whole paths are dear; the summary itself names more files in fewer tokens, and the details have them all.
    """
    return int(0.06 * budget)


def _touch(paths: dict[str, None], new: Iterable[str]) -> None:
    for path in new:
        if path:
            paths.pop(path, None)
            paths[path] = None


def _paths(details: JsonObject, key: str) -> Iterator[str]:
    value = details.get(key)
    if isinstance(value, (list, tuple)):
        # Most recent first in our own lists; reading them backwards keeps that order.
        for path in reversed(cast("list[object]", value)):
            if isinstance(path, str):
                yield path
