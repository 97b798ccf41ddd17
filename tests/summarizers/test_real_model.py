"""Summaries by a real, small model over HTTP. It is too small to judge texts by; structure and outcomes are judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from asked import WORK, message, request
from treering.compaction.summarizer import SPLIT_TURN_HEADING, ModelCall
from treering.errors import SummaryError
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.model_layer import ModelOptions
from treering.summarizers.prompts import load_prompts
from treering.tokens.estimate import estimate_text

pytestmark = pytest.mark.slow

ONE_SENTENCE = "What did the user ask for? Answer with one short sentence."
PROMPTS = load_prompts(
    {
        "system": "You are a helpful assistant. You answer with one short sentence.",
        "first": ONE_SENTENCE,
        "update": ONE_SENTENCE,
        "turn-prefix": ONE_SENTENCE,
        "short": "Repeat it in five words.",
    }
)
"""With the package's own a model of this size rambles up to its limit, which is a failure, as it must be."""

LONG = tuple(message("user", f"Step {number}: " + "change the parser again. " * 30) for number in range(15))


def small(name: str, **options: float | int) -> LLMSummarizer:
    return LLMSummarizer(ModelOptions(name=name, temperature=0.0, **options), prompts=PROMPTS)


async def test_a_summary_and_a_short_one(llama: Callable[[int], str]) -> None:
    calls: list[ModelCall] = []
    summary = await small(llama(2048)).summarize(request(budget=300, short=True, calls=calls))
    assert 0 < estimate_text(summary.text) <= 300
    assert summary.short
    assert [(call.purpose, call.outcome) for call in calls] == [("first", "answered"), ("short", "answered")]
    assert all((call.input_tokens or 0) > 50 and (call.output_tokens or 0) > 3 and call.seconds > 0 for call in calls)
    assert all(call.price is None for call in calls)


async def test_a_split_turn(llama: Callable[[int], str]) -> None:
    summary = await small(llama(2048)).summarize(request(budget=400, turn_prefix=WORK))
    history, _, prefix = summary.text.partition(f"\n\n---\n\n{SPLIT_TURN_HEADING}\n\n")
    assert history
    assert prefix


async def test_a_real_overflow_teaches_the_window_and_the_rest_is_folded(llama: Callable[[int], str]) -> None:
    calls: list[ModelCall] = []
    summary = await small(llama(2048)).summarize(request(LONG, budget=200, calls=calls))
    assert summary.text
    assert [call.outcome for call in calls] == ["failed", *["answered"] * (len(calls) - 1)]
    assert "exceeds the available context size" in (calls[0].cause or "")
    assert len(calls) >= 3
    assert all((call.input_tokens or 0) < 2048 for call in calls)


async def test_an_answer_that_is_cut_off_is_no_summary(llama: Callable[[int], str]) -> None:
    calls: list[ModelCall] = []
    rambling = load_prompts({"system": "You count.", "first": "Count from one to a thousand, every number in words."})
    summarizer = LLMSummarizer(ModelOptions(name=llama(2048), temperature=0.0), prompts=rambling)
    with pytest.raises(SummaryError, match="cut off"):
        await summarizer.summarize(request(WORK[:2], budget=64, calls=calls))
    assert [call.outcome for call in calls] == ["answered", "answered"]


async def test_a_window_that_is_too_small_fails_cleanly(llama: Callable[[int], str]) -> None:
    calls: list[ModelCall] = []
    with pytest.raises(SummaryError, match="512"):
        await LLMSummarizer(llama(512)).summarize(request(LONG, calls=calls))
    assert [call.outcome for call in calls] == ["failed"]


async def test_cancelling_in_flight(llama: Callable[[int], str]) -> None:
    calls: list[ModelCall] = []
    # The package's prompts keep the model busy for many seconds.
    summarizer = LLMSummarizer(ModelOptions(name=llama(2048), temperature=0.0))
    task = asyncio.create_task(summarizer.summarize(request(budget=800, calls=calls)))
    await asyncio.sleep(0.5)
    begin = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begin < 2
    assert [call.outcome for call in calls] == ["cancelled"]
