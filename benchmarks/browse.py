"""How quickly the tree of a large session is there, and answers a key; as ratios to reading the file as JSON.

    python benchmarks/browse.py             1e5 entries of about 1 kB, with branches
    python benchmarks/browse.py 1e4

A key is timed from its arrival to the cursor's move, while the whole tree is read, while a search runs, and at rest.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from generate import generate  # noqa: E402 - found through the line above
from textual import events  # noqa: E402

from treering.session.outline import read_outline  # noqa: E402
from treering.session.rows import read_rows  # noqa: E402
from treering.session.tree import Session  # noqa: E402
from treering.tui.app import Browser  # noqa: E402

FILES = ROOT / ".bench"


def main() -> None:
    """Measure, and print a table."""
    entries = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    FILES.mkdir(exist_ok=True)
    path = FILES / f"{entries}-branches.jsonl"
    if not path.exists():
        generate(path, entries, branches=True)
    base = timed(lambda: [json.loads(line) for line in path.read_bytes().splitlines()])
    rows = {
        "json.loads of each line": base,
        "outline, and a row a turn": timed(lambda: draw(path)),
        "treering tree": timed(lambda: command("tree", path)),
        "treering tree --all": timed(lambda: command("tree", path, "--all")),
        **asyncio.run(browse(path)),
    }
    print(f"{entries:,} entries, {path.stat().st_size / 1e6:.0f} MB")
    for name, seconds in rows.items():
        print(f"{name:<42} {seconds * 1000:>9.1f} ms  {seconds / base:>8.3f}")


def timed(work) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def draw(path: Path) -> None:
    with Session.open(path) as session:
        list(read_rows(read_outline(session)))


def command(*arguments: object) -> None:
    whole = [sys.executable, "-m", "treering", *map(str, arguments)]
    subprocess.run(whole, stdout=subprocess.DEVNULL, check=True, env={"PYTHONPATH": str(ROOT / "src")})


async def browse(path: Path) -> dict[str, float]:
    """Open the browser and press keys in its three states."""
    start = time.perf_counter()
    app = Browser(path)
    async with app.run_test(size=(80, 24)):
        found = {"browse: the first screen": time.perf_counter() - start}

        async def worst(done) -> float:
            times, step = [], -1
            while not done():
                before, start = app.tree_view.cursor, time.perf_counter()
                app.post_message(events.Key("up" if step < 0 else "down", None))
                while app.tree_view.cursor == before and time.perf_counter() - start < 5:
                    await asyncio.sleep(0.0005)
                times.append(time.perf_counter() - start)
                step = -step
            return max(times, default=0.0)

        found["browse: slowest key while it reads"] = await worst(lambda: app.complete)
        await asyncio.sleep(1)
        app.wanted = "token"
        app.find("token")
        found["browse: slowest key while it searches"] = await worst(lambda: bool(app.found))
        end = time.perf_counter() + 1
        found["browse: slowest key at rest"] = await worst(lambda: time.perf_counter() > end)
        return found


if __name__ == "__main__":
    main()
