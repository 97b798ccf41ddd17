"""What stands at the cut: errors, values that changed, and what is to be done next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from treering.compaction.summarizer import SpanMessage
from treering.evaluation.directives import split_sentences, user_sentences
from treering.evaluation.lines import normal
from treering.evaluation.texts import Part, own_words, read_part
from treering.evaluation.vocabulary import DENIALS
from treering.evaluation.words import content_words, share

PRESENT = 0.6
"""A sentence is present if this share of its content words is."""

_ERROR_LINE = re.compile(
    r"\b(?:error|errors|fail(?:ed|ure|s)?|exception|traceback|panic|fatal|cannot|can't|unable|undefined|denied|refused"
    r"|not found|no such|invalid|unexpected|mismatch|killed|timed? ?out|segfault|abort(?:ed)?)\b|(?:Error|Exception)\b"
    r"|^(?:E|ERR!?)\s|✗|❌|错误|失败|त्रुटि|विफल",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\b(?:0|no) (?:errors?|fail(?:ures|ed)?)\b|\berr(?:or)? (?:==|!=|:=|=)|\bif err\b|return .*err", re.IGNORECASE
)
_EXIT_CODE = re.compile(
    r"(?:exit(?:ed with)?(?: code| status)?|returned)[: ]+([1-9]\d{0,2})\b|Command exited with code ([1-9]\d*)"
)
_TAG = re.compile(r"</?[a-z_]+>")
_DIGITS = re.compile(r"\d+")
_VALUE = re.compile(
    r"(?<![\w.])\d+(?:[.,]\d+)*(?:\s?(?:ms|s|m|%|kb|mb|gb|px))?(?![\w])|`[^`\n]+`|\"[^\"\n]{1,40}\"", re.IGNORECASE
)
_NUMERAL = re.compile(r"\d+(?:\.\d+)*")
_OPEN_STATES = frozenset({"pending", "in_progress", "in-progress", "open", "todo", "active"})
MOST_ERRORS = 5
"""Error lines that are looked at of one result: the first ones say what broke."""


class Changed(msgspec.Struct, frozen=True):
    """A value that was set and later changed: the lines that gave it, old ones and the newest."""

    frame: str
    old: tuple[str, ...]
    new: str


def digits_ignored(line: str) -> str:
    """A line as errors are compared: without digits, in single blanks, in lower case."""
    return normal(_DIGITS.sub("", line)).lower()


def standing_errors(region: Part, kept: Part) -> list[str]:
    """Error lines of failed results of the region that no later success of the same command undid, each once.

    Successes in the kept part count (they are before the cut too), and an error that the kept part shows is not
    needed in a summary.
    """
    last: dict[str, list[str]] = {}
    for piece in region.pieces:
        if piece.author == "output":
            lines = [line.strip() for line in piece.text.split("\n") if line.strip()]
            if piece.failed or _reports_failure(piece.text):
                last[piece.call] = [line for line in lines if is_error_line(line)][:MOST_ERRORS]
            else:
                last.pop(piece.call, None)
    for piece in kept.pieces:
        if piece.author == "output":
            last.pop(piece.call, None)
    shown = {digits_ignored(line) for line in kept.lines}
    found: dict[str, str] = {}
    for lines in last.values():
        for line in lines:
            key = digits_ignored(line)
            if key not in shown and len(content_words(key)) >= 2:
                found.setdefault(key, line)
    return list(found.values())


def is_error_line(line: str) -> bool:
    """Whether a line of output tells of an error."""
    words = _TAG.sub("", line)
    return bool(_ERROR_LINE.search(words)) and not _NO_ERROR.search(words)


def _reports_failure(text: str) -> bool:
    return bool(_EXIT_CODE.search(text[:400]) or _EXIT_CODE.search(text[-400:]))


def has_error(line: str, summary_lines: Sequence[str]) -> bool:
    """Whether a line of the summary gives this error: the line itself, or a run of it that holds most of its words."""
    wanted = digits_ignored(line)
    needed = set(content_words(wanted))
    return any(wanted in given or share(needed, set(content_words(given))) >= PRESENT for given in summary_lines)


def changed_values(region: Part) -> list[Changed]:
    """Values that changed within the region: by the user's later word, or by a later result of the same command.

    Two lines of results are about one value if they are the same but for their numbers. Two sentences of the user are
    if, the values taken out, three quarters of their words agree, or if the later one denies the value of the earlier.
    """
    found: list[Changed] = []
    results: dict[tuple[str, str], list[str]] = {}
    for piece in region.pieces:
        if piece.author == "output" and piece.call:
            for frame, line in _single_values(piece.text):
                results.setdefault((piece.call, frame), []).append(line)
    for (_, frame), lines in results.items():
        old = tuple(dict.fromkeys(line for line in lines if line != lines[-1]))
        if old:
            found.append(Changed(frame, old, lines[-1]))
    found.extend(_user_changes(region))
    return found


def _single_values(output: str) -> Iterator[tuple[str, str]]:
    # A frame that one output shows several times is a listing, and gives no single value that could change.
    frames: dict[str, list[str]] = {}
    for line in output.split("\n"):
        if len(line) <= 300 and _NUMERAL.search(line):
            frame = normal(_NUMERAL.sub("#", line))
            if len(content_words(frame)) >= 2:
                frames.setdefault(frame, []).append(normal(line))
    return ((frame, lines[0]) for frame, lines in frames.items() if len(lines) == 1)


class _Said(NamedTuple):
    """A sentence of the user: its values, and its words without them."""

    sentence: str
    values: frozenset[str]
    frame: frozenset[str]


def _user_changes(region: Part) -> Iterator[Changed]:
    said: list[_Said] = []
    for sentence in user_sentences(region):
        values = frozenset(match.group() for match in _VALUE.finditer(sentence))
        if values:
            said.append(_Said(sentence, values, frozenset(content_words(_VALUE.sub(" ", sentence)))))
    for index, new in enumerate(said):
        old = tuple(
            before.sentence for before in said[:index] if _says_again(before, new) or _is_corrected(before, new)
        )
        if old:
            yield Changed(" ".join(sorted(new.frame)), old, new.sentence)


def _says_again(before: _Said, new: _Said) -> bool:
    """The same but for the value: "set the timeout to 30", "set the timeout to 45"."""
    if before.values == new.values or len(new.frame) < 2:
        return False
    return len(before.frame & new.frame) >= 0.75 * len(before.frame | new.frame)


def _is_corrected(before: _Said, new: _Said) -> bool:
    """The old value is named beside the new one, and denied: "the limit is 6, not 4"."""
    named = before.values & new.values
    return bool(named and new.values - before.values and before.frame & new.frame and DENIALS.search(new.sentence))


def stale_values(changed: Sequence[Changed], summary: str) -> list[Changed]:
    """The changed values of which the summary gives an old form without the newest."""
    text = "\n".join(normal(line) for line in summary.split("\n"))
    return [value for value in changed if value.new not in text and any(old in text for old in value.old)]


def next_steps(region: Sequence[SpanMessage], kept: Sequence[SpanMessage]) -> list[str]:
    """What is open at the cut and only the region says.

    The last request, if its turn goes on in the kept part; a question that nobody answered; and the tasks of the
    newest list that are not done.
    """
    found: dict[str, None] = {}
    answered = bool(kept) and kept[0].message.starts_turn
    if not answered:
        request = _last_request(region)
        if request:
            found.setdefault(request)
        question = _open_question(region) if not kept else None
        if question:
            found.setdefault(question)
    if not _has_task_list(kept):
        for task in open_tasks(region):
            found.setdefault(task)
    return [item for item in found if content_words(item)]


def _last_request(region: Sequence[SpanMessage]) -> str | None:
    for span in reversed(region):
        if span.message.role == "user" and own_words(span.message.text):
            return " ".join(user_sentences(read_part([span])))
    return None


def _open_question(region: Sequence[SpanMessage]) -> str | None:
    for span in reversed(region):
        if span.message.role == "user":
            return None
        if span.message.role == "assistant" and span.message.text.strip():
            last = split_sentences(span.message.text)[-1]
            return last if re.search(r"[?？؟]\W*$", last) else None
    return None


def open_tasks(region: Sequence[SpanMessage]) -> list[str]:
    """The tasks that are not done, by the newest task list of the messages: a whole list that was written (any call
    with items that have a text and a status), or tasks that were made and updated one by one."""
    whole: list[str] | None = None
    single: dict[str, tuple[str, bool]] = {}
    for span in region:
        for call in span.message.tool_calls:
            tasks = _written_list(call.arguments)
            if tasks is not None:
                whole = [text for text, state in tasks if state in _OPEN_STATES]
                continue
            _follow_task(call.name, call.arguments, single)
    open_single = [text for text, is_open in single.values() if is_open and text]
    return [*(whole or ()), *open_single]


def _has_task_list(messages: Sequence[SpanMessage]) -> bool:
    return any(_written_list(call.arguments) is not None for span in messages for call in span.message.tool_calls)


def _written_list(arguments: dict[str, Any]) -> list[tuple[str, str]] | None:
    for value in arguments.values():
        if not isinstance(value, list):
            continue
        items = [cast("dict[str, Any]", item) for item in cast("list[object]", value) if isinstance(item, dict)]
        if items and all("status" in item for item in items):
            return [(_task_text(item), str(item["status"]).lower()) for item in items]
    return None


def _task_text(item: dict[str, Any]) -> str:
    for key in ("content", "step", "title", "subject", "text", "description", "task"):
        if isinstance(item.get(key), str):
            return item[key]
    return ""


def _follow_task(tool: str, arguments: dict[str, Any], tasks: dict[str, tuple[str, bool]]) -> None:
    name = re.sub(r"[^a-z]", "", tool.lower())
    if name.endswith("taskcreate"):
        # Ids are given by the tool, counting from 1.
        tasks[str(len(tasks) + 1)] = (_task_text(arguments), True)
    elif name.endswith("taskupdate"):
        key = str(arguments.get("taskId") or arguments.get("task_id") or arguments.get("id") or "")
        state = str(arguments.get("status") or "").lower()
        if key in tasks and state:
            tasks[key] = (tasks[key][0], state in _OPEN_STATES)
