"""Tide tables."""

from __future__ import annotations

from datetime import datetime, timedelta

from tidewatch.extrema import Extreme
from tidewatch.table import render, rows


def test_the_date_is_written_once_a_day(start: datetime) -> None:
    found = [
        Extreme(start + timedelta(hours=3), 3.1, "high"),
        Extreme(start + timedelta(hours=9), 0.4, "low"),
        Extreme(start + timedelta(hours=27), 3.0, "high"),
    ]
    assert list(rows(found)) == [
        "2026-01-01  03:00     3.10 m  high",
        "            09:00     0.40 m  low",
        "2026-01-02  03:00     3.00 m  high",
    ]


def test_render(start: datetime) -> None:
    text = render("Plain", [Extreme(start, 1.0, "low")], "ft")
    assert text.splitlines()[0:2] == ["Plain", "====="]
    assert "3.28 ft" in text
