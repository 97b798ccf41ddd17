"""The documentation as a whole: its links lead somewhere, and it tells of every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treering.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_told_of(command: str) -> None:
    assert any(f"treering {command}" in page.read_text() for page in PAGES)
