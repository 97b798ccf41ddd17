"""The user's own words in a budget: the last request, the rules, the open question, then by sentence."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from treering.facts.lexicon import sentences
from treering.facts.requests import Request, shortened
from treering.facts.rules import Rule
from treering.facts.state import FactState
from treering.facts.values import statement_of

_LEAST_REQUEST_CHARS = 240


class Said(msgspec.Struct, frozen=True):
    """What was chosen, with its cost in tokens. `requests` ends with the last request, whatever was chosen."""

    rules: list[Rule]
    requests: list[Request]
    question: str
    cost: int


def choose_said(state: FactState, room: int, count: Callable[[str], int]) -> Said:
    """The user's words for a room of tokens. The last request and the open question go in even if they fill it."""
    used = 0
    texts: dict[int, str] = {}
    question = ""
    last = state.requests[-1] if state.requests else None
    if last:
        # No single request may crowd out the others.
        texts[last.turn] = shortened(sentences(last.text), max(_LEAST_REQUEST_CHARS, 2 * room))
        question = last.question
        used += count(texts[last.turn]) + 4 + (count(question) + 3 if question else 0)
    rules: list[Rule] = []
    # If not all rules fit, the most rules do.
    for rule in sorted(state.rules, key=lambda rule: (len(rule.text), -rule.at)):
        cost = count(rule.text) + 3
        if used + cost <= room and not (last and rule.text in texts[last.turn]):
            used += cost
            rules.append(rule)
    rules.sort(key=lambda rule: rule.at)
    ruled = {rule.text for rule in rules}
    wanted: list[tuple[float, int, int, str]] = []
    for request in state.requests[:-1]:
        for place, sentence in enumerate(sentences(request.text)):
            if sentence not in ruled:
                wanted.append((-_worth(sentence, state.turn - request.turn), -request.at, place, sentence))
    wanted.sort()
    by_at: dict[int, dict[int, str]] = {}
    for _, negative, place, sentence in wanted:
        cost = count(sentence) + (1 if -negative in by_at else 4)
        if used + cost <= room:
            used += cost
            by_at.setdefault(-negative, {})[place] = sentence
    requests = [
        msgspec.structs.replace(request, text=_joined(by_at[request.at], sentences(request.text), ruled))
        for request in state.requests[:-1]
        if request.at in by_at
    ]
    if last:
        requests.append(msgspec.structs.replace(last, text=texts[last.turn]))
    return Said(rules, requests, question, used)


def _worth(sentence: str, age: int) -> float:
    """Orders and statements before questions, what names a value before what names none, new before old."""
    worth = 1.0
    if statement_of(sentence) is not None:
        worth += 1.0
        statement = statement_of(sentence)
        if statement and statement.values:
            worth += 0.6
    return worth - min(age, 20) * 0.04


def _joined(chosen: dict[int, str], whole: list[str], ruled: set[str]) -> str:
    """The chosen sentences in order, with `…` where others were left out; rules stand elsewhere and leave no gap."""
    out: list[str] = []
    gap = False
    for place, sentence in enumerate(whole):
        if place in chosen:
            if gap:
                out.append("…")
            out.append(sentence)
            gap = False
        elif sentence not in ruled:
            gap = True
    return " ".join([*out, "…"] if gap else out)
