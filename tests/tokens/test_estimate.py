"""The estimator: within bounds of the exact count, never raising, linear, and growing with the text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.session.messages import Message, OtherBlock, ToolCallBlock, decode_message
from treering.tokens.estimate import (
    IMAGE_TOKENS,
    STRETCH,
    estimate_message,
    estimate_text,
    estimate_value,
)
from treering.tokens.features import pair_codes
from treering.tokens.weights import ADJACENT, APART, UNIT

anything = st.text(st.characters())


@given(anything)
def test_any_string_has_an_estimate(text: str) -> None:
    assert estimate_text(text) >= bool(text)


@given(anything, anything)
def test_appending_never_lowers_the_estimate(text: str, more: str) -> None:
    assert estimate_text(text + more) >= estimate_text(text)


@given(anything, anything)
def test_parts_add_up_to_the_whole_but_for_the_seam(text: str, more: str) -> None:
    assert abs(estimate_text(text) + estimate_text(more) - estimate_text(text + more)) <= 10


def test_nothing_costs_nothing() -> None:
    assert estimate_text("") == 0


def test_nested_too_deep_for_recursion_still_counts() -> None:
    value: object = "the innermost text"
    for _ in range(100_000):
        value = [value]
    assert estimate_value(value) > 1000


def test_an_image_costs_the_same_whatever_its_bytes() -> None:
    for size in (10, 1_000_000):
        block = {"type": "image", "mimeType": "image/png", "data": "A" * size}
        assert (
            IMAGE_TOKENS <= estimate_message(decode_message({"role": "user", "content": [block]})) <= IMAGE_TOKENS + 8
        )


def test_a_call_counts_its_arguments() -> None:
    arguments = {"path": "src/app.py", "content": "print(1)\n" * 500}
    call = {"type": "toolCall", "id": "c1", "name": "write", "arguments": arguments}
    tokens = estimate_message(decode_message({"role": "assistant", "content": [call]}))
    assert tokens >= 0.9 * estimate_text(json.dumps(arguments))


def test_stretches_leave_no_seam() -> None:
    text = "The quick brown fox, 1234 times. " * 5000
    assert len(text) > 2 * STRETCH
    adjacent, apart = pair_codes(text)
    assert estimate_text(text) == math.ceil((sum(adjacent.translate(ADJACENT)) + sum(apart.translate(APART))) / UNIT)


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


class HostileMapping(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 1


circular: list[object] = ["said once"]
circular.append(circular)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        10**9000,
        -(10**9000),
        "\ud800",
        {"key": "\udfff"},
        {("a", "tuple"): 1},
        b"\x00\xff" * 100,
        bytearray(10),
        {1, 2},
        object(),
        Hostile(),
        [Hostile(), "and more"],
        HostileMapping(),
        circular,
        {"a": circular},
        None,
        datetime(2026, 1, 2, tzinfo=UTC),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_value_has_an_estimate(value: object) -> None:
    assert estimate_value(value) >= 1
    message = Message("user", (OtherBlock("strange", value), ToolCallBlock("c", "n\udc00", {"value": value})), {})
    assert estimate_message(message) > estimate_value(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything,
    lambda inner: st.lists(inner) | st.dictionaries(anything, inner),
    max_leaves=20,
)


@given(json_values)
def test_a_value_costs_about_what_its_json_costs(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert abs(estimate_value(value) - estimate_text(text)) <= 8 + 0.5 * estimate_text(text)


def test_unknown_blocks_count_by_their_size_and_images_in_them_do_not() -> None:
    data = "QUJD" * 10_000
    document = decode_message({"role": "user", "content": [{"type": "document", "data": data}]})
    assert estimate_message(document) > 5000
    image = decode_message({"role": "user", "content": [{"type": "image_url", "image_url": {"url": data}}]})
    assert estimate_message(image) < IMAGE_TOKENS + 10


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "word " * 100}]},
        {"role": "bashExecution", "command": "make", "output": "word " * 100, "exitCode": 1},
        {"role": "compactionSummary", "summary": "word " * 100},
        {"role": "branchSummary", "summary": "word " * 100},
        {"role": "developer", "content": "word " * 100},
        {"role": "custom", "customType": "x", "content": [{"type": "text", "text": "word " * 100}]},
        {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "word " * 100}]},
    ],
    ids=lambda raw: raw["role"],
)
def test_every_role_counts_what_it_says(raw: dict[str, Any]) -> None:
    assert estimate_message(decode_message(raw)) >= estimate_text("word " * 100)


def test_thinking_signatures_are_not_text() -> None:
    block = {"type": "thinking", "thinking": "hm", "thinkingSignature": "A" * 10_000}
    assert estimate_message(decode_message({"role": "assistant", "content": [block]})) < 20
