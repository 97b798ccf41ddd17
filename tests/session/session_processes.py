"""Real processes that work on a session file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import treering

_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(treering.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}


def run_python(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, to its end."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, cwd=folder, env=_ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60
    )


def start_python(code: str, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start code in a process of its own; its output can be read as it comes."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, cwd=folder, env=_ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
