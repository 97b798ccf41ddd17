"""How likely a term is used again: recency, frequency, who said it. The weights are fitted (see benchmarks/)."""

from __future__ import annotations

import math
from typing import Protocol

from treering.facts.roles import ASSISTANT, COMMAND, EDIT, USER


class History(Protocol):
    """What the expectation looks at."""

    @property
    def messages(self) -> int:
        """Messages that have it."""
        ...

    @property
    def turns(self) -> int:
        """Turns that have it."""
        ...

    @property
    def last(self) -> int:
        """Where it was seen last."""
        ...

    @property
    def last_turn(self) -> int:
        """The turn that it was seen in last."""
        ...

    @property
    def roles(self) -> int:
        """Who said it."""
        ...


def expectation(term: History, clock: int) -> float:
    """A value between 0 and 1, higher for terms that are more likely to occur again after `clock`."""
    age = max(0, clock - term.last) / 10_000
    score = -2.0 + 1.0 * math.log(term.messages) + 0.5 * math.log(1 + term.turns) - 0.5 * math.log1p(age)
    if term.roles & EDIT:
        score += 0.6
    if term.roles & USER:
        score += 0.6
    if term.roles & (ASSISTANT | COMMAND):
        score += 0.3
    return 1 / (1 + math.exp(-score))
