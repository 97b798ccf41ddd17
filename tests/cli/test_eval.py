"""The commands `eval hindsight` and `eval rounds`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treering.cli import run
from treering.session.tree import Session

SMALL = ("--keep-recent", "300", "--least-region", "100", "--summarizer", "greedy cover")


@pytest.fixture
def session_file(tmp_path: Path) -> str:
    with Session.create(tmp_path / "session.jsonl", cwd="/srv/demo") as session:
        for index in range(20):
            session.append_message(
                {"role": "user", "content": f"please check loadUser in module_{index}.py, step {index}"}
            )
            call = {
                "type": "toolCall",
                "id": f"c{index}",
                "name": "bash",
                "arguments": {"command": f"pytest tests/{index}"},
            }
            session.append_message({"role": "assistant", "content": [{"type": "text", "text": "I run it."}, call]})
            content = [{"type": "text", "text": "loadUser ok\nsaveUser failed\n" * 20}]
            session.append_message(
                {"role": "toolResult", "toolCallId": f"c{index}", "toolName": "bash", "content": content}
            )
    return str(tmp_path / "session.jsonl")


def test_a_table_names_the_baselines_and_every_measure(session_file: str, capsys: pytest.CaptureFixture[str]):
    assert run(["eval", "hindsight", session_file, "--budget", "100,1k", *SMALL]) == 0
    out = capsys.readouterr().out
    for word in ("greedy cover", "last lines", "random lines", "rare words", "user's text", "relat.", "100", "1000"):
        assert word in out
    assert "3 cuts of 1 session" in out


def test_json_and_plot(session_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    plot = tmp_path / "recall.svg"
    command = ["eval", "hindsight", session_file, "--budget", "200", "--cuts", "60%,0.8", "--json", "--missed"]
    assert run([*command, "--plot", str(plot), *SMALL]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert {result["at"] for result in data["results"]} == {0.6, 0.8}
    assert {row["summarizer"] for row in data["rows"]} >= {"greedy cover", "last lines"}
    assert all(result["tokens"] <= 200 and not result["over_budget"] for result in data["results"])
    assert plot.read_text().startswith("<svg")


def test_many_files_at_once_give_what_one_at_a_time_gives(session_file: str, capsys: pytest.CaptureFixture[str]):
    other = Path(session_file).with_name("other.jsonl")
    other.write_bytes(Path(session_file).read_bytes())
    outputs = []
    for processes in ("1", "2"):
        command = ["eval", "hindsight", session_file, str(other), "--budget", "200", "--json", "--processes", processes]
        assert run([*command, *SMALL]) == 0
        data = json.loads(capsys.readouterr().out)
        outputs.append([{**result, "seconds": 0} for result in data["results"]])
    assert outputs[0] == outputs[1]
    assert {result["source"] for result in outputs[0]} == {"session.jsonl", "other.jsonl"}


def test_rounds(session_file: str, capsys: pytest.CaptureFixture[str]):
    assert run(["eval", "rounds", session_file, "--budget", "200", "--rounds", "3", *SMALL]) == 0
    out = capsys.readouterr().out
    assert "after 3 rounds" in out
    assert "Asked twice, 0 summaries of 24 differed." in out
    assert run(["eval", "rounds", session_file, "--budget", "200", "--rounds", "3", "--json", *SMALL]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert data["not_repeatable"] == 0
    assert len(data["last"]) == len(data["at_once"]) == 6


def test_what_is_wrong_is_said(session_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no session\n")
    assert run(["eval", "hindsight", str(broken), *SMALL]) == 1
    assert "broken.jsonl" in capsys.readouterr().err
    assert run(["eval", "hindsight", session_file, "--summarizer", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
    assert run(["eval", "hindsight", session_file, "--summarizer", "greedy cover"]) == 0
    assert "too short" in capsys.readouterr().err
    for wrong in (["--budget", "many"], ["--cuts", "150%"], ["--cuts", ""]):
        assert run(["eval", "hindsight", session_file, *wrong]) == 2
        capsys.readouterr()
