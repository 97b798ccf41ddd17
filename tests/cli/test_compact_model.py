"""`compact --summarizer` and `ledger`, over HTTP, scripted and with a real model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from servers.scripted import Answer, chat, drip, failure, scripted
from treering.cli import treering
from treering.operations.ledger import attempts
from treering.session.tree import Session

SUMMARY = "## Goal\n- build the parser\n\n## Next Steps\n- test it"


def write(path: Path, turns: int) -> Path:
    with Session.create(path, cwd="/srv/demo") as session:
        for number in range(turns):
            user = {"role": "user", "content": f"Step {number}: change src/parser_{number}.py."}
            text = f"I changed function parse_{number}. " + "It now keeps the quotes of every token. " * 12
            assistant = {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}
            session.append({"type": "message", "message": user}, {"type": "message", "message": assistant})
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "session.jsonl", 12)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("TREERING_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").touch()
    monkeypatch.chdir(tmp_path)

    def runner(*arguments: str | Path) -> Result:
        return CliRunner().invoke(treering, [str(argument) for argument in arguments])

    return runner


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_candidates_are_tried_in_order(run: Callable[..., Result], file: Path) -> None:
    options = ("--keep-recent", "135", "--short", "--json")
    with scripted(failure(401), repeat=True) as first, scripted(chat(SUMMARY), chat("Parser work.")) as second:
        names = ("--summarizer", first.model, "--summarizer", second.model)
        found = data(run("compact", file, "keep names", *names, *options))
        sent = second.requests[0].json["messages"][1]["content"]
    assert found["outcome"] == "applied"
    assert found["summarizer"] == second.model
    assert found["short_summary"] == "Parser work."
    assert "keep names" in sent


def test_an_endpoint_and_the_settings_file(run: Callable[..., Result], file: Path, tmp_path: Path) -> None:
    with scripted(Answer({"summary": SUMMARY})) as server:
        (tmp_path / "config.toml").write_text(
            f"[compaction]\nremoteEndpoint = '{server.url}/s'\nkeepRecentTokens = 135\nremote_token = 't'"
        )
        found = data(run("compact", file, "--json"))
        assert server.requests[0].headers["authorization"] == "Bearer t"
    assert found["summarizer"] == f"{server.url}/s"
    assert found["summary"].startswith(SUMMARY)


def test_a_models_failure_is_the_exit_code_unless_extractive_may_follow(run: Callable[..., Result], file: Path) -> None:
    with scripted(failure(401, "bad key"), repeat=True) as server:
        alone = run("compact", file, "--summarizer", server.model, "--keep-recent", "135")
        both = run("compact", file, "--summarizer", server.model, "--summarizer", "extractive", "--keep-recent", "135")
    assert alone.exit_code == 1
    assert "bad key" in alone.stderr
    assert both.exit_code == 0
    assert "by extractive" in both.output


def test_an_unknown_model_and_an_unknown_setting_are_wrong_use(run: Callable[..., Result], file: Path) -> None:
    from treering.cli import run as run_main

    before = file.read_bytes()
    assert run_main(["compact", str(file), "--summarizer", "nonsense:x", "--keep-recent", "135"]) == 2
    Path("config.toml").write_text("[compaction]\nkeep = 1")
    assert run_main(["compact", str(file)]) == 2
    assert file.read_bytes().startswith(before)


def test_the_ledger_lists_and_sums(run: Callable[..., Result], file: Path) -> None:
    assert "no attempt" in run("ledger", file).output
    with scripted(chat(""), chat(""), chat(SUMMARY, usage=(2000, 50)), repeat=True) as server:
        run("compact", file, "--summarizer", server.model, "--keep-recent", "135")
        run("compact", file, "--summarizer", server.model, "--keep-recent", "135")
    found = data(run("ledger", file, "--json"))
    assert [attempt["outcome"] for attempt in found["attempts"]] == ["failed", "applied"]
    assert found["totals"]["attempts"] == 2
    assert found["totals"]["calls"] == 3
    assert found["totals"]["retries"] == 1
    assert found["totals"]["input_tokens"] == 2000
    assert found["totals"]["price"] is None
    shown = run("ledger", file, "--calls").output
    assert "2 attempts, 1 applied; 3 calls, 1 retry" in shown
    assert "price unknown" in shown
    assert "it was empty" in shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process there")
def test_ctrl_c_ends_the_call_and_leaves_a_record(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    environ = os.environ | {"TREERING_CONFIG": str(tmp_path / "none.toml")}
    (tmp_path / "none.toml").touch()
    with scripted(Answer(stream=drip)) as server:
        command = [sys.executable, "-m", "treering", "compact", str(file), "--summarizer", server.model]
        process = subprocess.Popen([*command, "--keep-recent", "135"], env=environ, stderr=subprocess.PIPE)
        while not server.requests and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert server.gone.wait(10)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    assert file.read_bytes().startswith(before)
    with Session.open(file) as session:
        (attempt,) = attempts(session.store.scan())
    assert attempt.outcome == "cancelled"
    assert [call.outcome for call in attempt.calls] == ["cancelled"]


@pytest.mark.slow
def test_a_real_model_end_to_end(run: Callable[..., Result], tmp_path: Path, llama: Callable[[int], str]) -> None:
    file = write(tmp_path / "long.jsonl", 18)
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    for name in ("first", "update", "turn-prefix"):
        (prompts / f"{name}.md").write_text("What did the user ask for? Answer with one short sentence.")
    (prompts / "system.md").write_text("You are a helpful assistant. You answer with one short sentence.")
    (tmp_path / "config.toml").write_text(
        f"[summary]\nprompts = '{prompts}'\nsummarizers = ['{llama(2048)}']\ntemperature = 0\nfallback = false"
    )
    before = file.read_bytes()
    found = data(run("compact", file, "--keep-recent", "135", "--budget", "400", "--json"))
    assert found["outcome"] == "applied"
    assert found["tokens_after"] < found["tokens_before"]
    assert file.read_bytes().startswith(before)
    told = data(run("ledger", file, "--json"))
    assert told["totals"]["applied"] == 1
    assert told["totals"]["input_tokens"] > 500
    outcomes = [call["outcome"] for call in told["attempts"][0]["calls"]]
    assert outcomes[0] == "failed", "the first request is longer than the model's window, which nobody knew"
    assert set(outcomes[1:]) == {"answered"}
