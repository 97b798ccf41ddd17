"""The check of a summary against what it stands for, and its repair (SPEC §15.2). Pure.

Whoever wrote the summary, three things are asked: does it tell what must not be lost, does it name things that are
nowhere in the session, and does it give values that were changed since? What is missing can be put back, as quotations
in a section of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from treering.compaction.summarizer import SpanMessage
from treering.facts.lexicon import FILE, NAME, Lexicon, content_words
from treering.facts.state import FactState
from treering.facts.tasks import open_tasks
from treering.session.messages import whole_text
from treering.tokens.estimate import estimate_text

RECORD_HEADING = "## From the Record"
"""Over facts that are put beside a summary as quotations."""

ENOUGH_WORDS = 0.6
"""A fact counts as told if this share of its content words stands in the summary (MEASURES §1, directives)."""

MAX_ERRORS = 5
"""Standing errors that must not be lost: the newest. Older ones are often of a path that was left."""


class MustKeep(msgspec.Struct, frozen=True):
    """A fact that a summary must not lose.

    Attributes:
        kind: `rule`, `request`, `question`, `task` or `error`.
        text: word for word.
        entry_id: where it was said; empty if it is of several places.
    """

    kind: str
    text: str
    entry_id: str = ""


class CheckReport(msgspec.Struct, frozen=True):
    """What the check of a summary found.

    Attributes:
        kept: what must not be lost, and is told.
        missing: what must not be lost, and is not told.
        invented: files and names that are nowhere in what the summary stands for.
        stale: values that were changed since, given without the new ones.
        repaired: what was missing and has been put back.
    """

    kept: tuple[MustKeep, ...]
    missing: tuple[MustKeep, ...]
    invented: tuple[str, ...]
    stale: tuple[str, ...]
    repaired: tuple[MustKeep, ...] = ()

    @property
    def score(self) -> float:
        """The share of what must be told that is told, less a tenth for each thing that is wrong; 0 to 1."""
        total = len(self.kept) + len(self.missing)
        told = len(self.kept) / total if total else 1.0
        return max(0.0, told - 0.1 * (len(self.invented) + len(self.stale)))


def must_keep(facts: FactState) -> Iterator[MustKeep]:
    """What must not be lost, the most important first: rules, the request in hand, the open question, tasks, errors."""
    for rule in facts.rules:
        yield MustKeep("rule", rule.text, rule.entry)
    if facts.requests:
        last = facts.requests[-1]
        if last.text:
            yield MustKeep("request", last.text, last.entry)
        if last.question:
            yield MustKeep("question", last.question, last.outcome_entry)
    for task in open_tasks(facts.tasks):
        yield MustKeep("task", task.text)
    for error in [error for error in facts.errors if not error.slip][-MAX_ERRORS:]:
        yield MustKeep("error", error.text, error.entry)


def check_summary(
    text: str,
    *,
    facts: FactState,
    span: Iterable[SpanMessage] = (),
    kept: Iterable[SpanMessage] = (),
    previous_summary: str | None = None,
) -> CheckReport:
    """Check a summary.

    Args:
        text: the summary as it would be stored.
        facts: of everything that it stands for.
        span: the messages that it replaces; read only for names that the facts do not know.
        kept: the messages that stay; what they tell need not be in the summary.
        previous_summary: the summary in force before, whose names are no inventions.
    """
    kept = tuple(kept)
    shown = "\n".join((text, *map(_shown, kept)))
    plain, words = _plain(shown), content_words(shown)
    told: list[MustKeep] = []
    missing: list[MustKeep] = []
    for fact in must_keep(facts):
        (told if _is_told(fact.text, plain, words) else missing).append(fact)
    sources = _sources(facts, span, kept, previous_summary)
    stale = tuple(old for old, new in facts.superseded if old in text and new not in text)
    return CheckReport(tuple(told), tuple(missing), tuple(_unknown_names(text, sources)), stale)


def repair(text: str, report: CheckReport, *, max_tokens: int) -> tuple[str, CheckReport]:
    """Put back what is missing, the most important first, as far as `max_tokens` go.

    Returns the summary with the section, and the report with what was put back. A fact goes in whole or not at all.
    """
    has_section = RECORD_HEADING in text
    room = max_tokens - (0 if has_section else estimate_text(RECORD_HEADING) + 2)
    lines: list[str] = []
    repaired: list[MustKeep] = []
    for fact in report.missing:
        line = "- " + " ".join(fact.text.split())
        cost = estimate_text(line) + 1
        if cost <= room:
            room -= cost
            lines.append(line)
            repaired.append(fact)
    if not lines:
        return text, report
    block = "\n".join(lines)
    if has_section:
        head, _, rest = text.partition(RECORD_HEADING)
        text = f"{head}{RECORD_HEADING}\n{block}{rest}"
    else:
        text = f"{text.rstrip()}\n\n{RECORD_HEADING}\n{block}"
    left = tuple(fact for fact in report.missing if fact not in repaired)
    return text, msgspec.structs.replace(
        report, kept=(*report.kept, *repaired), missing=left, repaired=(*report.repaired, *repaired)
    )


def _shown(span: SpanMessage) -> str:
    """All that a message shows, the names of its tools and of their arguments included."""
    calls = (name for call in span.message.tool_calls for name in (call.name, *call.arguments))
    return "\n".join((whole_text(span.message), *calls))


def _is_told(fact: str, plain: str, words: set[str]) -> bool:
    if _plain(fact) in plain:
        return True
    needed = content_words(fact)
    return bool(needed) and len(needed & words) >= ENOUGH_WORDS * len(needed)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#]", "", text).split()).casefold()


def _sources(
    facts: FactState, span: Iterable[SpanMessage], kept: Iterable[SpanMessage], previous_summary: str | None
) -> Iterator[str]:
    """What a summary may have its names from, the quickest to search first; the span comes last."""
    known = [quote.text for quote in (*facts.quotes, *facts.decisions)]
    known += [term.name for term in facts.terms]
    known += [file.path for file in facts.files]
    known += [text for request in facts.requests for text in (request.shown, request.outcome, request.question)]
    known += [item.text for item in (*facts.rules, *facts.commands, *facts.errors, *facts.tasks)]
    if facts.test:
        known.append(facts.test.text)
    yield "\n".join((*known, previous_summary or ""))
    for message in (*kept, *span):
        yield _shown(message)


def _unknown_names(text: str, sources: Iterator[str]) -> list[str]:
    """The files and names of a text that no source holds. Reads no further source than it takes to find them all."""
    names = {
        name: None for kind, name in Lexicon().terms(text) if kind == FILE or (kind == NAME and not name.isupper())
    }
    for source in sources:
        if not names:
            break
        names = {name: None for name in names if name not in source}
    return list(names)
