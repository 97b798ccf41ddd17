"""The documentation as a whole: its links lead somewhere, and it tells of every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treering.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """What may stand behind # in a link to the page, as GitHub makes it of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_reached_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[0].read_text())}
    assert {str(page.relative_to(ROOT)) for page in PAGES if page.parent.name == "docs"} <= linked


def test_every_command_is_in_the_page_of_the_command_line() -> None:
    listed = (ROOT / "docs/command-line.md").read_text()
    assert not {name for name in COMMANDS if f"`{name}`" not in listed}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_told_of(command: str) -> None:
    assert any(f"treering {command}" in page.read_text() for page in PAGES)
