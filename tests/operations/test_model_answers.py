"""A compaction whose model answers oddly: the outcome, the bytes of the file, and the ledger's entry for each."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from servers.scripted import Answer, Scripted, chat, drip, failure, flood, scripted
from treering.cancel import CancelToken
from treering.operations.compact import compact, compact_sync
from treering.operations.ledger import Attempt, attempts, totals
from treering.session import records
from treering.session.tree import Session
from treering.settings import CompactionSettings, Settings
from treering.summarizers.chain import ChainSummarizer
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.model_layer import ModelOptions

SUMMARY = "## Goal\n- build the parser\n\n## Next Steps\n- test it"
SETTINGS = Settings(compaction=CompactionSettings(keep_recent_tokens=135))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    with Session.create(path, cwd="/srv/demo") as session:
        for number in range(12):
            user = {"role": "user", "content": f"Step {number}: change src/parser_{number}.py. Never touch build/."}
            text = f"I changed function parse_{number}. " + "It now keeps the quotes of every token. " * 12
            assistant = {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}
            session.append({"type": "message", "message": user}, {"type": "message", "message": assistant})
    return path


def summarizer(server: Scripted, **options: Any) -> LLMSummarizer:
    async def sleep(seconds: float) -> None:
        pass

    return LLMSummarizer(ModelOptions(name=server.model, **options), sleep=sleep)


def ledger(file: Path) -> list[Attempt]:
    with Session.open(file) as session:
        return list(attempts(session.store.scan()))


ODD = {
    "empty": (chat(""), "empty"),
    "whitespace": (chat(" \n "), "empty"),
    "thinking only": (chat("<think>hm</think>"), "reasoning only"),
    "a tool call": (
        chat(
            None,
            finish="tool_calls",
            tool_calls=[{"id": "x", "type": "function", "function": {"name": "bash", "arguments": "{}"}}],
        ),
        "called the tool bash",
    ),
    "cut at the limit": (chat("## Goal\n- bui", finish="length"), "cut off"),
    "an unclosed tag": (chat("<summary>## Goal"), "without its counterpart"),
    "an error as text": (chat("Error: overloaded"), "error or a refusal"),
    "longer than what it replaces": (chat("## Goal\n" + "- word after word\n" * 1000), "what it replaces only"),
    "429": (failure(429, "slow down", Retry_After="1"), "429"),
    "500": (failure(500, "oops"), "500"),
    "400": (failure(400, "no such parameter"), "400"),
    "an empty event stream": (Answer(b"", content_type="text/event-stream"), ""),
    "broken off": (Answer(b'{"choices": [', length=5000), ""),
    "wrong JSON": (Answer(b'{"choices": ]'), ""),
    "a slow drip": (Answer(stream=drip), "timed out"),
    "a huge body": (Answer(stream=flood), "larger than"),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_failure_leaves_all_bytes_and_one_record(file: Path, kind: str) -> None:
    answer, cause = ODD[kind]
    before = file.read_bytes()
    with scripted(answer, repeat=True) as server, Session.open(file) as session:
        options = {"timeout": 0.3} if kind == "a slow drip" else {}
        result = compact_sync(session, settings=SETTINGS, summarizer=summarizer(server, **options), budget=8000)
        requests = len(server.requests)
    assert result.outcome == "failed"
    assert cause in (result.cause or "")
    after = file.read_bytes()
    assert after.startswith(before)
    assert after[len(before) :].count(b"\n") == 1
    (attempt,) = ledger(file)
    assert (attempt.outcome, attempt.reason, attempt.cause) == ("failed", "manual", result.cause)
    assert attempt.model == server.model
    assert len(attempt.calls) == requests
    assert attempt.price is None
    assert attempt.tokens == result.tokens_before


def test_a_success_is_one_batch_with_its_record(file: Path) -> None:
    before = file.read_bytes()
    answers = (failure(503), chat(SUMMARY, usage=(2345, 67)), chat("Parser work.", usage=(80, 5)))
    with scripted(*answers) as server, Session.open(file) as session:
        result = compact_sync(session, settings=SETTINGS, summarizer=summarizer(server), budget=2000, short=True)
    assert result.outcome == "applied", result.cause
    assert (result.summary or "").startswith(SUMMARY)
    assert result.short_summary == "Parser work."
    assert result.summarizer == server.model
    assert file.read_bytes().startswith(before)
    (attempt,) = found = ledger(file)
    assert (attempt.outcome, attempt.retries) == ("applied", 1)
    assert [(call.purpose, call.outcome) for call in attempt.calls] == [
        ("first", "failed"),
        ("first", "answered"),
        ("short", "answered"),
    ]
    together = totals(found)
    assert (together.input_tokens, together.output_tokens, together.price, together.unpriced) == (2425, 72, None, 2)


def test_secrets_are_counted_on_the_entry(file: Path) -> None:
    with Session.open(file) as session:
        session.append({"type": "message", "message": {"role": "user", "content": "The key is AKIAQWERTYUIOPASDFGH"}})
        for role in ("assistant", "user", "assistant"):
            text = [{"type": "text", "text": "Go on with it. " * 30}]
            session.append({"type": "message", "message": {"role": role, "content": text}})
    with scripted(chat(SUMMARY)) as server, Session.open(file) as session:
        result = compact_sync(session, settings=SETTINGS, summarizer=summarizer(server), budget=2000)
        entry = session.get(result.entry_id or "")
    assert "AKIAQWERTYUIOPASDFGH" not in server.requests[0].body.decode()
    assert "AKIAQWERTYUIOPASDFGH" not in (result.summary or "")
    assert records.treering_details(entry)["redacted"] >= 1


@pytest.mark.parametrize("by", ["token", "task"])
async def test_cancelling_in_flight_writes_only_the_record(file: Path, by: str) -> None:
    before = file.read_bytes()
    cancel = CancelToken()
    with scripted(Answer(stream=drip)) as server, Session.open(file) as session:
        task = asyncio.create_task(
            compact(session, settings=SETTINGS, summarizer=summarizer(server), budget=2000, cancel=cancel)
        )
        while not server.requests:
            await asyncio.sleep(0.01)
        if by == "token":
            cancel.cancel()
            assert (await task).outcome == "cancelled"
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert await asyncio.to_thread(server.gone.wait, 10), "the call went on"
    assert file.read_bytes().startswith(before)
    (attempt,) = ledger(file)
    assert attempt.outcome == "cancelled"
    assert [call.outcome for call in attempt.calls] == ["cancelled"]


def test_with_the_extractive_summarizer_last_a_models_failure_is_no_failure(file: Path) -> None:
    with scripted(failure(401), repeat=True) as server, Session.open(file) as session:
        chain = ChainSummarizer(summarizer(server), ExtractiveSummarizer(), last_budget=600)
        result = compact_sync(session, settings=SETTINGS, summarizer=chain, budget=2000)
    assert result.outcome == "applied"
    assert result.summarizer == "extractive"
    assert "Never touch build/" in (result.summary or "")
    (attempt,) = ledger(file)
    assert attempt.outcome == "applied"
    assert [call.outcome for call in attempt.calls] == ["failed"]


def test_the_next_compaction_updates_the_summary(file: Path) -> None:
    with scripted(chat(SUMMARY), repeat=True) as server, Session.open(file) as session:
        compact_sync(session, settings=SETTINGS, summarizer=summarizer(server), budget=2000)
        for _ in range(12):
            session.append({"type": "message", "message": {"role": "user", "content": "And one more thing. " * 20}})
        result = compact_sync(session, settings=SETTINGS, summarizer=summarizer(server), budget=2000)
        assert result.outcome == "applied", result.cause
        sent = server.requests[-1].json["messages"][1]["content"]
    assert f"<previous-summary>\n{SUMMARY}\n</previous-summary>" in sent
    assert "Write one summary that takes the place of both" in sent
