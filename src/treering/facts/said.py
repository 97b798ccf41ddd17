"""The user's own words in a budget: the last request, the rules, the open question, then by sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from treering.facts.lexicon import content_words, sentences
from treering.facts.requests import Request, shortened
from treering.facts.rules import Rule, is_rule
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
    question = ""
    last = state.requests[-1] if state.requests else None
    if last:
        # No single request may crowd out the others.
        last = msgspec.structs.replace(last, parts=tuple(shortened(last.parts, max(_LEAST_REQUEST_CHARS, 2 * room))))
        question = last.question
        used += count(last.text) + 4 + (count(question) + 3 if question else 0)
    rules: list[Rule] = []
    # If not all rules fit, the most rules do.
    for rule in sorted(state.rules, key=lambda rule: (len(rule.text), -rule.at)):
        if last and rule.text in last.text:
            continue
        for text in (rule.text, *(part for part in sentences(rule.text) if is_rule(part))):
            cost = count(text) + 3
            if used + cost <= room:
                used += cost
                rules.append(msgspec.structs.replace(rule, text=text))
                break
    rules.sort(key=lambda rule: rule.at)
    told = {rule.text for rule in rules} | set(last.parts if last else ())
    spread = Counter(word for request in state.requests for part in request.parts for word in content_words(part))
    wanted: list[tuple[float, int, int, str]] = []
    # What was said again stands where it was said last.
    for request in reversed(state.requests[:-1]):
        for place, part in enumerate(request.parts):
            if part not in told and part != "…":
                told.add(part)
                worth = _worth(part, state.turn - request.turn, spread) - count(part) / 150
                wanted.append((-worth, -request.at, place, part))
    wanted.sort()
    by_at: dict[int, set[int]] = {}
    for _, negative, place, part in wanted:
        cost = count(part) + (1 if -negative in by_at else 4)
        if used + cost <= room:
            used += cost
            by_at.setdefault(-negative, set()).add(place)
    requests = [
        msgspec.structs.replace(request, parts=_joined(by_at[request.at], request.parts, told))
        for request in state.requests[:-1]
        if request.at in by_at
    ]
    return Said(rules, [*requests, last] if last else [], question, used)


def _worth(part: str, age: int, spread: Mapping[str, int]) -> float:
    """What is said before what is asked, values and rare words before common ones, new before old."""
    worth = 1.0
    statement = statement_of(part)
    if statement is not None:
        worth += 1.0 + 0.3 * min(3, len(statement.values)) + 0.5 * statement.updates
    around = content_words(part)
    if around:
        worth += 0.6 * sum(1 for word in around if spread[word] <= 2) / len(around)
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
