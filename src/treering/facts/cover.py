"""The quotations that cover the most expected use in a room of tokens."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from treering.facts.lexicon import Term
from treering.facts.state import Quote

RELATION = 2.5
"""What a line that tells something of a term is worth beside the term itself."""


class Candidate(msgspec.Struct, frozen=True):
    """A quote that may go in.

    Attributes:
        quote: the quote.
        terms: what it shows.
        telling: for each term, how well the quote tells of it, 0 to 1.
        base: its worth apart from its terms.
        cost: in tokens.
    """

    quote: Quote
    terms: tuple[Term, ...]
    telling: tuple[float, ...]
    base: float
    cost: int


def choose(
    candidates: Sequence[Candidate], values: Mapping[Term, float], room: int, covered: Iterable[Term] = ()
) -> tuple[list[Candidate], set[Term]]:
    """The candidates with the most expected use for the room, greedily by gain a token; and all terms covered.

    The gain of a candidate only falls as others are taken, so it is computed again only when it comes to the top.

    Args:
        candidates: what can be chosen.
        values: the worth of each term.
        room: tokens.
        covered: terms that are shown already.
    """
    done, told = set(covered), dict[Term, float]()

    def gain(candidate: Candidate) -> float:
        total = candidate.base
        for term, telling in zip(candidate.terms, candidate.telling, strict=True):
            value = values.get(term, 0.0)
            if value:
                total += value * ((term not in done) + RELATION * max(0.0, telling - told.get(term, 0.0)))
        return total

    heap = [(-gain(candidate) / candidate.cost, index) for index, candidate in enumerate(candidates)]
    heapq.heapify(heap)
    chosen: list[Candidate] = []
    while heap:
        _, index = heapq.heappop(heap)
        candidate = candidates[index]
        if candidate.cost > room:
            continue
        ratio = gain(candidate) / candidate.cost
        if ratio <= 0.0:
            continue
        if heap and -ratio > heap[0][0]:
            heapq.heappush(heap, (-ratio, index))
            continue
        chosen.append(candidate)
        room -= candidate.cost
        done.update(candidate.terms)
        for term, telling in zip(candidate.terms, candidate.telling, strict=True):
            told[term] = max(telling, told.get(term, 0.0))
    return chosen, done
