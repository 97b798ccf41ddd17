"""Alerts: stretches of time in which a level passes a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Direction = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class Rule:
    """When to warn: the level passes a limit in one direction."""

    name: str
    station: str
    direction: Direction
    limit: float  # metres

    def holds(self, level: float) -> bool:
        """Whether a level is past the limit."""
        if self.direction == "above":
            return level > self.limit
        return level < self.limit


@dataclass(frozen=True, slots=True)
class Alert:
    """One stretch of time in which a rule holds."""

    rule: str
    station: str
    start: datetime
    end: datetime
    extreme: float  # the level that is furthest past the limit

    @property
    def minutes(self) -> int:
        """How long it lasts, in whole minutes."""
        return int((self.end - self.start).total_seconds() // 60)


def find_alerts(rule: Rule, levels: Iterable[tuple[datetime, float]]) -> Iterator[Alert]:
    """The alerts of one rule over a series of levels, in order of time."""
    start: datetime | None = None
    end: datetime | None = None
    extreme = 0.0
    worst = max if rule.direction == "above" else min
    for when, level in levels:
        if rule.holds(level):
            if start is None:
                start, extreme = when, level
            end = when
            extreme = worst(extreme, level)
        elif start is not None and end is not None:
            yield Alert(rule.name, rule.station, start, end, extreme)
            start = end = None


def describe(alert: Alert, rule: Rule) -> str:
    """One line for people."""
    return (
        f"{alert.start:%Y-%m-%d %H:%M} to {alert.end:%H:%M} UTC  {alert.station}  {alert.rule}: "
        f"{alert.extreme:.2f} m ({rule.direction} {rule.limit:.2f} m, {alert.minutes} min)"
    )
