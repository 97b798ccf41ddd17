"""CASES group F, and of B and A what concerns a summary's request: summaries by models, each case by its number."""

from __future__ import annotations

from typing import Any

import pytest

from asked import SUMMARY, WORK, message, request
from servers.scripted import chat, failure, scripted
from treering.compaction.summarizer import Summary, SummaryRequest
from treering.errors import SummaryError
from treering.operations.compact import compact_sync
from treering.operations.ledger import attempts
from treering.session.tree import Session
from treering.settings import CompactionSettings, Settings
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.model_layer import ModelOptions
from treering.tokens.estimate import estimate_text

SMALL = Settings(compaction=CompactionSettings(keep_recent_tokens=40))


def model(name: str, **options: Any) -> LLMSummarizer:
    async def sleep(seconds: float) -> None:
        pass

    return LLMSummarizer(ModelOptions(name=name, **options), sleep=sleep)


def session(*contents: str) -> Session:
    made = Session.in_memory()
    for number, content in enumerate(contents):
        role = "assistant" if number % 2 else "user"
        block = [{"type": "text", "text": content}]
        made.append({"type": "message", "message": {"role": role, "content": block, "stopReason": "stop"}})
    return made


def texts(made: Session) -> list[tuple[str, str]]:
    return [(item.entry_id, item.message.text) for item in made.context().messages]


@pytest.mark.parametrize("text", ["", " \n", "<think>only thoughts</think>", '{"name": "bash", "arguments": {}}'])
def test_qual_1_an_answer_without_a_summary_changes_nothing(text: str) -> None:
    with scripted(chat(text), repeat=True) as server, session(*["step " * 60] * 6) as made:
        before = texts(made)
        result = compact_sync(made, settings=SMALL, summarizer=model(server.model))
        assert result.outcome == "failed"
        assert texts(made) == before
        assert 2 <= len(server.requests) <= 4, "one more try for each of at most two parts, and no third"


async def test_qual_1_the_conversations_own_last_answer_is_no_summary() -> None:
    with scripted(chat(WORK[-1].message.text), repeat=True) as server, pytest.raises(SummaryError, match="repeats"):
        await model(server.model).summarize(request())


@pytest.mark.parametrize(
    "answer", [chat("## Goal\n- bui", finish="length"), chat("<summary>## Goal\n- build")], ids=["limit", "tag"]
)
async def test_qual_2_a_text_that_was_cut_is_no_summary(answer: Any) -> None:
    with scripted(answer, repeat=True) as server, pytest.raises(SummaryError):
        await model(server.model).summarize(request())


async def test_qual_4_and_17_without_a_users_message_and_with_calls_only_there_is_a_summary() -> None:
    rounds = tuple(
        item
        for number in range(500)
        for item in (
            message(
                "assistant", [{"type": "toolCall", "id": f"c{number}", "name": "grep", "arguments": {"n": number}}]
            ),
            message("toolResult", f"match {number}", toolName="grep", toolCallId=f"c{number}"),
        )
    )
    with scripted(chat(SUMMARY)) as server:
        await model(server.model).summarize(request(rounds))
        sent = server.requests[0].json["messages"][1]["content"]
    assert all(f"match {number}\n" in sent for number in (0, 250, 498))
    assert sent.count("The assistant used the tool grep") == 500


def test_qual_6_and_7_after_many_rounds_it_is_one_flat_bounded_summary() -> None:
    with scripted(chat(SUMMARY), repeat=True) as server, Session.in_memory() as made:
        for number in range(12):
            call = {"type": "toolCall", "id": f"c{number}", "name": "edit", "arguments": {"path": f"src/{number}.py"}}
            for body in (
                {"role": "user", "content": f"Change number {number}. " + "Please do it well. " * 20},
                {"role": "assistant", "content": [call], "stopReason": "toolUse"},
                {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "edit", "content": "ok " * 80},
                {"role": "assistant", "content": [{"type": "text", "text": "Done. " * 60}], "stopReason": "stop"},
            ):
                made.append({"type": "message", "message": body})
            result = compact_sync(made, settings=SMALL, summarizer=model(server.model), budget=700)
        assert result.outcome == "applied", result.cause
        text = result.summary or ""
        sent = server.requests[-1].json["messages"][1]["content"]
    assert text.count("## Goal") <= 2, "once, and once in a turn's prefix"
    assert text.count("## From the Record") <= 1
    assert text.count("<modified-files>") == 1
    assert estimate_text(text) <= 700
    assert "<modified-files>" not in sent
    assert "## From the Record" not in sent


def test_qual_10_a_rule_of_the_user_survives_a_model_that_forgets_it() -> None:
    rule = "Never edit anything under data/raw."
    answer = chat("## Goal\n- the tides")
    with scripted(answer, repeat=True) as server, session(f"{rule} Fix the tides.", *["step " * 200] * 5) as made:
        first = compact_sync(made, settings=SMALL, summarizer=model(server.model), budget=800)
        for number in range(6):
            role = "assistant" if number % 2 else "user"
            body = {"role": role, "content": [{"type": "text", "text": "more " * 200}], "stopReason": "stop"}
            made.append({"type": "message", "message": body})
        second = compact_sync(made, settings=SMALL, summarizer=model(server.model), budget=800)
    assert rule in (first.summary or "")
    assert rule in (second.summary or "")


async def test_qual_12_calls_are_told_in_words() -> None:
    call = {"type": "toolCall", "id": "call_9", "name": "shell", "arguments": {"command": "ls"}}
    with scripted(chat(SUMMARY)) as server:
        await model(server.model).summarize(request((*WORK, message("assistant", [call]))))
        sent = server.requests[0].json["messages"][1]["content"]
    assert "The assistant used the tool shell:\n  command: ls" in sent
    assert not any(mark in sent for mark in ("shell(", "call_9", "tool_call", "toolCall"))


async def test_qual_13_exact_names_reach_the_model_and_come_back() -> None:
    name = "kagent__NS__agent_name_aa"
    history = (*WORK, message("user", f"Hand it to {name}."))
    with scripted(chat(f"{SUMMARY}- {name} has it")) as server:
        summary = await model(server.model).summarize(request(history))
        assert name in server.requests[0].body.decode()
    assert name in summary.text


async def test_qual_15_a_split_turn_is_sent_with_a_prompt_of_its_own() -> None:
    with scripted(chat(SUMMARY), repeat=True) as server:
        await model(server.model).summarize(request((), turn_prefix=WORK))
        system, user = server.requests[0].json["messages"]
    assert "You write summaries" in system["content"]
    assert "first part of one exchange" in user["content"]


def test_qual_20_a_hook_that_raises_is_reported_and_the_default_prompt_goes_out() -> None:
    from treering.hooks import Hooks

    hooks = Hooks()

    @hooks.on("compacting")
    def broken(event: object) -> None:
        raise RuntimeError("hook is broken")

    with scripted(chat(SUMMARY), repeat=True) as server, session(*["step " * 60] * 6) as made:
        result = compact_sync(made, settings=SMALL, summarizer=model(server.model), hooks=hooks, budget=800)
        assert any("Summarise the conversation" in item.json["messages"][1]["content"] for item in server.requests)
    assert result.outcome == "applied"
    assert any("hook is broken" in problem for problem in result.problems)


def test_over_1_a_span_ten_times_the_window_is_folded_and_a_failure_is_recorded_once() -> None:
    long = tuple(message("assistant", [{"type": "thinking", "thinking": "hm " * 9000}]) for _ in range(40))
    import asyncio

    with scripted(chat(SUMMARY), repeat=True) as server:
        asyncio.run(model(server.model, window=4000).summarize(request((*WORK, *long))))
        sizes = [estimate_text(item.json["messages"][1]["content"]) for item in server.requests]
    assert len(sizes) > 3
    assert max(sizes) < 4000
    with scripted(failure(400, "no"), repeat=True) as server, session(*["step " * 60] * 6) as made:
        compact_sync(made, settings=SMALL, summarizer=model(server.model))
        (attempt,) = attempts(made.store.scan())
    assert attempt.outcome == "failed"
    assert len([call for call in attempt.calls if call.outcome == "failed"]) in {1, 2}


async def test_over_17_only_roles_and_texts_are_sent() -> None:
    noisy = message("assistant", "Short.", usage={"input": 9, "logprobs": ["x" * 9000]}, details={"raw": "y" * 9000})
    with scripted(chat(SUMMARY)) as server:
        await model(server.model).summarize(request((*WORK, noisy)))
        assert "xxxx" not in server.requests[0].body.decode()
        assert "yyyy" not in server.requests[0].body.decode()


async def test_pair_20_no_tool_block_and_no_tool_is_in_the_request() -> None:
    with scripted(chat(SUMMARY)) as server:
        await model(server.model).summarize(request())
        body = server.requests[0].json
    assert "tools" not in body
    assert [item["role"] for item in body["messages"]] == ["system", "user"]
    assert all(isinstance(item["content"], str) for item in body["messages"])


def test_store_11_the_text_of_an_error_never_becomes_the_memory() -> None:
    class Raising:
        name = "raising"

        def summarize(self, request: SummaryRequest) -> Summary:
            raise SummaryError("Error generating summary: 429")

    with session(*["step " * 60] * 6) as made:
        before = texts(made)
        assert compact_sync(made, settings=SMALL, summarizer=Raising()).outcome == "failed"
        assert texts(made) == before
