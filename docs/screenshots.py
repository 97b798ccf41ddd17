"""Draws the screenshots of the browser in the documentation: `python docs/screenshots.py`."""

from __future__ import annotations

import asyncio
import itertools
import re
import tempfile
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from treering.operations.compact import compact_sync
from treering.session.tree import Session
from treering.tui.app import Browser

DOCS = Path(__file__).parent
SHOTS = {
    "browse": ["home", *["down"] * 12, "right", "up", "right", "down"],
    "browse-replaced": ["end", *["up"] * 6, "o", "down", "down"],
    "browse-help": ["question_mark"],
}
"""Name → the keys that lead there."""


def main() -> None:
    """Draw all of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tidewatch.jsonl"
        path.write_bytes(resources.files("treering.data").joinpath("example-session.v3.jsonl").read_bytes())
        numbers = itertools.count(1)
        options = {
            "new_id": lambda: f"{next(numbers) * 0x9E3779B97F4A7C15 % 2**64:016x}",
            "now": lambda: datetime(2026, 3, 10, 18, tzinfo=UTC),
        }
        with Session.open(path, **options) as session:
            compact_sync(session, window=64_000)
            session.append_message({"role": "user", "content": "Add the offset, and tell me what Monday brings."})
        for name, keys in SHOTS.items():
            drawing = asyncio.run(draw(path, keys))
            (DOCS / f"{name}.svg").write_text(drawing)


async def draw(path: Path, keys: list[str]) -> str:
    """The screen after some keys, as SVG without fonts from elsewhere."""
    app = Browser(path)
    async with app.run_test(size=(100, 28)) as pilot:
        while not app.complete or not app.tree_view.sizes:
            await pilot.pause(0.05)
        await pilot.press(*keys)
        await pilot.pause(0.5)
        drawing = app.export_screenshot(title="treering browse")
    return re.sub(r"@font-face \{.*?\}", "", drawing, flags=re.DOTALL)


if __name__ == "__main__":
    main()
