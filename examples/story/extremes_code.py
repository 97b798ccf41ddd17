"""What the chapter about the extremes writes into files and runs."""

from __future__ import annotations

MISSING = """python - <<'EOF'
from datetime import UTC, datetime
from pathlib import Path
from tidewatch.extrema import extremes
from tidewatch.stations import load_stations
for station in load_stations(Path('stations')).values():
    found = list(extremes(station, datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 15, tzinfo=UTC)))
    twice = [(a, b) for a, b in zip(found, found[1:]) if a.kind == b.kind]
    print(f'{station.id}: {len(found)} found, {len(twice)} missing between two of one kind')
    for a, b in twice:
        print(f'  {a.kind:4} {a.when:%m-%d %H:%M} and {b.when:%m-%d %H:%M}')
EOF"""

COUNT = """python - <<'EOF'
from datetime import UTC, datetime
from pathlib import Path
from tidewatch import extrema, harmonics
from tidewatch.stations import load_stations
calls = 0
def counted(name):
    real = getattr(harmonics, name)
    def wrapper(*args):
        global calls
        calls += 1
        return real(*args)
    return wrapper
for name in ('height_at', 'rate_at'):
    if hasattr(harmonics, name):
        wrapper = counted(name)
        setattr(harmonics, name, wrapper)
        if hasattr(extrema, name):
            setattr(extrema, name, wrapper)
for station in load_stations(Path('stations')).values():
    calls = 0
    found = list(extrema.extremes(station, datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)))
    print(f'{station.id:12} {len(found)} extremes, {calls} evaluations of the harmonics')
EOF"""

TESTS = """

@pytest.mark.parametrize("station_id", ["saltmere", "port-ellery", "kettle-bay"])
def test_none_is_missing(root: Path, station_id: str) -> None:
    station = find_station(root / "stations", station_id)
    start = datetime(2026, 2, 1, tzinfo=UTC)
    kinds = [e.kind for e in extremes(station, start, start + timedelta(days=60))]
    assert len(kinds) > 220
    assert all(a != b for a, b in itertools.pairwise(kinds))


def test_the_time_of_high_water(plain: Station, start: datetime) -> None:
    period = timedelta(hours=BY_NAME["M2"].period_hours)
    found = next_extreme(plain, start + timedelta(hours=1), "high")
    assert found is not None
    assert abs(found.when - (start + period)) < timedelta(seconds=2)
"""

GOLDEN = '''def extremes(station: Station, start: datetime, end: datetime) -> Iterator[Extreme]:
    """High and low waters between start and end, in order.

    The tide is sampled every SAMPLE; where a sample is not topped by its neighbours, a golden-section search
    between them finds the moment.
    """
    samples = list(series(station, start, end, SAMPLE))
    for i in range(1, len(samples) - 1):
        before, here, after = (samples[j][1] for j in (i - 1, i, i + 1))
        if before < here >= after:
            yield _refine(station, samples[i - 1][0], samples[i + 1][0], "high")
        elif before > here <= after:
            yield _refine(station, samples[i - 1][0], samples[i + 1][0], "low")


def _refine(station: Station, low: datetime, high: datetime, kind: Literal["high", "low"]) -> Extreme:
    sign = 1.0 if kind == "high" else -1.0
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    while high - low > timedelta(seconds=1):
        left = high - ratio * (high - low)
        right = low + ratio * (high - low)
        if sign * height_at(station, left) > sign * height_at(station, right):
            high = right
        else:
            low = left
    when = low + (high - low) / 2
    return Extreme(when, height_at(station, when), kind)


def next_extreme('''

DERIVATIVE = '''"""High and low waters of a predicted tide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from tidewatch.harmonics import height_at, rate_at
from tidewatch.stations import Station

STRIDE = timedelta(hours=1)  # well under half a period of the fastest constituent, 3.1 hours
EXACT = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Extreme:
    """A high or a low water."""

    when: datetime
    height: float
    kind: Literal["high", "low"]


def extremes(station: Station, start: datetime, end: datetime) -> Iterator[Extreme]:
    """High and low waters between start and end, in order.

    The rate of the tide is known exactly. It changes its sign once between a high and a low water, so a stride
    with two different signs at its ends holds one extreme, and halving finds it.
    """
    left = start
    left_rate = rate_at(station, left)
    while left < end:
        right = min(left + STRIDE, end)
        right_rate = rate_at(station, right)
        if left_rate > 0 >= right_rate:
            yield _between(station, left, right, "high")
        elif left_rate < 0 <= right_rate:
            yield _between(station, left, right, "low")
        left, left_rate = right, right_rate


def _between(station: Station, left: datetime, right: datetime, kind: Literal["high", "low"]) -> Extreme:
    sign = 1.0 if kind == "high" else -1.0
    while right - left > EXACT:
        middle = left + (right - left) / 2
        if sign * rate_at(station, middle) > 0:
            left = middle
        else:
            right = middle
    when = left + (right - left) / 2
    return Extreme(when, height_at(station, when), kind)


def next_extreme(station: Station, after: datetime, kind: Literal["high", "low"]) -> Extreme | None:
    """The first high or low water after a moment, within two days."""
    for extreme in extremes(station, after, after + timedelta(days=2)):
        if extreme.kind == kind:
            return extreme
    return None


def range_of_day(station: Station, day: datetime) -> float:
    """Difference between the highest high and the lowest low water of a day."""
    found = list(extremes(station, day, day + timedelta(days=1)))
    highs = [e.height for e in found if e.kind == "high"]
    lows = [e.height for e in found if e.kind == "low"]
    if not highs or not lows:
        return 0.0
    return max(highs) - min(lows)
'''
