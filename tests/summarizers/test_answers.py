"""The check of an answer alone: what is a summary, and what only looks like one."""

from __future__ import annotations

import pytest

from treering.summarizers.answers import Answer, Unusable, check_answer

ERRORS = [
    "Error: overloaded",
    "Error generating summary: 429",
    "API Error: 529 {}",
    "error (500)",
    "**Error:** rate limit",
    "Internal server error",
    "An error occurred while processing your request.",
    "Failed to generate a summary.",
    "Unable to summarize the conversation",
    "I'm sorry, but I can't help with that.",
    "Sorry, I am unable to continue",
    "I cannot assist with that request.",
    "Rate limit reached for requests",
    "Too many requests",
    "Service unavailable: try later",
    "503 Service Unavailable"[4:],
    "Traceback (most recent call last):\n  File",
    "<!DOCTYPE html><html>",
    '{"error": {"message": "no"}}',
    '{"detail":"Not Found"}',
]

SUMMARIES = [
    "Error handling in src/parser.py was reworked; tests pass.",
    "Errors of the build: two, both fixed.",
    "Error-prone code in the parser was replaced.",
    "Rate limit handling was added to the client.",
    "Failed to create the release because the token expired; the user will renew it.",
    "The user is sorry for the delay and can't come before Monday.",
    "I can see that the parser works.",
    "Upstream changed its API, so the client was adapted.",
    "## Goal\n- Error: handle it",
    "इस सत्र में पार्सर ठीक किया गया।",
    "目标：修复解析器。",
]


@pytest.mark.parametrize("text", ERRORS)
def test_the_text_of_an_error_or_a_refusal_is_none(text: str) -> None:
    assert isinstance(check_answer(Answer(text=text)), Unusable)


@pytest.mark.parametrize("text", SUMMARIES)
def test_a_summary_that_speaks_of_errors_is_one(text: str) -> None:
    assert check_answer(Answer(text=text)) == text


@pytest.mark.parametrize("finish", ["length", "content_filter", "error", "tool_call"])
def test_an_answer_that_ended_badly_is_none_whatever_it_says(finish: str) -> None:
    assert isinstance(check_answer(Answer(text="## Goal\n- all fine", finish=finish)), Unusable)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<summary>a\n\nb</summary>", "a\n\nb"),
        ("```markdown\n## Goal\n- x\n```", "## Goal\n- x"),
        ("<think>so</think>## Goal", "## Goal"),
        ("<summary>\n```md\ntext\n```\n</summary>", "text"),
        ("text\n```python\nx = 1\n```", "text\n```python\nx = 1\n```"),
        ("text\n<read-files>\na.py", "text"),
    ],
)
def test_wrappers_come_off(text: str, found: str) -> None:
    assert check_answer(Answer(text=text)) == found


@pytest.mark.parametrize("text", ["<think>" * 50_000, "<think>" * 50_000 + "</reasoning>", "<summary>" * 40_000])
def test_a_hostile_answer_is_judged_in_no_time(text: str) -> None:
    assert isinstance(check_answer(Answer(text=text)), Unusable)


def test_an_answer_of_megabytes_is_not_looked_into() -> None:
    assert isinstance(check_answer(Answer(text="word " * 1_000_000)), Unusable)
