"""Hindsight: a session cut at some point, so that what it did afterwards tells what a summary should have kept.

    for cut in make_cuts(session.path()):
        text = summary_text(cut, ExtractiveSummarizer(), budget=1100)
        score_summary(reference_of(cut), text, tokens=estimate_text, budget=1100)

Cut and summary come from the product itself, run on the session as it was then; so what is measured is what users get.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from treering.compaction.plan import Plan, span_messages
from treering.compaction.summarizer import SpanMessage, Summarizer, SummaryRequest
from treering.evaluation.measures import STRICT, Reading, Reference, make_reference
from treering.evaluation.replay import Replay, region_tokens, stopping_points, whole_history
from treering.facts.fold import FactState, fold
from treering.session.path import Path

CUTS = (0.5, 0.7, 0.85)
"""Shares of a session's messages after which it is cut, unless others are asked for."""
KEEP_TOKENS = 20_000
"""What stays verbatim before the cut, in tokens."""
LEAST_REGION = 15_000
"""A region of fewer tokens is not worth a compaction, and would flatter every summary."""


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it stood at some point, and what came after.

    Attributes:
        at: the share of the messages that the session had by then, 0 to 1.
        history: what a summary would replace, without the turn prefix.
        turn_prefix: the beginning of the turn that the cut splits.
        kept: what would stay verbatim.
        future: what the session did afterwards.
        region_tokens: size of what would be replaced.
        replay: the session as it stood.
        cwd: the session's folder.
    """

    at: float
    history: tuple[SpanMessage, ...]
    turn_prefix: tuple[SpanMessage, ...]
    kept: tuple[SpanMessage, ...]
    future: tuple[SpanMessage, ...]
    region_tokens: int
    replay: Replay
    cwd: str = ""

    @property
    def region(self) -> tuple[SpanMessage, ...]:
        """All that a summary would replace."""
        return (*self.history, *self.turn_prefix)


def make_cuts(
    path: Path,
    *,
    at: Sequence[float] = CUTS,
    keep_tokens: int = KEEP_TOKENS,
    least_region: int = LEAST_REGION,
    cwd: str = "",
) -> Iterator[Cut]:
    """The session at each of these points; those with a smaller region than `least_region` tokens are left out.

    Args:
        path: the whole session, from its root.
        at: shares of the messages, 0 to 1.
        keep_tokens: how much stays verbatim.
        least_region: what must be replaced at least, in tokens.
        cwd: the session's folder.
    """
    entries = whole_history(path)
    for share, end in stopping_points(entries, at):
        replay = Replay(entries, cwd=cwd, keep_tokens=keep_tokens)
        replay.grow(end)
        plan = replay.plan()
        if isinstance(plan, Plan):
            size = region_tokens(plan)
            if size >= least_region:
                yield Cut(
                    at=share,
                    history=plan.history,
                    turn_prefix=plan.turn_prefix,
                    kept=plan.kept,
                    future=span_messages(entries, end, len(entries)),
                    region_tokens=size,
                    replay=replay,
                    cwd=cwd,
                )


def reference_of(cut: Cut, reading: Reading = STRICT) -> Reference:
    """What a summary of this cut is measured against."""
    return make_reference(cut.region, cut.kept, cut.future, reading)


def summary_text(cut: Cut, summarizer: Summarizer, budget: int) -> str:
    """The whole text that a compaction at this cut would store; empty if it would store none."""
    return cut.replay.compact(summarizer, budget, dry_run=True).summary or ""


def request_for(
    history: Sequence[SpanMessage],
    *,
    budget: int,
    turn_prefix: Sequence[SpanMessage] = (),
    kept: Sequence[SpanMessage] = (),
    cwd: str = "",
) -> SummaryRequest:
    """A request for these messages as the first compaction of a session would make it, facts found."""
    return SummaryRequest(
        history=tuple(history),
        turn_prefix=tuple(turn_prefix),
        kept=tuple(kept),
        facts=fold(FactState(), (*history, *turn_prefix), cwd=cwd),
        prefix_facts=fold(FactState(), turn_prefix, cwd=cwd) if turn_prefix else None,
        budget=budget,
        cwd=cwd,
    )
