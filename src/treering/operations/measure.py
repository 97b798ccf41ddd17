"""The size of a context before and after a compaction, in one unit: the provider's tokens (SPEC §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from treering.session.context import Context
from treering.session.messages import decode_message
from treering.tokens.estimate import estimate_message
from treering.tokens.measuring import context_calibration, context_size
from treering.tokens.sizes import entry_tokens, prefix_sums
from treering.tokens.usage import Calibration

if TYPE_CHECKING:  # whoever only measures need not load how compactions are planned
    from treering.compaction.plan import Plan


class Measure(msgspec.Struct, frozen=True):
    """A context's size.

    Attributes:
        tokens: the size, overhead included.
        calibration: how the provider's count follows from the estimate.
    """

    tokens: int
    calibration: Calibration

    def replaced(self, plan: Plan, first_kept_id: str) -> int:
        """Estimated tokens that a summary stands in for: the span, and the summary in force before."""
        sums = prefix_sums(plan.path)
        cut = plan.path.index_of(first_kept_id)
        before = 0 if plan.previous is None else entry_tokens(plan.previous)
        return before + sums[plan.cut if cut is None else cut] - sums[plan.start]

    def after(self, plan: Plan, first_kept_id: str, summary: str) -> int:
        """The size of the context that would begin with this summary, until a provider counts it."""
        sums = prefix_sums(plan.path)
        cut = plan.path.index_of(first_kept_id)
        kept = sums[-1] - sums[plan.cut if cut is None else cut]
        return self.calibration.of(kept + summary_message_tokens(summary)) + self.calibration.overhead


def summary_message_tokens(summary: str) -> int:
    """Estimated tokens of the message that a summary is sent in."""
    return estimate_message(decode_message({"role": "compactionSummary", "summary": summary}))


def measure(context: Context, *, overhead: int | None = None) -> Measure:
    """Measure a context; see `Measure`. `overhead` is found from what the provider counted if it is not given."""
    calibration = context_calibration(context, overhead=overhead)
    size = context_size(context, calibration=calibration, overhead=overhead)
    return Measure(size.tokens, calibration)
