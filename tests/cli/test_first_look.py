"""What a new user sees: help, names that can be typed again, empty answers, texts on a terminal and in a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from treering.cli import COMMANDS, run
from treering.session.tree import Session


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "my session.jsonl"
    with Session.create(file, cwd="/srv/demo") as session:
        session.append_message({"role": "user", "content": "hello"})
        session.append_message({"role": "assistant", "content": [{"type": "text", "text": "good day"}]})
        session.append({"type": "session_info", "name": "greetings"})
    return file


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> str:
    assert run([*map(str, arguments)]) == code
    told = capsys.readouterr()
    return told.err if code else told.out


def test_help_says_what_each_command_does_in_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, expected in (([], set(COMMANDS)), (["eval"], {"hindsight", "rounds"})):
        lines = printed(capsys, *arguments, "--help").split("Commands:\n")[1].splitlines()
        assert {line.split()[0] for line in lines} == expected
        assert all(line.endswith(".") and not line.endswith("...") for line in lines), lines


def test_entries_add_up(capsys: pytest.CaptureFixture[str], tiny: Path) -> None:
    assert "  entries      3: 1 user message, 1 answer, 1 other\n" in printed(capsys, "show", tiny)


def test_what_is_over_is_made_fit_by_the_command_that_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "it's long.jsonl"
    with Session.create(file, cwd="/srv/demo") as session:
        for number in range(40):
            session.append_message({"role": "user", "content": f"Question {number}. " + "More words. " * 40})
            answer = [{"type": "text", "text": f"Answer {number}. " + "And more. " * 40}]
            session.append_message({"role": "assistant", "content": answer})
    line = printed(capsys, "show", file, "--window", "4000").splitlines()[-1]
    command = line.split("`")[1].replace("treering", f"{sys.executable} -m treering", 1)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    undo = done.stdout.splitlines()[-1].split("`")[3].replace("treering", f"{sys.executable} -m treering", 1)
    assert "It is over" not in printed(capsys, "show", file, "--window", "4000")
    assert subprocess.run(["sh", "-c", undo], capture_output=True, text=True, check=True).stdout.startswith("undone")


def test_nothing_is_said_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    Session.create(empty, cwd="/srv/demo").close()
    assert printed(capsys, "label", empty).startswith("no labels")
    assert printed(capsys, "branch", empty).startswith("no branches")
    assert "0: no messages" in printed(capsys, "show", empty)
    assert printed(capsys, "context", empty).splitlines()[0] == "0 messages, 0 tokens, 0% of 200 000"


def test_what_is_there_is_never_nothing(capsys: pytest.CaptureFixture[str], tiny: Path) -> None:
    assert "tokens, <1% of 200 000" in printed(capsys, "context", tiny)


def test_one_and_none_are_words_too(capsys: pytest.CaptureFixture[str], tiny: Path) -> None:
    assert "only 1 turn begins before" in printed(capsys, "entry", tiny, "HEAD~2", code=2)
    assert run(["checkout", str(tiny), "@root"]) == 0
    assert capsys.readouterr().err.startswith("now before the first entry; 3 entries left behind")


def test_a_demo_names_no_file_that_is_gone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    here = Path.cwd()
    told = printed(capsys, "demo")
    assert os.path.join(tempfile.gettempdir(), "tmp") not in told
    assert told.splitlines()[-1] == "This was done to a copy that is gone now: `treering demo --to FILE` keeps it."
    kept = tmp_path / "kept.jsonl"
    assert "is gone now" not in printed(capsys, "demo", "--to", kept)
    assert printed(capsys, "undo", kept).startswith("undone")
    assert Path.cwd() == here


def test_files_of_other_tools_are_not_taken_for_broken_sessions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "other.jsonl"
    records = [{"type": "user", "uuid": "u1", "message": {"role": "user", "content": "hi"}}, {"role": "user"}]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    for arguments in (["doctor", file], ["doctor", "--repair", file], ["show", file], ["compact", file]):
        assert "another tool" in printed(capsys, *arguments, code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["other.jsonl"]


HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[5mblink\r"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A session whose names, ids and texts hold what a terminal would act on."""
    file = tmp_path / "hostile.jsonl"
    entries = [
        {"type": "session", "version": 3, "id": f"s{HOSTILE}", "timestamp": "2026-01-01T00:00:00Z", "cwd": HOSTILE},
        {"type": "message", "id": f"a{HOSTILE}", "message": {"role": f"x{HOSTILE}", "content": f"hi {HOSTILE}"}},
        {"type": "message", "id": "b", "message": {"role": "toolResult", "toolName": HOSTILE, "content": HOSTILE}},
        {"type": "model_change", "id": "c", "provider": HOSTILE, "modelId": HOSTILE},
        {"type": "label", "id": "d", "targetId": "b", "label": f"label {HOSTILE}"},
        {"type": "session_info", "id": "e", "name": HOSTILE},
    ]
    parent = None
    for entry in entries[1:]:
        entry |= {"parentId": parent, "timestamp": "2026-01-01T00:00:00Z"}
        parent = entry["id"]
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    return file


class Terminal:
    """Stands where a stream stood, says that it is a terminal, and keeps what is written."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return 1


@pytest.mark.parametrize(
    "command",
    [
        "show", "context", "context --llm", "entry a", "entry b", "entry c", "entry nobody", "tree", "tree --all",
        "branch", "diff a", "label", "name", "pin b", "checkout a", "checkout b --summarize", "doctor",
        "doctor --repair", "compact --keep-recent 1", "ledger",
    ],
)  # fmt: skip
def test_sessions_do_not_drive_the_terminal(monkeypatch: pytest.MonkeyPatch, hostile: Path, command: str) -> None:
    stdout, stderr = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(sys, "stderr", stderr)
    name, *rest = command.split()
    run([name, str(hostile), *rest])
    told = stdout.text + stderr.text
    assert told
    for acting in ("\x1b]", "\x07", "\x1b[2J", "\r"):
        assert acting not in told


def test_texts_are_whole_in_a_pipe(hostile: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "treering", "entry", str(hostile), "b"], capture_output=True, check=True
    )
    assert HOSTILE.encode() in done.stdout
