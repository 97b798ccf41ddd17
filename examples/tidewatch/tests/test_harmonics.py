"""Predicted heights."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tidewatch.constituents import BY_NAME
from tidewatch.harmonics import height_at, hours_since_epoch, series
from tidewatch.stations import Station


def test_hours(start: datetime) -> None:
    assert hours_since_epoch(start) == 0
    assert hours_since_epoch(start + timedelta(days=1, minutes=30)) == 24.5


def test_the_crest_and_the_trough(plain: Station, start: datetime) -> None:
    half = timedelta(hours=BY_NAME["M2"].period_hours / 2)
    assert height_at(plain, start) == pytest.approx(3.0)
    assert height_at(plain, start + half) == pytest.approx(1.0)


def test_series_includes_both_ends(plain: Station, start: datetime) -> None:
    found = list(series(plain, start, start + timedelta(hours=1), timedelta(minutes=10)))
    assert len(found) == 7
    assert found[0][0] == start
    assert found[-1][0] == start + timedelta(hours=1)


def test_series_refuses_a_step_of_nothing(plain: Station, start: datetime) -> None:
    with pytest.raises(ValueError, match="positive"):
        list(series(plain, start, start, timedelta(0)))
