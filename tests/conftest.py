"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["servers.fixtures"]

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of documents and real sessions beside the checkout; tests that need it skip where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here")
    return SHARED
