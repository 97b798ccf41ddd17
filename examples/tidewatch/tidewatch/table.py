"""Tide tables as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from tidewatch.extrema import Extreme
from tidewatch.units import format_height

HEADER = f"{'date':<12}{'time':<7}{'height':>9}  kind"


def rows(extremes: Iterable[Extreme], unit: str = "m") -> Iterator[str]:
    """One line for each high or low water; the date is written once a day."""
    for day, group in groupby(extremes, key=lambda e: e.when.date()):
        for number, extreme in enumerate(group):
            date = f"{day:%Y-%m-%d}" if number == 0 else ""
            yield f"{date:<12}{extreme.when:%H:%M}  {format_height(extreme.height, unit):>9}  {extreme.kind}"


def render(title: str, extremes: Iterable[Extreme], unit: str = "m") -> str:
    """A whole table with its heading."""
    lines = [title, "=" * len(title), "", HEADER, "-" * len(HEADER)]
    lines.extend(rows(extremes, unit))
    return "\n".join(lines)
