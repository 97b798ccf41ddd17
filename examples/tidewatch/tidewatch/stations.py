"""Stations: where a gauge stands and which harmonics describe its tide."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tidewatch.constituents import BY_NAME
from tidewatch.errors import ConfigError, UnknownStation


@dataclass(frozen=True, slots=True)
class Harmonic:
    """Amplitude and phase of one constituent at one station."""

    name: str
    amplitude: float  # metres
    phase: float  # degrees, at the epoch of tidewatch.harmonics


@dataclass(frozen=True, slots=True)
class Station:
    """A place with a gauge."""

    id: str
    title: str
    mean_level: float  # metres above the station's datum
    harmonics: tuple[Harmonic, ...]
    datum: str = "chart"
    note: str = ""

    @property
    def largest(self) -> Harmonic:
        """The harmonic with the largest amplitude."""
        return max(self.harmonics, key=lambda h: h.amplitude)


def load_station(path: Path) -> Station:
    """Read one station file."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    station_id = path.stem
    try:
        head = raw["station"]
        rows = raw["harmonics"]
    except KeyError as missing:
        raise ConfigError(f"{path.name}: {missing.args[0]}", "this table is missing") from missing
    harmonics: list[Harmonic] = []
    for name, values in rows.items():
        if name not in BY_NAME:
            raise ConfigError(f"{path.name}: harmonics.{name}", "unknown constituent")
        amplitude, phase = values
        if amplitude < 0:
            raise ConfigError(f"{path.name}: harmonics.{name}", "the amplitude is negative")
        harmonics.append(Harmonic(name, float(amplitude), float(phase) % 360.0))
    return Station(
        id=station_id,
        title=head["title"],
        mean_level=float(head["mean_level"]),
        harmonics=tuple(harmonics),
        datum=head.get("datum", "chart"),
        note=head.get("note", ""),
    )


def load_stations(folder: Path) -> dict[str, Station]:
    """Read every station file of a folder, by id."""
    return {path.stem: load_station(path) for path in sorted(folder.glob("*.toml"))}


def find_station(folder: Path, station_id: str) -> Station:
    """One station by its id; the error names those that exist."""
    path = folder / f"{station_id}.toml"
    if not path.is_file():
        raise UnknownStation(station_id, [p.stem for p in folder.glob("*.toml")])
    return load_station(path)
