"""Gauge logs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tidewatch.errors import ParseError
from tidewatch.harmonics import height_at
from tidewatch.observations import Observation, gaps, parse_time, read_log, residuals, summarise
from tidewatch.stations import Station

GOOD = "# a gauge\ntime,level,flag\n2026-02-01T00:00:00Z,1.50,\n2026-02-01T00:10:00Z,9.99,M\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text)
    return path


def test_missing_readings_are_left_out(tmp_path: Path) -> None:
    found = read_log(write(tmp_path, GOOD))
    assert found == [Observation(datetime(2026, 2, 1, tzinfo=UTC), 1.5)]


def test_time_in_utc() -> None:
    assert parse_time("2026-02-01T06:00:00Z") == datetime(2026, 2, 1, 6, tzinfo=UTC)


def test_wrong_columns(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="expected the columns"):
        read_log(write(tmp_path, "when,what\n"))


def test_bad_level(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="not a height"):
        read_log(write(tmp_path, "time,level,flag\n2026-02-01T00:00:00Z,tall,\n"))


def test_gaps() -> None:
    at = datetime(2026, 2, 1, tzinfo=UTC)
    log = [Observation(at + timedelta(minutes=m), 1.0) for m in (0, 10, 20, 90, 100)]
    assert list(gaps(log, timedelta(minutes=30))) == [(at + timedelta(minutes=20), at + timedelta(minutes=90))]


def test_residuals_leave_suspect_readings_out(plain: Station, start: datetime) -> None:
    log = [Observation(start, height_at(plain, start) + 0.25), Observation(start, 9.0, "S")]
    found = list(residuals(plain, log))
    assert [round(r.value, 6) for r in found] == [0.25]


def test_summary(plain: Station, start: datetime) -> None:
    moments = [start + timedelta(hours=h) for h in range(3)]
    log = [Observation(t, height_at(plain, t) + e) for t, e in zip(moments, (0.1, -0.3, 0.2), strict=True)]
    found = summarise(residuals(plain, log))
    assert found.count == 3
    assert found.mean == pytest.approx(0.0, abs=1e-9)
    assert found.largest == pytest.approx(-0.3)


def test_summary_of_nothing() -> None:
    assert summarise([]).count == 0
