"""The stage on which the example session is played: real tools in a temporary folder, a made-up clock, a writer."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import toktok

SHOWN_AT = "/home/dev/tidewatch"
OVERHEAD = 8_140  # tokens of the system prompt and the tool schemas that such a session would have
PRICES = {"heron-2": (1.2, 0.12, 6.0), "heron-2-large": (3.0, 0.3, 15.0)}  # input, cached, output; per million
SECONDS = {"bash": 0.9, "read": 0.1, "write": 0.1, "edit": 0.1, "grep": 0.2, "ls": 0.1, "todo": 0.1}
SKIPPED_FOLDERS = {".git", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the scripted assistant makes."""

    name: str
    arguments: dict[str, Any]


def bash(command: str) -> Call:
    """A shell command."""
    return Call("bash", {"command": command})


def read(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    """A file, or some lines of it."""
    arguments: dict[str, Any] = {"path": path}
    if offset is not None:
        arguments["offset"] = offset
    if limit is not None:
        arguments["limit"] = limit
    return Call("read", arguments)


def write(path: str, content: str) -> Call:
    """A whole file."""
    return Call("write", {"path": path, "content": content})


def edit(path: str, old: str, new: str) -> Call:
    """One replacement in a file."""
    return Call("edit", {"path": path, "oldText": old, "newText": new})


def grep(pattern: str, path: str = ".") -> Call:
    """A search in files."""
    return Call("grep", {"pattern": pattern, "path": path})


def ls(path: str = ".") -> Call:
    """The names in a folder."""
    return Call("ls", {"path": path})


def todo(*items: str) -> Call:
    """The whole task list: each item starts with [ ], [>] or [x]."""
    states = {"[ ]": "open", "[>]": "doing", "[x]": "done"}
    return Call("todo", {"items": [{"text": item[4:], "status": states[item[:3]]} for item in items]})


class ToolError(Exception):
    """A tool refuses; its text becomes the result."""


@dataclass
class Tools:
    """The tools of the session. They act on one folder and nothing else."""

    root: Path
    scratch: Path
    now: datetime = datetime(2026, 3, 10, tzinfo=UTC)

    def run(self, call: Call) -> tuple[str, bool]:
        """Carry out a call; the text of its result, and whether it is an error."""
        try:
            return getattr(self, f"_{call.name}")(**call.arguments), False
        except ToolError as refused:
            return str(refused), True

    def shell(self, command: str) -> tuple[str, int]:
        """Run a command; its normalised output and exit code."""
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.root,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        return self._normalise(done.stdout.decode("utf-8", "replace")), done.returncode

    def _environment(self) -> dict[str, str]:
        stamp = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            "PATH": f"{self.scratch / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.scratch),
            "TMPDIR": str(self.scratch),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
        }

    def _normalise(self, text: str) -> str:
        version = f"python3.{sys.version_info.minor}"
        text = text.replace(str(self.root), SHOWN_AT).replace(str(self.scratch), "/tmp")
        text = text.replace(os.path.realpath(self.root), SHOWN_AT)
        text = text.replace(f"{sys.prefix}/lib/{version}", f"/home/dev/.venv/lib/{version}")
        text = text.replace(f"{sys.base_prefix}/lib/{version}", f"/usr/lib/{version}")
        text = re.sub(r"/tmp/pytest-of-\w+/pytest-\d+", "/tmp/pytest-of-dev/pytest-0", text)
        text = re.sub(r"\bin \d+\.\d+s\b", "in 0.38s", text)
        return re.sub(r"\b0x[0-9a-f]{8,}\b", "0x7f3a5c0d1e20", text)

    def _path(self, path: str) -> Path:
        full = (self.root / path).resolve()
        if not full.is_relative_to(self.root.resolve()):
            raise ToolError(f"{path} lies outside the project")
        return full

    def _bash(self, command: str) -> str:
        output, code = self.shell(command)
        if code:
            raise ToolError(f"{output.rstrip()}\n\n(exit code {code})".lstrip())
        return output.rstrip("\n") or "(no output)"

    def _read(self, path: str, offset: int = 1, limit: int = 1000) -> str:
        full = self._path(path)
        if not full.is_file():
            raise ToolError(f"no such file: {path}")
        lines = full.read_text(encoding="utf-8").split("\n")
        part = lines[offset - 1 : offset - 1 + limit]
        text = "\n".join(part)
        last = offset - 1 + len(part)
        return text if last >= len(lines) else f"{text}\n[lines {offset} to {last} of {len(lines)}]"

    def _write(self, path: str, content: str) -> str:
        full = self._path(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(content, encoding="utf-8")
        return f"Wrote {path}: {content.count(chr(10))} lines."

    def _edit(self, path: str, oldText: str, newText: str) -> str:  # noqa: N803 - the names of the tool's schema
        full = self._path(path)
        if not full.is_file():
            raise ToolError(f"no such file: {path}")
        text = full.read_text(encoding="utf-8")
        found = text.count(oldText)
        if found != 1:
            raise ToolError(f"{path}: the old text occurs {found} times, it must occur once. Nothing was changed.")
        full.write_text(text.replace(oldText, newText), encoding="utf-8")
        return f"Edited {path} at line {text[: text.index(oldText)].count(chr(10)) + 1}."

    def _grep(self, pattern: str, path: str) -> str:
        base = self._path(path)
        wanted = re.compile(pattern)
        files = [base] if base.is_file() else sorted(p for p in base.rglob("*") if p.is_file())
        hits = [
            f"{file.relative_to(self.root.resolve())}:{number}: {line.strip()}"
            for file in files
            if not SKIPPED_FOLDERS & set(file.parts)
            for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
            if wanted.search(line)
        ]
        return "\n".join(hits) or "no matches"

    def _ls(self, path: str) -> str:
        full = self._path(path)
        if not full.is_dir():
            raise ToolError(f"no such folder: {path}")
        names = [f"{p.name}/" if p.is_dir() else p.name for p in full.iterdir() if p.name not in SKIPPED_FOLDERS]
        return "\n".join(sorted(names))

    def _todo(self, items: list[dict[str, str]]) -> str:
        marks = {"open": "[ ]", "doing": "[>]", "done": "[x]"}
        done = sum(item["status"] == "done" for item in items)
        return "\n".join([*(f"{marks[i['status']]} {i['text']}" for i in items), f"{done} of {len(items)} done"])


def count_tokens(text: str) -> int:
    """Tokens of a text in o200k."""
    return toktok.batch_count([text], "o200k_base", threads=1)[0]


@dataclass
class Stage:
    """Plays the story and keeps the entries of the session file."""

    tools: Tools
    name: str
    now: datetime
    entries: list[dict[str, Any]] = field(default_factory=list)
    leaf: str | None = None
    model: str = "heron-2"
    _size: dict[str | None, int] = field(default_factory=lambda: {None: OVERHEAD})
    _cached: int = 0
    _serial: int = 0

    def _hex(self, purpose: str, length: int) -> str:
        self._serial += 1
        return hashlib.sha256(f"{self.name}/{purpose}/{self._serial}".encode()).hexdigest()[:length]

    def _pass(self, seconds: float) -> None:
        self.now += timedelta(milliseconds=round(seconds * 1000))
        self.tools.now = self.now

    def _append(self, kind: str, tokens: int = 0, **body: Any) -> str:
        stamp = self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"
        entry_id = self._hex("entry", 8)
        self.entries.append({"type": kind, "id": entry_id, "parentId": self.leaf, "timestamp": stamp, **body})
        self._size[entry_id] = self._size[self.leaf] + tokens
        self.leaf = entry_id
        return entry_id

    def _message(self, message: dict[str, Any], tokens: int) -> str:
        message["timestamp"] = round(self.now.timestamp() * 1000)
        return self._append("message", tokens + 4, message=message)

    def title(self, name: str) -> None:
        """Name the session."""
        self._append("session_info", name=name)

    def use_model(self, model: str) -> None:
        """Switch the model; the provider's cache starts empty."""
        self.model, self._cached = model, 0
        self._append("model_change", provider="example", modelId=model)

    def think(self, level: str) -> None:
        """Switch the thinking level."""
        self._append("thinking_level_change", thinkingLevel=level)

    def label(self, target: str, label: str) -> None:
        """Label an entry."""
        self._append("label", targetId=target, label=label)

    def user(self, text: str, after: float = 2.0) -> str:
        """The user writes, so many minutes after what came before."""
        self._pass(after * 60 + len(text) / 9)
        text = text.strip("\n")
        return self._message({"role": "user", "content": [{"type": "text", "text": text}]}, count_tokens(text))

    def user_shell(self, command: str, after: float = 1.0) -> str:
        """The user runs a command in the session."""
        self._pass(after * 60)
        output, code = self.tools.shell(command)
        message = {
            "role": "bashExecution",
            "command": command,
            "output": output.rstrip("\n"),
            "exitCode": code,
            "cancelled": False,
            "truncated": False,
        }
        return self._message(message, count_tokens(command + output))

    def agent(self, *calls: Call, say: str = "", think: str = "", aborted: bool = False) -> str:
        """The assistant thinks, speaks and makes calls, which are carried out; aborted: before they were."""
        content: list[dict[str, Any]] = []
        if think:
            content.append({"type": "thinking", "thinking": think.strip("\n")})
        if say:
            content.append({"type": "text", "text": say.strip("\n")})
        ids = [f"call_{self._hex('call', 12)}" for _ in calls]
        for call_id, call in zip(ids, calls, strict=True):
            content.append({"type": "toolCall", "id": call_id, "name": call.name, "arguments": call.arguments})
        output = 6 + sum(
            count_tokens(block.get("thinking") or block.get("text") or block["name"] + json.dumps(block["arguments"]))
            for block in content
        )
        prompt = self._size[self.leaf]
        cached = min(self._cached, prompt)
        price = PRICES[self.model]
        cost = [round(n * p / 1e6, 6) for n, p in zip((prompt - cached, cached, output), price, strict=True)]
        self._pass(1.4 + output / 70)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": content,
            "api": "openai-completions",
            "provider": "example",
            "model": self.model,
            "usage": {
                "input": prompt - cached,
                "output": output,
                "cacheRead": cached,
                "cacheWrite": 0,
                "totalTokens": prompt + output,
                "cost": {
                    "input": cost[0],
                    "output": cost[2],
                    "cacheRead": cost[1],
                    "cacheWrite": 0,
                    "total": round(sum(cost), 6),
                },
            },
            "stopReason": "aborted" if aborted else "toolUse" if calls else "stop",
        }
        if aborted:
            message["errorMessage"] = "Stopped by the user"
        entry = self._message(message, output)
        self._cached = prompt
        if aborted:
            return entry
        for call_id, call in zip(ids, calls, strict=True):
            self._pass(SECONDS[call.name])
            text, failed = self.tools.run(call)
            result = {
                "role": "toolResult",
                "toolCallId": call_id,
                "toolName": call.name,
                "content": [{"type": "text", "text": text}],
                "isError": failed,
            }
            self._message(result, count_tokens(text))
        return entry

    def go_back_to(self, entry_id: str) -> None:
        """Move the leaf: what is appended next starts a branch there."""
        self.leaf = entry_id
        self._cached = min(self._cached, self._size[entry_id])

    @property
    def tokens(self) -> int:
        """Tokens of the path to the leaf, without the overhead."""
        return self._size[self.leaf] - OVERHEAD
