"""The ledger: every attempt to summarise that called a model or failed, as the session's file records it (SPEC §9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec

from treering.compaction.summarizer import ModelCall
from treering.session import records
from treering.session.entries import Entry
from treering.session.messages import JsonObject, as_list, as_object


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt.

    Attributes:
        entry_id: the record's entry.
        start: when it began (ISO 8601).
        reason: what it was made for.
        outcome: applied, failed or cancelled.
        cause: why it was not applied.
        model: who was asked last.
        tokens: the size of the context that was to be compacted.
        seconds: how long it took.
        input_tokens: sent to models, over all calls; None if no call told.
        output_tokens: likewise.
        price: US dollars; None if the price of any call is not known.
        retries: calls that were made again after an error or an answer of no use.
        calls: every call, in order.
    """

    entry_id: str
    start: str
    reason: str
    outcome: str
    cause: str | None = None
    model: str | None = None
    tokens: int | None = None
    seconds: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    price: float | None = None
    retries: int = 0
    calls: tuple[ModelCall, ...] = ()


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """The attempts together.

    Attributes:
        attempts: how many.
        applied: of them.
        calls: of models and endpoints.
        retries: of them.
        seconds: together.
        input_tokens: of the calls that told.
        output_tokens: likewise.
        price: US dollars of the calls whose price is known; None if that is none.
        unpriced: calls that were answered and whose price is not known.
    """

    attempts: int = 0
    applied: int = 0
    calls: int = 0
    retries: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    price: float | None = None
    unpriced: int = 0


def attempts(entries: Iterable[Entry]) -> Iterator[Attempt]:
    """The attempts among these entries, in their order; a record that cannot be read is passed over."""
    for entry in entries:
        data = records.record_data(entry, records.ATTEMPT)
        if data is not None:
            yield _attempt(entry.id, data)


def totals(found: Iterable[Attempt]) -> Totals:
    """The sums of attempts."""
    listed = list(found)
    calls = [call for attempt in listed for call in attempt.calls]
    prices = [call.price for call in calls if call.price is not None]
    return Totals(
        attempts=len(listed),
        applied=sum(attempt.outcome == "applied" for attempt in listed),
        calls=len(calls),
        retries=sum(attempt.retries for attempt in listed),
        seconds=round(sum(attempt.seconds for attempt in listed), 3),
        input_tokens=sum(call.input_tokens or 0 for call in calls),
        output_tokens=sum(call.output_tokens or 0 for call in calls),
        price=sum(prices) if prices else None,
        unpriced=sum(call.price is None and call.outcome == "answered" for call in calls),
    )


def _attempt(entry_id: str, data: JsonObject) -> Attempt:
    calls = tuple(call for item in as_list(data.get("calls")) or () if (call := _call(item)) is not None)
    return Attempt(
        entry_id=entry_id,
        start=_text(data.get("start")) or "",
        reason=_text(data.get("reason")) or "",
        outcome=_text(data.get("outcome")) or "",
        cause=_text(data.get("cause")),
        model=_text(data.get("model")),
        tokens=_whole(data.get("tokens")),
        seconds=_number(data.get("seconds")) or 0.0,
        input_tokens=_sum(call.input_tokens for call in calls),
        output_tokens=_sum(call.output_tokens for call in calls),
        price=_number(data.get("price")),
        retries=sum(call.retry > 0 for call in calls),
        calls=calls,
    )


def _call(value: object) -> ModelCall | None:
    try:
        return msgspec.convert(as_object(value), ModelCall)
    except msgspec.ValidationError:
        return None


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(cast("Any", value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
