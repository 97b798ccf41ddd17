"""What goes into a budget: the choice of facts by expected use later."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from treering.facts.commands import Command, StandingError
from treering.facts.expect import expectation
from treering.facts.lexicon import FILE, NAME, NUMBER, WORD, Lexicon, Term, content_words
from treering.facts.requests import Request
from treering.facts.roles import ASSISTANT, THINKING, USER
from treering.facts.rules import Rule
from treering.facts.state import FactState, Quote
from treering.facts.tasks import Task

Counter = Callable[[str], int]
T = TypeVar("T")

KIND_WEIGHT = {FILE: 1.0, NAME: 1.0, NUMBER: 0.6}
RELATION = 1.0
"""What a line that tells something of a term is worth beside the term itself."""

SHARE_USER, SHARE_COMMANDS, SHARE_ERRORS, SHARE_TASKS, SHARE_NAMES = 0.45, 0.14, 0.10, 0.10, 0.16
"""Most of the budget that a kind of fact may take."""


class Candidate(msgspec.Struct, frozen=True):
    """A quote that may go in. `cost` in tokens; `base` is its worth apart from the terms that it covers."""

    quote: Quote
    terms: tuple[Term, ...]
    relational: bool
    base: float
    cost: int


class Selection(msgspec.Struct, kw_only=True):
    """What was chosen, in the order of the session."""

    rules: list[Rule]
    requests: list[Request]
    question: str = ""
    tasks: list[Task]
    errors: list[StandingError]
    commands: list[Command]
    test: Quote | None = None
    decisions: list[Quote]
    quotes: list[Quote]
    names: dict[str, list[str]]
    left_out: int = 0


def choose(
    candidates: Sequence[Candidate], values: dict[Term, float], room: int, covered: Iterable[Term] = ()
) -> tuple[list[Candidate], set[Term]]:
    """The candidates with the most expected use for the room, greedily by gain per token; and all terms covered.

    The gain of a candidate only falls as others are taken, so it is computed again only when it comes to the top.
    """
    done, told = set(covered), set[Term]()

    def gain(candidate: Candidate) -> float:
        total = candidate.base
        for term in candidate.terms:
            value = values.get(term, 0.0)
            if value:
                total += value * ((term not in done) + RELATION * (candidate.relational and term not in told))
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
        if candidate.relational:
            told.update(candidate.terms)
    return chosen, done


class Selector:
    """Chooses from a state for one summary."""

    def __init__(self, state: FactState, *, kept_text: str, instructions: str, count: Counter) -> None:
        self.state, self.kept_text, self.count = state, kept_text, count
        self.lexicon = Lexicon()
        self.shown = frozenset(self.lexicon.terms(kept_text))
        self.wanted = content_words(instructions)
        self.wanted_terms = set(self.lexicon.terms(instructions))
        self.values = {
            (term.kind, term.name): KIND_WEIGHT[term.kind] * expectation(term, state.clock)
            for term in state.terms
            if (term.kind, term.name) not in self.shown
        }
        for term in self.wanted_terms:
            self.values[term] = 2.0

    def select(self, budget: int) -> Selection:
        """What fits into so many tokens, the frame of the summary not counted."""
        state = self.state
        room = budget
        chosen = Selection(rules=[], requests=[], tasks=[], errors=[], commands=[], decisions=[], quotes=[], names={})
        if state.requests:
            chosen.question = state.requests[-1].question
        user_room = int(SHARE_USER * budget)
        room -= self._user(chosen, user_room)
        room -= self._fit(state.tasks, chosen.tasks, int(SHARE_TASKS * budget), self._open_task)
        errors = [error for error in reversed(state.errors) if error.text not in self.kept_text]
        room -= self._fit(errors, chosen.errors, int(SHARE_ERRORS * budget), lambda error: error.text)
        commands = sorted(state.commands, key=lambda c: (-math.log(c.times) + (state.clock - c.at) / 60_000, c.key))
        commands = [c for c in commands if c.key not in self.kept_text]
        room -= self._fit(commands, chosen.commands, int(SHARE_COMMANDS * budget), command_text)
        if state.test and state.test.text not in self.kept_text:
            chosen.test = state.test
            room -= self.count(state.test.text) + 4
        covered = {term for request in chosen.requests for term in self.lexicon.terms(request.text)}
        names_room = int(SHARE_NAMES * budget)
        candidates = self._candidates(chosen)
        quotes, covered = choose(candidates, self.values, room - names_room, covered)
        room -= sum(candidate.cost for candidate in quotes)
        for candidate in sorted(quotes, key=lambda c: (c.quote.at, c.quote.text)):
            target = chosen.decisions if candidate.quote in state.decisions else chosen.quotes
            target.append(candidate.quote)
        room -= self._names(chosen, room, covered)
        chosen.left_out = len(state.quotes) - len(chosen.quotes)
        return chosen

    def _user(self, chosen: Selection, room: int) -> int:
        """The last request, the rules, then the other requests, newest first; what the user said comes before all."""
        used = 0
        requests = list(self.state.requests)
        said = ""
        if requests:
            used += self.count(requests[-1].text) + 4
            chosen.requests.append(requests[-1])
            said = requests[-1].text
        if chosen.question:
            used += self.count(chosen.question) + 4
        for rule in reversed(self.state.rules):
            cost = self.count(rule.text) + 3
            if rule.text in said or used + cost > room:
                continue
            used += cost
            chosen.rules.append(rule)
        chosen.rules.reverse()
        rules = {rule.text for rule in chosen.rules}
        for request in reversed(requests[:-1]):
            if request.text in rules:
                continue
            cost = self.count(request.text) + 4
            if used + cost <= room:
                used += cost
                chosen.requests.append(request)
        chosen.requests.sort(key=lambda request: request.at)
        return used

    def _fit(self, facts: Iterable[T], target: list[T], room: int, text: Callable[[T], str]) -> int:
        used = 0
        for fact in facts:
            line = text(fact)
            cost = self.count(line) + 2 if line else 0
            if line and used + cost <= room:
                used += cost
                target.append(fact)
        return used

    def _open_task(self, task: Task) -> str:
        return "" if task.state == "done" else task.text

    def _candidates(self, chosen: Selection) -> list[Candidate]:
        said = "\n".join(request.text for request in chosen.requests)
        found: list[Candidate] = []
        decisions = {quote.text for quote in self.state.decisions}
        for quote in (*self.state.decisions, *self.state.quotes):
            if quote.text in said or quote.text in self.kept_text:
                continue
            if quote.text in decisions and quote not in self.state.decisions:
                continue
            terms = tuple(dict.fromkeys(self.lexicon.terms(quote.text)))
            named = sum(1 for term in terms if term[0] != NUMBER)
            relational = named <= 3 and len(WORD.findall(quote.text)) >= 4
            base = 0.25 if quote.text in decisions else 0.1 if quote.source & (USER | ASSISTANT | THINKING) else 0.0
            base *= 1 / (1 + (self.state.turn - quote.turn) / 4)
            if self.wanted:
                base += 2.0 * len(self.wanted & content_words(quote.text)) / len(self.wanted)
            found.append(Candidate(quote, terms, relational, base, self.count(quote.text) + 3))
        return found

    def _names(self, chosen: Selection, room: int, covered: set[Term]) -> int:
        """Names that no chosen line shows, under the file that they live in."""
        homes = {(term.kind, term.name): term.home for term in self.state.terms}
        order = sorted(
            (term for term in self.values if term[0] == NAME and term not in covered and homes.get(term)),
            key=lambda term: (-self.values[term] / (self.count(term[1]) + 1), term[1]),
        )
        used = 0
        for term in order:
            home = homes[term].rsplit("/", 1)[-1]
            cost = self.count(term[1]) + 1 + (0 if home in chosen.names else self.count(home) + 4)
            if used + cost > room:
                continue
            used += cost
            chosen.names.setdefault(home, []).append(term[1])
        return used


def command_text(command: Command) -> str:
    """A command as it is shown: whole if it is short, else program and first argument."""
    return command.text if len(command.text) <= 60 else command.key
