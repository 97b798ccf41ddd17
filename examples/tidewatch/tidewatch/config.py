"""Settings from ``tidewatch.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from tidewatch.alerts import Rule
from tidewatch.errors import ConfigError
from tidewatch.units import METRES_PER, parse_height

KNOWN = {"stations", "logs", "unit", "step_minutes", "longest_gap_minutes", "rules"}
KNOWN_RULE = {"name", "station", "above", "below"}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults."""

    stations: Path = Path("stations")
    logs: Path = Path("data/raw")
    unit: str = "m"
    step: timedelta = timedelta(minutes=10)
    longest_gap: timedelta = timedelta(minutes=30)
    rules: tuple[Rule, ...] = field(default=())


def _minutes(raw: dict[str, Any], key: str, default: timedelta) -> timedelta:
    value = raw.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ConfigError(key, f"a positive whole number of minutes is needed, not {value!r}")
    return timedelta(minutes=value)


def _rule(number: int, raw: dict[str, Any]) -> Rule:
    key = f"rules[{number}]"
    unknown = set(raw) - KNOWN_RULE
    if unknown:
        raise ConfigError(key, f"unknown setting {sorted(unknown)[0]!r}")
    if ("above" in raw) == ("below" in raw):
        raise ConfigError(key, "exactly one of 'above' and 'below' is needed")
    for needed in ("name", "station"):
        if needed not in raw:
            raise ConfigError(key, f"{needed!r} is missing")
    direction = "above" if "above" in raw else "below"
    return Rule(raw["name"], raw["station"], direction, parse_height(str(raw[direction])))


def load_settings(path: Path) -> Settings:
    """Read the settings; folders in them are taken relative to the file."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = set(raw) - KNOWN
    if unknown:
        raise ConfigError(sorted(unknown)[0], f"unknown setting (known: {', '.join(sorted(KNOWN))})")
    unit = raw.get("unit", "m")
    if unit not in METRES_PER:
        raise ConfigError("unit", f"{unit!r} is none of {', '.join(METRES_PER)}")
    base = path.parent
    return Settings(
        stations=base / raw.get("stations", "stations"),
        logs=base / raw.get("logs", "data/raw"),
        unit=unit,
        step=_minutes(raw, "step_minutes", timedelta(minutes=10)),
        longest_gap=_minutes(raw, "longest_gap_minutes", timedelta(minutes=30)),
        rules=tuple(_rule(number, rule) for number, rule in enumerate(raw.get("rules", []))),
    )
