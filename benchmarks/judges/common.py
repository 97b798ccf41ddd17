"""What all judges share: a list of role and text, summarised through the public protocol of summarizers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from treering.compaction.summarizer import SpanMessage
from treering.evaluation.hindsight import request_for
from treering.evaluation.run import Job, chosen_summarizers, counter, run_summarizer
from treering.session.messages import decode_message

CACHE = Path(__file__).resolve().parents[2] / ".bench"
"""Where source distributions of judges are kept; not part of the repository."""


def judged_name() -> str:
    """Which summarizer is judged: `extractive`, or what the environment variable TREERING_JUDGED names."""
    return os.environ.get("TREERING_JUDGED", "extractive")


def span_of(turns: Iterable[tuple[str, str]]) -> list[SpanMessage]:
    """Turns of role and text as the messages of a span. Roles that a session does not have stay as they are."""
    return [
        SpanMessage(f"{number:08x}", decode_message(_message(role, text))) for number, (role, text) in enumerate(turns)
    ]


def _message(role: str, text: str) -> dict[str, object]:
    if role == "tool":
        return {"role": "toolResult", "toolName": "tool", "content": [{"type": "text", "text": text}]}
    return {"role": role, "content": [{"type": "text", "text": text}]}


def summarise(turns: Iterable[tuple[str, str]], budget: int) -> str:
    """A summary of turns in at most `budget` tokens."""
    job = Job(summarizers=(judged_name(),), exact=True, with_baselines=False)
    (summarizer,) = chosen_summarizers(job, counter(exact=True)).values()
    return run_summarizer(summarizer, request_for(span_of(turns), budget=budget)).text


def summarise_to(turns: Iterable[tuple[str, str]], limit: int, size: Callable[[str], int] = len) -> str:
    """The largest summary that is not over `limit` by another measure of size than tokens (characters, unless told).

    Tokens are the only budget that a summarizer knows, so the number of them is found by halving.
    """
    turns = list(turns)
    low, high, best = 0, max(8, limit), ""
    for _ in range(10):
        budget = (low + high + 1) // 2
        text = summarise(turns, budget)
        if size(text) <= limit:
            low = budget
            best = max(best, text, key=size)
        else:
            high = budget - 1
        if low >= high:
            break
    return best


def tokens(text: str) -> int:
    """Tokens by o200k, exactly."""
    return counter(exact=True)(text)
