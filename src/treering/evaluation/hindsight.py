"""Hindsight: a session cut at some point, so that what it did afterwards tells what a summary should have kept.

    for cut in make_cuts(session.path()):
        summary = summarizer.summarize(summary_request(cut, budget=1100))
        score_summary(reference_of(cut), summary.text, tokens=estimate_text, budget=1100)

The cut itself is planned as every compaction is, so what is measured is what the product does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from treering.compaction.plan import Plan, plan_compaction, span_messages
from treering.compaction.summarizer import SpanMessage, SummaryRequest
from treering.evaluation.measures import STRICT, Reading, Reference, make_reference
from treering.facts import fold as fold_module
from treering.facts.fold import FactState
from treering.session.entries import Entry
from treering.session.path import Path
from treering.settings import CompactionSettings, Settings
from treering.tokens.sizes import entry_tokens

CUTS = (0.5, 0.7, 0.85)
"""Shares of a session's messages after which it is cut, unless others are asked for."""
KEEP_TOKENS = 20_000
"""What stays verbatim before the cut, in tokens."""
LEAST_REGION = 15_000
"""A region of fewer tokens is not worth a compaction, and would flatter every summary."""

NO_FACTS = FactState()


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


def whole_history(path: Path) -> tuple[Entry, ...]:
    """The entries of a path as if it had never been compacted or cleared, so that all of its past can be looked at."""
    return tuple(entry for entry in path if entry.type not in {"compaction", "reset_boundary"})


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
    speaking = [index for index, entry in enumerate(entries) if entry.message is not None]
    settings = Settings(compaction=CompactionSettings(keep_recent_tokens=keep_tokens))
    for share in at:
        count = int(len(speaking) * share)
        if count == 0 or count >= len(speaking):
            continue
        end = speaking[count]
        plan = plan_compaction(Path(entries[:end]), settings)
        if isinstance(plan, Plan):
            region_tokens = sum(entry_tokens(entry) for entry in plan.path.entries[plan.start : plan.cut])
            if region_tokens >= least_region:
                yield Cut(
                    at=share,
                    history=plan.history,
                    turn_prefix=plan.turn_prefix,
                    kept=plan.kept,
                    future=span_messages(entries, end, len(entries)),
                    region_tokens=region_tokens,
                    cwd=cwd,
                )


def reference_of(cut: Cut, reading: Reading = STRICT) -> Reference:
    """What a summary of this cut is measured against."""
    return make_reference(cut.region, cut.kept, cut.future, reading)


def summary_request(cut: Cut, budget: int) -> SummaryRequest:
    """The request that a summarizer would get at this cut, with so many tokens for the whole text."""
    return request_for(cut.history, budget=budget, turn_prefix=cut.turn_prefix, kept=cut.kept, cwd=cut.cwd)


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
        facts=find_facts((*history, *turn_prefix), cwd=cwd),
        prefix_facts=find_facts(turn_prefix, cwd=cwd) if turn_prefix else None,
        budget=budget,
        cwd=cwd,
    )


def find_facts(messages: Sequence[SpanMessage], *, cwd: str = "", state: FactState = NO_FACTS) -> FactState:
    """The facts of messages, oldest first, on top of those that are known."""
    fold = getattr(fold_module, "fold", None)
    return cast("FactState", fold(state, messages, cwd=cwd)) if fold else state
