"""Real pi, on Node, behind a pipe. Always on copies: pi overwrites what it takes for no session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


class Pi:
    """Real pi: opens files, calls the methods of its SessionManager, and tells what it sees."""

    def __init__(self, node: str) -> None:
        self._process = subprocess.Popen(
            [node, HERE / "bridge.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def open(self, file: Path, *steps: list[Any]) -> dict[str, Any]:
        """Open a file, take steps, and tell."""
        return self._ask({"file": str(file), "steps": steps})

    def create(self, folder: Path, *steps: list[Any]) -> dict[str, Any]:
        """Make a new session in a folder, take steps, and tell."""
        return self._ask({"folder": str(folder), "cwd": "/srv/demo", "steps": steps})

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        assert "error" not in said, said["error"]
        return said

    def stop(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


@pytest.fixture(scope="session")
def pi() -> Iterator[Pi]:
    """Real pi. Where it is not installed the tests are skipped, but never in CI."""
    node = shutil.which("node")
    installed = (HERE / "node_modules" / "@mariozechner" / "pi-coding-agent").is_dir()
    if node is None or not installed:
        missing = "Node is not here" if node is None else "pi is not installed here (`make setup` does it through npm)"
        if os.environ.get("CI"):
            pytest.fail(f"{missing}: in CI the tests with real pi must run")
        pytest.skip(missing)
    pi = Pi(node)
    yield pi
    pi.stop()
