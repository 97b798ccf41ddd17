"""The user's own words in a budget: the last request, the rules, the open question, then by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from treering.facts.decisions import is_decision
from treering.facts.lexicon import content_words, sentences
from treering.facts.requests import Request, shortened
from treering.facts.rules import Rule, is_rule
from treering.facts.state import FactState
from treering.facts.values import overtakes, statement_of

_LEAST_REQUEST_CHARS = 240
_SCARCE = 36
"""Tokens of room below which the last request no longer comes first: a part of it would tell nothing."""
_SHARE_LAST = 0.4
_ORDERS = re.compile(
    r"\b(?:(?:can|could|would|will|should)\s(?:you|we|i)|please|i(?:['’]d|\swould)?\s(?:like|want|need)|let['’]?s"
    r"|puedes|podrías?|podemos|quiero|quisiera|por\sfavor|vamos\sa)\b|कृपया|सकते\sह|चाहिए|चाहता|चाहती|请|能不能|可以.{0,6}吗|帮我|我想",
    re.IGNORECASE,
)


class Said(msgspec.Struct, frozen=True):
    """What was chosen, with its cost in tokens. `requests` ends with the last request, if `has_last`."""

    rules: list[Rule]
    requests: list[Request]
    question: str
    has_last: bool
    cost: int


class _Part(msgspec.Struct, frozen=True):
    """A sentence of the user, with what it is worth and what it costs; `at` and `place` say where it stands."""

    text: str
    at: int
    place: int
    worth: float
    cost: int


class UserWords:
    """What the user said, for choosing from it: once prepared, for any room of tokens."""

    def __init__(self, state: FactState, count: Callable[[str], int]) -> None:
        """Prepare the choice from a state; `count` gives the tokens of a text."""
        self.state, self.count = state, count
        self.newer = _corrections(state)
        self.parts = sorted(self._weighed(), key=lambda part: (-part.worth, -part.at, part.place))
        self.densest = sorted(self.parts, key=lambda part: (-part.worth / (part.cost + 4), -part.at, part.place))
        self.by_text = {part.text: part for part in self.parts}
        # If not all rules fit, the most rules do; those that a later word may correct come last.
        self.rules = sorted(state.rules, key=lambda rule: (rule.text in self.newer, len(rule.text), -rule.at))
        self.rule_of = {rule.text: rule for rule in state.rules}
        self.rules_cost = sum(count(rule.text) + 3 for rule in state.rules)

    def choose(self, room: int) -> Said:
        """The words for a room of tokens.

        The last request and the open question go in even if they fill it; what is said word for word again is no news,
        though, and is weighed like the rest.
        """
        return _Choice(self, room).made()

    def _weighed(self) -> Iterator[_Part]:
        """The sentences of the requests, each where it was said last."""
        state = self.state
        spread = Counter(word for request in state.requests for part in request.parts for word in content_words(part))
        topic = content_words(state.requests[-1].text) if state.requests else set[str]()
        seen: set[str] = set()
        for request in reversed(state.requests):
            for place, part in enumerate(request.parts):
                if part not in seen and part != "…":
                    seen.add(part)
                    cost = self.count(part)
                    worth = _worth(part, state.turn - request.turn, spread, topic) - 2.0 * (part in self.newer)
                    worth += 1.0 * (request is state.requests[-1] and not request.again)
                    yield _Part(part, request.at, place, worth - cost / 150, cost)


class _Choice:
    """One choice: what is told so far, and what room is left."""

    def __init__(self, words: UserWords, room: int) -> None:
        self.words, self.room = words, room
        self.used = 0
        self.told: set[str] = set()
        self.chosen_rules: list[Rule] = []
        self.chosen: dict[int, set[int]] = {}
        self.last: Request | None = None

    def made(self) -> Said:
        requests = self.words.state.requests
        scarce = self.room < _SCARCE
        if requests and not requests[-1].again and not scarce:
            self._take_last(requests[-1])
        self._add_rules()
        for part in self.words.densest if scarce else self.words.parts:
            if part.text not in self.told and self._with_newer(part.text):
                self._add(part)
        found = [
            msgspec.structs.replace(request, parts=_joined(self.chosen[request.at], request.parts, self.told))
            for request in (requests[:-1] if self.last else requests)
            if request.at in self.chosen
        ]
        self.chosen_rules.sort(key=lambda rule: rule.at)
        if self.last:
            return Said(self.chosen_rules, [*found, self.last], self.last.question, True, self.used)
        has_last = bool(found) and found[-1].at == requests[-1].at
        return Said(self.chosen_rules, found, "", has_last, self.used)

    def _take_last(self, last: Request) -> None:
        # No single request may crowd out the others.
        limit = max(_LEAST_REQUEST_CHARS, 2 * self.room)
        cost = self.words.count(last.text) + 4
        if self.words.rules_cost + cost > self.room:
            limit = min(limit, max(24, int(_SHARE_LAST * self.room * len(last.text) / cost)))
        self.last = msgspec.structs.replace(last, parts=tuple(shortened(last.parts, limit)))
        self.used += self.words.count(self.last.text) + 4
        if last.question:
            self.used += self.words.count(last.question) + 3
        self.told.update(last.parts)

    def _add_rules(self) -> None:
        for rule in self.words.rules:
            if rule.text in self.told or (self.last and rule.text in self.last.text):
                continue
            if not self._with_newer(rule.text):
                continue
            for text in (rule.text, *(part for part in sentences(rule.text) if is_rule(part))):
                if self._fits(self.words.count(text) + 3):
                    self.chosen_rules.append(msgspec.structs.replace(rule, text=text))
                    self.told.add(rule.text)
                    break

    def _add(self, part: _Part) -> bool:
        if not self._fits(part.cost + (1 if part.at in self.chosen else 4)):
            return False
        if part.text in self.words.rule_of:
            self.chosen_rules.append(self.words.rule_of[part.text])
        else:
            self.chosen.setdefault(part.at, set()).add(part.place)
        self.told.add(part.text)
        return True

    def _with_newer(self, text: str) -> bool:
        """Whether the later word that may correct this one is there: it goes in first, or neither does."""
        newer = self.words.newer.get(text)
        if newer is None or newer in self.told:
            return True
        part = self.words.by_text.get(newer)
        return part is not None and self._with_newer(newer) and self._add(part)

    def _fits(self, cost: int) -> bool:
        fits = self.used + cost <= self.room
        self.used += cost if fits else 0
        return fits


def _corrections(state: FactState) -> dict[str, str]:
    """Sentences that a later one may correct, each with that one."""
    newest = {rule.text: -1 for rule in state.rules}
    for index, request in enumerate(state.requests):
        newest.update(dict.fromkeys(request.parts, index))
    found: dict[str, str] = {}
    for index, request in enumerate(state.requests):
        before = state.requests[index - 1].parts if index else ()
        for part in request.parts:
            new = statement_of(part)
            if new is None:
                continue
            for text in newest if new.denied else before:
                if newest[text] >= index:
                    continue
                old = statement_of(text)
                if old is not None and overtakes(new, old, near=newest[text] == index - 1):
                    found[text] = part
    return found


def _worth(part: str, age: int, spread: Mapping[str, int], topic: set[str]) -> float:
    """What is said before what is asked, values and rare words before common ones, new before old."""
    worth = 1.0
    statement = statement_of(part)
    if statement is not None:
        worth += 1.0 + 0.3 * min(3, len(statement.values)) + 0.5 * statement.updates
    elif _ORDERS.search(part):
        worth += 0.7
    if is_decision(part):
        worth += 0.7
    around = content_words(part)
    if around:
        worth += 0.6 * sum(1 for word in around if spread[word] <= 2) / len(around)
    if topic and age:
        worth += 1.2 * len(around & topic) / len(topic)
    return worth - min(age, 20) * 0.02


def _joined(chosen: set[int], whole: tuple[str, ...], told: set[str]) -> tuple[str, ...]:
    """The chosen sentences in order, with `…` where others were left out; what stands elsewhere leaves no gap."""
    out: list[str] = []
    gap = False
    for place, sentence in enumerate(whole):
        if place in chosen:
            if gap:
                out.append("…")
            out.append(sentence)
            gap = False
        elif sentence not in told:
            gap = True
    return (*out, "…") if gap else tuple(out)
