"""How likely a term is used again, by its history and by what is being worked on.

A logistic model: a term's features times the weights of its kind. Features are computed here and nowhere else, for the
summaries and for `benchmarks/fit_expectation.py`, which fits the weights on real sessions (`weights.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING, Protocol

from treering.facts.lexicon import Term
from treering.facts.roles import ASSISTANT, COMMAND, RESULT
from treering.facts.weights import WEIGHTS

if TYPE_CHECKING:
    from treering.facts.state import FactState, TermFact

HISTORY = ("bias", "messages", "age", "assistant", "command", "result", "local")
"""What a term's own past tells; see `history_features`."""

CONTEXT = ("likeness", "beside", "home")
"""What the text that stays tells of a term; see `Focus.features`."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


_history: dict[str, tuple[float, ...]] = {}
_context: dict[str, tuple[float, ...]] = {}


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


def history_features(name: str, term: History, clock: int) -> tuple[float, ...]:
    """The features of a term at `clock` that `HISTORY` names.

    `messages` that have it and its `age` (in 10 000 tokens) as logarithms; the others are 1 or 0: who or what wrote
    it, and whether it looks like a `local` variable.
    """
    roles = term.roles
    return (
        1.0,
        math.log(term.messages),
        math.log1p(max(0, clock - term.last) / 10_000),
        1.0 if roles & ASSISTANT else 0.0,
        1.0 if roles & COMMAND else 0.0,
        1.0 if roles & RESULT else 0.0,
        1.0 if name[0].islower() and "_" not in name else 0.0,
    )


def history_score(kind: str, name: str, term: History, clock: int) -> float:
    """The logit of a term's use after `clock`, by its history alone."""
    return sum(map(mul, _history[kind], history_features(name, term, clock)))


class Focus:
    """What is being worked on, by the text that stays."""

    def __init__(self, state: FactState, seen: Sequence[Term], terms_of: Mapping[str, Iterable[Term]]) -> None:
        """Prepare.

        Args:
            state: the terms and their quotes.
            seen: the terms of the text that stays, as often as they are there.
            terms_of: the terms of each quote of the state.
        """
        self._quotes, self._terms_of = state.quotes, terms_of
        self.shown = frozenset(seen)
        self._words = Counter(part for _, name in seen for part in name_parts(name))
        spread: Counter[str] = Counter()
        self._homes: Counter[str] = Counter()
        self._homes_shown: Counter[str] = Counter()
        for term in state.terms:
            spread.update(set(name_parts(term.name)))
            self._homes[term.home] += 1
            self._homes_shown[term.home] += (term.kind, term.name) in self.shown
        total = len(state.terms) + 1
        self._rarity = {part: math.log(total / (1 + count)) for part, count in spread.items()}

    def features(self, term: TermFact) -> tuple[float, ...]:
        """The features of a term that `CONTEXT` names.

        `likeness`: see there. `beside`: the share of the terms on its quoted lines that are shown. `home`: the share of
        the terms of its file that are shown.
        """
        quoted = (self._quotes[i].text for i in (term.prose, term.code, term.dense) if i >= 0)
        beside = {other for text in quoted for other in self._terms_of[text]} - {(term.kind, term.name)}
        near = len(beside & self.shown) / (1 + len(beside))
        home = self._homes_shown[term.home] / self._homes[term.home] if term.home else 0.0
        return self.likeness(term.name), near, home

    def score(self, term: TermFact) -> float:
        """What the text that stays adds to a term's logit."""
        weights = _context[term.kind]
        return sum(map(mul, weights, self.features(term))) if any(weights) else 0.0

    def likeness(self, name: str) -> float:
        """How often the words of a name are shown, rare words counting more; about 0 to 5."""
        weight = common = 0.0
        for part in name_parts(name):
            rarity = self._rarity.get(part, 1.0)
            weight += rarity
            common += rarity * math.log1p(self._words[part])
        return common / weight if weight > 0 else 0.0


def use_weights(weights: Mapping[str, Mapping[str, float]]) -> None:
    """Take other weights than the shipped ones, in this process: so that they can be measured before they are shipped.

    Args:
        weights: by kind of term and by the names in `HISTORY` and `CONTEXT`; what has none counts nothing.
    """
    for kind, by_name in weights.items():
        _history[kind] = tuple(by_name.get(name, 0.0) for name in HISTORY)
        _context[kind] = tuple(by_name.get(name, 0.0) for name in CONTEXT)


def probability(score: float) -> float:
    """The probability of a logit."""
    return 1 / (1 + math.exp(-score))


def name_parts(name: str) -> list[str]:
    """The words that a name is made of, in lower case: `handleTurnEnd` → handle, turn, end."""
    return [part.lower() for part in _PART.findall(name) if len(part) >= 3]


use_weights(WEIGHTS)
