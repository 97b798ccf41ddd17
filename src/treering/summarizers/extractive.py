"""The extractive summarizer: a summary without a model, made of what the session itself said.

Everything but headings and a few words of glue is a quotation, so nothing is invented. What goes in is chosen from
the facts (`treering.facts.select`) by how likely it is needed again; the text is then laid out for a person who takes
over: what is wanted, what must be kept to, what was done request by request, what is next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from treering.compaction.summarizer import Summary, SummaryRequest
from treering.facts.roles import ASSISTANT, THINKING, USER
from treering.facts.select import Selection, Selector, command_text
from treering.facts.state import FactState, Quote
from treering.session.messages import Message, TextBlock, ThinkingBlock, ToolCallBlock
from treering.summarizers.sections import Headings, headings_for
from treering.tokens.estimate import estimate_text

MARGIN = 1.05
"""The estimator may be a few percent low, so the budget is filled to this share of the estimate."""


class ExtractiveSummarizer:
    """Summarises by quotation, without a model; the default, and the last resort of every chain."""

    name = "extractive"

    def summarize(self, request: SummaryRequest) -> Summary:
        """The summary of the request's facts. The same request gives the same bytes."""
        state = request.facts
        words = headings_for(state.language)
        limit = int(request.budget / MARGIN)
        selector = Selector(
            state,
            kept_text="\n".join(message_text(span.message) for span in request.kept),
            instructions=request.instructions or "",
            count=estimate_text,
        )
        room = limit - 60
        text = ""
        for _ in range(6):
            chosen = selector.select(room)
            text = render(chosen, state, words)
            over = estimate_text(text) - limit
            if over <= 0:
                break
            room -= over + 8
        return Summary(text=text, short=None, summarizer=self.name)


def render(chosen: Selection, state: FactState, words: Headings) -> str:
    """The chosen facts as Markdown."""
    out: list[str] = []
    last = state.requests[-1] if state.requests else None

    def section(title: str, lines: list[str], level: str = "##") -> None:
        if lines:
            out.extend(["", f"{level} {title}", *lines])

    if last:
        section(words.goal, [last.text])
    section(words.constraints, [f"- {rule.text}" for rule in chosen.rules])
    by_turn: dict[int, list[Quote]] = {}
    code: dict[str, list[Quote]] = {}
    for quote in chosen.quotes:
        if quote.source & (USER | ASSISTANT | THINKING) and not quote.home:
            by_turn.setdefault(quote.turn, []).append(quote)
        else:
            code.setdefault(quote.home, []).append(quote)
    done: list[str] = []
    requests = {request.turn: request for request in chosen.requests if request is not last}
    now = state.turn
    for turn in sorted({*by_turn, *requests} - {now}):
        if turn in requests:
            done.append(f"- {requests[turn].text}")
        done.extend(f"  - {quote.text}" for quote in by_turn.get(turn, ()))
    if done or by_turn.get(now) or chosen.errors:
        out.extend(["", f"## {words.progress}"])
    section(words.done, done, "###")
    section(words.in_progress, [f"- {quote.text}" for quote in by_turn.get(now, ())], "###")
    section(words.blocked, [f"- {error.text}" for error in chosen.errors], "###")
    section(words.decisions, [f"- {quote.text}" for quote in chosen.decisions])
    steps = [f"- {chosen.question}"] if chosen.question else []
    section(words.next_steps, steps + [f"- {task.text}" for task in chosen.tasks])
    context: list[str] = []
    for home in sorted(code, key=lambda h: (h == "", h)):
        if home:
            context.append(f"{home}:")
        context.extend(f"- {quote.text}" for quote in code[home])
    if chosen.names:
        context.append(f"{words.names}:")
        context.extend(f"- {home}: {', '.join(names)}" for home, names in chosen.names.items())
    if chosen.commands:
        context.append(f"{words.commands}:")
        context.extend(f"- {command_text(command)}" for command in chosen.commands)
    if chosen.test:
        context.append(f"{words.test}: {chosen.test.text}")
    section(words.context, context)
    if chosen.left_out > 0:
        out.extend(["", words.left_out.format(count=chosen.left_out)])
    return "\n".join(out).strip()


def message_text(message: Message) -> str:
    """All that a message shows, calls included."""
    parts: list[str] = []
    for block in message.blocks:
        if isinstance(block, (TextBlock, ThinkingBlock)):
            parts.append(block.text)
        elif isinstance(block, ToolCallBlock):
            parts.extend(_strings(block.arguments))
    return "\n".join(parts)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value):
            yield from _strings(item)
