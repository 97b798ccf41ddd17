"""The quotations that cover the most expected use in a room of tokens."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from treering.facts.lexicon import FILE, NAME, NUMBER, Term
from treering.facts.state import Quote

RELATION = {FILE: 1.2, NAME: 7.0, NUMBER: 2.0}
"""What a line that tells something of a term is worth, in parts of the worth of the term itself."""


class Candidate(msgspec.Struct, frozen=True):
    """A quote that may go in.

    Attributes:
        quote: the quote.
        terms: what it shows.
        telling: for each term, how well the quote tells of it, 0 to 1.
        base: its worth apart from its terms.
        cost: in tokens.
        home: the file under whose name it is shown, if any.
        home_cost: what that name costs, in tokens, if nothing else stands under it.
    """

    quote: Quote
    terms: tuple[Term, ...]
    telling: tuple[float, ...]
    base: float
    cost: int
    home: Term | None = None
    home_cost: int = 0


def choose(
    candidates: Sequence[Candidate], values: Mapping[Term, float], room: int, covered: Iterable[Term] = ()
) -> tuple[list[Candidate], set[Term]]:
    """The candidates with the most expected use for the room, greedily by gain a token; and all terms covered.

    The gain of a candidate only falls as others are taken, so it is computed again only when it comes to the top; but
    a quote gets cheaper when another one has brought the name of their file in.

    Args:
        candidates: what can be chosen.
        values: the worth of each term.
        room: tokens.
        covered: terms that are shown already.
    """
    done, told = set(covered), dict[Term, float]()
    housed: dict[Term, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if candidate.home:
            housed[candidate.home].append(index)

    def cost_and_gain(candidate: Candidate) -> tuple[int, float]:
        cost, gain = candidate.cost, candidate.base
        home = candidate.home
        if home in housed:
            # Nothing of this file is shown yet: its name comes with the quote.
            cost += candidate.home_cost
            if home not in done and home not in candidate.terms:
                gain += values.get(home, 0.0)
        for term, telling in zip(candidate.terms, candidate.telling, strict=True):
            value = values.get(term, 0.0)
            if value:
                gain += value * ((term not in done) + RELATION[term[0]] * max(0.0, telling - told.get(term, 0.0)))
        return cost, gain

    def ratio(index: int) -> float:
        cost, gain = cost_and_gain(candidates[index])
        return gain / cost

    heap = [(-ratio(index), index) for index in range(len(candidates))]
    heapq.heapify(heap)
    chosen: list[Candidate] = []
    taken: set[int] = set()
    while heap:
        key, index = heapq.heappop(heap)
        if index in taken:
            continue
        candidate = candidates[index]
        cost, gain = cost_and_gain(candidate)
        if gain <= 0.0 or cost > room:
            continue
        if -gain / cost > key:
            heapq.heappush(heap, (-gain / cost, index))
            continue
        chosen.append(candidate)
        taken.add(index)
        room -= cost
        done.update(candidate.terms)
        for term, telling in zip(candidate.terms, candidate.telling, strict=True):
            told[term] = max(telling, told.get(term, 0.0))
        if candidate.home in housed:
            done.add(candidate.home)
            for other in housed.pop(candidate.home):
                heapq.heappush(heap, (-ratio(other), other))
    return chosen, done
