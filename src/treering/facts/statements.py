"""Statements: a sentence of the user taken apart into what it says something of, and the values that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from treering.facts.language import capitalises_nouns
from treering.facts.lexicon import FUNCTION_WORDS, listed, words

MAX_STATEMENT = 240
"""Characters; what is longer is more than one statement."""

_VALUE = re.compile(
    r"`[^`\n]{1,60}`|\"[^\"\n]{1,40}\"|https?://\S+|\b[\w.-]+/[\w./-]+"
    r"|(?<![\w$€£])[$€£]?\d[\w.,:/-]*%?|\b[\w-]*\d[\w./-]*|\b[A-Z]{4,}\b|\b[A-Z]+-\w+(?:-\w+)*\b"
    r"|(?<=[a-zß-öø-ÿ,;:] )(?P<name>[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?: [A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)*)"
)
"""A quotation, an address, a path, a number, something with a digit in it, capitals, a name within the sentence."""
_SAYS_IN_GERMAN = re.compile(r"(?:\s(?:ist|sind|war|waren|wird|lautet|heißt|bleibt)\s|:\s)[^.!?;]*$")
"""Before what is said of something, in the same sentence."""
_ARTICLE_IN_GERMAN = re.compile(
    r"\b(?i:d(?:er|ie|as|en|em|es)|(?:k?ein|[mds]ein|ihr|unser|eu(?:er|r))(?:e[rnms]?)?"
    r"|(?:dies|jen|jed|welch|all|viel|einig|manch|mehrer|beid)e[rnms]?)\s(?:[a-zß-öø-ÿ]+e[rnms]?\s){0,2}$"
)
"""A noun with an article, or another word in its place, and with adjectives between them, is no name."""
_NUMBERED = re.compile(r"\b(?:issues?|prs?|pull requests?|tickets?|bugs?|tasks?|mr|#)\s*#?$", re.IGNORECASE)
"""What is before a number that names a thing and is no value of one."""
_PLACE = re.compile(r"^(?!https?:)[a-z_.][\w.-]*/[\w./-]+$|^[\w-]+\.[a-z]\w{0,4}$")
"""A value that is the path of a file or folder."""
_LABEL = re.compile(r"^[A-Z][A-Z _-]{2,24}:\s+")
"""A word in capitals before the sentence that says what kind of sentence it is ("NOTE: …")."""
_NOW = (
    r"now|currently?|latest|newest|jetzt|derzeit|momentan|ahora|actual(?:mente)?|últim[oa]|अब|अभी|मौजूदा"
    r"|现在|目前|当前|最新"
)
_UPDATE = re.compile(
    r"\b(?:update[ds]?|correction|instead|from now on|no longer|moved|changed?|switch(?:ed)?|rotated|renamed"
    r"|raised|lowered|replaces?|actually|rather|new|final\s(?:answer|decision|choice)"
    r"|aktualisier\w*|korrektur|stattdessen|ab sofort|nicht mehr|geändert|verschoben|umbenannt|ersetzt|erhöht|gesenkt"
    r"|neue?[rnms]?"
    r"|cambia|cambió|actualiza\w*|en vez|decisión final|ya no|corrección|nuev[oa])\b"
    r"|बदल|नया|नई|की जगह|सुधार|अंतिम|改成|改为|更新|更正|换成|最终|不再|新的"
    rf"|\b(?:{_NOW})(?!\w)|(?:अब|现在|目前|当前|最新)",
    re.IGNORECASE,
)
"""What says that something is new or changed."""
_FORMER = re.compile(
    r"\b(?:old|older|former|previous|legacy|antigu[oa]|viej[oa]|anterior|alte[rsnm]?|bisherige[rsnm]?)\b"
    r"|(?<!\w)(?:पुरान|पिछल)[ाीे](?!\w)|旧的?|原来的|以前的",
    re.IGNORECASE,
)
"""What tells a thing from one that is newer."""
_CLAUSE = re.compile(r"[,;:.!?]\s|[，；：。！।]")
"""What ends a clause."""
_MOVES = re.compile(
    rf"(?<!\w)(?:{_NOW}|next|nächste[rnms]?|siguiente|próxim[oa]|अगल[ाीे])(?!\w)|目前|当前|现在|最新|下一", re.IGNORECASE
)
"""What is said of the present or of what comes next holds until it is said again."""
_STATES = re.compile(r"\s(?:is|are|ist|sind|es|son|está)\s|:\s|：|是")
"""What is between a thing and what is said of it."""
_DENIED = re.compile(
    r"(?:\b(?:not|no|nicht|isn['’]t|rather than|instead of|statt|en vez de|en lugar de)\s(?:[\w.]+\s)?"
    r"|不是|而不是|并非)\s*/?$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(r"^\s*(?:\w+\s)?(?:नहीं|की जगह|के बजाय)")
"""What is before, or after, a value that is wrong; the first slash of a path is no part of it."""
_NEGATIONS = listed("no not never don nunca jamás nie niemals kein keine nicht jamais ne मत नहीं 不要 不能 不得 禁止")
_FOR = listed("for in on at para por en pour dans für")
_LIGHT = FUNCTION_WORDS | listed(
    "without within need needs must may might shall let still yet please sin debe debes puede favor कृपया"
)
"""Words that stand before others without telling them apart."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence taken apart.

    Attributes:
        plain: its words without the values, in order.
        core: those that do not only say that something is new or changed.
        content: those that carry meaning.
        heads: how these begin.
        values: what could be given anew: numbers, names, quotations.
        shapes: the shapes that these have.
        denied: the values that it says are wrong ("six, not four").
        former: the words for what it speaks of, where it says that this is the old one ("the old office is …").
        updates: whether it says that something is new or changed.
        states: whether it says that something is so.
        forbids: whether it says that something is not to be, and not which value is wrong.
        purpose: the word for what, or where, it holds ("… for the tests"); empty if it does not say so.
        subject: the words for what it says something of, if that is a matter of the moment ("the next step is …").
    """

    plain: tuple[str, ...]
    core: tuple[str, ...]
    content: frozenset[str]
    heads: frozenset[str]
    values: frozenset[str]
    shapes: frozenset[str]
    denied: frozenset[str]
    former: frozenset[str]
    updates: bool
    states: bool
    forbids: bool
    purpose: str
    subject: frozenset[str]


@lru_cache(maxsize=4096)
def statement_of(sentence: str) -> Statement | None:
    """The sentence taken apart; None if it states nothing that could be given another value."""
    text = _LABEL.sub("", sentence.strip())
    if len(text) > MAX_STATEMENT or text.rstrip("\"'”)").endswith(("?", "？")):
        return None
    given = _given(text)
    found = [match for match in given if not _NUMBERED.search(text[: match.start()])]
    values = frozenset(_bare(match.group()) for match in found)
    denied = frozenset(
        _bare(match.group())
        for match in found
        if _DENIED.search(text[: match.start()]) or _DENIED_AFTER.match(text[match.end() :])
    )
    without_values = text
    for match in given:
        start, end = match.span()
        without_values = f"{without_values[:start]}{' ' * (end - start)}{without_values[end:]}"
    plain = tuple(words(without_values))
    content = _content(plain)
    if len(content) < 2 and not values:
        return None
    return Statement(
        plain=plain,
        core=tuple(words(_UPDATE.sub("", without_values))),
        content=content,
        heads=frozenset(word[:3] for word in content),
        values=values,
        shapes=frozenset(map(shape_of, values)),
        denied=denied,
        former=_former(text),
        updates=bool(_UPDATE.search(text)),
        states=bool(_STATES.search(text)),
        forbids=not denied and _forbids(plain),
        purpose=_purpose(plain),
        subject=_subject(text, without_values),
    )


def says_change(word: str) -> bool:
    """Whether a word only says that something is new or changed."""
    return bool(_UPDATE.fullmatch(word))


def is_light(word: str) -> bool:
    """Whether a word stands before others without telling them apart."""
    return word in _LIGHT or (word.isascii() and len(word) <= 2)


def is_negation(word: str) -> bool:
    """Whether a word says that something is not so, or is not to be."""
    return word in _NEGATIONS


def is_place(value: str) -> bool:
    """Whether a value is the path of a file or folder."""
    return bool(_PLACE.search(value))


@lru_cache(maxsize=4096)
def shape_of(value: str) -> str:
    """What kind of value it is, by how it is written: "$500" and "$700" have one shape."""
    if "://" in value:
        return "address"
    shape = re.sub(r"\d+", "9", value)
    if re.fullmatch(r"[0-9a-f]{7,40}", value):
        return "hash"
    shape = re.sub(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+", "Aa", shape)
    shape = re.sub(r"[a-zß-öø-ÿ]+", "a", shape)
    return re.sub(r"[A-ZÀ-ÖØ-Þ]{2,}", "A", shape)


def _given(text: str) -> list[re.Match[str]]:
    """The values in a text, where they stand."""
    found = list(_VALUE.finditer(text))
    if any(match["name"] for match in found) and capitalises_nouns(text):
        return [match for match in found if not match["name"] or _may_be_name_in_german(text[: match.start()])]
    return found


def _may_be_name_in_german(before: str) -> bool:
    """Whether a word with a capital is what is said of something: "der Termin ist am Montag" is given, "Termin" not."""
    return bool(_SAYS_IN_GERMAN.search(before)) and not _ARTICLE_IN_GERMAN.search(before)


def _former(text: str) -> frozenset[str]:
    """The words beside "old" at the beginning of a clause: "the old office is …", "la oficina vieja está …"."""
    found: set[str] = set()
    for match in _FORMER.finditer(text):
        before = words(_CLAUSE.split(text[: match.start()])[-1])
        after = words(text[match.end() :])[:1]
        # "Use the old port" names the old one, and does not say what it is.
        if all(is_light(word) and word != "use" for word in before[:-1]):
            opens = not before or (is_light(before[-1]) and before[-1] != "use")
            found.update(after if opens else before[-1:])
    return _content(found)


def _forbids(plain: Sequence[str]) -> bool:
    return any(is_negation(word) and after != "longer" for word, after in pairwise((*plain, "")))


def _purpose(plain: Sequence[str]) -> str:
    """The first word that carries meaning after the last "for" or "in"."""
    places = [index for index, word in enumerate(plain) if word in _FOR]
    rest = plain[places[-1] + 1 :] if places else ()
    return next((word for word in rest if not is_light(word) and not says_change(word)), "")


def _subject(text: str, without_values: str) -> frozenset[str]:
    """The words before "is" or a colon, if they are said to be of the moment."""
    said = _STATES.search(text)
    if said is None:
        return frozenset()
    head = slice(text.rfind(", ", 0, said.start()) + 1, said.start())
    return _content(words(without_values[head])) if _MOVES.search(text[head]) else frozenset()


def _content(plain: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in plain if word not in FUNCTION_WORDS and (len(word) > 2 or not word.isascii()))


def _bare(value: str) -> str:
    return value.strip('.,;:`"')
