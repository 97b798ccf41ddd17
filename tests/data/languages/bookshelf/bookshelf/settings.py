"""The rules of the desk, read from settings.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


class SettingsError(Exception):
    """A setting is unknown or impossible."""


@dataclass(frozen=True)
class LoanRules:
    """How many books, and for how long."""

    max_loans: int = 3
    loan_days: int = 21
    renewals_allowed: int = 2


@dataclass(frozen=True)
class FineRules:
    """What a late day costs, and what a fine is at most."""

    fine_per_day: int = 25
    fine_limit: int = 1200


@dataclass(frozen=True)
class DeskRules:
    """Where the desk is, and when it is open. Weekdays count from Monday = 0."""

    branch_code: str = "00000"
    opening_hours: str = ""
    closed_weekdays: tuple[int, ...] = ()


@dataclass(frozen=True)
class DeskSettings:
    """All of settings.toml."""

    loans: LoanRules
    fines: FineRules
    desk: DeskRules


def load_settings(path: Path) -> DeskSettings:
    """Read the settings; a key that is not known is an error."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        desk = dict(data.get("desk", {}))
        desk["closed_weekdays"] = tuple(desk.get("closed_weekdays", ()))
        return DeskSettings(LoanRules(**data.get("loans", {})), FineRules(**data.get("fines", {})), DeskRules(**desk))
    except TypeError as error:
        raise SettingsError(f"{path}: {error}") from error
