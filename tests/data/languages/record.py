"""Record a story of user and assistant in four languages: `python tests/data/languages/record.py [LANGUAGE…]`.

The texts are ours (`en.json`, `es.json`, `hi.json`, `zh.json`); every tool call is really run, on a copy of
`bookshelf`. So the sessions differ in nothing but the language, and a summary can be asked to be as good in each.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from story import STORY, Step

HERE = Path(__file__).resolve().parent
LANGUAGES = ("en", "es", "hi", "zh")
SHOWN_AT = "/srv/bookshelf"


class Desk:
    """The tools, acting on one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """Carry out a call: the text of its result, and whether it failed."""
        return getattr(self, name)(**arguments)

    def bash(self, command: str) -> tuple[str, bool]:
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.root.parent),
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            **{f"GIT_{who}_NAME": "Dev" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "dev@example.org" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_DATE": "2026-05-20T09:00:00Z" for who in ("AUTHOR", "COMMITTER")},
        }
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.root, env=environment, capture_output=True, timeout=60, check=False
        )
        text = (done.stdout + done.stderr).decode("utf-8", "replace").replace(str(self.root), SHOWN_AT)
        text = text.replace(str(Path(sys.executable).resolve()), "/usr/bin/python")
        text = text.replace(sys.executable, "/usr/bin/python").replace(sys.base_prefix, "/usr")
        text = re.sub(r"in \d+\.\d+s", "in 0.004s", text).rstrip("\n")
        if done.returncode:
            return f"{text}\n\nCommand exited with code {done.returncode}", True
        return text or "(no output)", False

    def read(self, path: str) -> tuple[str, bool]:
        file = self.root / path
        if not file.is_file():
            return f"ENOENT: no such file: {path}", True
        return file.read_text(encoding="utf-8").rstrip("\n"), False

    def write(self, path: str, content: str) -> tuple[str, bool]:
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
        return f"Wrote {len(content.encode())} bytes to {path}", False

    def edit(self, path: str, old: str, new: str) -> tuple[str, bool]:
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            return f"The text to replace occurs {text.count(old)} times in {path}; nothing was changed", True
        file.write_text(text.replace(old, new), encoding="utf-8")
        return f"Replaced 1 occurrence in {path}", False


class Recorder:
    """Writes what happens as a session of version 3."""

    def __init__(self, language: str, desk: Desk, texts: dict[str, str]) -> None:
        self.desk = desk
        self.texts = texts
        self.lines = [
            {"type": "session", "version": 3, "id": f"bookshelf-{language}", "timestamp": stamp(0), "cwd": SHOWN_AT}
        ]

    def play(self, step: Step) -> None:
        """One step: the user writes, or the assistant speaks and makes calls."""
        if step.who == "user":
            self._append({"role": "user", "content": [{"type": "text", "text": self.texts[step.text]}]})
            return
        content: list[dict[str, Any]] = []
        if step.text:
            content.append({"type": "text", "text": self.texts[step.text]})
        calls = [(name, self._filled(arguments)) for name, arguments in step.calls]
        for name, arguments in calls:
            call_id = f"call_{len(self.lines):04d}_{len(content)}"
            content.append({"type": "toolCall", "id": call_id, "name": name, "arguments": arguments})
        self._append({"role": "assistant", "content": content, "stopReason": "toolUse" if calls else "stop"})
        made = [block for block in content if block["type"] == "toolCall"]
        for block, (name, arguments) in zip(made, calls, strict=True):
            text, failed = self.desk.run(name, arguments)
            self._append(
                {
                    "role": "toolResult",
                    "toolCallId": block["id"],
                    "toolName": name,
                    "content": [{"type": "text", "text": text}],
                    "isError": failed,
                }
            )

    def _filled(self, arguments: dict[str, Any]) -> dict[str, Any]:
        # {{key}} in a command or a file stands for a text in the language.
        return {
            key: re.sub(r"\{\{(\w+)\}\}", lambda match: self.texts[match.group(1)], value)
            for key, value in arguments.items()
        }

    def _append(self, message: dict[str, Any]) -> None:
        number = len(self.lines)
        parent = f"{number - 1:08x}" if number > 1 else None
        entry = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": stamp(number)}
        self.lines.append({**entry, "message": message})


def stamp(number: int) -> str:
    """A made-up time: half a minute for each entry."""
    return f"2026-05-20T{9 + number // 120:02d}:{number // 2 % 60:02d}:{number % 2 * 30:02d}.000Z"


def record(language: str) -> str:
    """The session file in one language."""
    texts = json.loads((HERE / f"{language}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "bookshelf"
        shutil.copytree(HERE / "bookshelf", root, ignore=shutil.ignore_patterns("__pycache__"))
        desk = Desk(root)
        output, failed = desk.bash("git init -q -b main && git add . && git commit -q -m 'Start the desk'")
        if failed:
            raise RuntimeError(output)
        recorder = Recorder(language, desk, texts)
        for step in STORY:
            recorder.play(step)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in recorder.lines)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or LANGUAGES:
        (HERE / f"bookshelf-{wanted}.v3.jsonl").write_text(record(wanted), encoding="utf-8")
