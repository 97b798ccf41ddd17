"""The command line as a script sees it: JSON, exit codes, streams."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from treering.cli import COMMANDS, run
from treering.session.tree import Session


@pytest.fixture
def example(tmp_path: Path) -> Path:
    file = tmp_path / "example.jsonl"
    file.write_bytes(resources.files("treering.data").joinpath("example-session.v3.jsonl").read_bytes())
    return file


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.jsonl"
    with Session.create(file, cwd="/srv/demo") as session:
        session.append_message({"role": "user", "content": "hello"})
        session.append_message({"role": "assistant", "content": [{"type": "text", "text": "good day"}]})
    return file


def treering(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treering", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> dict[str, Any]:
    assert run([*map(str, arguments), "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    return data


def test_show(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    data = run_json(capsys, "show", example)
    assert data["entries"] == 404
    assert data["branches"] == 2
    assert data["compactions"] == 0
    assert data["tokens"] > 100_000
    assert data["name"]


def test_context(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    data = run_json(capsys, "context", example)
    assert {"tokens", "leaf", "messages"} <= data.keys()
    assert {"entry_id", "role", "tokens", "message"} == data["messages"][0].keys()
    with Session.open(example) as session:
        assert [item["entry_id"] for item in data["messages"]] == [item.entry_id for item in session.context()]
    sent = run_json(capsys, "context", example, "--llm")
    assert {item["role"] for item in sent["messages"]} == {"user", "assistant", "toolResult"}
    early = run_json(capsys, "context", example, "--leaf", data["messages"][4]["entry_id"])
    assert len(early["messages"]) == 5


def test_compact_undo_and_again(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    before = run_json(capsys, "context", example)["messages"]
    data = run_json(capsys, "compact", example, "the", "alerts")
    fields = {
        "outcome", "reason", "cause", "entry_id", "first_kept_entry_id", "split_turn", "tokens_before", "tokens_after",
        "summary", "summary_tokens", "pruned", "read_files", "modified_files", "seconds", "dry_run", "check",
    }  # fmt: skip
    assert fields <= data.keys()
    assert data["outcome"] == "applied"
    assert data["reason"] == "manual"
    assert data["pruned"] == {"results": 0, "tokens": 0}
    assert data["tokens_after"] < data["tokens_before"]
    after = run_json(capsys, "context", example)
    assert after["messages"][0]["entry_id"] == data["entry_id"]
    assert run_json(capsys, "compact", example)["outcome"] == "skipped"
    assert run_json(capsys, "undo", example)["undone"] == data["entry_id"]
    assert run_json(capsys, "context", example)["messages"] == before
    assert run_json(capsys, "undo", example, "--redo")["outcome"] == "applied"
    assert run_json(capsys, "context", example)["messages"] == after["messages"]


def test_a_dry_run_writes_nothing(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    before = example.read_bytes()
    data = run_json(capsys, "compact", example, "--dry-run")
    assert (data["outcome"], data["dry_run"], data["entry_id"]) == ("applied", True, None)
    assert run_json(capsys, "prune", example, "--dry-run")["pruned"]["results"] >= 0
    assert example.read_bytes() == before


def test_to_writes_a_copy_and_leaves_the_source(
    capsys: pytest.CaptureFixture[str], example: Path, tiny: Path, tmp_path: Path
) -> None:
    before = example.read_bytes()
    data = run_json(capsys, "compact", example, "--to", tmp_path / "copy.jsonl")
    assert data["outcome"] == "applied"
    assert example.read_bytes() == before
    header, *lines = (tmp_path / "copy.jsonl").read_bytes().splitlines()
    assert lines[:404] == before.splitlines()[1:]
    assert json.loads(header)["parentSession"] == str(example)
    assert json.loads(header)["id"] != json.loads(before.splitlines()[0])["id"]
    skipped = run_json(capsys, "compact", tiny, "--to", tmp_path / "tiny-copy.jsonl")
    assert skipped["outcome"] == "skipped"
    assert (tmp_path / "tiny-copy.jsonl").exists(), "--to always writes"
    assert run(["compact", str(example), "--to", str(tmp_path / "copy.jsonl")]) == 1
    assert "exists already" in capsys.readouterr().err


def test_an_old_version_is_copied_as_version_3(
    capsys: pytest.CaptureFixture[str], shared: Path, tmp_path: Path
) -> None:
    run_json(capsys, "compact", shared / "sessions/pi/large.v1.jsonl", "--to", tmp_path / "new.jsonl")
    assert json.loads((tmp_path / "new.jsonl").read_bytes().splitlines()[0])["version"] == 3


def test_the_options_of_compact_count(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    small = run_json(capsys, "compact", example, "--dry-run", "--budget", "512")
    assert small["summary_tokens"] <= 512
    late = run_json(capsys, "compact", example, "--dry-run", "--keep-recent", "1000")
    early = run_json(capsys, "compact", example, "--dry-run", "--keep-recent", "40000")
    assert late["tokens_after"] < early["tokens_after"]
    assert run_json(capsys, "compact", example, "--dry-run", "--window", "20000")["tokens_after"] < 20_000


def test_entry_shows_a_compacted_and_a_pruned_one_whole(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    first = run_json(capsys, "context", example)["messages"][0]
    run_json(capsys, "compact", example)
    data = run_json(capsys, "entry", example, first["entry_id"][:6])
    assert data["entry"]["message"] == first["message"]
    assert data["state"] == "compacted"
    assert run_json(capsys, "entry", example, "@last")["entry"]["type"] == "compaction"


def test_pins(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    first = run_json(capsys, "context", example)["messages"][0]["entry_id"]
    pinned = run_json(capsys, "pin", example, first, "--text", "Never edit data/raw!")
    assert pinned["pins"] == [{"entry_id": first, "text": "Never edit data/raw!"}]
    assert "Never edit data/raw!" in run_json(capsys, "compact", example)["summary"]
    assert run_json(capsys, "unpin", example, first)["outcome"] == "applied"
    assert run_json(capsys, "pin", example)["pins"] == []
    assert run(["pin", str(example), first, "--text", "word " * 9000]) == 1
    assert "quarter of the reserve" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "missing.jsonl"], 1, "missing.jsonl cannot be read: No such file or directory"),
        (["show", "."], 2, "is a directory"),
        (["entry", "tiny.jsonl", "zzz"], 2, "no entry has the id"),
        (["compact", "tiny.jsonl", "--window", "0"], 2, "--window"),
        (["compact", "tiny.jsonl", "--reserve", "9000", "--window", "4000"], 2, "reserve_tokens is 9000"),
        (["compact", "tiny.jsonl", "--dry-run", "--to", "x"], 2, "--dry-run writes nothing"),
        (["nothing"], 2, "No such command 'nothing'"),
        (["compact"], 2, "Missing argument 'FILE'"),
    ],
)
def test_wrong_use_is_one_clear_error(
    arguments: list[str],
    code: int,
    message: str,
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tiny.parent)
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"hello\n", "line 1"),
        (b'{"type":"message","id":"a"}\n', "line 1: no session header"),
        (b"\x00\x01\x02\xff" * 50, "line 1"),
        (b'{"a":1}\n', "line 1"),
        (b"[" * 20_000, "line 1"),
    ],
)
@pytest.mark.parametrize("command", ["show", "context", "compact", "undo", "prune"])
def test_what_is_no_session_is_an_error_with_line_and_reason(
    command: str, content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    assert run([command, str(file)]) == 1
    error = capsys.readouterr().err
    assert str(file) in error
    assert message in error
    assert len(error.splitlines()) == 1
    assert file.read_bytes() == content


def test_a_torn_tail_is_a_warning(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tiny.open("ab") as file:
        file.write(b'{"type":"message","id":"torn","me')
    assert run(["context", str(tiny), "--json"]) == 0
    captured = capsys.readouterr()
    assert len(json.loads(captured.out)["messages"]) == 2
    assert "last line is unfinished" in captured.err


def test_a_closed_pipe_is_silent(example: Path) -> None:
    command = f'"{sys.executable}" -m treering context "{example}" --all | head -n 1'
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_no_colour_where_it_is_not_wanted(example: Path) -> None:
    assert "\x1b" not in treering("context", example).stdout
    assert "\x1b" not in treering("context", example, env={**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"}).stdout


def test_output_in_a_terminal_that_takes_only_ascii(example: Path) -> None:
    done = treering("context", example, env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr


def test_a_file_that_cannot_be_written_is_left_alone(example: Path) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere")
    example.chmod(0o444)
    example.parent.chmod(0o555)
    prefix = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    probe = subprocess.run([*prefix, "test", "-r", str(example)], check=False)
    if probe.returncode:
        pytest.skip("another user cannot reach the temporary folder")
    command = [*prefix, sys.executable, "-m", "treering", "compact", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    example.parent.chmod(0o755)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_and_json(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Usage:" in text
    if command not in {"demo", "eval", "browse", "serve-summaries"}:
        assert "--json" in text


def test_demo_runs() -> None:
    done = treering("demo")
    assert done.returncode == 0, done.stderr
    assert "summarised in" in done.stdout
