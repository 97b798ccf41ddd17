"""The size of a context before and after a compaction, in one unit: the provider's tokens (SPEC §4)."""

from __future__ import annotations

import msgspec

from treering.compaction.plan import Plan
from treering.session.context import Context
from treering.session.messages import decode_message
from treering.tokens.estimate import estimate_message
from treering.tokens.measuring import context_calibration, context_size
from treering.tokens.sizes import entry_tokens, prefix_sums


class Measure(msgspec.Struct, frozen=True):
    """A context's size.

    Attributes:
        tokens: the size, overhead included.
        scale: the provider's tokens for one estimated token.
        overhead: tokens of system prompt and tool schemas.
    """

    tokens: int
    scale: float
    overhead: int

    def replaced(self, plan: Plan, first_kept_id: str) -> int:
        """Estimated tokens that a summary stands in for: the span, and the summary in force before."""
        sums = prefix_sums(plan.path)
        cut = plan.path.index_of(first_kept_id)
        before = 0 if plan.previous is None else entry_tokens(plan.previous)
        return before + sums[plan.cut if cut is None else cut] - sums[plan.start]

    def after(self, plan: Plan, first_kept_id: str, summary: str) -> int:
        """The size of the context that would begin with this summary."""
        message = decode_message({"role": "compactionSummary", "summary": summary})
        saved = self.replaced(plan, first_kept_id) - estimate_message(message)
        return max(0, self.tokens - round(saved * self.scale))


def measure(context: Context, *, overhead: int | None = None) -> Measure:
    """Measure a context; see `Measure`. `overhead` is found from what the provider counted if it is not given."""
    calibration = context_calibration(context, overhead=overhead)
    size = context_size(context, calibration=calibration, overhead=overhead)
    return Measure(size.tokens, calibration.factor, calibration.overhead)
