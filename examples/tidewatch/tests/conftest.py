"""Fixtures: one simple station, and the folder of the project."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tidewatch.stations import Harmonic, Station

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def plain() -> Station:
    """A tide with one harmonic: two metres of mean level, one metre of M2."""
    return Station("plain", "Plain", 2.0, (Harmonic("M2", 1.0, 0.0),))


@pytest.fixture
def start() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)
