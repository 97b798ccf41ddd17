"""Hindsight: a session cut at some point, so that what it did afterwards tells what a summary should have kept.

for cut in make_cuts(session.path(), count_tokens=count):
    summary = summarizer.summarize(summary_request(cut, budget=1100))
    score_summary(reference_of(cut), summary.text, tokens=count, budget=1100)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from treering.compaction.summarizer import SpanMessage, SummaryRequest
from treering.evaluation.measures import STRICT, Reading, Reference, make_reference
from treering.evaluation.texts import read_part
from treering.facts.fold import FactState
from treering.session.path import Path

CUTS = (0.5, 0.7, 0.85)
"""Shares of a session's messages after which it is cut, unless others are asked for."""
KEEP_TOKENS = 20_000
"""What stays verbatim before the cut, in tokens."""
LEAST_REGION = 15_000
"""A region below this is not worth a compaction, and would flatter every summary."""

CountTokens = Callable[[str], int]


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it stood at some point, and what came after.

    Attributes:
        at: the share of the messages that the session had by then, 0 to 1.
        history: what a summary would replace, without the turn prefix.
        turn_prefix: the beginning of the turn that the cut splits.
        kept: what would stay verbatim.
        future: what the session did afterwards.
        region_tokens: size of what would be replaced.
        cwd: the session's folder.
    """

    at: float
    history: tuple[SpanMessage, ...]
    turn_prefix: tuple[SpanMessage, ...]
    kept: tuple[SpanMessage, ...]
    future: tuple[SpanMessage, ...]
    region_tokens: int
    cwd: str = ""

    @property
    def region(self) -> tuple[SpanMessage, ...]:
        """All that a summary would replace."""
        return (*self.history, *self.turn_prefix)


def path_messages(path: Path) -> tuple[SpanMessage, ...]:
    """The messages of a path from its root, as they were: nothing pruned, compactions left out."""
    return tuple(
        SpanMessage(entry.id, message)
        for entry in path.entries
        if entry.type != "compaction" and (message := entry.message) is not None
    )


def make_cuts(
    messages: Sequence[SpanMessage],
    *,
    count_tokens: CountTokens,
    at: Sequence[float] = CUTS,
    keep_tokens: int = KEEP_TOKENS,
    least_region: int = LEAST_REGION,
    cwd: str = "",
) -> Iterator[Cut]:
    """The session at each of these points; those with a smaller region than `least_region` tokens are left out.

    Args:
        messages: the whole session, oldest first.
        count_tokens: the size of a text in tokens.
        at: shares of the messages, 0 to 1.
        keep_tokens: how much stays verbatim.
        least_region: what must be replaced at least, in tokens.
        cwd: the session's folder.
    """
    sizes = [count_tokens(read_part([message]).text) for message in messages]
    for share in at:
        end = int(len(messages) * share)
        first_kept = _first_kept(messages[:end], sizes, keep_tokens)
        region_tokens = sum(sizes[:first_kept])
        if region_tokens >= least_region:
            start = _turn_start(messages, first_kept)
            yield Cut(
                at=share,
                history=tuple(messages[:start]),
                turn_prefix=tuple(messages[start:first_kept]),
                kept=tuple(messages[first_kept:end]),
                future=tuple(messages[end:]),
                region_tokens=region_tokens,
                cwd=cwd,
            )


def reference_of(cut: Cut, reading: Reading = STRICT) -> Reference:
    """What a summary of this cut is measured against."""
    return make_reference(cut.region, cut.kept, cut.future, reading)


def summary_request(cut: Cut, budget: int, facts: FactState, prefix_facts: FactState | None = None) -> SummaryRequest:
    """The request that a summarizer would get at this cut, with so many tokens for the whole text."""
    return SummaryRequest(
        history=cut.history,
        turn_prefix=cut.turn_prefix,
        kept=cut.kept,
        facts=facts,
        prefix_facts=prefix_facts,
        budget=budget,
        cwd=cut.cwd,
    )


def _first_kept(messages: Sequence[SpanMessage], sizes: Sequence[int], keep_tokens: int) -> int:
    first, kept = len(messages), 0
    while first > 0 and kept < keep_tokens:
        first -= 1
        kept += sizes[first]
    while first < len(messages) and messages[first].message.role == "toolResult":
        first += 1
    return first


def _turn_start(messages: Sequence[SpanMessage], first_kept: int) -> int:
    if first_kept >= len(messages) or messages[first_kept].message.starts_turn:
        return first_kept
    for index in range(first_kept - 1, -1, -1):
        if messages[index].message.starts_turn:
            return index
    return first_kept
