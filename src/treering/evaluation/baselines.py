"""What costs nothing: summaries that anybody could make without a thought, as the floor that others must beat.

Each is a summarizer, so that it runs wherever one does. They fill their budget with whole lines of the span.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from treering.compaction.summarizer import SpanMessage, Summary, SummaryRequest
from treering.evaluation.directives import directives
from treering.evaluation.lines import terms_of
from treering.evaluation.texts import Part, read_part
from treering.evaluation.words import invocations

CountTokens = Callable[[str], int]
Choose = Callable[[Part, Part, int, CountTokens], list[str]]
"""Region, kept part, budget in tokens, counter → the lines of the summary."""

LONGEST_LINE = 400
"""Characters of a line that the greedy cover takes; longer ones are data."""
MOST_RANKED = 2000
"""Lines that are looked at in order of rank; the budget is full long before."""


class Baseline:
    """A summarizer made of a rule that chooses lines."""

    def __init__(self, name: str, choose: Choose, count_tokens: CountTokens) -> None:
        """Make one.

        Args:
            name: as it is shown in tables.
            choose: the rule.
            count_tokens: the size of a text in tokens.
        """
        self.name = name
        self._choose = choose
        self._count = count_tokens

    def summarize(self, request: SummaryRequest) -> Summary:
        """The chosen lines. A previous summary is read as the oldest lines of the span."""
        region = read_part((*request.history, *request.turn_prefix))
        if request.previous_summary:
            region = Part((*read_part([as_summary(request.previous_summary)]).pieces, *region.pieces))
        lines = self._choose(region, read_part(request.kept), request.budget, self._count)
        # The sum of estimates, each rounded, may be a little less than the estimate of the whole.
        while lines and self._count("\n".join(lines)) > request.budget:
            lines.pop()
        return Summary(text="\n".join(lines), summarizer=self.name)


def as_summary(text: str) -> SpanMessage:
    """A previous summary as a message of the span."""
    from treering.session.messages import decode_message

    return SpanMessage("", decode_message({"role": "compactionSummary", "summary": text}))


def baselines(count_tokens: CountTokens, *, seed: int = 1) -> dict[str, Baseline]:
    """All baselines by name, in the order of the tables. `seed` is for the random lines."""
    rules: dict[str, Choose] = {
        "last lines": last_lines,
        "random lines": lambda region, kept, budget, count: random_lines(region, kept, budget, count, seed),
        "rare words": rare_words,
        "user's text": users_text,
        "greedy cover": greedy_cover,
        "greedy, kept left out": greedy_cover_without_kept,
    }
    return {name: Baseline(name, rule, count_tokens) for name, rule in rules.items()}


def last_lines(region: Part, _kept: Part, budget: int, count: CountTokens) -> list[str]:
    """The end of the region, as much as fits."""
    chosen: list[str] = []
    left = budget
    for line in reversed(region.lines):
        left -= count(line) + 1
        if left < 0:
            break
        chosen.append(line)
    return chosen[::-1]


def random_lines(region: Part, _kept: Part, budget: int, count: CountTokens, seed: int = 1) -> list[str]:
    """Lines in random order."""
    lines = list(dict.fromkeys(region.lines))
    random.Random(seed).shuffle(lines)
    return fill(lines[:MOST_RANKED], budget, count)


def rare_words(region: Part, _kept: Part, budget: int, count: CountTokens) -> list[str]:
    """Lines whose words are rare on average (three words at least, names and numbers among them)."""
    lines = list(dict.fromkeys(region.lines))
    by_line = {line: line.split() for line in lines}
    spread = Counter(word for line in lines for word in set(by_line[line]))

    def rarity(line: str) -> float:
        found = by_line[line]
        return sum(math.log(len(lines) / spread[word]) for word in found) / len(found) if len(found) >= 3 else 0.0

    return fill(sorted(lines, key=rarity, reverse=True)[:MOST_RANKED], budget, count)


def users_text(region: Part, _kept: Part, budget: int, count: CountTokens) -> list[str]:
    """All that users wrote, from the beginning."""
    chosen: list[str] = []
    left = budget
    for line in region.by("user").split("\n"):
        left -= count(line) + 1
        if left < 0:
            break
        chosen.append(line)
    return chosen


def greedy_cover(region: Part, _kept: Part, budget: int, count: CountTokens) -> list[str]:
    """Rules of the user, all commands by program and first argument, then the lines with the most new names a token."""
    return _greedy(region, frozenset(), budget, count)


def greedy_cover_without_kept(region: Part, kept: Part, budget: int, count: CountTokens) -> list[str]:
    """As `greedy_cover`, without the names that the kept part shows anyway."""
    return _greedy(region, frozenset(term for line in kept.lines for term in terms_of(line)), budget, count)


def fill(lines: Iterable[str], budget: int, count: CountTokens) -> list[str]:
    """The lines in their order, each that still fits."""
    chosen: list[str] = []
    left = budget
    for line in lines:
        size = count(line) + 1
        if size <= left:
            chosen.append(line)
            left -= size
    return chosen


def _greedy(region: Part, shown: frozenset[str], budget: int, count: CountTokens) -> list[str]:
    chosen = fill([*directives(region), *_commands(region)], budget, count)
    left = budget - sum(count(line) + 1 for line in chosen)
    covered = {*shown, *(term for line in chosen for term in terms_of(line))}
    # The best gain of a line only falls while others are chosen, so a line is looked at again only when it leads.
    ranked = [
        (len(new) / size, line, size)
        for line in dict.fromkeys(region.lines)
        if len(line) <= LONGEST_LINE and (new := terms_of(line) - covered) and (size := count(line) + 1) <= left
    ]
    ranked.sort(key=lambda item: -item[0])
    while ranked:
        _, line, size = ranked.pop(0)
        new = terms_of(line) - covered
        if not new or size > left:
            continue
        if ranked and len(new) / size < ranked[0][0]:
            _put_back(ranked, (len(new) / size, line, size))
            continue
        chosen.append(line)
        left -= size
        covered |= new
    return chosen


def _put_back(ranked: list[tuple[float, str, int]], item: tuple[float, str, int]) -> None:
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high) // 2
        if ranked[middle][0] >= item[0]:
            low = middle + 1
        else:
            high = middle
    ranked.insert(low, item)


def _commands(region: Part) -> Sequence[str]:
    return list(dict.fromkeys(name for command in reversed(region.commands) for name in invocations(command)))
