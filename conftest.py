"""Collects the examples in README.md and docs/: each page runs from top to bottom in a folder of its own."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "docs"))

import console  # noqa: E402 - it lies in docs/


def check_console(example: Example) -> str | None:
    printed = console.run(example.parsed, Path(example.namespace["folder"].name))
    if console.comparable(printed) == console.comparable(example.parsed):
        return None
    return f"the commands now print:\n{printed}\nIf that is right: python docs/console.py {example.path}"


def enter(namespace: dict[str, Any]) -> None:
    namespace["folder"] = tempfile.TemporaryDirectory()
    namespace["left"] = os.getcwd()
    console.prepare(Path(namespace["folder"].name))
    os.chdir(namespace["folder"].name)


def leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["left"])
    namespace["folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[CodeBlockParser("console", check_console), PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md"],
    path=str(ROOT),
    setup=enter,
    teardown=leave,
).pytest()
