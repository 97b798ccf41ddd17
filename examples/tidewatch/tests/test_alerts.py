"""Alerts."""

from __future__ import annotations

from datetime import datetime, timedelta

from tidewatch.alerts import Alert, Rule, describe, find_alerts

LOW = Rule("sill dries", "plain", "below", 0.5)
HIGH = Rule("quay floods", "plain", "above", 2.0)


def levels(start: datetime, *values: float) -> list[tuple[datetime, float]]:
    return [(start + timedelta(minutes=10 * i), value) for i, value in enumerate(values)]


def test_one_stretch(start: datetime) -> None:
    found = list(find_alerts(LOW, levels(start, 1.0, 0.4, 0.2, 0.3, 0.9)))
    assert found == [Alert("sill dries", "plain", start + timedelta(minutes=10), start + timedelta(minutes=30), 0.2)]
    assert found[0].minutes == 20


def test_two_stretches(start: datetime) -> None:
    found = list(find_alerts(HIGH, levels(start, 2.5, 1.0, 1.0, 2.2, 2.1, 1.9)))
    assert [a.extreme for a in found] == [2.5, 2.2]


def test_the_limit_itself_is_allowed(start: datetime) -> None:
    assert list(find_alerts(HIGH, levels(start, 2.0, 2.0, 1.0))) == []


def test_describe(start: datetime) -> None:
    alert = Alert("quay floods", "plain", start, start + timedelta(minutes=40), 2.31)
    line = "2026-01-01 00:00 to 00:40 UTC  plain  quay floods: 2.31 m (above 2.00 m, 40 min)"
    assert describe(alert, HIGH) == line
