"""`fit`: a list of chat messages in, one that fits out (SPEC §15.9)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.fitting import DoesNotFitError, fit
from treering.interop.chat import MessagesError, to_session
from treering.session.messages import decode_message
from treering.tokens.estimate import estimate_message

WORDS = "the parser reads a line and gives a record back "


def openai_chat(rounds: int, size: int = 20) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a careful engineer."}]
    for number in range(rounds):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"ls {number}"})},
        }
        messages += [
            {"role": "user", "content": f"Please do step {number} of the plan."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": WORDS * size},
            {"role": "assistant", "content": f"Step {number} is done. " + WORDS},
        ]
    return messages


def anthropic_chat(rounds: int, size: int = 20) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(rounds):
        thinking = {"type": "thinking", "thinking": WORDS, "signature": "sig"}
        calls = [
            {"type": "tool_use", "id": f"c{number}{part}", "name": "Bash", "input": {"command": f"ls {part}"}}
            for part in "ab"
        ]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": WORDS * size} for call in calls]
        messages += [
            {"role": "user", "content": f"Please do step {number} of the plan."},
            {"role": "assistant", "content": [thinking, *calls]},
            {"role": "user", "content": [*results, {"type": "text", "text": "and mind the tests"}]},
            {"role": "assistant", "content": [{"type": "text", "text": f"Step {number} is done. " + WORDS}]},
        ]
    return messages


def size(messages: list[dict[str, Any]]) -> int:
    return sum(estimate_message(decode_message(part)) for message in messages for part in to_session(message, {}))


def pairs_are_whole(messages: list[dict[str, Any]]) -> bool:
    open_calls: set[str] = set()
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if message["role"] == "tool":
            results.add(message["tool_call_id"])
        if results - open_calls:
            return False
        open_calls -= results
        open_calls |= {call["id"] for call in message.get("tool_calls") or []}
        open_calls |= {block["id"] for block in blocks if block["type"] == "tool_use"}
    return not open_calls


@pytest.mark.parametrize("chat", [openai_chat, anthropic_chat])
def test_a_list_that_fits_comes_back_as_it_is(chat: Any) -> None:
    messages = chat(3)
    assert fit(messages, window=200_000) == messages


@pytest.mark.parametrize("chat", [openai_chat, anthropic_chat])
def test_a_list_that_does_not_fit_becomes_one_that_does(chat: Any) -> None:
    messages = chat(60)
    given_ = copy.deepcopy(messages)
    window = size(messages) // 3
    fitted = fit(messages, window=window)
    assert messages == given_, "what was given is not changed"
    assert size(fitted) < window
    assert pairs_are_whole(fitted)
    assert fitted[-1] == messages[-1]
    assert sum("<summary>" in str(message["content"]) for message in fitted) == 1
    assert [message for message in fitted if message["role"] == "system"] == [
        m for m in messages if m["role"] == "system"
    ]


def test_the_summary_says_what_was_asked() -> None:
    messages = openai_chat(60)
    messages[1]["content"] = "Never touch the generated files. Please do step 0."
    fitted = fit(messages, window=size(messages) // 3)
    assert "Never touch the generated files" in fitted[1]["content"]


def test_the_next_call_goes_on_from_the_summary_that_came_back() -> None:
    messages = openai_chat(60)
    messages[1]["content"] = "Never touch the generated files. Please do step 0."
    window = size(messages) // 3
    for _ in range(4):
        messages = fit(messages, window=window)
        assert sum("<summary>" in str(message["content"]) for message in messages) == 1
        assert "Never touch the generated files" in messages[1]["content"]
        messages += openai_chat(40)[1:]


def test_it_goes_on_from_a_summary_that_quotes_a_closing_tag() -> None:
    messages = openai_chat(60)
    messages[1]["content"] = "Never write </summary> into the report. Please do step 0."
    window = size(messages) // 3
    for _ in range(2):
        messages = fit(messages, window=window)
        assert messages[1]["content"].count("</summary>") == 1
        assert "into the report" in messages[1]["content"]
        messages += openai_chat(40)[1:]


def test_a_block_without_a_type_is_no_obstacle() -> None:
    messages = [{"role": "user", "content": [{"text": "no type"}]}, *anthropic_chat(60)]
    assert pairs_are_whole(fit(messages, window=size(messages) // 3))


def test_old_thinking_is_left_out_with_its_signature() -> None:
    fitted = fit(anthropic_chat(60), window=size(anthropic_chat(60)) // 3)
    assert "signature" not in str(fitted)


def test_a_huge_result_that_must_stay_is_shortened() -> None:
    messages = openai_chat(2)
    call = {"id": "big", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "big", "content": WORDS * 5000},
    ]
    fitted = fit(messages, window=8000)
    assert fitted[-1]["content"].startswith("[Output truncated - ")
    assert pairs_are_whole(fitted)


def test_what_can_not_fit_is_an_error_with_the_numbers() -> None:
    messages = [{"role": "system", "content": WORDS * 5000}, {"role": "user", "content": "hello"}]
    with pytest.raises(DoesNotFitError, match="System messages and overhead have"):
        fit(messages, window=8000)


def test_what_is_no_list_of_messages_is_an_error_that_names_the_item() -> None:
    with pytest.raises(MessagesError, match="message 1 is no chat message"):
        fit([{"role": "user", "content": "a"}, "b"], window=1000)  # pyright: ignore[reportArgumentType]
    mixed = [openai_chat(1)[3], anthropic_chat(1)[1]]
    with pytest.raises(MessagesError, match="message 0 is in OpenAI's form and message 1 in Anthropic's"):
        fit(mixed, window=1000)


def test_an_empty_list_is_fine() -> None:
    assert fit([], window=1000) == []


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([openai_chat, anthropic_chat]), st.integers(1, 40), st.integers(1, 60), st.integers(3000, 60_000)
)
def test_pairs_are_whole_whatever_the_window(chat: Any, rounds: int, words: int, window: int) -> None:
    fitted = fit(chat(rounds, words), window=window)
    assert pairs_are_whole(fitted)
    assert size(fitted) <= window


def test_real_chats_of_both_forms(shared: Path) -> None:
    for name in ("openai-chat/tools.json", "anthropic-messages/tools.json"):
        data = json.loads((shared / "sessions" / name).read_text())
        messages = data["messages"] if isinstance(data, dict) else data
        system = [message for message in messages if message["role"] == "system"]
        window = size(system) + 2500
        fitted = fit(messages, window=window)
        assert pairs_are_whole(fitted) or not pairs_are_whole(messages), name
        assert size(fitted) <= window
