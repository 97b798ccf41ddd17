"""Runs the `console` blocks of the documentation, and writes their output anew when asked to.

A block holds commands behind `$ ` and what they print. The tests run every block and compare; entry ids that a
command makes (16 hex digits) may differ. `python docs/console.py README.md docs/*.md` puts the present output in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import treering

BLOCK = re.compile(r"^```console\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_NEW_ID = re.compile(r"\b[0-9a-f]{16}\b")


def prepare(folder: Path) -> None:
    """Lay out a folder as the documentation tells it: `session.jsonl` is the example session."""
    data = resources.files("treering.data").joinpath("example-session.v3.jsonl").read_bytes()
    (folder / "session.jsonl").write_bytes(data)
    command = folder / ".bin" / "treering"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m treering "$@"\n')
    command.chmod(0o755)


def run(body: str, folder: Path) -> str:
    """The block with the output that its commands print now."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TREERING_")},
        "PATH": f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(treering.__file__).parents[1]),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "HOME": str(folder),
    }
    lines: list[str] = []
    for line in body.splitlines():
        if not line.startswith("$ "):
            continue
        done = subprocess.run(
            ["bash", "-c", line[2:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        printed = (done.stdout + done.stderr).rstrip("\n")
        lines += [line, *(part.rstrip() for part in printed.split("\n"))] if printed else [line]
    return "\n".join(lines) + "\n"


def comparable(text: str) -> str:
    """A block's text without what may differ from run to run."""
    return _NEW_ID.sub("<id>", text)


def update(document: Path) -> bool:
    """Write the present output into a document; whether that changed it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        old = document.read_text()

        def replace(block: re.Match[str]) -> str:
            printed = run(block["body"], folder)
            same = comparable(printed) == comparable(block["body"])
            return block.group() if same else f"```console\n{printed}```"

        new = BLOCK.sub(replace, old)
        shutil.rmtree(folder / ".bin")
    if new != old:
        document.write_text(new)
    return new != old


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{'changed' if update(Path(name)) else 'as it was'}: {name}")  # noqa: T201 - a script
