"""The summary server: who is answered, with what, and that a hang-up ends the work."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from asked import SUMMARY, WORK, request
from servers.scripted import Answer, chat, drip, failure, scripted
from treering.compaction.summarizer import Summarizer
from treering.errors import SettingsError
from treering.facts.fold import FactState, fold
from treering.summarizers.chain import ChainSummarizer
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.remote import RemoteSummarizer
from treering.summarizers.serve import MAX_BODY_BYTES, ServerOptions, check_access, is_loopback, make_app

PROMPT = {"systemPrompt": "You summarise.", "prompt": "<conversation>\n[User]: Never touch build/.\n</conversation>"}


@contextmanager
def serving(summarizer: Summarizer, **options: Any) -> Iterator[str]:
    """A real server in a thread."""
    config = uvicorn.Config(make_app(summarizer, ServerOptions(**options)), port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/summarize"
    server.should_exit = True
    thread.join(10)


def test_the_extractive_summarizer_answers_with_quotations() -> None:
    with serving(ExtractiveSummarizer()) as url:
        answer = httpx.post(url, json=PROMPT)
    assert answer.status_code == 200
    assert "Never touch build/" in answer.json()["summary"]
    assert answer.json()["summarizer"] == "extractive"


def test_a_model_gets_the_callers_prompts_as_they_are() -> None:
    with scripted(chat(SUMMARY)) as model, serving(LLMSummarizer(model.model)) as url:
        answer = httpx.post(url, json=PROMPT)
        system, user = model.requests[0].json["messages"]
    assert answer.json()["summary"] == SUMMARY.strip()
    assert (system["content"], user["content"]) == (PROMPT["systemPrompt"], PROMPT["prompt"])


async def test_ours_on_both_ends() -> None:
    asked = request(facts=fold(FactState(), WORK))
    with scripted(chat(SUMMARY)) as model, serving(LLMSummarizer(model.model), token="t") as url:
        summary = await RemoteSummarizer(url, token="t").summarize(asked)
    assert summary.text.startswith(SUMMARY.strip())


async def test_an_overflow_behind_the_server_is_known_as_one() -> None:
    overflow = failure(400, "request (9000 tokens) exceeds the available context size (4000 tokens)")
    long = WORK * 30
    with scripted(overflow, chat(SUMMARY), repeat=True) as model, serving(LLMSummarizer(model.model)) as url:
        assert (await RemoteSummarizer(url).summarize(request(long))).text == SUMMARY.strip()
        assert len(model.requests) > 2


def test_a_chain_goes_on_to_the_next() -> None:
    with scripted(failure(401), repeat=True) as model:
        chain = ChainSummarizer(LLMSummarizer(model.model), ExtractiveSummarizer())
        with serving(chain) as url:
            assert httpx.post(url, json=PROMPT).json()["summarizer"] == "extractive"


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{}", {}, 400),
        (b"[]", {}, 400),
        (b"no", {}, 400),
        (b'{"prompt": 5}', {}, 400),
        (b'{"prompt": " "}', {}, 400),
        (b"[" * 50_000, {}, 400),
        (b'{"prompt": "x"}', {"Content-Type": "text/plain"}, 415),
        (b'{"prompt": "x"}', {"Host": "evil.example"}, 403),
        (b" " * (MAX_BODY_BYTES + 1), {}, 413),
    ],
)
def test_what_is_no_request_is_refused(content: bytes, headers: dict[str, str], status: int) -> None:
    with serving(ExtractiveSummarizer()) as url:
        answer = httpx.post(url, content=content, headers={"Content-Type": "application/json"} | headers, timeout=30)
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize(("sent", "status"), [("Bearer right", 200), ("Bearer wrong", 401), ("", 401), ("right", 200)])
def test_a_token_is_asked_for(sent: str, status: int) -> None:
    with serving(ExtractiveSummarizer(), token="right") as url:
        assert httpx.post(url, json=PROMPT, headers={"Authorization": sent}).status_code == status


@pytest.mark.parametrize(
    ("answer", "status"),
    [(failure(401, "bad key"), 502), (chat(""), 502), (failure(429, "later", Retry_After="120"), 503)],
)
def test_a_failure_is_told_with_its_cause(answer: Answer, status: int) -> None:
    with scripted(answer, repeat=True) as model, serving(LLMSummarizer(model.model)) as url:
        found = httpx.post(url, json=PROMPT)
    assert found.status_code == status
    assert model.model in found.json()["error"]
    if status == 503:
        assert found.headers["Retry-After"] == "120"


def test_it_takes_no_longer_than_it_may() -> None:
    with scripted(Answer(stream=drip)) as model, serving(LLMSummarizer(model.model), timeout=0.3) as url:
        assert httpx.post(url, json=PROMPT, timeout=20).status_code == 504


async def test_a_hang_up_ends_the_call_of_the_model() -> None:
    with scripted(Answer(stream=drip)) as model, serving(LLMSummarizer(model.model)) as url:
        async with httpx.AsyncClient(timeout=30) as client:
            task = asyncio.create_task(client.post(url, json=PROMPT))
            while not model.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await asyncio.to_thread(model.gone.wait, 10)


def test_without_a_token_it_listens_for_this_machine_only() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org", "")))
    check_access("127.0.0.1", None)
    check_access("0.0.0.0", "token")
    with pytest.raises(SettingsError, match=r"0\.0\.0\.0"):
        check_access("0.0.0.0", None)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    environ = os.environ | {"TREERING_CONFIG": str(tmp_path / "none.toml")}
    (tmp_path / "none.toml").touch()
    command = [sys.executable, "-m", "treering", "serve-summaries", "--port", "0", "--summarizer", "extractive"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ, cwd=Path.cwd()) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().split()[-1]
            assert "Never touch build/" in httpx.post(url, json=PROMPT, timeout=60).json()["summary"]
        finally:
            process.terminate()
    refused = subprocess.run([*command, "--host", "0.0.0.0"], capture_output=True, text=True, env=environ, check=False)
    assert refused.returncode == 2
    assert "give a token" in refused.stderr
