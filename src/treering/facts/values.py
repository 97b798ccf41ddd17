"""Values that changed: a statement of the user that gives a new value to what an earlier one said.

Two statements are about one thing if, their values taken out, they share most of their words. Two that differ in one
other word only, at the same place ("the staging host is …", "the production host is …"), are about two things.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from treering.facts.lexicon import FUNCTION_WORDS, words

MAX_STATEMENT = 240
_LABEL = re.compile(r"^[A-Z][A-Z _-]{2,24}:\s+")
_VALUE = re.compile(
    r"`[^`\n]{1,60}`|\"[^\"\n]{1,40}\"|https?://\S+|(?<![\w$€£])[$€£]?\d[\w.,:/-]*%?|\b[\w-]*\d[\w./-]*|\b[A-Z]{4,}\b|\b[A-Z]+-\w+(?:-\w+)*\b"
    r"|(?<=[a-z,;:] )[A-Z][a-z]+(?: [A-Z][a-z]+)*|\b[\w.-]+/[\w./-]+"
)
_UPDATE = re.compile(
    r"\b(?:now|update[ds]?|correction|instead|from now on|no longer|moved|changed?|switch(?:ed)?|rotated|renamed"
    r"|raised|lowered|replaces?|actually|rather|new)\b"
    r"|\b(?:ahora|cambia|cambió|actualiza\w*|en vez|ya no|corrección|nuev[oa])\b"
    r"|अब|बदल|नया|नई|की जगह|सुधार|现在|改成|改为|更新|更正|换成|不再|新的",
    re.IGNORECASE,
)


class Statement(msgspec.Struct, frozen=True):
    """A sentence taken apart: its words without the values, the values, and the shapes that these have."""

    plain: tuple[str, ...]
    stems: frozenset[str]
    values: frozenset[str]
    shapes: frozenset[str]
    updates: bool


@lru_cache(maxsize=4096)
def statement_of(sentence: str) -> Statement | None:
    """The sentence taken apart; None if it states nothing that could be given another value."""
    text = _LABEL.sub("", sentence.strip())
    if len(text) > MAX_STATEMENT or text.rstrip("\"'”)").endswith(("?", "？")):
        return None
    values = frozenset(match.strip('.,;:`"') for match in _VALUE.findall(text))
    plain = tuple(words(_VALUE.sub(" ", text)))
    stems = frozenset(
        word[:5] for word in plain if word not in FUNCTION_WORDS and (len(word) > 2 or not word.isascii())
    )
    if len(stems) < 2 and not values:
        return None
    return Statement(plain, stems, values, frozenset(map(_shape, values)), bool(_UPDATE.search(text)))


def supersedes(new: Statement, old: Statement) -> bool:
    """Whether the newer statement gives another value to what the older one is about."""
    if new.plain == old.plain:
        return new.values != old.values
    common = new.stems & old.stems
    if len(common) < 2 or (new.values and new.values == old.values):
        return False
    share = len(common) / min(len(new.stems), len(old.stems))
    likeness = len(common) / len(new.stems | old.stems)
    if new.updates and not old.updates and share >= 0.5 and likeness >= 0.25:
        return bool(new.shapes & old.shapes) or share >= 0.75
    if not new.values and not old.values:
        one_word = len(new.stems - old.stems) == 1 and len(old.stems - new.stems) == 1
        return one_word and _differ_at_the_end(new.plain, old.plain)
    # "Phase 3 of 5", then "phase 4 of 5": one value may stay.
    fresh, gone = set(map(_shape, new.values - old.values)), set(map(_shape, old.values - new.values))
    return likeness >= 0.4 and bool(fresh & gone)


def replaced_values(new: Statement, old: Statement) -> dict[str, str]:
    """Old values with those that took their place: of the same shape, and long enough to be told from others."""
    pairs: dict[str, str] = {}
    for value in sorted(old.values - new.values):
        fresh = next((other for other in sorted(new.values) if _shape(other) == _shape(value)), "")
        if fresh and len(value) >= 3 and not (value.isalpha() and value.islower()):
            pairs[value] = fresh
    return pairs


def _differ_at_the_end(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    # "… report on Monday", "… report on Friday": what is said differs. "Unit tests …", "integration tests …": of what.
    if len(new) != len(old) or len(new) < 4:
        return False
    places = [index for index, (a, b) in enumerate(zip(new, old, strict=True)) if a != b]
    return len(places) == 1 and places[0] >= 0.6 * len(new)


def _shape(value: str) -> str:
    shape = re.sub(r"\d+", "9", value)
    if re.fullmatch(r"[0-9a-f]{7,40}", value):
        return "hash"
    shape = re.sub(r"[A-Z][a-z]+", "Aa", shape)
    shape = re.sub(r"[a-z]+", "a", shape)
    return re.sub(r"[A-Z]{2,}", "A", shape)
