"""Gauge logs: reading them, finding gaps, and the residual against the prediction."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tidewatch.errors import ParseError, TidewatchError
from tidewatch.harmonics import height_at
from tidewatch.stations import Station
from tidewatch.units import parse_height

COLUMNS = ["time", "level", "flag"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One reading of a gauge."""

    when: datetime
    level: float  # metres above the gauge's datum
    flag: str = ""  # "" good, "S" suspect, "M" missing


@dataclass(frozen=True, slots=True)
class Residual:
    """What the gauge showed beyond the prediction: the surge, if all is well."""

    when: datetime
    observed: float
    predicted: float

    @property
    def value(self) -> float:
        """Observed minus predicted."""
        return self.observed - self.predicted


def parse_time(text: str) -> datetime:
    """Read a time stamp of a gauge log."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def read_log(path: Path) -> list[Observation]:
    """Read a gauge log. Missing readings (flag M) are left out, suspect ones are kept."""
    found: list[Observation] = []
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(row for row in lines if not row.startswith("#"))
        header = next(rows, None)
        if header != COLUMNS:
            raise ParseError(path, 1, f"expected the columns {','.join(COLUMNS)}, found {header}")
        for number, row in enumerate(rows, start=2):
            if len(row) != len(COLUMNS):
                raise ParseError(path, number, f"expected {len(COLUMNS)} fields, found {len(row)}")
            time, level, flag = row
            if flag == "M":
                continue
            try:
                found.append(Observation(parse_time(time), parse_height(level), flag))
            except (ValueError, TidewatchError) as problem:
                raise ParseError(path, number, str(problem)) from problem
    return found


def gaps(log: Iterable[Observation], longest: timedelta) -> Iterator[tuple[datetime, datetime]]:
    """Pairs of neighbouring readings that lie further apart than allowed."""
    previous: datetime | None = None
    for reading in log:
        if previous is not None and reading.when - previous > longest:
            yield previous, reading.when
        previous = reading.when


def residuals(station: Station, log: Iterable[Observation]) -> Iterator[Residual]:
    """The residual at each good reading; suspect ones are left out."""
    for reading in log:
        if reading.flag == "":
            yield Residual(reading.when, reading.level, height_at(station, reading.when))


@dataclass(frozen=True, slots=True)
class ResidualSummary:
    """Some figures about a run of residuals."""

    count: int
    mean: float
    spread: float
    largest: float
    largest_at: datetime | None


def summarise(values: Iterable[Residual]) -> ResidualSummary:
    """Mean, spread (population standard deviation) and the largest residual by size."""
    rows = list(values)
    if not rows:
        return ResidualSummary(0, 0.0, 0.0, 0.0, None)
    numbers = [row.value for row in rows]
    top = max(rows, key=lambda row: abs(row.value))
    return ResidualSummary(len(rows), statistics.fmean(numbers), statistics.pstdev(numbers), top.value, top.when)
