"""How likely a term is used again, by its history and by what is being worked on.

A logistic model with few terms. Its weights, fitted on real sessions, and what is known of them are in `weights.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from treering.facts.lexicon import FILE, NUMBER
from treering.facts.roles import ASSISTANT, COMMAND, EDIT, RESULT, USER
from treering.facts.weights import CONTEXT, HISTORY

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TEST = re.compile(r"^[Tt]est|^test_|_test\b|^Benchmark|\.(?:test|spec)\.")


class History(Protocol):
    """What the expectation looks at."""

    @property
    def messages(self) -> int:
        """Messages that have it."""
        ...

    @property
    def last(self) -> int:
        """Where it was seen last."""
        ...

    @property
    def roles(self) -> int:
        """Who said it."""
        ...


def history_score(kind: str, name: str, term: History, clock: int) -> float:
    """The logit of a term's use after `clock`, by its history alone: how often, how long ago, by whom."""
    weights = HISTORY[kind]
    age = max(0, clock - term.last) / 10_000
    roles = term.roles
    score = weights["bias"] + weights["messages"] * math.log(term.messages) + weights["age"] * math.log1p(age)
    if roles & USER:
        score += weights["user"]
    if roles & ASSISTANT:
        score += weights["assistant"]
    if roles & EDIT:
        score += weights["edit"]
    if roles & COMMAND:
        score += weights["command"]
    if roles & RESULT:
        score += weights["result"]
    if kind != NUMBER and _TEST.search(name):
        score += weights["test"]
    if kind != FILE and name[0].islower() and "_" not in name:
        score += weights["local"]
    return score


class Focus:
    """What is being worked on, by the words of the text that stays: terms made of the same words are more likely."""

    def __init__(self, shown: Iterable[str], names: Iterable[str]) -> None:
        self._shown = Counter(part for name in shown for part in name_parts(name))
        spread: Counter[str] = Counter()
        total = 0
        for name in names:
            spread.update(set(name_parts(name)))
            total += 1
        self._rarity = {part: math.log((total + 1) / (1 + count)) for part, count in spread.items()}

    def likeness(self, name: str) -> float:
        """How often the words of a name are shown, rare words counting more; about 0 to 5."""
        weight = common = 0.0
        for part in name_parts(name):
            rarity = self._rarity.get(part, 1.0)
            weight += rarity
            common += rarity * math.log1p(self._shown[part])
        return common / weight if weight > 0 else 0.0


def context_score(likeness: float, beside: float, home: float) -> float:
    """What the text that stays adds to a term's logit.

    Args:
        likeness: see `Focus.likeness`.
        beside: share of the terms on its quoted lines that are shown.
        home: share of the terms of its file that are shown.
    """
    return CONTEXT["likeness"] * likeness + CONTEXT["beside"] * beside + CONTEXT["home"] * home


def probability(score: float) -> float:
    """The probability of a logit."""
    return 1 / (1 + math.exp(-score))


def name_parts(name: str) -> list[str]:
    """The words that a name is made of, in lower case: `handleTurnEnd` → handle, turn, end."""
    return [part.lower() for part in _PART.findall(name) if len(part) >= 3]
