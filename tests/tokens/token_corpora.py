"""Real texts of many kinds, all at hand without a network, to measure the token estimator on.

They come from Python's own library, from translated programs among the development packages, and from the sessions in
../shared. No text here was used to fit the estimator's weights (`benchmarks/fit_estimator.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import difflib
import html.entities
import inspect
import itertools
import json
import logging
import mimetypes
import random
import re
import struct
import subprocess
import sys
import sysconfig
import unittest
import zlib
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path

LIMIT = 400_000
"""Characters of a kind that are measured."""

LANGUAGES = {
    "Hindi": "hi", "Spanish": "es", "French": "fr", "German": "de", "Portuguese": "pt_BR", "Italian": "it",
    "Dutch": "nl", "Polish": "pl", "Czech": "cs", "Turkish": "tr", "Vietnamese": "vi", "Russian": "ru",
    "Ukrainian": "uk", "Greek": "el", "Hebrew": "he", "Arabic": "ar", "Tamil": "ta", "Japanese": "ja",
    "Traditional Chinese": "zh_TW",
}  # fmt: skip
"""Languages of plone.app.locales with 50 kB or more, by their folder there."""


def english() -> str:
    from pydoc_data.topics import topics

    return "\n".join(topics.values())


def translations(package: str, folder: str) -> str:
    """All translated messages of a package for one language."""
    found = distribution(package)
    files = sorted(str(file) for file in found.files or () if f"/{folder}/" in str(file) and str(file).endswith(".mo"))
    return "\n".join(text for file in files for text in _messages(Path(str(found.locate_file(file))).read_bytes()))


def _messages(data: bytes) -> Iterator[str]:
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, table = struct.unpack_from(order + "III", data, 8)
    for number in range(1, count):
        length, position = struct.unpack_from(order + "II", data, table + 8 * number)
        yield data[position : position + length].decode().replace("\0", "\n")


def _library(pattern: str = "*.py") -> list[str]:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob(pattern))
    random.Random(1).shuffle(files)
    return [file.read_text(encoding="utf-8", errors="ignore")[:20_000] for file in files]


def python() -> str:
    return "\n".join(_library())


def json_text() -> str:
    values = {
        "variables": sysconfig.get_config_vars(),
        "types": mimetypes.types_map,
        "entities": html.entities.html5,
        "modules": [{"name": name, "builtin": name in sys.builtin_module_names} for name in sys.stdlib_module_names],
        "members": [
            {
                "module": module.__name__,
                "name": name,
                "kind": type(member).__name__,
                "documentation": inspect.getdoc(member),
            }
            for module in (argparse, asyncio, logging, subprocess, unittest)
            for name, member in sorted(vars(module).items())
        ],
    }
    return json.dumps(values, indent=2, default=str, sort_keys=True)


def log() -> str:
    command = [sys.executable, "-v", "-X", "importtime", "-c", "import asyncio, unittest.mock, xml.dom.minidom, email"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stderr


def diff() -> str:
    texts = _library("asyncio/*.py")
    pairs = itertools.pairwise(texts)
    return "\n".join("\n".join(difflib.unified_diff(a.split("\n"), b.split("\n"), "a", "b")) for a, b in pairs)


def _compressed() -> bytes:
    return zlib.compress("\n".join(_library()).encode())


def base64_line() -> str:
    return base64.b64encode(_compressed()).decode()


def base64_lines() -> str:
    return base64.encodebytes(_compressed()).decode()


def hexadecimal() -> str:
    return _compressed().hex()


def hex_dump() -> str:
    data = _compressed()
    return "\n".join(f"{at:08x}  {data[at : at + 16].hex(' ')}" for at in range(0, 40_000, 16))


def base64_of_text() -> str:
    return "".join(base64.b64encode(text.encode()).decode() for text in _library("*/*.py")[:40])


def minified_javascript() -> str:
    found = distribution("pyright")
    path = next(file for file in found.files or () if str(file).endswith("dist/dist/vendor.js"))
    text = Path(str(found.locate_file(path))).read_text(encoding="utf-8")
    return text[:40_000] + text[-300_000:]  # between them is a program in base64


OFFLINE: dict[str, Callable[[], str]] = {
    "English": english,
    "Chinese": lambda: translations("jupyterlab-language-pack-zh-CN", "zh_CN/LC_MESSAGES"),
    **{
        language: lambda folder=folder: translations("plone.app.locales", folder + "/LC_MESSAGES")
        for language, folder in LANGUAGES.items()
    },
    "Python": python,
    "JSON": json_text,
    "log": log,
    "diff": diff,
    "base64": base64_line,
    "base64 in lines": base64_lines,
    "base64 of text": base64_of_text,
    "hex": hexadecimal,
    "hex dump": hex_dump,
    "minified JavaScript": minified_javascript,
}
"""Texts that need nothing but the development packages, by kind."""

SESSION_KINDS = (
    "user", "assistant", "thinking", "call arguments", "tool output", "shell output", "diffs", "Go",
    "session lines",
)  # fmt: skip


def session_texts(shared: Path) -> dict[str, str]:
    """Texts of every other session of pi in ../shared, by kind; the fit uses the rest."""
    kinds: dict[str, list[str]] = {kind: [] for kind in SESSION_KINDS}
    for file in sorted(shared.glob("sessions/pi/*.jsonl"))[1::2]:
        text = file.read_text(encoding="utf-8")
        kinds["session lines"].append(text[:100_000])
        calls: dict[str, dict[str, object]] = {}
        for line in text.splitlines():
            message = json.loads(line).get("message") or {}
            content = message.get("content") or []
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                for kind, found in _kinds_of(message, block, calls):
                    kinds[kind].append(found)
    return {kind: "\n".join(texts) for kind, texts in kinds.items()}


def _kinds_of(
    message: dict[str, object], block: dict[str, object], calls: dict[str, dict[str, object]]
) -> Iterator[tuple[str, str]]:
    role, text = message.get("role"), str(block.get("text") or "")
    if block.get("type") == "toolCall":
        arguments = block.get("arguments")
        calls[str(block.get("id"))] = arguments if isinstance(arguments, dict) else {}
        yield "call arguments", json.dumps(arguments, ensure_ascii=False)
    elif block.get("type") == "thinking":
        yield "thinking", str(block.get("thinking") or "")
    elif role in {"user", "assistant"}:
        yield str(role), text
    elif role == "toolResult":
        arguments = calls.get(str(message.get("toolCallId")), {})
        path = str(arguments.get("path") or arguments.get("file_path") or "")
        yield "tool output", text
        if "command" in arguments:
            yield "shell output", text
        if path.endswith(".go"):
            yield "Go", text
        if re.search(r"(?m)^@@ .* @@", text):
            yield "diffs", text
