"""Errors that tidewatch raises on purpose."""

from __future__ import annotations

from pathlib import Path


class TidewatchError(Exception):
    """Base class: the command line prints these without a traceback."""


class ConfigError(TidewatchError):
    """A setting is missing, unknown or impossible."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"config: {key}: {problem}")
        self.key = key


class ParseError(TidewatchError):
    """A data file holds a line that cannot be read."""

    def __init__(self, path: Path | str, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path = Path(path)
        self.line = line


class UnknownStation(TidewatchError):
    """No station file has this id."""

    def __init__(self, station_id: str, known: list[str]) -> None:
        super().__init__(f"unknown station {station_id!r} (known: {', '.join(sorted(known)) or 'none'})")
        self.station_id = station_id
