"""The record of an attempt to summarise: what was asked, what it cost, what came of it (SPEC §9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from treering.compaction.summarizer import ModelCall
from treering.session import records
from treering.session.tree import iso_timestamp


def attempt_record(
    *,
    start: datetime,
    reason: str,
    outcome: str,
    cause: str | None,
    tokens: int | None,
    seconds: float,
    summarizer: str,
    calls: Sequence[ModelCall],
) -> dict[str, Any]:
    """The body of a `treering.attempt` record.

    Args:
        start: when the attempt began.
        reason: what it was made for.
        outcome: applied, failed or cancelled.
        cause: why it was not applied.
        tokens: the size of the context that was to be compacted.
        seconds: how long the whole attempt took.
        summarizer: who was asked.
        calls: every call of a model, in order; a price that is not known is null, not 0.
    """
    prices = [call.price for call in calls]
    known = [price for price in prices if price is not None]
    return records.record(
        records.ATTEMPT,
        start=iso_timestamp(start),
        reason=reason,
        outcome=outcome,
        cause=cause,
        tokens=tokens,
        model=calls[-1].model if calls else summarizer,
        seconds=round(seconds, 3),
        price=sum(known) if calls and len(known) == len(prices) else None,
        calls=[msgspec.to_builtins(call) for call in calls],
    )
