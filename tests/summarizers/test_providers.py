"""The same summarizer over the wire forms of other providers: what is sent, usage, price, and how answers end."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import httpx2
import pytest
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

from asked import SUMMARY, message, request
from servers.scripted import Answer, Scripted, scripted
from treering.compaction.summarizer import ModelCall
from treering.errors import SummaryError
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.model_layer import ModelOptions, open_model

LONG = tuple(message("user", f"Step {number}: " + "change the parser again. " * 60) for number in range(30))


def anthropic(text: str = SUMMARY, *, stop: str = "end_turn", **usage: int) -> Answer:
    return Answer(
        {
            "id": "m", "type": "message", "role": "assistant", "model": "claude-opus-4-8",
            "content": [{"type": "text", "text": text}], "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 4000, "output_tokens": 300} | usage,
        }
    )  # fmt: skip


def anthropic_error(status: int, kind: str, text: str) -> Answer:
    return Answer({"type": "error", "error": {"type": kind, "message": text}}, status=status)


def openai(text: str = SUMMARY, *, status: str = "completed") -> Answer:
    usage = {
        "input_tokens": 4000, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 300,
        "output_tokens_details": {"reasoning_tokens": 200}, "total_tokens": 4300,
    }  # fmt: skip
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return Answer(
        {
            "id": "r", "object": "response", "created_at": 1, "model": "gpt-5.4", "status": status,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage,
            "output": [{"type": "message", "id": "m", "role": "assistant", "status": status, "content": content}],
        }
    )  # fmt: skip


def google(text: str = SUMMARY, *, finish: str = "STOP") -> Answer:
    return Answer(
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": finish}],
            "usageMetadata": {"promptTokenCount": 4000, "candidatesTokenCount": 300, "totalTokenCount": 4300},
            "modelVersion": "gemini-2.5-flash",
        }
    )


def anthropic_model(server: Scripted) -> AnthropicModel:
    provider = AnthropicProvider(base_url=server.url, api_key="k", http_client=httpx2.AsyncClient())
    return AnthropicModel("claude-opus-4-8", provider=provider)


def openai_model(server: Scripted) -> OpenAIResponsesModel:
    provider = OpenAIProvider(base_url=f"{server.url}/v1", api_key="k", http_client=httpx2.AsyncClient())
    return OpenAIResponsesModel("gpt-5.4", provider=provider)


def google_model(server: Scripted) -> GoogleModel:
    provider = GoogleProvider(base_url=server.url, api_key="k", http_client=httpx2.AsyncClient(timeout=60))
    return GoogleModel("gemini-2.5-flash", provider=provider)


PROVIDERS = {
    "anthropic": (anthropic_model, anthropic(), anthropic("## Goal\n- bui", stop="max_tokens")),
    "openai": (openai_model, openai(), openai("## Goal\n- bui", status="incomplete")),
    "google": (google_model, google(), google("## Goal\n- bui", finish="MAX_TOKENS")),
}


def summarizer(model: Any) -> LLMSummarizer:
    async def sleep(seconds: float) -> None:
        pass

    return LLMSummarizer(model, sleep=sleep)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_summary_with_tokens_and_price(provider: str) -> None:
    make, answer, _ = PROVIDERS[provider]
    calls: list[ModelCall] = []
    with scripted(answer) as server:
        model = make(server)
        summary = await summarizer(model).summarize(request(calls=calls))
        (sent,) = server.requests
    assert summary.text == SUMMARY.strip()
    assert "<conversation>" in sent.body.decode()
    assert "You write summaries" in sent.body.decode()
    assert "tools" not in sent.json or not sent.json["tools"]
    (call,) = calls
    assert (call.input_tokens, call.output_tokens) == (4000, 300)
    assert call.price is not None
    assert 0 < call.price < 1


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_answer_that_was_cut_off_is_none(provider: str) -> None:
    make, _, cut = PROVIDERS[provider]
    with scripted(cut, repeat=True) as server, pytest.raises(SummaryError, match="cut off"):
        await summarizer(make(server)).summarize(request())


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_window_is_the_model_layers(provider: str) -> None:
    make, answer, _ = PROVIDERS[provider]
    told: list[str] = []
    with scripted(answer, repeat=True) as server:
        await summarizer(make(server)).summarize(request(LONG, on_progress=told.append))
        assert len(server.requests) == 1
    assert not any("not known" in line for line in told)


OVERFLOWS = {
    "anthropic": (
        anthropic_model,
        anthropic_error(400, "invalid_request_error", "prompt is too long: 9 > 4000 maximum"),
    ),
    "openai": (openai_model, Answer({"error": {"code": "context_length_exceeded", "message": "too long"}}, status=400)),
    "google": (
        google_model,
        Answer(
            {
                "error": {
                    "code": 400,
                    "status": "INVALID_ARGUMENT",
                    "message": "The input token count (9000) exceeds the maximum number of tokens allowed (4000).",
                }
            },
            status=400,
        ),
    ),
}


@pytest.mark.parametrize("provider", OVERFLOWS)
async def test_an_overflow_is_folded(provider: str) -> None:
    make, refusal = OVERFLOWS[provider]
    answer = PROVIDERS[provider][1]
    with scripted(refusal, answer, repeat=True) as server:
        await summarizer(make(server)).summarize(request(LONG))
        sizes = [len(item.body) for item in server.requests]
    assert len(sizes) >= 3
    assert max(sizes[1:]) < sizes[0] * 0.8


async def test_an_overloaded_provider_is_waited_for() -> None:
    busy = anthropic_error(529, "overloaded_error", "Overloaded")
    with scripted(busy, busy, anthropic()) as server:
        summary = await summarizer(anthropic_model(server)).summarize(request())
    assert summary.text == SUMMARY.strip()


async def test_exhausted_quota_is_not_waited_for() -> None:
    empty = Answer({"error": {"code": "insufficient_quota", "message": "no credits"}}, status=429)
    with scripted(empty, repeat=True) as server:
        with pytest.raises(SummaryError, match="no credits") as failed:
            await summarizer(openai_model(server)).summarize(request())
        assert len(server.requests) == 1
    assert not failed.value.transient


async def test_reasoning_gets_room_beside_the_summary() -> None:
    with scripted(openai()) as server:
        await summarizer(openai_model(server)).summarize(request(budget=1000))
        assert server.requests[0].json["max_output_tokens"] > 8000


@pytest.mark.parametrize(("effort", "sent"), [("low", {"effort": "low"}), ("none", {"effort": "none"}), (None, None)])
async def test_the_effort_is_sent_as_the_model_takes_it(effort: Any, sent: dict[str, str] | None) -> None:
    with scripted(openai()) as server:
        async with open_model(openai_model(server)) as opened:
            opened.options = ModelOptions(name="gpt-5.4", effort=effort)
            await opened.ask("system", "prompt", 500)
        reasoning = server.requests[0].json.get("reasoning") or {}
    assert reasoning.get("effort") == (sent or {}).get("effort")


@pytest.mark.parametrize(
    "module",
    ["treering", "treering.summarizers", "treering.summarizers.llm", "treering.summarizers.remote", "treering.cli"],
)
def test_the_packages_for_models_are_imported_only_to_ask_one(module: str) -> None:
    code = (
        f"import sys, {module}; "
        "print(sorted({'pydantic_ai', 'httpx', 'httpx2', 'starlette', 'detect_secrets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_says_what_to_install() -> None:
    code = (
        "import asyncio, sys; sys.modules['pydantic_ai'] = None; sys.modules['detect_secrets'] = None\n"
        "from treering.summarizers.llm import LLMSummarizer\n"
        "from treering.compaction.summarizer import SummaryRequest\n"
        "from treering.facts.fold import FactState\n"
        "from treering.errors import MissingExtraError\n"
        "request = SummaryRequest(history=(), facts=FactState(), budget=9)\n"
        "try: asyncio.run(LLMSummarizer('openai:x').summarize(request))\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'treering[llm]'" in done.stdout
