"""A model's narrative with the facts that it missed: models tell the story, and facts are ours to guarantee.

The facts stand in one section of their own after the narrative, as quotations. Before the next compaction the section
is taken off again: its facts are carried as a state, not as text, so they neither pile up nor drift.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from treering.compaction.check import RECORD_HEADING
from treering.compaction.files import strip_file_tags
from treering.compaction.summarizer import SummaryRequest
from treering.facts.select import Selection, Selector, command_text
from treering.facts.state import FactState
from treering.session.messages import whole_text
from treering.summarizers.extractive import MARGIN, commands_of
from treering.summarizers.sections import headings_for
from treering.tokens.estimate import estimate_message, estimate_text

FACTS_SHARE = 0.4
"""The most of a budget that facts may take beside a narrative."""

GAIN_SHARE = 0.6
"""A summary with its facts is at most this share of what it replaces."""

_SECTION = re.compile(rf"\n*^{re.escape(RECORD_HEADING)}$.*?(?=^---$|^# |^## |\Z)", re.DOTALL | re.MULTILINE)
_LEAST = 40


def without_facts(text: str) -> str:
    """A stored summary as its narrative alone: without lists of files, and without facts that stood beside it."""
    return _SECTION.sub("\n\n", strip_file_tags(text)).strip()


def replaced_tokens(request: SummaryRequest) -> int:
    """Tokens of all that a summary replaces, the summary before it included."""
    span = (*request.history, *request.turn_prefix)
    return sum(estimate_message(item.message) for item in span) + estimate_text(request.previous_summary or "")


def with_facts(narrative: str, request: SummaryRequest, *, taken: int = 0) -> str:
    """The narrative, and after it the facts that it does not tell, within the budget.

    Args:
        narrative: what the model wrote.
        request: for the facts, the budget, and what is kept anyway.
        taken: tokens of the budget that something else takes (the other part of a split turn).
    """
    # On a short span facts could make the whole longer than what it replaces, and all would be refused.
    allowed = min(int(request.budget / MARGIN), int(GAIN_SHARE * replaced_tokens(request)))
    limit = allowed - taken - estimate_text(narrative)
    room = min(limit, int(FACTS_SHARE * request.budget)) - estimate_text(RECORD_HEADING) - 4
    if room < _LEAST:
        return narrative
    shown = "\n".join((*(whole_text(span.message) for span in request.kept), narrative))
    selector = Selector(
        request.facts,
        kept_text=shown,
        kept_commands=commands_of(request.kept),
        instructions=request.instructions or "",
        count=estimate_text,
        budget=room,
    )
    # The user's words and what was run first: of all that could be chosen, as much as this part of the room takes.
    told = _plain(narrative)
    wide = selector.select(4 * room)
    must = _newest([command_text(item) for item in reversed(wide.commands)], told, int(0.2 * room)) | _newest(
        [item.shown for item in wide.requests[:-1]] + [rule.text for rule in wide.rules], told, int(0.4 * room)
    )
    lines = _fitting(list(_lines(selector.select(0), must, request.facts, told)), room)
    # Much of what is chosen turns out to be told already, so more than the room is chosen from, as much as then fits.
    least, most = 0, 4 * room
    for _ in range(8):
        aim = (least + most) // 2
        tried = list(_lines(selector.select(aim), must, request.facts, told))
        if estimate_text("\n".join(tried)) <= room:
            least, lines = aim, tried
        else:
            most = aim
    return f"{narrative}\n\n{RECORD_HEADING}\n" + "\n".join(lines) if lines else narrative


def _newest(texts: Sequence[str], told: str, room: int) -> frozenset[str]:
    """Of the texts that are not told, the newest (they come last) that fit; a long one that does not is passed over."""
    chosen: list[str] = []
    for text in reversed(texts):
        cost = estimate_text(text) + 3
        if cost <= room and _plain(text) not in told:
            room -= cost
            chosen.append(text)
    return frozenset(chosen)


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """The lines from the first on, as far as they fit; a title never stands last."""
    kept: list[str] = []
    for line in lines:
        if estimate_text("\n".join((*kept, line))) > room:
            break
        kept.append(line)
    while kept and kept[-1].endswith(":") and not kept[-1].startswith("- "):
        kept.pop()
    return kept


def _lines(chosen: Selection, must: frozenset[str], state: FactState, told: str) -> Iterable[str]:
    """The chosen facts that the narrative does not give word for word, what must not be lost first.

    Args:
        chosen: what fits.
        must: rules, requests and commands that go in whatever was chosen.
        state: all facts.
        told: the narrative, plain.
    """
    words = headings_for(state.language)

    def missing(texts: Iterable[str]) -> list[str]:
        return [text for text in texts if text and _plain(text) not in told]

    def listed(title: str, items: Sequence[str]) -> Iterable[str]:
        if items:
            yield f"{title}:"
            yield from (f"- {item}" for item in items)

    last = state.requests[-1] if state.requests else None
    rules = [rule.text for rule in state.rules if rule.text in must]
    yield from listed(words.constraints, rules)
    yield from listed(
        words.next_steps,
        missing([last.text if last else "", chosen.question, *(task.text for task in chosen.tasks)]),
    )
    # A request may have been chosen with the question that it answers, or without it.
    asked = (next((text for text in (item.shown, item.text) if text in must), "") for item in state.requests)
    yield from listed(words.asked, [text for text in asked if text and text not in rules])
    yield from listed(words.blocked, missing(error.text for error in chosen.errors if not error.slip))
    if commands := [text for item in state.commands if (text := command_text(item)) in must]:
        yield f"{words.commands}: {' · '.join(commands)}"
    if chosen.test and missing([chosen.test.text]):
        yield f"{words.test}: {chosen.test.text}"
    quotes = [*chosen.decisions, *chosen.quotes]
    for home in sorted({quote.home for quote in quotes}, key=lambda home: (home == "", home)):
        yield from listed(home or words.context, missing(quote.text for quote in quotes if quote.home == home))
    if chosen.names:
        yield from listed(words.names, [f"{home}: {', '.join(names)}" for home, names in chosen.names.items()])


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#]", "", text).split()).casefold()
