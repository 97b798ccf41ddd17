"""Predicted heights: the mean level plus one cosine for each harmonic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tidewatch.constituents import speed_of
from tidewatch.stations import Station

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def hours_since_epoch(when: datetime) -> float:
    """Hours from the epoch of the phases to a moment."""
    return (when - EPOCH).total_seconds() / 3600.0


def height_at(station: Station, when: datetime) -> float:
    """Predicted height in metres above the station's datum."""
    hours = hours_since_epoch(when)
    height = station.mean_level
    for part in station.harmonics:
        angle = math.radians(speed_of(part.name) * hours - part.phase)
        height += part.amplitude * math.cos(angle)
    return height


def series(station: Station, start: datetime, end: datetime, step: timedelta) -> Iterator[tuple[datetime, float]]:
    """Heights from start to end, both included where the step meets the end."""
    if step <= timedelta(0):
        raise ValueError("the step must be positive")
    when = start
    while when <= end:
        yield when, height_at(station, when)
        when += step
