"""The text of a request to a model: data in its elements, then what is asked (SPEC §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from treering.compaction.summarizer import SpanMessage
from treering.compaction.transcript import neutralise, render_messages, shorten
from treering.summarizers.prompts import Prompts, fill

WORDS_PER_TOKEN = 0.4
"""The length that is asked for, in words a token of the budget: a text of that many words leaves room for facts."""

_MAX_CONTEXT_LINES = 50
_MAX_LINE = 2_000
_MAX_INSTRUCTIONS = 8_000


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked about a conversation.

    Attributes:
        purpose: for the ledger: `first`, `update`, `turn-prefix`, `branch`, `short`.
        prompt: the wording for a conversation without a summary before it.
        update: the wording for a conversation with one.
        budget: tokens that the answer may have.
        instructions: what the user asked of the summary.
        context_lines: what hooks add.
    """

    purpose: str
    prompt: str
    update: str
    budget: int
    instructions: str | None = None
    context_lines: tuple[str, ...] = ()


def request_text(
    task: Task, prompts: Prompts, *, conversation: str | None, previous: str | None, clean: Callable[[str], str]
) -> str:
    """The whole of a request's user message.

    Args:
        task: what is asked.
        prompts: for the wording of the user's wishes.
        conversation: a transcript, whose tags are inert already.
        previous: the summary so far.
        clean: takes secrets out.
    """
    parts: list[str] = []
    if conversation is not None:
        parts.append(f"<conversation>\n{conversation}\n</conversation>")
    if previous:
        parts.append(f"<previous-summary>\n{neutralise(clean(previous))}\n</previous-summary>")
    if lines := list(_context_lines(task.context_lines, clean)):
        parts.append("<additional-context>\n" + "\n".join(lines) + "\n</additional-context>")
    wording = task.update if previous and conversation is not None else task.prompt
    parts.append(fill(clean(wording), words=max(40, int(task.budget * WORDS_PER_TOKEN))))
    if task.instructions and task.instructions.strip():
        wishes = neutralise(shorten(clean(task.instructions.strip()), _MAX_INSTRUCTIONS))
        parts.append(fill(prompts.instructions, instructions=wishes))
    return "\n\n".join(parts)


def span_pieces(messages: Sequence[SpanMessage], clean: Callable[[str], str]) -> list[str]:
    """The pieces of a span's transcript, without secrets.

    Secrets are looked for in every block before it is cut, and once more in the pieces, where the name of an argument
    stands beside its value.
    """
    return [clean(piece) for piece in render_messages((item.message for item in messages), clean=clean)]


def _context_lines(lines: Iterable[str], clean: Callable[[str], str]) -> Iterable[str]:
    for count, line in enumerate(lines):
        if count == _MAX_CONTEXT_LINES:
            yield "- […]"
            return
        text = " ".join(line.split())
        if text:
            yield f"- {neutralise(shorten(clean(text), _MAX_LINE))}"
