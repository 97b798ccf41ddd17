"""The bundled example session: valid, consistent in itself, and what the recorder really plays."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECORDED_WITH = ("3.11", "9.2")  # Python and pytest; others word some outputs differently


def records(text: str) -> list[dict[str, Any]]:
    assert text.endswith("\n")
    return [json.loads(line) for line in text[:-1].split("\n")]


@pytest.fixture(scope="module")
def text() -> str:
    return resources.files("treering").joinpath("data/example-session.v3.jsonl").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def entries(text: str) -> list[dict[str, Any]]:
    return records(text)[1:]


def path_to(entries: list[dict[str, Any]], leaf: str) -> list[dict[str, Any]]:
    by_id = {entry["id"]: entry for entry in entries}
    path = []
    at: str | None = leaf
    while at is not None:
        path.append(by_id[at])
        at = by_id[at]["parentId"]
    return path[::-1]


def calls_of(message: dict[str, Any]) -> list[str]:
    return [block["id"] for block in message["content"] if block["type"] == "toolCall"]


def test_header_and_size(text: str) -> None:
    header = records(text)[0]
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, "/home/dev/tidewatch")
    assert len(text.encode()) <= 700_000


def test_ids_are_unique_and_parents_come_first(entries: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for entry in entries:
        assert re.fullmatch("[0-9a-f]{8}", entry["id"])
        assert entry["id"] not in seen
        assert entry["parentId"] in seen or (entry["parentId"] is None and not seen)
        seen.add(entry["id"])
    assert 300 <= len(entries) <= 450


def test_time_never_runs_backwards(entries: list[dict[str, Any]]) -> None:
    stamps = [entry["timestamp"] for entry in entries]
    assert stamps == sorted(stamps)


def test_every_call_has_its_result_but_for_the_one_that_was_stopped(entries: list[dict[str, Any]]) -> None:
    children: dict[str | None, list[dict[str, Any]]] = {}
    for entry in entries:
        children.setdefault(entry["parentId"], []).append(entry)
    stopped = 0
    for entry in entries:
        message = entry.get("message", {})
        if message.get("role") != "assistant":
            continue
        if message["stopReason"] == "aborted":
            stopped += 1
            assert all(e["message"]["role"] == "user" for e in children[entry["id"]])
            continue
        at = entry["id"]
        for call in calls_of(message):
            (result,) = children[at]
            assert result["message"]["role"] == "toolResult"
            assert result["message"]["toolCallId"] == call
            at = result["id"]
    assert stopped == 1
    results = [e["message"]["toolCallId"] for e in entries if e.get("message", {}).get("role") == "toolResult"]
    made = [c for e in entries if e.get("message", {}).get("role") == "assistant" for c in calls_of(e["message"])]
    assert len(made) == len(set(made)) == len(results) + 1


def test_what_it_shows(entries: list[dict[str, Any]]) -> None:
    kinds = Counter(entry["type"] for entry in entries)
    roles = Counter(entry["message"]["role"] for entry in entries if entry["type"] == "message")
    assert kinds["label"] == kinds["session_info"] == 1
    assert kinds["model_change"] == kinds["thinking_level_change"] == 2
    assert roles["bashExecution"] == 1
    assert roles["user"] >= 15
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    assert max(len(calls_of(m)) for m in messages if m["role"] == "assistant") > 3
    assert any(m["isError"] for m in messages if m["role"] == "toolResult")
    tools = {m["toolName"] for m in messages if m["role"] == "toolResult"}
    assert tools == {"bash", "read", "write", "edit", "grep", "ls", "todo"}


def test_one_branch_was_left(entries: list[dict[str, Any]]) -> None:
    parents = Counter(entry["parentId"] for entry in entries)
    (fork,) = [entry_id for entry_id, count in parents.items() if count > 1]
    assert parents[fork] == 2
    leaves = {entry["id"] for entry in entries} - set(parents)
    assert len(leaves) == 2
    assert entries[-1]["id"] in leaves
    (label,) = [entry for entry in entries if entry["type"] == "label"]
    assert label["targetId"] == fork


def test_it_ends_with_a_question_and_a_red_test(entries: list[dict[str, Any]]) -> None:
    last = entries[-1]["message"]
    assert last["role"] == "assistant"
    assert last["stopReason"] == "stop"
    assert last["content"][-1]["text"].endswith("?")
    assert "test_the_median_residual_is_small[kettle-bay]" in last["content"][-1]["text"]


def test_nothing_of_the_machine_is_in_it(text: str) -> None:
    assert set(re.findall(r"/home/\w+", text)) == {"/home/dev"}
    assert "treering" not in text
    for forbidden in (str(ROOT), sys.prefix, "/root", "/Users/", "\\u001b["):
        assert forbidden not in text


def test_the_usage_grows_as_the_context_does(entries: list[dict[str, Any]]) -> None:
    toktok = pytest.importorskip("toktok")
    path = path_to(entries, entries[-1]["id"])
    total = 0
    for entry in path:
        message = entry.get("message")
        if message is None:
            continue
        if message["role"] == "assistant":
            usage = message["usage"]
            prompt = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
            assert usage["totalTokens"] == prompt + usage["output"]
            assert prompt == pytest.approx(8_140 + total, rel=0.02)
        blocks = message.get("content", [{"text": message.get("command", "") + message.get("output", "")}])
        texts = [
            b.get("text") or b.get("thinking") or b["name"] + json.dumps(b["arguments"], ensure_ascii=False)
            for b in blocks
        ]
        total += sum(toktok.batch_count(texts, "o200k_base")) + 4
    assert 90_000 < total < 140_000


def shape(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what depends on the versions of Python and pytest: outputs, counts, times."""
    record = {key: value for key, value in record.items() if key != "timestamp"}
    if "message" in record:
        message = {k: v for k, v in record["message"].items() if k not in ("usage", "timestamp", "output")}
        if message["role"] == "toolResult":
            del message["content"]
        record["message"] = message
    return record


def test_the_gauge_logs_are_the_computed_ones(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "examples/make_gauge_logs.py"), str(tmp_path)], check=True, timeout=60)
    bundled = ROOT / "examples/tidewatch/data/raw"
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {p.name: p.read_bytes() for p in bundled.iterdir()}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None or os.name == "nt", reason="the recording needs git and a POSIX shell")
def test_the_recorder_plays_it_again(text: str, tmp_path: Path) -> None:
    pytest.importorskip("toktok")
    target = tmp_path / "again.jsonl"
    subprocess.run([sys.executable, str(ROOT / "examples/record_session.py"), str(target)], check=True, timeout=300)
    again = target.read_text(encoding="utf-8")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if (python, ".".join(pytest.__version__.split(".")[:2])) == RECORDED_WITH:
        for old, new in zip(text.split("\n"), again.split("\n"), strict=True):
            assert new == old
    else:
        # Another Python or pytest words some outputs differently: texts, calls and their success must be the same.
        assert [shape(r) for r in records(again)] == [shape(r) for r in records(text)]
