"""SWE-agent trajectories as session files, for the retention benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def session_file(trajectory: Path, folder: Path) -> Path:
    """Write a trajectory as a session of version 3; the system prompt and the demonstration are no part of it."""
    history = json.loads(trajectory.read_text(encoding="utf-8"))["history"]
    target = folder / f"{trajectory.stem}.v3.jsonl"
    header = {"type": "session", "version": 3, "id": trajectory.stem, "timestamp": "2026-01-01T00:00:00Z", "cwd": ""}
    lines: list[dict[str, Any]] = [header]
    for number, message in enumerate(_messages(history)):
        parent = f"{number - 1:08x}" if number else None
        head = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": header["timestamp"]}
        lines.append({**head, "message": message})
    target.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return target


def _messages(history: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    open_call = ""
    for number, item in enumerate(history):
        text = [{"type": "text", "text": str(item.get("content") or "")}]
        if item["role"] == "system" or item.get("is_demo"):
            continue
        if item["role"] == "assistant":
            open_call = f"call_{number}"
            thought = [{"type": "text", "text": item.get("thought") or ""}]
            call = {"type": "toolCall", "id": open_call, "name": "bash", "arguments": {"command": item.get("action")}}
            yield {"role": "assistant", "content": [*thought, call], "stopReason": "toolUse"}
        elif open_call:
            yield {"role": "toolResult", "toolCallId": open_call, "toolName": "bash", "content": text, "isError": False}
            open_call = ""
        else:
            yield {"role": "user", "content": text}
