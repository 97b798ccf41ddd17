"""A conversation of any length through a model of any window: part after part, each bringing the summary up to date."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from treering.compaction.transcript import INDENT, split_windows, transcript
from treering.errors import SummaryError
from treering.settings import DEFAULT_WINDOW
from treering.summarizers.asking import Asker, OverflowedError
from treering.summarizers.wording import Task, request_text
from treering.tokens.estimate import estimate_text

MAX_PARTS = 64
"""How many parts one conversation may have; more would cost more than it is worth, and says so."""

MIN_ROOM = 150
"""Tokens of conversation that a request must have room for."""

# Estimates are in one tokenizer's tokens, and models have others.
_MARGIN = 0.85


class _Room(msgspec.Struct, frozen=True, kw_only=True):
    """How a window is shared out: tokens of the conversation, of the answer, and the output limit."""

    conversation: int
    answer: int
    max_tokens: int


async def fold(asker: Asker, task: Task, pieces: Sequence[str], previous: str | None) -> str:
    """The summary of a transcript and of the summary before it, in as many requests as the model's window takes.

    Args:
        asker: who asks.
        task: what is asked.
        pieces: the transcript.
        previous: the summary before it.

    Raises:
        SummaryError: a part failed, or the window is too small for any.
    """
    if not pieces:
        raise SummaryError("there is nothing in the span that could be summarised")
    window = asker.source.window
    if window is None:
        asker.tell(f"the model's context window is not known; {DEFAULT_WINDOW} tokens are assumed")
    room = _share(asker, task, window or DEFAULT_WINDOW, previous)
    if previous and estimate_text(previous) > 0.4 * (room.conversation + estimate_text(previous)):
        # A summary that would fill the window is read like the conversation.
        body = "\n".join(INDENT + line for line in previous.split("\n"))
        pieces, previous = [f"Summary of earlier work:\n{body}", *pieces], None
        room = _share(asker, task, window or DEFAULT_WINDOW, previous)
    parts = _split(asker, pieces, room)
    done = 0
    while parts:
        if len(parts) + done > 1:
            asker.tell(f"part {done + 1} of {done + len(parts)}")
        text = transcript(parts[0])
        prompt = request_text(task, asker.prompts, conversation=text, previous=previous, clean=asker.clean)
        purpose = "update" if previous and task.purpose == "first" else task.purpose
        try:
            previous = await asker.ask(purpose, prompt, budget=room.answer, max_tokens=room.max_tokens)
        except OverflowedError as error:
            rest = [piece for part in parts for piece in part]
            room = _less(asker, task, room, sent=estimate_text(text), previous=previous, error=error)
            parts = _split(asker, rest, room, done=done)
            continue
        parts = parts[1:]
        done += 1
    return previous or ""


def _share(asker: Asker, task: Task, window: int, previous: str | None) -> _Room:
    frame = request_text(task, asker.prompts, conversation="", previous="x", clean=str)
    overhead = estimate_text(asker.prompts.system) + estimate_text(frame) + estimate_text(asker.prompts.retry) + 30
    answer = min(task.budget, window // 4)
    max_tokens = min(asker.source.output_limit(int(answer * 1.25) + 16), max(answer, window // 2))
    # Every part after the first carries the summary so far.
    carried = max(estimate_text(previous) if previous else 0, answer)
    conversation = int((window - max_tokens) * _MARGIN) - overhead - carried
    return _Room(conversation=conversation, answer=answer, max_tokens=max_tokens)


def _split(asker: Asker, pieces: Sequence[str], room: _Room, *, done: int = 0) -> list[list[str]]:
    if room.conversation < MIN_ROOM:
        raise SummaryError(
            f"{asker.source.name}: its context window of {asker.source.window or DEFAULT_WINDOW} tokens has no "
            f"room for a conversation beside the request itself and an answer of {room.answer} tokens; choose a model "
            "with a larger one"
        )
    parts = split_windows(pieces, room.conversation, estimate_text)
    if len(parts) + done > MAX_PARTS:
        raise SummaryError(
            f"{asker.source.name}: the conversation would take {len(parts)} requests of {room.conversation} "
            f"tokens ({MAX_PARTS} are the limit); choose a model with a larger context window"
        )
    return parts


def _less(asker: Asker, task: Task, room: _Room, *, sent: int, previous: str | None, error: OverflowedError) -> _Room:
    """Room for less, after a request was too long: as the error said, and at most half of what was sent."""
    if error.window is not None and error.window < (asker.source.window or DEFAULT_WINDOW):
        asker.source.window = error.window
        asker.tell(f"the model takes {error.window} tokens")
        shared = _share(asker, task, error.window, previous)
        if shared.conversation < sent:
            return shared
    half = min(sent, room.conversation) // 2
    asker.tell(f"the request was too long; trying with {half} tokens of conversation")
    if half < MIN_ROOM:
        raise SummaryError(f"{error}; nothing shorter is left to try") from error
    return msgspec.structs.replace(room, conversation=half)
