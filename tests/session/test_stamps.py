"""Moments: the quick way to write them says the same as the plain one, whichever way the clock goes."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

import pytest

from treering.session.stamps import Stamps, iso_timestamp

SECOND = 1_000_000_000
NEW_YEAR = 1_798_761_600 * SECOND


def plain(moment: int) -> str:
    return iso_timestamp(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=moment // 1000))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    moment = [0]
    monkeypatch.setattr(time, "time_ns", lambda: moment[0])
    return moment


def test_the_ends_of_a_second_and_a_year(clock: list[int]) -> None:
    stamps = Stamps()
    for clock[0], expected in [
        (NEW_YEAR - SECOND, "2026-12-31T23:59:59.000Z"),
        (NEW_YEAR - SECOND + 7_000_000, "2026-12-31T23:59:59.007Z"),
        (NEW_YEAR - 1, "2026-12-31T23:59:59.999Z"),
        (NEW_YEAR, "2027-01-01T00:00:00.000Z"),
        (NEW_YEAR + 999_999, "2027-01-01T00:00:00.000Z"),
        (NEW_YEAR - 1, "2026-12-31T23:59:59.999Z"),
        (0, "1970-01-01T00:00:00.000Z"),
    ]:
        assert stamps.now() == expected == plain(clock[0])


def test_a_clock_that_is_set_forth_and_back(clock: list[int]) -> None:
    jumps = random.Random(7)
    stamps = Stamps()
    clock[0] = NEW_YEAR
    for _ in range(5_000):
        clock[0] += int(jumps.choice([1, 1, 1, -1]) * 10 ** jumps.uniform(3, 13))
        assert stamps.now() == plain(clock[0])


def test_the_real_clock() -> None:
    before = plain(time.time_ns())
    said = Stamps().now()
    assert before <= said <= plain(time.time_ns())
