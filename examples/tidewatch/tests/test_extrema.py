"""High and low waters."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tidewatch.extrema import extremes, next_extreme, range_of_day
from tidewatch.stations import Station


def test_they_take_turns(plain: Station, start: datetime) -> None:
    kinds = [e.kind for e in extremes(plain, start, start + timedelta(days=1))]
    assert kinds in (["low", "high", "low"], ["low", "high", "low", "high"])


def test_heights(plain: Station, start: datetime) -> None:
    for extreme in extremes(plain, start, start + timedelta(days=1)):
        expected = 3.0 if extreme.kind == "high" else 1.0
        assert extreme.height == pytest.approx(expected, abs=0.02)


def test_next_high(plain: Station, start: datetime) -> None:
    found = next_extreme(plain, start, "high")
    assert found is not None
    assert timedelta(hours=12) < found.when - start < timedelta(hours=13)


def test_range(plain: Station, start: datetime) -> None:
    assert range_of_day(plain, start) == pytest.approx(2.0, abs=0.03)
