"""A provider's own compaction, against answers in the documented form: what is sent, kept, and sent back."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from asked import SUMMARY, WORK, message, request
from servers.scripted import Answer, Scripted, chat, failure, scripted
from treering.compaction.summarizer import ModelCall
from treering.errors import SummaryError
from treering.session.messages import JsonObject
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.native import PRESERVE_KEY, NativeSummarizer, native_message

OPENAI_COMPACTED = Answer(
    {
        "id": "resp_1",
        "object": "response.compaction",
        "created_at": 1,
        "output": [
            {
                "type": "message", "id": "msg_1", "role": "user", "status": "completed",
                "content": [{"type": "input_text", "text": "Fix the parser"}],
            },
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA-opaque"},
        ],
        "usage": {
            "input_tokens": 400, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 430,
        },
    }
)  # fmt: skip
OPENAI_ANSWERED = Answer(
    {
        "id": "resp_2", "object": "response", "created_at": 2, "model": "gpt-5.4", "status": "completed",
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "output": [
            {
                "type": "message", "id": "msg_2", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Going on.", "annotations": []}],
            }
        ],
    }
)  # fmt: skip


def anthropic_answer(*content: dict[str, Any]) -> Answer:
    return Answer(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": list(content),
            "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 400, "output_tokens": 30},
        }
    )  # fmt: skip


ANTHROPIC_COMPACTED = anthropic_answer({"type": "compaction", "content": "They fix a parser.", "signature": "sig-1"})
ANTHROPIC_ANSWERED = anthropic_answer({"type": "text", "text": "Going on."})


def openai_model(server: Scripted) -> OpenAIResponsesModel:
    provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="k", http_client=httpx2.AsyncClient())
    return OpenAIResponsesModel("gpt-5.4", provider=provider)


def anthropic_model(server: Scripted, name: str = "claude-opus-4-8") -> AnthropicModel:
    provider = AnthropicProvider(base_url=server.url, api_key="k", http_client=httpx2.AsyncClient())
    return AnthropicModel(name, provider=provider)


async def goes_on(model: Any, preserved: JsonObject | None) -> None:
    """Ask a model as an agent would that has the compaction in force."""
    before = native_message(preserved, model)
    assert before is not None
    asked = [before, ModelRequest.user_text_prompt("And now the printer.")]
    await model_request(model, asked, model_settings={"max_tokens": 500})


async def test_openai_keeps_its_item_and_gets_it_back() -> None:
    calls: list[ModelCall] = []
    with scripted(OPENAI_COMPACTED, OPENAI_ANSWERED) as server, scripted(chat(SUMMARY)) as other:
        model = openai_model(server)
        native = NativeSummarizer(model, readable=LLMSummarizer(other.model))
        summary = await native.summarize(request(calls=calls))
        compact = server.requests[0]
        await goes_on(model, summary.preserve_data)
        went_on = server.requests[1]
    assert compact.path == "/v1/responses/compact"
    kinds = [item.get("type") or item["role"] for item in compact.json["input"]]
    assert kinds == ["user", "assistant", "function_call", "function_call_output", "assistant"]
    assert summary.text == SUMMARY.strip()
    assert went_on.path == "/v1/responses"
    assert {"type": "compaction", "encrypted_content": "gAAAA-opaque"}.items() <= went_on.json["input"][0].items()
    native_call = next(call for call in calls if call.purpose == "native")
    assert (native_call.outcome, native_call.input_tokens, native_call.output_tokens) == ("answered", 400, 30)
    assert native_call.price is not None
    assert native_call.price > 0


async def test_anthropic_keeps_its_signed_block_and_gets_it_back() -> None:
    with scripted(ANTHROPIC_COMPACTED, ANTHROPIC_ANSWERED) as server:
        model = anthropic_model(server)
        summary = await NativeSummarizer(model, readable=ExtractiveSummarizer()).summarize(
            request(instructions="Keep the names.")
        )
        compact = server.requests[0]
        await goes_on(model, summary.preserve_data)
        went_on = server.requests[1]
    assert compact.json["compaction"]["type"] == "summarize"
    assert "Keep the names." in compact.json["compaction"]["instructions"]
    assert "compact-2026-09-04" in compact.headers["anthropic-beta"]
    assert summary.summarizer == "extractive"
    block = went_on.json["messages"][0]["content"][0]
    assert (block["type"], block["content"], block["signature"]) == ("compaction", "They fix a parser.", "sig-1")


async def test_it_is_used_only_while_its_provider_is_in_force() -> None:
    with scripted(OPENAI_COMPACTED) as server:
        model = openai_model(server)
        summary = await NativeSummarizer(model, readable=ExtractiveSummarizer()).summarize(request())
        assert native_message(summary.preserve_data, model) is not None
        assert native_message(summary.preserve_data, anthropic_model(server)) is None
        stored = (summary.preserve_data or {})[PRESERVE_KEY]
        for damaged in (None, {}, {PRESERVE_KEY: 5}, {PRESERVE_KEY: {**stored, "version": 99}}):
            assert native_message(damaged, model) is None
        assert native_message({PRESERVE_KEY: {**stored, "response": {"kind": "response"}}}, model) is None


@pytest.mark.parametrize("answer", [failure(500), failure(400), Answer(b"no"), anthropic_answer()])
async def test_a_failure_of_the_providers_part_leaves_the_readable_summary(answer: Answer) -> None:
    told: list[str] = []
    with scripted(answer, repeat=True) as server, scripted(chat(SUMMARY)) as other:
        native = NativeSummarizer(anthropic_model(server), readable=LLMSummarizer(other.model))
        summary = await native.summarize(request(on_progress=told.append))
    assert summary.text == SUMMARY.strip()
    assert summary.preserve_data is None
    assert any("no compaction of the provider's own" in line for line in told)


async def test_a_model_whose_provider_compacts_nothing_is_told() -> None:
    told: list[str] = []
    with scripted(repeat=True) as server, scripted(chat(SUMMARY)) as other:
        native = NativeSummarizer(server.model, readable=LLMSummarizer(other.model))
        summary = await native.summarize(request(on_progress=told.append))
        assert server.requests == []
    assert summary.preserve_data is None
    assert any("compacts nothing itself" in line for line in told)


async def test_the_providers_part_alone_is_not_enough() -> None:
    with scripted(OPENAI_COMPACTED) as server, scripted(failure(400), repeat=True) as other:
        native = NativeSummarizer(openai_model(server), readable=LLMSummarizer(other.model))
        with pytest.raises(SummaryError, match="400"):
            await native.summarize(request())


async def test_secrets_and_calls_without_a_counterpart_are_not_sent() -> None:
    call = {"type": "toolCall", "id": "open", "name": "bash", "arguments": {"command": "echo AKIAQWERTYUIOPASDFGH"}}
    paired = {**call, "id": "done"}
    span = (
        message("toolResult", "orphan", toolName="read", toolCallId="gone"),
        *WORK,
        message("assistant", [call, paired]),
        message("toolResult", "AKIAQWERTYUIOPASDFGH", toolName="bash", toolCallId="done"),
    )
    with scripted(OPENAI_COMPACTED) as server:
        await NativeSummarizer(openai_model(server), readable=ExtractiveSummarizer()).summarize(request(span))
    body = server.requests[0].body.decode()
    assert "AKIAQWERTYUIOPASDFGH" not in body
    assert "orphan" not in body
    assert '"open"' not in body
    assert body.count('"done"') == 2
