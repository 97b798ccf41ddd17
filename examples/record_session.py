"""Play the example session on a copy of ``tidewatch`` and record it: ``python examples/record_session.py [FILE]``.

Without FILE the bundled session is written anew. Needs git, pytest and toktok-rs.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from recorder import SHOWN_AT, Stage, Tools
from story import alerts, april, calendar, clock, closing, extremes, orientation, outlook, sign

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent / "src/treering/data/example-session.v3.jsonl"
SESSION_ID = "7d1f2c9e-54b0-4c1a-9a53-1b7c0e6f2a10"
BEGIN = datetime(2026, 3, 10, 13, 2, 11, 480_000, tzinfo=UTC)
CHAPTERS = (orientation, sign, clock, alerts, extremes, calendar, outlook, april, closing)

# What git knows when the session begins: day, subject, paths.
HISTORY = (
    ("2025-12-29", "Start the project: units and errors", "pyproject.toml .gitignore tidewatch/__init__.py "
     "tidewatch/errors.py tidewatch/units.py tests/conftest.py tests/test_units.py"),
    ("2026-01-03", "Predict heights from harmonics", "tidewatch/constituents.py tidewatch/stations.py stations "
     "tidewatch/harmonics.py tests/test_harmonics.py tests/test_stations.py"),
    ("2026-01-05", "Write tide tables", "tidewatch/extrema.py tidewatch/table.py tests/test_extrema.py "
     "tests/test_table.py"),
    ("2026-01-18", "Warn when a level passes a limit", "tidewatch/alerts.py tidewatch/config.py tidewatch.toml "
     "tests/test_alerts.py tests/test_config.py docs/alerts.md"),
    ("2026-02-20", "Compare gauge logs with the prediction", "tidewatch/observations.py data docs/data.md "
     "tests/test_observations.py"),
    ("2026-02-21", "Add the command line, the house style and the documents", "."),
)  # fmt: skip


def prepare(scratch: Path) -> Tools:
    """Copy the project into a temporary folder and give it a git history."""
    root = scratch / "tidewatch"
    shutil.copytree(HERE / "tidewatch", root, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.name == "check" else 0o644)
    programs = scratch / "bin"
    programs.mkdir()
    python = programs / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    tools = Tools(root, scratch)
    commands = [(BEGIN, "git init -q -b main")]
    for day, subject, paths in HISTORY:
        when = datetime.fromisoformat(f"{day}T17:20:00+00:00")
        commands.append((when, f"git add -- {paths} && git commit -q -m '{subject}'"))
    for when, command in commands:
        tools.now = when
        output, code = tools.shell(command)
        if code:
            raise RuntimeError(f"{command}: {output}")
    return tools


def play() -> Stage:
    """Play all chapters."""
    with tempfile.TemporaryDirectory(prefix="treering-example-") as scratch:
        stage = Stage(prepare(Path(scratch)), "tidewatch", BEGIN)
        for chapter in CHAPTERS:
            chapter.play(stage)
    return stage


def lines(stage: Stage) -> str:
    """The session file as text."""
    header = {
        "type": "session",
        "version": 3,
        "id": SESSION_ID,
        "timestamp": BEGIN.strftime("%Y-%m-%dT%H:%M:%S.480Z"),
        "cwd": SHOWN_AT,
    }
    return "".join(
        json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in (header, *stage.entries)
    )


def main() -> None:
    """Record and say what was recorded."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED
    stage = play()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(lines(stage), encoding="utf-8")
    print(f"{target}: {len(stage.entries)} entries, {stage.tokens} tokens on the path to the leaf")


if __name__ == "__main__":
    main()
