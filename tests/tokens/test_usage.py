"""Anchoring on what a provider counted, and calibration by it (SPEC §4)."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.session.messages import Message, decode_message
from treering.tokens.estimate import estimate_message
from treering.tokens.usage import (
    Calibration,
    Prune,
    Sample,
    calibrate,
    context_tokens,
    decode_calibration,
    usage_samples,
    usage_tokens,
)


def user(text: str = "Go on.") -> Message:
    return decode_message({"role": "user", "content": text})


def answer(total: object = None, stop: str = "stop", text: str = "Done.", **usage: object) -> Message:
    raw: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": stop}
    raw["usage"] = usage if total is None else {"totalTokens": total, **usage}
    return decode_message(raw)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (answer(5000), 5000),
        (answer(input=100, output=20, cacheRead=3000, cacheWrite=400), 3520),
        (answer(0, input=100, output=20), 120),
        (answer(5000, stop="length"), 5000),
        (answer(5000, stop="toolUse"), 5000),
        (answer(5000, stop="error"), None),
        (answer(5000, stop="aborted"), None),
        (answer(0), None),
        (answer(), None),
        (answer(math.nan), None),
        (answer(math.inf), None),
        (answer(-5), None),
        (answer("5000"), None),
        (answer(True), None),
        (answer(10**400), None),
        (user(), None),
        (decode_message({"role": "compactionSummary", "summary": "s", "usage": {"totalTokens": 90_000}}), None),
        (decode_message({"role": "assistant", "content": "a", "usage": "none"}), None),
    ],
)
def test_which_usage_counts(message: Message, tokens: int | None) -> None:
    assert usage_tokens(message) == tokens


def test_size_is_the_newest_usage_and_the_estimate_of_what_follows() -> None:
    later = user("One more thing, about the tests of the parser.")
    size = context_tokens([user(), answer(30_000), user(), answer(31_000), later])
    assert size.tokens == 31_000 + estimate_message(later)
    assert size.anchor == 3


def test_an_aborted_answer_is_estimated_on_top_of_the_usage_before_it() -> None:
    aborted = answer(stop="aborted", text="Let me see, first I would")
    assert context_tokens([user(), answer(30_000), aborted]).tokens == 30_000 + estimate_message(aborted)


def test_without_usage_it_is_the_estimate_and_the_overhead() -> None:
    messages = [user("word " * 1000), answer()]
    plain = sum(map(estimate_message, messages))
    assert context_tokens(messages) == (plain, plain, None)
    assert context_tokens(messages, overhead=40_000).tokens == plain + 40_000
    assert context_tokens(messages, calibration=Calibration(1.5, 7000, 4)).tokens == round(1.5 * plain) + 7000


def test_overhead_is_not_added_to_a_count_that_has_it() -> None:
    assert context_tokens([user(), answer(30_000)], overhead=10_000).tokens == 30_000
    assert context_tokens([user(), answer(30_000)], calibration=Calibration(2.0, 10_000, 3)).tokens == 30_000


def test_usage_is_never_multiplied_by_the_factor() -> None:
    later = user("word " * 3000)
    size = context_tokens([user(), answer(30_000), later], calibration=Calibration(2.0, 500, 3))
    assert size.tokens == 30_000 + round(2.0 * estimate_message(later))


def test_usage_that_is_too_small_does_no_harm() -> None:
    messages = [user("word " * 20_000), answer(12)]
    size = context_tokens(messages, overhead=3000)
    assert size.tokens == sum(map(estimate_message, messages)) + 3000


def test_only_prunes_after_the_usage_are_taken_off() -> None:
    messages = [user(), answer(80_000), user(), answer(90_000), user()]
    unpruned = context_tokens(messages).tokens
    assert context_tokens(messages, prunes=[Prune(2, 30_000)]).tokens == unpruned
    assert context_tokens(messages, prunes=[Prune(4, 30_000)]).tokens == unpruned - 30_000
    assert context_tokens(messages, prunes=[Prune(2, 9), Prune(5, 30_000)]).tokens == unpruned - 30_000


def test_nothing_is_nothing() -> None:
    assert context_tokens([]) == (0, 0, None)


numbers = st.one_of(st.integers(), st.floats(), st.none(), st.booleans(), st.text(max_size=3))
contexts = st.lists(
    st.one_of(
        st.text(max_size=50).map(user),
        st.builds(answer, numbers, st.sampled_from(["stop", "error", "aborted", "toolUse", "?"]), input=numbers),
    ),
    max_size=8,
)


@given(contexts, st.integers(0, 9), st.one_of(st.none(), st.integers(0, 10**6)))
def test_size_is_never_below_the_plain_estimate(messages: list[Message], start: int, overhead: int | None) -> None:
    size = context_tokens(messages, counted_from=start, overhead=overhead)
    assert size.tokens >= size.estimate + (overhead or 0)
    assert size.anchor is None or size.anchor >= start


def line(factor: float, overhead: int, estimates: list[int], model: str = "m") -> list[Sample]:
    return [Sample(estimate, round(factor * estimate + overhead), model) for estimate in estimates]


def test_calibration_finds_factor_and_overhead() -> None:
    found = calibrate(line(1.25, 12_000, list(range(2000, 60_000, 1500))))
    assert found.factor == pytest.approx(1.25, abs=0.001)
    assert found.overhead == pytest.approx(12_000, abs=50)
    assert found.pairs >= 3


def test_small_steps_add_up_to_pairs() -> None:
    assert calibrate(line(1.25, 0, list(range(0, 15_100, 100)))).pairs == 3


def test_two_pairs_teach_nothing() -> None:
    previous = Calibration(1.1, 900, 5)
    samples = line(2.0, 0, [1000, 7000, 13_000])
    assert calibrate(samples) == Calibration()
    assert calibrate(samples, previous=previous) == previous


def test_one_odd_pair_does_not_matter() -> None:
    samples = line(1.0, 5000, [0, 6000, 12_000, 18_000]) + line(1.0, 30_000, [24_000, 30_000])
    assert calibrate(samples).factor == pytest.approx(1.0)


@pytest.mark.parametrize(("true", "clamped"), [(0.1, 0.5), (9.0, 3.0)])
def test_factor_is_clamped(true: float, clamped: float) -> None:
    assert calibrate(line(true, 0, [0, 6000, 12_000, 18_000])).factor == clamped


def test_given_overhead_wins() -> None:
    samples = line(1.0, 5000, [0, 6000, 12_000, 18_000])
    assert calibrate(samples, overhead=800).overhead == 800
    assert calibrate([], previous=Calibration(1.3, 9, 4), overhead=800) == Calibration(1.3, 800, 4)


def test_falling_usage_drops_all_that_was_learnt() -> None:
    before = line(2.0, 0, [0, 6000, 12_000, 18_000, 24_000])
    after = line(1.0, 0, [26_000, 32_000, 38_000])
    assert calibrate(before + after, previous=Calibration(1.7, 0, 9)) == Calibration()
    assert calibrate(before + after + line(1.0, 0, [44_000, 50_000])).factor == 1.0


def test_another_model_counts_anew() -> None:
    samples = line(1.0, 0, [0, 6000, 12_000, 18_000]) + line(1.5, 0, [20_000, 26_000, 32_000, 38_000], "other")
    assert calibrate(samples).factor == 1.5


def test_samples_are_the_usages_that_count() -> None:
    messages = [user("word " * 9), answer(100), user(), answer(stop="error"), answer(300)]
    sums = [sum(map(estimate_message, messages[: index + 1])) for index in range(5)]
    found = usage_samples(messages)
    assert [(sample.estimate, sample.usage) for sample in found] == [(sums[1], 100), (sums[4], 300)]
    assert usage_samples(messages, counted_from=2) == found[1:]


@given(st.lists(st.builds(Sample, st.integers(0, 10**6), st.integers(1, 10**6))))
def test_any_samples_give_a_sound_calibration(samples: list[Sample]) -> None:
    found = calibrate(samples)
    assert 0.5 <= found.factor <= 3
    assert found.overhead >= 0
    assert decode_calibration(msgspec.json.decode(msgspec.json.encode(found))) == found


@pytest.mark.parametrize("stored", [None, [], "x", {"factor": "x"}, {"factor": 99}, {"factor": 1, "overhead": -1}])
def test_a_stored_calibration_that_is_none(stored: object) -> None:
    assert decode_calibration(stored) is None
