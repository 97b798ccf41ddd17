"""What providers counted: the size of a context anchored on it, and what it teaches about the estimator (SPEC §4).

Pure functions over messages and numbers. A provider's usage of an assistant message counts the whole request and the
answer, so it is the size of the context up to that message, system prompt and tool schemas (the overhead) included.
It says nothing about a context that a compaction has changed since: callers tell from which message on usage counts
(`Context.kept_count`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec

from treering.session.messages import Message, as_object
from treering.tokens.estimate import estimate_message

LEAST_PAIRS: Final = 3
"""As many growing pairs of usages it takes to calibrate."""

LEAST_GROWTH: Final = 5000
"""Tokens that the estimate must grow by between the two usages of a pair."""

LEAST_FACTOR: Final = 0.5
GREATEST_FACTOR: Final = 3.0

_NONSENSE: Final = 10**12
"""No context has so many tokens; NaN and infinity fail the comparison too."""


class Calibration(msgspec.Struct, frozen=True):
    """How a provider's count follows from the estimate: usage ≈ factor × estimate + overhead.

    Attributes:
        factor: the provider's tokens for one estimated token.
        overhead: the provider's tokens for what is sent besides the messages: system prompt and tool schemas.
        pairs: how many pairs of usages this was learnt from; 0 if it was not.
    """

    factor: float = 1.0
    overhead: int = 0
    pairs: int = 0

    def of(self, estimate: int) -> int:
        """Tokens by the provider's count for messages of this estimate, without overhead."""
        return round(self.factor * estimate)


class Sample(NamedTuple):
    """One usage that counts.

    Attributes:
        estimate: the plain estimate of all messages up to and with the answer.
        usage: what the provider counted for them, in tokens.
        model: whose count it is; another model counts otherwise.
    """

    estimate: int
    usage: int
    model: str = ""


class Prune(NamedTuple):
    """A prune of messages in a context.

    Attributes:
        position: how many messages of the context stood before the prune; usage of those saw the whole results.
        saved: tokens by the estimator that it took out.
    """

    position: int
    saved: int


class ContextSize(NamedTuple):
    """The size of a context, in the provider's tokens as far as they are known.

    Attributes:
        tokens: the size, overhead included.
        estimate: the plain estimate of the messages.
        anchor: index of the message whose usage the size is based on; None if it is estimated altogether.
    """

    tokens: int
    estimate: int
    anchor: int | None


def usage_tokens(message: Message) -> int | None:
    """The size of the context up to and with this message, as its provider counted; None if that does not count.

    Only answers of an assistant count, and not those that were aborted or failed, or whose usage is missing or zero.
    Usage is in pi's form, where `input` excludes what came from or went into the cache; without `totalTokens` (before
    2026) the parts are added up.
    """
    if message.role != "assistant" or message.stop_reason in {"aborted", "error"}:
        return None
    usage = message.usage
    parts = ("input", "output", "cacheRead", "cacheWrite")
    total = _count(usage.get("totalTokens")) or sum(_count(usage.get(part)) for part in parts)
    return total or None


def context_tokens(
    messages: Sequence[Message],
    *,
    counted_from: int = 0,
    prunes: Iterable[Prune] = (),
    calibration: Calibration | None = None,
    overhead: int | None = None,
    estimates: Sequence[int] | None = None,
) -> ContextSize:
    """The size of a context: the newest usage that counts, and an estimate of what follows it.

    What later prunes saved is taken off the usage. The result is never below the plain estimate, so that usage which
    is too small (some servers leave the cached part out) does no harm. Without usage it is the estimate. Factor and
    overhead are applied once: to what is estimated, never to what a provider counted.

    Args:
        messages: the context as it is sent, pruned results as they render.
        counted_from: index of the first message whose usage counts: after the newest compaction, the number of
            messages that were there when it was made, its summary included (`Context.kept_count`).
        prunes: those applied to these messages.
        calibration: what was learnt about this model.
        overhead: tokens of system prompt and tool schemas, if the caller knows; else the calibration's.
        estimates: the estimate of each message, where the caller has them.
    """
    calibration = calibration or Calibration()
    estimates = [estimate_message(message) for message in messages] if estimates is None else estimates
    plain = sum(estimates)
    for index in range(len(messages) - 1, max(counted_from, 0) - 1, -1):
        usage = usage_tokens(messages[index])
        if usage is None:
            continue
        saved = sum(prune.saved for prune in prunes if prune.position > index)
        anchored = usage - calibration.of(saved) + calibration.of(sum(estimates[index + 1 :]))
        # A factor above 1 is a median of what it is guarded against here, so it may not raise the floor.
        floor = round(min(calibration.factor, 1.0) * plain) + (overhead or 0)
        return ContextSize(max(anchored, floor), plain, index)
    outside = calibration.overhead if overhead is None else overhead
    return ContextSize(calibration.of(plain) + outside, plain, None)


def usage_samples(
    messages: Sequence[Message], *, counted_from: int = 0, estimates: Sequence[int] | None = None
) -> list[Sample]:
    """The usages of a context that count, each with the plain estimate up to it, in order.

    Args:
        messages: the context.
        counted_from: index of the first message whose usage counts, as for `context_tokens`.
        estimates: the estimate of each message as it was when the usage was counted (unpruned), where the caller
            has them.
    """
    estimates = [estimate_message(message) for message in messages] if estimates is None else estimates
    sums = list(accumulate(estimates))
    samples: list[Sample] = []
    for index in range(max(counted_from, 0), len(messages)):
        usage = usage_tokens(messages[index])
        if usage is not None:
            raw = messages[index].raw
            samples.append(Sample(sums[index], usage, f"{raw.get('provider')}/{raw.get('model')}"))
    return samples


def calibrate(
    samples: Iterable[Sample], *, previous: Calibration | None = None, overhead: int | None = None
) -> Calibration:
    """Learn from usages how this provider counts.

    The factor is the median of Δusage / Δestimate over pairs of usages between which the estimate grew by 5000 tokens
    or more, clamped to 0.5–3; the overhead is the median of what then remains. Below 3 pairs nothing is learnt, and
    `previous` stays. Where usage falls, or another model answers, all that was learnt before is dropped, `previous`
    too: something else than messages changed.

    Args:
        samples: usages in order, of one context (after its newest compaction).
        previous: what earlier contexts taught (carried forward over a compaction).
        overhead: tokens of system prompt and tool schemas, if the caller knows.
    """
    kept: list[Sample] = []
    learnt = previous or Calibration()
    for sample in samples:
        if kept and (sample.usage < kept[-1].usage or sample.model != kept[-1].model):
            kept.clear()
            learnt = Calibration()
        kept.append(sample)
    slopes: list[float] = []
    base = kept[0] if kept else None
    for sample in kept:
        if base is not None and sample.estimate - base.estimate >= LEAST_GROWTH:
            if sample.usage > base.usage:
                slopes.append((sample.usage - base.usage) / (sample.estimate - base.estimate))
            base = sample
    if len(slopes) < LEAST_PAIRS:
        return learnt if overhead is None else Calibration(learnt.factor, overhead, learnt.pairs)
    from statistics import median  # here: it takes 5 ms to load, and short sessions never come so far

    factor = min(max(median(slopes), LEAST_FACTOR), GREATEST_FACTOR)
    if overhead is None:
        overhead = max(0, round(median(sample.usage - factor * sample.estimate for sample in kept)))
    return Calibration(factor, overhead, len(slopes))


def decode_calibration(value: object) -> Calibration | None:
    """A calibration as it was stored (`msgspec.to_builtins`); None if the value is none. Never raises."""
    if as_object(value) is None:
        return None
    try:
        found = msgspec.convert(value, Calibration)
    except msgspec.ValidationError:
        return None
    sound = LEAST_FACTOR <= found.factor <= GREATEST_FACTOR and found.overhead >= 0 and found.pairs >= 0
    return found if sound else None


def _count(value: object) -> int:
    """A number of tokens as stored; 0 for what is no sensible number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 < value < _NONSENSE else 0
