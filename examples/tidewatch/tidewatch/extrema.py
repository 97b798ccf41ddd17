"""High and low waters of a predicted tide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from tidewatch.harmonics import series
from tidewatch.stations import Station

SAMPLE = timedelta(minutes=12)


@dataclass(frozen=True, slots=True)
class Extreme:
    """A high or a low water."""

    when: datetime
    height: float
    kind: Literal["high", "low"]


def extremes(station: Station, start: datetime, end: datetime) -> Iterator[Extreme]:
    """High and low waters between start and end, in order.

    The tide is sampled every SAMPLE; a sample that lies above both its neighbours is a high water,
    one that lies below both is a low water.
    """
    samples = list(series(station, start, end, SAMPLE))
    for i in range(1, len(samples) - 1):
        before, here, after = (round(samples[j][1], 3) for j in (i - 1, i, i + 1))
        when = samples[i][0]
        if before < here > after:
            yield Extreme(when, here, "high")
        elif before > here < after:
            yield Extreme(when, here, "low")


def next_extreme(station: Station, after: datetime, kind: Literal["high", "low"]) -> Extreme | None:
    """The first high or low water after a moment, within two days."""
    for extreme in extremes(station, after, after + timedelta(days=2)):
        if extreme.kind == kind:
            return extreme
    return None


def range_of_day(station: Station, day: datetime) -> float:
    """Difference between the highest high and the lowest low water of a day."""
    found = list(extremes(station, day, day + timedelta(days=1)))
    highs = [e.height for e in found if e.kind == "high"]
    lows = [e.height for e in found if e.kind == "low"]
    if not highs or not lows:
        return 0.0
    return max(highs) - min(lows)
