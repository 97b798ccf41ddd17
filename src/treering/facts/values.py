"""Values that changed: a statement of the user that gives a new value to what an earlier one said.

Two statements are about one thing if, their values taken out, they share most of their words. Two that differ in one
other word only, at the same place ("the staging host is …", "the production host is …"), are about two things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from treering.facts.lexicon import FUNCTION_WORDS, listed, words

MAX_STATEMENT = 240
_LABEL = re.compile(r"^[A-Z][A-Z _-]{2,24}:\s+")
_VALUE = re.compile(
    r"`[^`\n]{1,60}`|\"[^\"\n]{1,40}\"|https?://\S+|\b[\w.-]+/[\w./-]+"
    r"|(?<![\w$€£])[$€£]?\d[\w.,:/-]*%?|\b[\w-]*\d[\w./-]*|\b[A-Z]{4,}\b|\b[A-Z]+-\w+(?:-\w+)*\b"
    r"|(?<=[a-z,;:] )[A-Z][a-z]+(?: [A-Z][a-z]+)*"
)
_NOW = r"now|currently?|latest|newest|ahora|actual(?:mente)?|últim[oa]|अब|अभी|मौजूदा|现在|目前|当前|最新"
_UPDATE = re.compile(
    r"\b(?:update[ds]?|correction|instead|from now on|no longer|moved|changed?|switch(?:ed)?|rotated|renamed"
    r"|raised|lowered|replaces?|actually|rather|new|final\s(?:answer|decision|choice)"
    r"|cambia|cambió|actualiza\w*|en vez|decisión final|ya no|corrección|nuev[oa])\b"
    r"|बदल|नया|नई|की जगह|सुधार|अंतिम|改成|改为|更新|更正|换成|最终|不再|新的"
    rf"|\b(?:{_NOW})(?!\w)|(?:अब|现在|目前|当前|最新)",
    re.IGNORECASE,
)
_MOVES = re.compile(
    rf"(?<!\w)(?:{_NOW}|next|siguiente|próxim[oa]|अगल[ाीे])(?!\w)|目前|当前|现在|最新|下一", re.IGNORECASE
)
"""What is said of the present or of what comes next holds until it is said again."""
_STATES = re.compile(r"\s(?:is|are|es|son|está)\s|:\s|：|是")
_DENIED = re.compile(
    r"(?:\b(?:not|no|nicht|isn['’]t|rather than|instead of|en vez de|en lugar de)\s(?:[\w.]+\s)?|不是|而不是|并非)\s*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(r"^\s*(?:\w+\s)?(?:नहीं|की जगह|के बजाय)")
_LEAST_SHARE, _NEAR_LIKENESS, _ALIKE = 0.4, 0.2, 0.34
_NEGATIONS = listed("no not never don nunca jamás nie niemals kein keine nicht jamais ne मत नहीं 不要 不能 不得 禁止")
_FOR = listed("for in on at para por en pour dans für")
_NUMBERED = re.compile(r"\b(?:issues?|prs?|pull requests?|tickets?|bugs?|tasks?|mr|#)\s*#?$", re.IGNORECASE)
"""What is before a number that names a thing and is no value of one."""
_PLACE = re.compile(r"^(?!https?:)[a-z_.][\w.-]*/[\w./-]+$|^[\w-]+\.[a-z]\w{0,4}$")
_LIGHT = FUNCTION_WORDS | listed(
    "without within need needs must may might shall let still yet please sin debe debes puede favor कृपया"
)
"""Words that stand before others without telling them apart."""


class Statement(msgspec.Struct, frozen=True):
    """A sentence taken apart.

    Attributes:
        plain: its words without the values, in order.
        content: those that carry meaning.
        heads: how these begin.
        values: what could be given anew: numbers, names, quotations.
        shapes: the shapes that these have.
        denied: the values that it says are wrong ("six, not four").
        updates: whether it says that something is new or changed.
        states: whether it says that something is so.
        subject: the words for what it says something of, if that is a matter of the moment ("the next step is …").
    """

    plain: tuple[str, ...]
    content: frozenset[str]
    heads: frozenset[str]
    values: frozenset[str]
    shapes: frozenset[str]
    denied: frozenset[str]
    updates: bool
    subject: frozenset[str]
    states: bool


@lru_cache(maxsize=4096)
def statement_of(sentence: str) -> Statement | None:
    """The sentence taken apart; None if it states nothing that could be given another value."""
    text = _LABEL.sub("", sentence.strip())
    if len(text) > MAX_STATEMENT or text.rstrip("\"'”)").endswith(("?", "？")):
        return None
    found = [match for match in _VALUE.finditer(text) if not _NUMBERED.search(text[: match.start()])]
    values = frozenset(_bare(match.group()) for match in found)
    denied = frozenset(
        _bare(match.group())
        for match in found
        if _DENIED.search(text[: match.start()]) or _DENIED_AFTER.match(text[match.end() :])
    )
    plain = tuple(words(_VALUE.sub(" ", text)))
    content = _content(plain)
    if len(content) < 2 and not values:
        return None
    return Statement(
        plain,
        content,
        frozenset(word[:3] for word in content),
        values,
        frozenset(map(_shape, values)),
        denied,
        bool(_UPDATE.search(text)),
        _subject(text),
        bool(_STATES.search(text)),
    )


def supersedes(new: Statement, old: Statement, *, near: bool = False) -> bool:
    """Whether the newer statement gives another value to what the older one is about.

    Args:
        new: the newer one.
        old: the older one.
        near: whether the older one was said in the message before: what is said again in other words is said soon.
    """
    fresh, gone = new.values - old.values, old.values - new.values
    if not new.updates and _of_two_places(new, old, fresh, gone):
        return False
    if new.plain == old.plain:
        # Where two values differ, one may be what the other is said of: "the port of Redis is …".
        return bool(fresh or gone) and (min(len(fresh), len(gone)) <= 1 or new.updates)
    if new.denied & old.values and fresh - new.denied:
        common = _shared(new, old)
        if common and common >= 0.75 * len(old.content):
            return True  # "the limit is not 5 but 7"
    if new.subject and old.subject and (new.subject == old.subject or (near and _within(new.subject, old.subject))):
        return True
    if len(new.heads & old.heads) < _LEAST_SHARE * min(len(new.heads), len(old.heads)):
        return False
    common = _shared(new, old)
    share = common / max(1, min(len(new.content), len(old.content)))
    if share < _LEAST_SHARE or (new.values and new.values == old.values) or _substituted(new, old):
        return False
    kinds = frozenset(map(_shape, fresh)) & frozenset(map(_shape, gone))
    if kinds and all(map(str.isalpha, kinds)) and _forbids(new) and not _forbids(old):
        # "Ann does the garden", "do not ask Ben about the garden": another name, and both hold.
        return False
    if not (new.values or old.values) and _forbids(old) and not _forbids(new):
        return False  # "never log the body", "the body log no longer compiles"
    same_kind = bool(kinds)
    likeness = common / (len(new.content) + len(old.content) - common)
    if near and same_kind and share >= 0.5 and likeness >= _NEAR_LIKENESS and not _contrasts(new, old, share):
        return True
    if common < 2:
        return False
    if new.updates and not old.updates and share >= 0.5 and likeness >= 0.25:
        return bool(new.shapes & old.shapes) or share >= 0.75
    if not new.values and not old.values:
        return _differ_at_the_end(new.plain, old.plain)
    # "Phase 3 of 5", then "phase 4 of 5": one value may stay.
    return likeness >= 0.4 and same_kind and not _contrasts(new, old, share)


def overtakes(new: Statement, old: Statement, *, near: bool = False) -> bool:
    """Whether the newer statement may correct the older one, so that the older must not be given without it.

    Weaker than `supersedes`: both may hold, or the older one says more than what is corrected.
    """
    common = _shared(new, old)
    if new.denied & old.values:
        return common > 0 and bool(new.values - old.values)
    if new.plain == old.plain:
        return new.values != old.values
    share = common / min(len(new.content), len(old.content)) if common else 0.0
    return near and common >= 2 and share >= 0.5 and not _substituted(new, old) and not _contrasts(new, old, share)


def alike(new: Statement, old: Statement) -> bool:
    """Whether the newer statement says much the same as the older one, which then can be spared first."""
    common = _shared(new, old)
    return common >= 2 and common >= _ALIKE * min(len(new.content), len(old.content))


def replaced_values(new: Statement, old: Statement) -> dict[str, str]:
    """Old values with those that took their place: of the same shape, and long enough to be told from others."""
    pairs: dict[str, str] = {}
    for value in sorted(old.values - new.values):
        fresh = next((other for other in sorted(new.values) if _shape(other) == _shape(value)), "")
        if fresh and len(value) >= 3 and not (value.isalpha() and value.islower()):
            pairs[value] = fresh
    return pairs


def _content(plain: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in plain if word not in FUNCTION_WORDS and (len(word) > 2 or not word.isascii()))


def _subject(text: str) -> frozenset[str]:
    """The words before "is" or a colon, if they are said to be of the moment."""
    said = _STATES.search(text)
    if said is None:
        return frozenset()
    head = text[: said.start()].rsplit(", ", 1)[-1]
    return _content(words(_VALUE.sub(" ", head))) if _MOVES.search(head) else frozenset()


def _within(a: frozenset[str], b: frozenset[str]) -> bool:
    return a <= b or b <= a


def _shared(new: Statement, old: Statement) -> int:
    """How many words meet, in whatever form."""
    heads = new.heads & old.heads
    if not heads:
        return 0
    rest = [word for word in old.content - new.content if word[:3] in heads]
    forms = (word for word in new.content - old.content if word[:3] in heads)
    return len(new.content & old.content) + sum(any(_akin(word, other) for other in rest) for word in forms)


def _akin(a: str, b: str) -> bool:
    """Whether two words may be forms of one: alike at the beginning, or one the beginning of the other ("cap")."""
    if not (a.isascii() and b.isascii()):
        return len(a) >= 4 and len(b) >= 4 and a[:4] == b[:4]
    short, long = sorted((a, b), key=len)
    if len(short) < 5:
        return len(short) >= 3 and len(long) - len(short) <= 3 and long.startswith(short)
    return a[:5] == b[:5]


def _contrasts(new: Statement, old: Statement, share: float) -> bool:
    """Whether what both are about is told apart by other words beside it: "staging host", "production host"."""
    both = [word for word in new.plain if word in new.content and word in old.content][:2]
    for word in both:
        for step in (-1, 1) if share <= 0.5 else (-1,):
            a, b = _beside(new.plain, word, step), _beside(old.plain, word, step)
            if a and b and not _akin(a, b) and a not in old.content and b not in new.content:
                return True
    return False


def _beside(plain: tuple[str, ...], word: str, step: int) -> str:
    """The word that carries meaning just before, or next after; none if it only says that something is newer."""
    index = plain.index(word) + step
    while step > 0 and index < len(plain) and _is_light(plain[index]):
        index += 1
    found = plain[index] if 0 <= index < len(plain) else ""
    return "" if _is_light(found) or _UPDATE.fullmatch(found) else found


def _of_two_places(new: Statement, old: Statement, fresh: Iterable[str], gone: Iterable[str]) -> bool:
    """Whether both tell what to do with a place ("never edit src/a"), or the one is for this and the other for that."""
    places = [value for value in (*fresh, *gone) if _PLACE.search(value)]
    if places and not (new.states or old.states):
        return True
    here, there = _purpose(new.plain), _purpose(old.plain)
    return bool(here and there) and not _akin(here, there)


def _purpose(plain: Sequence[str]) -> str:
    """The first word that carries meaning after the last "for" or "in"; empty if there is none."""
    places = [index for index, word in enumerate(plain) if word in _FOR]
    rest = plain[places[-1] + 1 :] if places else ()
    return next((word for word in rest if not _is_light(word) and not _UPDATE.fullmatch(word)), "")


def _forbids(said: Statement) -> bool:
    words_and_next = zip(said.plain, (*said.plain[1:], ""), strict=True)
    return not said.denied and any(word in _NEGATIONS and after != "longer" for word, after in words_and_next)


def _is_light(word: str) -> bool:
    return word in _LIGHT or (word.isascii() and len(word) <= 2)


def _substituted(new: Statement, old: Statement) -> bool:
    """Whether one word stands for another where it says of what the value is: the same is said of two things."""
    places = _differing(new.plain, old.plain)
    if len(places) == 1 and places[0] < 0.6 * len(new.plain):
        return not _akin(new.plain[places[0]], old.plain[places[0]])
    mine, other = ([word for word in said.plain if word in said.content] for said in (new, old))
    last = _differing(mine, other) == [len(mine) - 1] and not _akin(mine[-1], other[-1])
    return last and bool(new.values and old.values)


def _differing(new: Sequence[str], old: Sequence[str]) -> list[int]:
    """The places at which two sequences of one length differ; none if their lengths do."""
    return [index for index, (a, b) in enumerate(zip(new, old, strict=True)) if a != b] if len(new) == len(old) else []


def _bare(value: str) -> str:
    return value.strip('.,;:`"')


def _differ_at_the_end(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    # "… report on Monday", "… report on Friday": what is said differs. "Unit tests …", "integration tests …": of what.
    return len(new) >= 4 and _differing(new, old) == [len(new) - 1] and _NEGATIONS.isdisjoint(new)


@lru_cache(maxsize=4096)
def _shape(value: str) -> str:
    if "://" in value:
        return "address"
    shape = re.sub(r"\d+", "9", value)
    if re.fullmatch(r"[0-9a-f]{7,40}", value):
        return "hash"
    shape = re.sub(r"[A-Z][a-z]+", "Aa", shape)
    shape = re.sub(r"[a-z]+", "a", shape)
    return re.sub(r"[A-Z]{2,}", "A", shape)
