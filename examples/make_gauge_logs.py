"""Make the gauge logs of ``tidewatch``: its own prediction, plus noise, plus a storm, plus what goes wrong with gauges.

``python examples/make_gauge_logs.py [FOLDER]`` writes the three files of ``tidewatch/data/raw``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent / "tidewatch"
sys.path.insert(0, str(HERE))

from tidewatch.harmonics import height_at  # noqa: E402 - the path has to be set first
from tidewatch.stations import load_stations  # noqa: E402 - the same

START = datetime(2026, 2, 17, tzinfo=UTC)
READINGS = 3 * 144  # three days, one every ten minutes


@dataclass(frozen=True, slots=True)
class Gauge:
    """What is special about one gauge; numbers are indices of readings."""

    heads: tuple[str, ...]
    storm: tuple[float, float, float]  # its middle, its width, its height in metres
    noise: float
    suspect: frozenset[int] = frozenset()
    missing: frozenset[int] = frozenset()
    gap: range = range(0)
    bias: float = 0.0
    zone: timezone = UTC


GAUGES = {
    "saltmere": Gauge(
        heads=("# gauge TG-114, firmware 3.2", "# remark: spike filter on"),
        storm=(256, 30, 0.47),
        noise=0.12,
        suspect=frozenset({77, 78, 301}),
        missing=frozenset({120, 121}),
        gap=range(160, 165),
    ),
    "port-ellery": Gauge(
        heads=("# gauge TG-120, firmware 3.2", "# remark: clock on local winter time plus one, do not change"),
        storm=(262, 36, 0.31),
        noise=0.06,
        suspect=frozenset({50}),
        missing=frozenset({333}),
        zone=timezone(timedelta(hours=1)),
    ),
    "kettle-bay": Gauge(
        heads=("# gauge TG-131, firmware 4.0", "# remark: moved to the new pier 2025-10-14"),
        storm=(259, 30, 0.36),
        noise=0.05,
        suspect=frozenset({95, 96}),
        gap=range(280, 301),
        bias=0.41,
    ),
}


def noise() -> Iterator[float]:
    """Numbers from -0.5 to 0.5, the same on every machine."""
    state = 7
    while True:
        state = (state * 1_103_515_245 + 12_345) % 2**31
        yield state / 2**31 - 0.5


def main() -> None:
    """Write the logs."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "data/raw"
    stations = load_stations(HERE / "stations")
    rough = noise()
    for name, gauge in GAUGES.items():
        lines = [*gauge.heads, "time,level,flag"]
        middle, width, height = gauge.storm
        for i in range(READINGS):
            when = START + timedelta(minutes=10 * i)
            if i in gauge.gap:
                continue
            surge = height * math.exp(-(((i - middle) / width) ** 2))
            level = height_at(stations[name], when) + gauge.bias + surge + next(rough) * gauge.noise
            flag = "S" if i in gauge.suspect else "M" if i in gauge.missing else ""
            shown = 9.99 if flag == "M" else level + 1.9 if flag == "S" else level
            stamp = when.astimezone(gauge.zone).isoformat().replace("+00:00", "Z")
            lines.append(f"{stamp},{shown:.2f},{flag}")
            if i == 200:
                lines.append("# remark: battery changed")
        (target / f"{name}-2026-02.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
