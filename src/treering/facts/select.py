"""What goes into a budget: the choice of facts by expected use later."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec

from treering.facts.commands import Command, StandingError
from treering.facts.cover import Candidate, choose
from treering.facts.expect import Focus, history_score, probability
from treering.facts.lexicon import FILE, NAME, NUMBER, Lexicon, Term, content_words, is_narration, is_prose
from treering.facts.requests import Request
from treering.facts.roles import ASSISTANT, THINKING, USER
from treering.facts.rules import Rule
from treering.facts.said import UserWords
from treering.facts.state import FactState, Quote
from treering.facts.tasks import Task, open_tasks
from treering.facts.terms import is_telling_code

TokenCounter = Callable[[str], int]
T = TypeVar("T")

KIND_WORTH = {FILE: 3.6, NAME: 1.0, NUMBER: 4.0}
"""What a term that is used again is worth, by its kind: there are far more names than files and numbers."""

WORTH_OUTCOME, WORTH_LAST_OUTCOME, WORTH_DECISION, WORTH_PROSE, WORTH_CODE = 1.0, 4.0, 0.8, 0.1, 0.05
"""What a quotation is worth to a reader, apart from the terms in it."""

OUTCOMES_FROM = 1000
"""Tokens of a budget from which on an outcome is worth more: first what is used again, then the whole story."""

OUTCOMES_FADE, QUOTES_FADE = 8, 4
"""After so many turns an outcome, or another quotation, is worth half."""

SHARE_USER, SHARE_COMMANDS, SHARE_ERRORS, SHARE_TASKS, SHARE_NAMES = 0.7, 0.12, 0.07, 0.1, 0.06
"""Most of the budget that a kind of fact may take."""

TELLING = (0.1, 0.3, 1.0)
"""How well a line tells of a term, by how many words stand in it that characterise the term (none, one, more)."""

MOST_NAMES = 4
"""A line with more names than this is a list."""

LONGEST_COMMAND = 24
"""Characters of a command up to which it is shown whole; of a longer one, program and first argument."""

_LONG_CODE = 40
_GOES_ON = re.compile(r"[(\[{,=]|&&|\|\|")
_PLANNED = re.compile(
    r"\W*(?:add|change|create|delete|fix|move|remove|rename|replace|update|write|need\sto|we\sneed|this\sneeds|missing)\b",
    re.IGNORECASE,
)
"""A step that somebody meant to take, or something that was missing then."""
_FRAME = re.compile(r"<([a-z][a-z_-]*)>[^<]*</\1>")
"""What a program says of its own doings (`<status>done</status>`)."""
_COMMENT = ("//", "#", "*", "/*", "--", ";", '"""')
_NONE: frozenset[str] = frozenset()


class Selection(msgspec.Struct, kw_only=True):
    """What was chosen, in the order of the session.

    Attributes:
        rules: standing rules of the user, word for word.
        requests: what the user asked; the last one is the one in hand. Their texts may be shortened (`…`).
        question: what the assistant asked last, if nobody has answered.
        tasks: tasks that are not done.
        errors: errors that stand.
        commands: commands that were run, those first that are most likely run again.
        test: the last test result.
        decisions: sentences that say what was decided.
        quotes: other quotations.
        names: names and files that no quotation shows, by the base name of the file that they live in.
        left_out: how many lines of what could be quoted are not there.
    """

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


class Selector:
    """Chooses from a state for one summary."""

    def __init__(
        self,
        state: FactState,
        *,
        kept_text: str,
        instructions: str,
        count: TokenCounter,
        budget: int,
        kept_commands: frozenset[str] = frozenset(),
    ) -> None:
        """Prepare.

        Args:
            state: the facts.
            kept_text: all that the reader sees beside the summary; what it shows is not repeated.
            instructions: what matches them comes first.
            count: tokens of a text.
            budget: tokens of the whole summary.
            kept_commands: program and first argument of the commands in the kept text.
        """
        self.state, self.kept_text, self.kept_commands, self.count = state, kept_text, kept_commands, count
        self._worth_outcome = WORTH_OUTCOME * max(1.0, budget / OUTCOMES_FROM) ** 3
        self._lexicon = Lexicon()
        self._said = UserWords(state, count)
        self._wanted = content_words(instructions)
        self._terms_of = {quote.text: self._terms(quote.text) for quote in state.quotes}
        self._neighbours = self._characteristic_words()
        self._values = self._expected_use(self._lexicon.terms(instructions))
        self._outcomes = {request.outcome for request in state.requests if request.outcome}
        self._pool = list(self._candidates())
        self._could_be_shown = frozenset(self._lines())
        self._others = sum(count(quote.text) for quote in state.quotes if not quote.source & USER)

    def select(self, budget: int) -> Selection:
        """What fits into so many tokens, the frame of the summary not counted."""
        state, room = self.state, budget
        user_room = max(int(SHARE_USER * budget), budget - self._others // 2)
        said = self._said.choose(user_room)
        room -= said.cost
        chosen = Selection(
            rules=said.rules, requests=said.requests, question=said.question,
            tasks=[], errors=[], commands=[], decisions=[], quotes=[], names={},
        )  # fmt: skip
        room -= self._fit(
            open_tasks(state.tasks), chosen.tasks, int(SHARE_TASKS * budget), lambda task: task.text,
        )  # fmt: skip
        errors = [error for error in reversed(state.errors) if error.text not in self.kept_text]
        errors.sort(key=lambda error: error.slip)
        room -= self._fit(_once(errors), chosen.errors, int(SHARE_ERRORS * budget), lambda error: error.text)
        commands = [command for command in state.commands if command.key not in self.kept_commands]
        commands.sort(key=lambda c: (-math.log(c.times) + (state.clock - c.at) / 60_000, c.key))
        room -= self._fit(commands, chosen.commands, int(SHARE_COMMANDS * budget), command_text)
        if state.test and state.test.text not in self.kept_text and budget >= 400:
            chosen.test = state.test
            room -= self.count(state.test.text) + 4
        covered = {term for request in chosen.requests for term in self._lexicon.terms(request.shown)}
        names_room = int(SHARE_NAMES * budget)
        told = "\n".join((*(request.shown for request in chosen.requests), *(rule.text for rule in chosen.rules)))
        turns = {request.turn for request in chosen.requests}
        candidates = [
            # What came of a request that is not shown says little.
            candidate if candidate.quote.turn in turns or text not in self._outcomes
            else msgspec.structs.replace(candidate, base=WORTH_PROSE)
            for text, candidate in self._pool
            if text not in told
        ]  # fmt: skip
        quotes, covered = choose(candidates, self._values, room - names_room, covered)
        room -= sum(candidate.cost for candidate in quotes)
        decided = {quote.text for quote in state.decisions} - self._outcomes
        for candidate in sorted(quotes, key=lambda c: (c.quote.at, c.quote.text)):
            (chosen.decisions if candidate.quote.text in decided else chosen.quotes).append(candidate.quote)
        self._add_names(chosen, min(room, names_room + names_room // 4), covered)
        chosen.left_out = self._left_out(chosen)
        return chosen

    # What is expected.

    def _expected_use(self, wanted: Iterable[Term]) -> dict[Term, float]:
        """The expected use of every term that the kept part does not show."""
        state = self.state
        focus = Focus(state, self._lexicon.terms(self.kept_text), self._terms_of)
        values: dict[Term, float] = {}
        for term in state.terms:
            key = (term.kind, term.name)
            if key not in focus.shown:
                score = history_score(term.kind, term.name, term, state.clock) + focus.score(term)
                values[key] = KIND_WORTH[term.kind] * probability(score)
        for term in wanted:
            values[term] = 3.0
        return values

    def _characteristic_words(self) -> dict[Term, frozenset[str]]:
        """The six words that are most characteristic of the quoted lines of each term."""
        spread: Counter[str] = Counter()
        beside: dict[Term, Counter[str]] = defaultdict(Counter)
        for text, terms in self._terms_of.items():
            around = content_words(text)
            spread.update(around)
            for term in terms:
                beside[term].update(around - content_words(term[1]))
        total = len(self._terms_of) + 1
        return {
            term: frozenset(sorted(counts, key=lambda w: (-counts[w] * math.log(total / spread[w]), w))[:6])
            for term, counts in beside.items()
        }

    # What can be chosen.

    def _candidates(self) -> Iterator[tuple[str, Candidate]]:
        """What can be chosen beside the user's words, each with the whole text that it is of."""
        state = self.state
        # Worth and how fast it fades; what is said twice counts as what it was first.
        quotes: dict[str, tuple[Quote, float, int]] = {}
        for request in reversed(state.requests):
            if request.outcome:
                quote = Quote(request.outcome, request.outcome_entry, request.at, request.turn, ASSISTANT, "", 60)
                worth = self._worth_outcome if quotes else max(WORTH_LAST_OUTCOME, self._worth_outcome)
                quotes.setdefault(quote.text, (quote, worth, OUTCOMES_FADE))
        for quote in state.decisions:
            quotes.setdefault(quote.text, (quote, WORTH_DECISION, QUOTES_FADE))
        for quote in state.quotes:
            quotes.setdefault(quote.text, (quote, _worth(quote), QUOTES_FADE))
        for quote, worth, fade in quotes.values():
            if quote.text in self.kept_text or "```" in quote.text or state.gives_old_value(quote.text):
                continue
            was_said = quote.text in self._outcomes or (quote.turn == state.turn and quote.source & ASSISTANT)
            if _FRAME.fullmatch(quote.text) or (_is_passing(quote) and not was_said):
                continue
            if quote.source == USER and is_prose(quote.text):
                continue  # the user's words are chosen on their own (said.py)
            base = worth / (1 + (state.turn - quote.turn) / fade)
            if self._wanted:
                base += 4.0 * len(self._wanted & content_words(quote.text)) / len(self._wanted)
            shown = self._without_tail(quote) if _is_code(quote) else quote
            terms = self._terms_of.get(shown.text) or self._terms(shown.text)
            name = shown_under(quote)
            yield (
                quote.text,
                Candidate(
                    quote=shown,
                    terms=terms,
                    telling=self._telling(shown.text, terms),
                    base=base,
                    cost=self.count(shown.text) + 2,
                    home=(FILE, name) if name else None,
                    home_cost=self.count(name) + 2 if name else 0,
                ),
            )

    def _telling(self, line: str, terms: tuple[Term, ...]) -> tuple[float, ...]:
        """For each term, how well the line tells what it has to do with: by the words that it stands with elsewhere.

        A line with more than `MOST_NAMES` is a list, and tells nothing of any of them.
        """
        if sum(1 for term in terms if term[0] != NUMBER) > MOST_NAMES:
            return (0.0,) * len(terms)
        around = content_words(line)
        return tuple(TELLING[min(2, len(around & self._neighbours.get(term, _NONE)))] for term in terms)

    def _terms(self, text: str) -> tuple[Term, ...]:
        return tuple(dict.fromkeys(self._lexicon.terms(text)))

    def _without_tail(self, quote: Quote) -> Quote:
        """A long line of code up to where it has said what it tells of its terms, if one sees there that it goes on."""
        line = quote.text
        if len(line) < _LONG_CODE:
            return quote
        told = self._told(line)
        for goes_on in _GOES_ON.finditer(line, _LONG_CODE // 3, len(line) - _LONG_CODE // 5):
            head = line[: goes_on.end()]
            so_far = self._told(head)
            if all(so_far.get(term, -1.0) >= telling for term, telling in told.items()):
                return msgspec.structs.replace(quote, text=head)
        return quote

    def _told(self, line: str) -> dict[Term, float]:
        terms = self._terms(line)
        told = zip(terms, self._telling(line, terms), strict=True)
        return {term: telling for term, telling in told if term in self._values}

    def _add_names(self, chosen: Selection, room: int, covered: set[Term]) -> None:
        """Names and files that no chosen line shows, under the file that they live in."""
        # What only the user named is said in the user's words, or not at all.
        homes = {
            (term.kind, term.name): term.home.rsplit("/", 1)[-1] for term in self.state.terms if term.roles & ~USER
        }
        order = sorted(
            (term for term in self._values if term[0] != NUMBER and term not in covered and term in homes),
            key=lambda term: (-self._values[term] / (self.count(term[1]) + 1), term[1]),
        )
        for term in order:
            home = homes[term] if term[0] == NAME else ""
            cost = self.count(term[1]) + 1 + (0 if home in chosen.names else self.count(home) + 1)
            if cost <= room and term[1] not in chosen.names:
                room -= cost
                chosen.names.setdefault(home, []).append(term[1])

    def _fit(self, facts: Iterable[T], target: list[T], room: int, text: Callable[[T], str]) -> int:
        used = 0
        for fact in facts:
            cost = self.count(text(fact)) + 2
            if used + cost <= room:
                used += cost
                target.append(fact)
        return used

    def _lines(self) -> Iterator[str]:
        """All that a summary could quote, line by line, in the form in which it is shown."""
        state = self.state
        said = {part for request in state.requests for part in request.parts if part != "…"}
        yield from said
        yield from (rule.text for rule in state.rules if not any(part in rule.text for part in said))
        yield from (error.text for error in state.errors if error.text not in self.kept_text)
        yield from (command_text(command) for command in state.commands if command.key not in self.kept_commands)
        yield from (candidate.quote.text for _, candidate in self._pool)

    def _left_out(self, chosen: Selection) -> int:
        """How many of these lines are not chosen."""
        told = "\n".join(fact.text for some in (chosen.requests, chosen.rules) for fact in some)
        shown = {fact.text for some in (chosen.errors, chosen.decisions, chosen.quotes) for fact in some}
        shown.update(map(command_text, chosen.commands))
        return sum(line not in shown and line not in told for line in self._could_be_shown)


def shown_under(quote: Quote) -> str:
    """The base name of the file under which a line of code is shown; empty for prose, and where no file is known."""
    return "" if is_story(quote) else quote.home.rsplit("/", 1)[-1]


def is_story(quote: Quote) -> bool:
    """Whether a quote is told where it happened, not shown as code."""
    return bool(quote.source & (USER | ASSISTANT | THINKING)) and not quote.home


def _is_passing(quote: Quote) -> bool:
    """Whether a quote only says what was about to be done or was found to be missing: later that is misleading."""
    return is_story(quote) and (is_narration(quote.text) or bool(_PLANNED.match(quote.text)))


def _is_code(quote: Quote) -> bool:
    return not (is_story(quote) or is_prose(quote.text) or quote.text.startswith(_COMMENT))


def _once(errors: Iterable[StandingError]) -> Iterable[StandingError]:
    once: dict[str, StandingError] = {}
    for error in errors:
        once.setdefault(error.text, error)
    return once.values()


def command_text(command: Command) -> str:
    """A command as it is shown: whole if it is short, else program and first argument."""
    return command.text if len(command.text) <= LONGEST_COMMAND else command.key


def _worth(quote: Quote) -> float:
    """What a quote is worth to a reader by its kind."""
    if quote.source & (USER | ASSISTANT | THINKING):
        return 0.0 if is_narration(quote.text) else WORTH_PROSE
    return WORTH_CODE if is_telling_code(quote.text) else 0.0
