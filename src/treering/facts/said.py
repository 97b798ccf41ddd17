"""The user's own words in a budget: the last request, the rules, the open question, then by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from treering.facts.decisions import is_decision, is_plan
from treering.facts.lexicon import content_words, sentences
from treering.facts.requests import Request, says_what, shortened, telling_request
from treering.facts.rules import Rule, asks, is_rule, points_back
from treering.facts.state import FactState
from treering.facts.statements import statement_of
from treering.facts.values import alike, overtakes
from treering.facts.withdrawals import retracts

_LEAST_REQUEST_CHARS = 240
_SHARE_LAST, _SHARE_GOAL, _SHARE_ASKED = 0.4, 0.3, 0.08
_WORTH_LAST, _WORTH_ORDER, _WORTH_SHARED, _WORTH_TOPIC, _LESS_ASKED = 1.0, 0.7, 0.6, 1.2, 0.7
_WORTH_NAME, _WORTH_MORE, _MOST_MORE, _LEAST_WORDS = 1.0, 0.3, 3, 3
_PLAIN, _TRIED = 0.9, 8
"""What a sentence is worth at the least that is worth its length where room is scarce."""
_SHARE_OF_PART, _TELLS = 0.55, 1.2
"""How much of the whole its best sentence must be worth, and how much at the least, to stand alone."""
_ORDERS = re.compile(
    r"\b(?:(?:can|could|would|will|should)\s(?:you|we|i)|please|i(?:['’]d|\swould)?\s(?:like|want|need(?!\sto\b))"
    r"|puedes|podrías?|podemos|quiero|quisiera|por\sfavor)\b|कृपया|सकते\sह|चाहिए|चाहता|चाहती|请|能不能|可以.{0,6}吗|帮我|我想",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:whether|undecided|unresolved|pending|awaiting|waiting\sfor|not\s(?:yet\s)?decided|to\sbe\sdecided|tbd|todo"
    r"|pendientes?|por\sdecidir|sin\sdecidir)\b|लंबित|बाकी\sहै|तय\sनहीं|是否|待定|待办|尚未|还没",
    re.IGNORECASE,
)
"""What nobody has decided or done yet is needed next."""
_INSIDE = re.compile(r"(?<=[^\W_][ ,(])[^\W\d_]{3,}")
"""Words within a sentence: where a capital there is no name (German), all sentences have some."""
_SCOPE = re.compile(
    r"\b(?:all|every|everything|everywhere|nothing|nobody|tod[oa]s)\b|सभी|हर\s|सब\s|所有|每次|一律",
    re.IGNORECASE,
)
"""What is said of all of a kind holds beyond the moment."""


class Said(msgspec.Struct, frozen=True):
    """What was chosen, with its cost in tokens. `requests` ends with the last request, if `has_last`."""

    rules: list[Rule]
    requests: list[Request]
    question: str
    has_last: bool
    cost: int


class _Part(msgspec.Struct, frozen=True):
    """A sentence of the user, with what it is worth and what it costs; `at` and `place` say where it stands.

    `answers` is whether it says what it says only together with the question before it.
    """

    text: str
    at: int
    place: int
    worth: float
    cost: int
    answers: bool


class UserWords:
    """What the user said, for choosing from it: once prepared, for any room of tokens."""

    def __init__(self, state: FactState, count: Callable[[str], int]) -> None:
        """Prepare the choice from a state; `count` gives the tokens of a text."""
        # A question with a value that was changed since is not repeated.
        requests = (
            msgspec.structs.replace(request, asked="") if state.gives_old_value(request.asked) else request
            for request in state.requests
        )
        state = msgspec.structs.replace(state, requests=tuple(requests))
        self.state, self.count = state, count
        self.newer = _corrections(state)
        spared = set(self.newer) | _said_again(state)
        texts = {text for request in state.requests for text in (*request.parts, request.outcome)}
        self._spread = Counter(word for text in texts for word in content_words(text))
        self._topic = content_words(state.requests[-1].text) if state.requests else set[str]()
        self.parts = sorted(self._weighed(), key=lambda part: (-part.worth, -part.at, part.place))
        self.densest = sorted(
            self.parts, key=lambda part: ((_PLAIN - part.worth) / (part.cost + 4), -part.at, part.place)
        )
        self.asked_cost = {request.at: count(request.asked) + 2 for request in state.requests if request.asked}
        self.by_text = {part.text: part for part in self.parts}
        # If not all rules fit, the most rules do; what a later word may correct, or says much like, comes last.
        self.rules = sorted(state.rules, key=lambda rule: (rule.text in spared, len(rule.text), -rule.at))
        self.rule_of = {rule.text: rule for rule in state.rules}
        self.rules_cost = sum(count(rule.text) + 3 for rule in state.rules)

    def choose(self, room: int, *, scarce: bool = False) -> Said:
        """The words for a room of tokens.

        The last request and the open question go in even if they fill it; what is said word for word again is no news,
        though, and is weighed like the rest. So is the last request where room is `scarce`: rules come first there,
        then what says most for its length.
        """
        if not scarce:
            return _Choice(self, room).made()
        # The greedy choice may spend its room on short sentences that leave none for the one that counts.
        tried = [_Choice(self, room, (first, *self.densest)) for first in self.parts[:_TRIED]]
        made = [(choice.made(), choice) for choice in (_Choice(self, room, self.densest), *tried)]
        return max(made, key=lambda pair: pair[1].worth)[0]

    def _weighed(self) -> Iterator[_Part]:
        """The sentences of the requests, each where it was said last; "yes" to another question is another one."""
        state = self.state
        seen: set[tuple[str, str]] = set()
        for request in reversed(state.requests):
            for place, part in enumerate(request.parts):
                if (request.asked, part) not in seen and part != "…":
                    seen.add((request.asked, part))
                    cost = self.count(part)
                    worth = self.weight(part) - min(state.turn - request.turn, 20) * 0.02 - cost / 150
                    worth += _WORTH_LAST * (request is state.requests[-1] and not request.again)
                    worth += _WORTH_ORDER * bool(request.asked)
                    worth -= 2.0 * (part in self.newer)
                    yield _Part(part, request.at, place, worth, cost, answers=bool(request.asked))

    @staticmethod
    def pieces(rule: Rule) -> Iterator[str]:
        """The sentences of a rule that say by themselves what it is."""
        return (piece for piece in sentences(rule.text) if is_rule(piece) and not points_back(piece))

    def weight(self, part: str) -> float:
        """What a sentence is worth by what it says: values, orders and decisions, what others speak of too."""
        worth = 1.0
        statement = statement_of(part)
        if statement is not None and (statement.values or statement.updates):
            worth += 0.4 + 0.3 * min(3, len(statement.values)) + 0.5 * statement.updates
        if _ORDERS.search(part) or is_plan(part):
            worth += _WORTH_ORDER
        elif asks(part):
            worth -= _LESS_ASKED
        if is_decision(part) or _OPEN.search(part):
            worth += 0.7
        elif _SCOPE.search(part) and not asks(part):
            worth += 0.4
        if points_back(part) or part.endswith((":", "：")):
            worth -= 0.7
        more = sum(len(content_words(piece)) >= _LEAST_WORDS for piece in sentences(part)[1:])
        worth += _WORTH_MORE * min(_MOST_MORE, more)
        if any(map(str.istitle, _INSIDE.findall(part))):
            worth += _WORTH_NAME  # who or what it is about is in no other place
        around = content_words(part)
        if around:
            worth += _WORTH_SHARED * sum(1 for word in around if 2 <= self._spread[word] <= 4) / len(around)
        if self._topic and not self._topic >= around:
            worth += _WORTH_TOPIC * len(around & self._topic) / len(self._topic)
        return worth


class _Choice:
    """One choice: what is told so far, and what room is left."""

    def __init__(self, words: UserWords, room: int, order: Sequence[_Part] = ()) -> None:
        """Prepare; an `order` is for scarce room, and has the sentences of the last request in it."""
        self.words, self.room, self.order = words, room, order
        self.used, self.asked, self.worth = 0, 0, 0.0
        self.told: set[str] = set()
        self.explained: set[int] = set()
        self.chosen_rules: list[Rule] = []
        self.chosen: dict[int, dict[int, str]] = {}
        self.last: Request | None = None
        self.goal: Request | None = None

    def made(self) -> Said:
        requests = self.words.state.requests
        if requests and not requests[-1].again and not self.order:
            self._take_last(requests[-1])
            self._take_goal(requests)
        self._add_rules()
        question = requests[-1].question if requests else ""
        if not self.last and not (question and self._fits(self.words.count(question) + 3)):
            question = ""
        for part in self.order or self.words.parts:
            if not self._is_told(part) and self._with_newer(part.text):
                self._add(part)
        found = [
            self.goal if self.goal and request.at == self.goal.at else self._chosen_of(request)
            for request in (requests[:-1] if self.last else requests)
            if request.at in self.chosen or (self.goal and request.at == self.goal.at)
        ]
        self.chosen_rules.sort(key=lambda rule: rule.at)
        if self.last:
            return Said(self.chosen_rules, [*found, self.last], question, True, self.used)
        has_last = bool(found) and found[-1].at == requests[-1].at
        return Said(self.chosen_rules, found, question, has_last, self.used)

    def _is_told(self, part: _Part) -> bool:
        if not part.answers:
            return part.text in self.told
        whole = {request.at for request in (self.last, self.goal) if request}
        return part.at in whole or part.place in self.chosen.get(part.at, ())

    def _chosen_of(self, request: Request) -> Request:
        parts = _joined(self.chosen[request.at], request.parts, self.told)
        return msgspec.structs.replace(
            request, parts=parts, asked=request.asked if request.at in self.explained else ""
        )

    def _take_last(self, last: Request) -> None:
        # No single request may crowd out the others.
        limit = max(_LEAST_REQUEST_CHARS, 4 * self.room)
        cost = self.words.count(last.shown) + 4
        if self.words.rules_cost + cost > self.room:
            limit = min(limit, max(24, int(_SHARE_LAST * self.room * len(last.text) / cost)))
        self.last = msgspec.structs.replace(last, parts=tuple(shortened(last.parts, limit)))
        self.used += self.words.count(self.last.shown) + 4
        if last.question:
            self.used += self.words.count(last.question) + 3
        self.told.update(last.parts)

    def _take_goal(self, requests: Sequence[Request]) -> None:
        """Where the last request only says yes or goes on: the one before it that says to what."""
        wanted = telling_request(requests)
        if wanted is None or wanted is requests[-1] or not all(map(self._with_newer, wanted.parts)):
            return
        limit = max(_LEAST_REQUEST_CHARS, self.room)
        goal = msgspec.structs.replace(wanted, parts=tuple(shortened(wanted.parts, limit)))
        cost = self.words.count(goal.shown) + 4
        if cost <= _SHARE_GOAL * self.room and self._fits(cost):
            self.goal = goal
            self.told.update(wanted.parts)

    def _add_rules(self) -> None:
        # Whole rules first; of those that do not fit, the sentences that are rules by themselves.
        for rule in self.words.rules:
            self._add_rule(rule, (rule.text,))
        for rule in self.words.rules:
            self._add_rule(rule, self.words.pieces(rule))

    def _add_rule(self, rule: Rule, texts: Iterable[str]) -> None:
        if rule.text in self.told or (self.last and rule.text in self.last.text) or not self._with_newer(rule.text):
            return
        for text in texts:
            if self._fits(self.words.count(text) + 3):
                self.chosen_rules.append(msgspec.structs.replace(rule, text=text))
                self.told.add(rule.text)
                if rule.text not in self.words.by_text:
                    self.told.update(said for said in self.words.by_text if said in text)
                return

    def _add(self, part: _Part) -> bool:
        first = part.at not in self.chosen
        asked = self.words.asked_cost.get(part.at, 0) if first else 0
        explained = asked > 0 and self.asked + asked <= _SHARE_ASKED * self.room
        if asked and not explained and not says_what(part.text):
            return False  # "A." says nothing without what was asked
        text, around = part.text, (4 if first else 1) + asked * explained
        if not self._fits(part.cost + around):
            text = self._best_of(part, around)
            if not text:
                return False
        if part.text in self.words.rule_of:
            self.chosen_rules.append(msgspec.structs.replace(self.words.rule_of[part.text], text=text))
        else:
            self.chosen.setdefault(part.at, {})[part.place] = text
        if explained:
            self.asked += asked
            self.explained.add(part.at)
        self.told.add(part.text)
        whole = text == part.text
        self.worth += (part.worth if whole else self.words.weight(text)) - _PLAIN
        return True

    def _best_of(self, part: _Part, around: int) -> str:
        """The sentences of the part that say most, as many as fit; none if that is not the one that counts."""
        pieces = sentences(part.text)
        if len(pieces) < 2:
            return ""
        weights = {place: self.words.weight(piece) for place, piece in enumerate(pieces)}
        chosen: list[int] = []
        for place in sorted(weights, key=lambda place: (-weights[place], place)):
            if weights[place] < max(_SHARE_OF_PART * part.worth, _TELLS) and not chosen:
                break
            if len(content_words(pieces[place])) > 1 and self._fits(self.words.count(pieces[place]) + around + 1):
                chosen.append(place)
                around = 0
        return " ".join(_joined({place: pieces[place] for place in chosen}, tuple(pieces), set())) if chosen else ""

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
    planned: list[str] = []
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
        plans = [part for part in request.parts if is_plan(part)]
        if plans and _changes(request.parts):
            found.update((text, plans[-1]) for text in planned if newest[text] < index)
        planned = plans or planned
    return found


def _changes(parts: Sequence[str]) -> bool:
    """Whether a message says that something is to be otherwise than it was said before."""
    statements = map(statement_of, parts)
    return any(map(retracts, parts)) or any(said is not None and said.updates for said in statements)


def _said_again(state: FactState) -> set[str]:
    """Sentences that the next message says much the same as."""
    found: set[str] = set()
    for earlier, later in pairwise(state.requests):
        new = [statement for part in later.parts if (statement := statement_of(part))]
        for part in earlier.parts:
            old = statement_of(part)
            if old is not None and any(alike(statement, old) for statement in new):
                found.add(part)
    return found


def _joined(chosen: Mapping[int, str], whole: tuple[str, ...], told: set[str]) -> tuple[str, ...]:
    """The chosen sentences in order, with `…` between them where others were left out."""
    out: list[str] = []
    gap = False
    for place, sentence in enumerate(whole):
        if place in chosen:
            if gap and out:
                out.append("…")
            out.append(chosen[place])
            gap = False
        elif sentence not in told:
            gap = True
    return tuple(out)
