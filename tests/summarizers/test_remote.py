"""A summary endpoint: what is posted, what counts as an answer, and a clear error for everything else."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from asked import SUMMARY, WORK, message, request
from servers.scripted import Answer, Scripted, drip, flood, scripted
from treering.compaction.summarizer import ModelCall
from treering.errors import SettingsError, SummaryError
from treering.summarizers.remote import RemoteSummarizer
from treering.tokens.estimate import estimate_text


def remote(server: Scripted, waits: list[float] | None = None, **options: Any) -> RemoteSummarizer:
    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    return RemoteSummarizer(f"{server.url}/summarize", sleep=sleep, **options)


async def test_what_is_posted_and_what_comes_back() -> None:
    calls: list[ModelCall] = []
    with scripted(Answer({"summary": SUMMARY, "shortSummary": "Parser fixed.", "more": 1})) as server:
        summary = await remote(server, token="t0ken").summarize(request(calls=calls))
    sent = server.requests[0]
    assert sent.path == "/summarize"
    assert sent.headers["authorization"] == "Bearer t0ken"
    assert sorted(sent.json) == ["prompt", "systemPrompt"]
    assert sent.json["prompt"].startswith("<conversation>\nUser:\n  Fix the parser")
    assert summary.text == SUMMARY.strip()
    assert summary.short == "Parser fixed."
    assert summary.summarizer == f"{server.url}/summarize"
    assert [(call.model, call.outcome, call.price) for call in calls] == [(summary.summarizer, "answered", None)]


FAILURES = {
    "no summary": (Answer({"text": SUMMARY}), "no text under `summary`"),
    "another type": (Answer({"summary": ["a"]}), "no text under `summary`"),
    "null": (Answer({"summary": None}), "no text under `summary`"),
    "an error in a 200": (Answer({"error": "model is gone"}), "model is gone"),
    "a list": (Answer(b'["a"]'), "no object"),
    "no JSON": (Answer(b"<html>proxy</html>"), "no JSON"),
    "nothing": (Answer(b""), "no JSON"),
    "deep JSON": (Answer(b"[" * 100_000), "no JSON"),
    "empty": (Answer({"summary": "  "}), "empty"),
    "an error as text": (Answer({"summary": "Error: rate limit reached"}), "error or a refusal"),
    "too long": (Answer({"summary": "one more word " * 9000}), "were the limit"),
    "400": (Answer(b"what is this", status=400), "status 400: what is this"),
    "401": (Answer({"error": "token"}, status=401), "status 401"),
    "404": (Answer(b"", status=404), "status 404: without a text"),
    "500": (Answer(b"oops", status=500), "status 500: oops"),
    "elsewhere": (Answer(b"", status=307, headers={"Location": "http://example.org/x"}), "points to http://example"),
    "compressed": (Answer(b"x", headers={"Content-Encoding": "gzip"}), "compressed"),
    "broken off": (Answer(b'{"summ', length=9999), "peer closed connection|incomplete"),
    "without end": (Answer(stream=flood), "larger than"),
}


@pytest.mark.parametrize("kind", FAILURES)
async def test_anything_but_a_summary_is_a_clear_error(kind: str) -> None:
    answer, message = FAILURES[kind]
    with scripted(answer, repeat=True) as server, pytest.raises(SummaryError, match=message) as failed:
        await remote(server).summarize(request())
    assert str(failed.value).startswith(server.url)


async def test_it_waits_as_long_as_it_is_told() -> None:
    waits: list[float] = []
    busy = Answer(b"busy", status=503, headers={"Retry-After": "3"})
    with scripted(busy, Answer({"summary": SUMMARY})) as server:
        assert (await remote(server, waits).summarize(request())).text == SUMMARY.strip()
    assert waits == [3.0]


async def test_a_slow_drip_ends_at_the_timeout() -> None:
    with scripted(Answer(stream=drip), repeat=True) as server, pytest.raises(SummaryError, match="within 0"):
        await asyncio.wait_for(remote(server, timeout=0.3).summarize(request()), 10)


async def test_an_overflow_of_the_endpoint_is_folded() -> None:
    long = tuple(message("user", f"Step {number}: " + "change it again. " * 60) for number in range(40))
    refused = Answer({"error": "prompt is too long: 9000 tokens > 4000 maximum"}, status=400)
    with scripted(refused, Answer({"summary": SUMMARY}), repeat=True) as server:
        await remote(server).summarize(request(long))
        sizes = [estimate_text(item.json["prompt"]) for item in server.requests]
    assert sizes[0] > 4000
    assert len(sizes) > 2
    assert all(size < 4000 for size in sizes[1:])


async def test_cancelling_hangs_up() -> None:
    calls: list[ModelCall] = []
    with scripted(Answer(stream=drip)) as server:
        task = asyncio.create_task(remote(server).summarize(request(calls=calls)))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.gone.wait, 10)
    assert [call.outcome for call in calls] == ["cancelled"]


async def test_secrets_do_not_leave() -> None:
    history = (*WORK, message("toolResult", "key AKIAQWERTYUIOPASDFGH", toolName="env"))
    with scripted(Answer({"summary": SUMMARY})) as server:
        summary = await remote(server).summarize(request(history))
    assert "AKIAQWERTYUIOPASDFGH" not in server.requests[0].body.decode()
    assert summary.redacted == 1


def test_a_url_that_is_none() -> None:
    with pytest.raises(SettingsError, match=re.escape("ftp://example.org")):
        RemoteSummarizer("ftp://example.org")


def test_a_password_in_the_url_is_not_shown() -> None:
    assert RemoteSummarizer("https://me:secret@example.org/x").name == "https://example.org/x"
