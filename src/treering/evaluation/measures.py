"""The scorer: what a summary keeps of a region, by what the session itself used afterwards.

For files, names, commands and numbers, a fact counts if the region has it, the kept part does not, and the future has
it again: so any real session is its own test, and nobody has to say what was important. All here are functions from
values to values.

    reference = make_reference(region, kept, future)      # once for a cut
    score = score_summary(reference, text, budget=1100)   # for each summary
    score.files.rate, score.files.missed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from treering.compaction.summarizer import SpanMessage
from treering.evaluation.directives import directives, user_sentences
from treering.evaluation.lines import (
    Source,
    bare_words,
    invented,
    neighbours,
    normal,
    related,
    source_of,
)
from treering.evaluation.standing import (
    PRESENT,
    Changed,
    changed_values,
    digits_ignored,
    has_error,
    next_steps,
    stale_values,
    standing_errors,
)
from treering.evaluation.texts import Part, own_words, read_part
from treering.evaluation.words import base_names, contains, content_words, invocations, names, numbers, share


class Reading(msgspec.Struct, frozen=True):
    """How the definitions are read where they can be read in two ways.

    Attributes:
        upper_words: whether a word in capitals without underscore (`README`) is a name in UPPER_CASE.
        all_names_count: whether every name of a line counts towards the most that a line of a relation may hold, or
            only those that are used again.
        lines_together: within how many neighbouring lines the words of a directive must stand; 0 for anywhere in the
            summary.
    """

    upper_words: bool = False
    all_names_count: bool = True
    lines_together: int = 3


STRICT = Reading()
"""The reading by which less is kept: the one that is reported unless another is asked for."""
PLAIN = Reading(upper_words=True, all_names_count=False, lines_together=0)
"""The reading by the letter."""


class Measure(msgspec.Struct, frozen=True):
    """Of `total` facts, `hit` are in the summary; `missed` are the others."""

    hit: int
    total: int
    missed: tuple[str, ...] = ()

    @property
    def rate(self) -> float | None:
        """The share that is there, 0 to 1; None if there was nothing to keep."""
        return self.hit / self.total if self.total else None


class Reference(msgspec.Struct, frozen=True):
    """All that a summary of one cut is measured against."""

    files: tuple[str, ...]
    names: tuple[str, ...]
    commands: tuple[str, ...]
    numbers: tuple[str, ...]
    directives: tuple[str, ...]
    user_sentences: tuple[str, ...]
    neighbours: Mapping[str, tuple[str, ...]]
    next_steps: tuple[str, ...]
    errors: tuple[str, ...]
    changed: tuple[Changed, ...]
    source: Source
    region_text: str
    reading: Reading


class Score(msgspec.Struct, frozen=True):
    """Every measure of one summary. For `bare`, `stale` and `invented`, less is better.

    Attributes:
        files: files by base name, used again.
        names: names in camelCase, PascalCase, snake_case, UPPER_CASE, used again.
        commands: program and first argument of shell commands that are run again.
        numbers: numbers that a person, the assistant or a command wrote, used again.
        directives: sentences of the user that order, forbid, prefer or correct.
        user_sentences: all sentences that the user wrote: what `directives` would be if every one counted.
        relations: files and names, used again, on a line that tells something of them.
        next_steps: what is open at the cut.
        errors: error lines that still stand.
        bare: words that stand in bare lists, of all words; `missed` are those lines.
        stale: changed values, of which the old is given without the new; `missed` are those lines.
        invented: paths and names of the summary that are nowhere in the region.
        tokens: size of the summary.
        budget: tokens that it was allowed; None if it had no budget.
    """

    files: Measure
    names: Measure
    commands: Measure
    numbers: Measure
    directives: Measure
    user_sentences: Measure
    relations: Measure
    next_steps: Measure
    errors: Measure
    bare: Measure
    stale: Measure
    invented: tuple[str, ...]
    tokens: int
    budget: int | None = None

    @property
    def over_budget(self) -> bool:
        """Whether the summary is larger than it was allowed."""
        return self.budget is not None and self.tokens > self.budget


def make_reference(
    region: Sequence[SpanMessage],
    kept: Sequence[SpanMessage],
    future: Sequence[SpanMessage],
    reading: Reading = STRICT,
) -> Reference:
    """What a summary of the region should hold, by what the future used."""
    parts = read_part(region), read_part(kept), read_part(future)
    now, stays, later = parts
    forward_files = _forward(*(base_names(part.text) for part in parts))
    forward_names = _forward(*(names(part.text, upper_words=reading.upper_words) for part in parts))
    written = now.by("user", "assistant", "command", "summary")
    return Reference(
        files=forward_files,
        names=forward_names,
        commands=_forward(*(_run(part) for part in parts)),
        numbers=_forward(numbers(written), numbers(stays.text), numbers(later.text)),
        directives=tuple(directives(now)),
        user_sentences=tuple(user_sentences(now)),
        neighbours={
            term: around
            for term, around in neighbours(now.lines, {*forward_files, *forward_names}).items()
            if len(around) >= 2
        },
        next_steps=tuple(next_steps(region, kept)),
        errors=tuple(standing_errors(now, stays)),
        changed=tuple(changed_values(now)),
        source=source_of(_quotable(now)),
        region_text=now.text,
        reading=reading,
    )


def score_summary(
    reference: Reference,
    summary: str,
    *,
    tokens: int | Callable[[str], int],
    budget: int | None = None,
) -> Score:
    """Measure a summary.

    Args:
        reference: the cut that it is for.
        summary: the whole stored text.
        tokens: its size, or the function that counts it.
        budget: tokens that it was allowed.
    """
    files = set(base_names(summary))
    there = set(names(summary, upper_words=reference.reading.upper_words))
    found_numbers = set(numbers(summary))
    flat = normal(summary.replace("\n", " "))
    said = _Said(summary, reference.reading.lines_together)
    error_lines = [digits_ignored(line) for line in summary.split("\n")]
    stale = stale_values(reference.changed, summary)
    known = set(reference.neighbours)
    told = related(summary, reference.source, reference.neighbours, all_names_count=reference.reading.all_names_count)
    bare, size = bare_words(summary, reference.source)
    return Score(
        files=_measure(reference.files, lambda item: item in files),
        names=_measure(reference.names, lambda item: item in there),
        commands=_measure(reference.commands, lambda item: contains(flat, item)),
        numbers=_measure(reference.numbers, lambda item: item in found_numbers),
        directives=_measure(reference.directives, said.has),
        user_sentences=_measure(reference.user_sentences, said.has),
        relations=_measure(sorted(known), lambda item: item in told),
        # A request may be long, and a summary may give its sentences at their places.
        next_steps=_measure(reference.next_steps, _Said(summary, 0).has),
        errors=_measure(reference.errors, lambda item: has_error(item, error_lines)),
        bare=Measure(bare, size),
        stale=Measure(len(stale), len(reference.changed), tuple(value.new for value in stale)),
        invented=tuple(invented(summary, reference.region_text)),
        tokens=tokens if isinstance(tokens, int) else tokens(summary),
        budget=budget,
    )


def score(
    region: Sequence[SpanMessage],
    kept: Sequence[SpanMessage],
    future: Sequence[SpanMessage],
    summary: str,
    *,
    tokens: int | Callable[[str], int],
    budget: int | None = None,
    reading: Reading = STRICT,
) -> Score:
    """Measure one summary of one cut; for several summaries make the reference once."""
    return score_summary(make_reference(region, kept, future, reading), summary, tokens=tokens, budget=budget)


class _Said:
    """The words of a summary, by the lines that they stand on."""

    def __init__(self, summary: str, together: int) -> None:
        lines = [frozenset(content_words(line)) for line in summary.split("\n") if line.strip()]
        size = together or len(lines)
        windows = range(max(1, len(lines) - size + 1))
        self._windows = [frozenset[str]().union(*lines[at : at + size]) for at in windows]

    def has(self, sentence: str) -> bool:
        needed = content_words(sentence)
        return any(share(needed, window) >= PRESENT for window in self._windows)


def _measure(items: Sequence[str], present: Callable[[str], bool]) -> Measure:
    missed = tuple(item for item in items if not present(item))
    return Measure(len(items) - len(missed), len(items), missed)


def _forward(now: Iterable[str], stays: Iterable[str], later: Iterable[str]) -> tuple[str, ...]:
    shown, used = set(stays), set(later)
    return tuple(item for item in dict.fromkeys(now) if item not in shown and item in used)


def _run(part: Part) -> list[str]:
    return [invocation for command in part.commands for invocation in invocations(command)]


def _quotable(part: Part) -> Iterable[str]:
    for piece in part.pieces:
        yield own_words(piece.text) if piece.author == "user" else piece.text
        if piece.author == "user":
            yield piece.text
