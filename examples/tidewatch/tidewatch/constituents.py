"""The harmonic constituents we know, and how fast each of them turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constituent:
    """One periodic part of the tide."""

    name: str
    speed: float  # degrees per hour
    about: str

    @property
    def period_hours(self) -> float:
        """Hours for one full turn."""
        return 360.0 / self.speed


_ALL = (
    Constituent("M2", 28.9841042, "principal lunar, twice a day"),
    Constituent("S2", 30.0000000, "principal solar, twice a day"),
    Constituent("N2", 28.4397295, "larger lunar elliptic, twice a day"),
    Constituent("K2", 30.0821373, "lunisolar, twice a day"),
    Constituent("K1", 15.0410686, "lunisolar, once a day"),
    Constituent("O1", 13.9430356, "principal lunar, once a day"),
    Constituent("P1", 14.9589314, "principal solar, once a day"),
    Constituent("M4", 57.9682084, "shallow water overtide of M2"),
    Constituent("MS4", 58.9841042, "shallow water, M2 with S2"),
    Constituent("Mf", 1.0980331, "lunar fortnightly"),
)

BY_NAME = {c.name: c for c in _ALL}


def speed_of(name: str) -> float:
    """Degrees per hour of a constituent."""
    return BY_NAME[name].speed
