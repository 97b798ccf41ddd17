"""What goes into a budget: the choice of facts by expected use later."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

import msgspec

from treering.facts.expect import expectation
from treering.facts.lexicon import FILE, NUMBER, WORD, Lexicon, Term
from treering.facts.state import ASSISTANT, USER, FactState, Quote

KIND_WEIGHT = {FILE: 1.0, "n": 1.0, NUMBER: 0.6}
RELATION = 0.7
"""What a line that tells something of a term is worth beside the term itself."""


class Candidate(msgspec.Struct, frozen=True):
    """A line that may go in. `cost` in tokens; `base` is its worth apart from the terms that it covers."""

    text: str
    part: str
    turn: int
    at: int
    entry: str
    terms: tuple[Term, ...]
    relational: bool
    base: float
    cost: int


def term_values(state: FactState, shown: frozenset[Term]) -> dict[Term, float]:
    """Expected use of every term that the kept part does not show."""
    return {
        (term.kind, term.name): KIND_WEIGHT[term.kind] * expectation(term.kind, term, state.clock, state.turn)
        for term in state.terms
        if (term.kind, term.name) not in shown
    }


def choose(
    candidates: Sequence[Candidate],
    values: dict[Term, float],
    room: int,
    covered: Iterable[Term] = (),
) -> list[Candidate]:
    """The candidates with the most expected use for the room, greedily by gain per token (lazily re-evaluated)."""
    done: set[Term] = set(covered)
    told: set[Term] = set()
    heap: list[tuple[float, int]] = []

    def gain(candidate: Candidate) -> float:
        total = candidate.base
        for term in candidate.terms:
            value = values.get(term, 0.0)
            if value:
                if term not in done:
                    total += value
                if candidate.relational and term not in told:
                    total += RELATION * value
        return total

    for index, candidate in enumerate(candidates):
        ratio = gain(candidate) / candidate.cost
        if ratio > 0:
            heap.append((-ratio, index))
    heapq.heapify(heap)
    chosen: list[Candidate] = []
    while heap:
        negative, index = heapq.heappop(heap)
        candidate = candidates[index]
        if candidate.cost > room:
            continue
        ratio = gain(candidate) / candidate.cost
        if ratio <= 0.002:
            continue
        if heap and ratio < -heap[0][0] - 1e-12:
            heapq.heappush(heap, (-ratio, index))
            continue
        chosen.append(candidate)
        room -= candidate.cost
        done.update(candidate.terms)
        if candidate.relational:
            told.update(candidate.terms)
        _ = negative
    return chosen


def quote_candidates(
    state: FactState, lexicon: Lexicon, count: Callable[[str], int], banned: Callable[[str], bool]
) -> list[Candidate]:
    """A candidate for every quote of the state."""
    found: list[Candidate] = []
    for quote in state.quotes:
        if banned(quote.text):
            continue
        found.append(candidate_of(quote, lexicon, count))
    return found


def candidate_of(quote: Quote, lexicon: Lexicon, count: Callable[[str], int], base: float = 0.0) -> Candidate:
    """A quote as a candidate."""
    terms = tuple(dict.fromkeys(lexicon.terms(quote.text)))
    named = sum(1 for term in terms if term[0] != NUMBER)
    relational = named <= 3 and len(WORD.findall(quote.text)) >= 4
    part = "story" if quote.source & (USER | ASSISTANT) else "context"
    return Candidate(
        quote.text, part, quote.turn, quote.at, quote.entry, terms, relational, base, count("- " + quote.text) + 2
    )
