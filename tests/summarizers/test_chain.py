"""Candidates in order: the first usable summary wins, and the last error tells all."""

from __future__ import annotations

import asyncio

import pytest

from asked import SUMMARY, WORK, request
from servers.scripted import Answer, chat, drip, failure, scripted
from treering.compaction.summarizer import ModelCall, Summary, SummaryRequest
from treering.errors import SettingsError, SummaryError
from treering.facts.fold import FactState, fold
from treering.summarizers.chain import ChainSummarizer
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.remote import RemoteSummarizer

FACTS = fold(FactState(), WORK)


async def test_the_next_candidate_takes_over_and_the_calls_of_all_are_told() -> None:
    calls: list[ModelCall] = []
    told: list[str] = []
    with scripted(failure(401), repeat=True) as first, scripted(chat(SUMMARY)) as second:
        chain = ChainSummarizer(LLMSummarizer(first.model), LLMSummarizer(second.model))
        summary = await chain.summarize(request(calls=calls, on_progress=told.append))
    assert summary.summarizer == second.model
    assert [call.outcome for call in calls] == ["failed", "answered"]
    assert any("401" in line and second.model in line for line in told)
    assert chain.name == f"{first.model}, then {second.model}"


async def test_an_unknown_model_is_passed_over_too() -> None:
    with scripted(chat(SUMMARY)) as server:
        chain = ChainSummarizer(LLMSummarizer("nonsense:x"), LLMSummarizer(server.model))
        assert (await chain.summarize(request())).summarizer == server.model


async def test_the_extractive_one_comes_last_with_a_budget_of_its_own() -> None:
    budgets: list[int] = []

    class Watched(ExtractiveSummarizer):
        def summarize(self, request: SummaryRequest) -> Summary:
            budgets.append(request.budget)
            return super().summarize(request)

    with scripted(failure(400), repeat=True) as server:
        chain = ChainSummarizer(LLMSummarizer(server.model), Watched(), last_budget=2000)
        summary = await chain.summarize(request(facts=FACTS, budget=13_000))
    assert summary.summarizer == "extractive"
    assert "Never touch the tests" in summary.text
    assert budgets == [2000]


async def test_when_all_fail_each_says_why() -> None:
    with scripted(failure(401), repeat=True) as model, scripted(Answer(b"gone", status=410), repeat=True) as endpoint:
        chain = ChainSummarizer(LLMSummarizer(model.model), RemoteSummarizer(endpoint.url))
        with pytest.raises(SummaryError, match=r"401.*; .*410"):
            await chain.summarize(request())


async def test_cancelling_asks_nobody_else() -> None:
    with scripted(Answer(stream=drip)) as first, scripted(chat(SUMMARY)) as second:
        chain = ChainSummarizer(LLMSummarizer(first.model), LLMSummarizer(second.model))
        task = asyncio.create_task(chain.summarize(request()))
        while not first.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert second.requests == []


def test_an_empty_chain_is_an_error() -> None:
    with pytest.raises(SettingsError):
        ChainSummarizer()
