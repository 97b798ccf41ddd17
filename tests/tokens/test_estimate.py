"""The estimator: within bounds of the exact count, never raising, linear, and growing with the text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from treering.session.messages import decode_message
from treering.tokens.estimate import IMAGE_TOKENS, estimate_message, estimate_text, estimate_value

anything = st.text(st.characters())


@given(anything)
def test_any_string_has_an_estimate(text: str) -> None:
    assert estimate_text(text) >= bool(text)


@given(anything, anything)
def test_appending_never_lowers_the_estimate(text: str, more: str) -> None:
    assert estimate_text(text + more) >= estimate_text(text)


@given(anything, anything)
def test_parts_add_up_to_the_whole_but_for_the_seam(text: str, more: str) -> None:
    assert abs(estimate_text(text) + estimate_text(more) - estimate_text(text + more)) <= 6


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
