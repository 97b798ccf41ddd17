"""What the assistant's last words about a request say: what came of it, what it asks, what there is to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from treering.facts.lexicon import clean_line, content_words, is_narration, is_prose, sentences
from treering.facts.rules import asks, points_back

MAX_OUTCOME_CHARS, MAX_QUESTION_CHARS, MAX_OPTION_CHARS, MAX_OPTIONS, MAX_ASKED_CHARS = 240, 400, 100, 8, 140
_MOST_LINES = 8
_SHORT_REPLY = 4
_ENDS = (".", "!", "।", "。", "！")
_ITEM = re.compile(r"\s*(?:[-*+•>|]\s|\d{1,2}[.)]\s|\*\*\d)")
"""An item of a list, a line of a table."""
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
"""A heading, or a line in bold that stands for one."""
_ANSWERS = re.compile(
    r"\W*(?:(?:yes|no|nope|yeah|yep|done|fixed|right|exactly|correct|sí|hecho|listo|arreglado)\b|you['’]?re\sright|found\sit"
    r"|(?:created|added|updated|removed|renamed|committed|pushed|moved|replaced|implemented)\s|हाँ|नहीं|हो\sगया|ठीक\sकर"
    r"|是的|不是|没有|对[，。]|好了|已经?|完成)",
    re.IGNORECASE,
)
"""How an answer or a report begins."""
_STATUS = re.compile(
    r"^\W*(?:(?:all|the|both|every|\d+|new|unit|integration)\s)*(?:tests?|checks?|lint\w*|builds?|fix|changes?|everything)\b"
    r".{0,60}\b(?:pass\w*|clean|green|complete|ready|staged|issues|works?|in\splace|done)\b",
    re.IGNORECASE,
)
"""That all tests pass, or that all is done."""
_BEFORE = re.compile(r"\W*(?:before|instead\sof|previously|antes)\b[^.]{0,12}:", re.IGNORECASE)
"""How it was is told with how it is, or not at all."""
_OPTION = re.compile(
    r"\s*(?:#{1,6}\s+|[-*•]\s+|\|\s*)?(?:\*\*)?(?:(?:option|approach|variant|opción|variante|विकल्प|方案|选项)\s*)?"
    r"([A-H]|\d{1,2})(?:\*\*)?[.):：]\s*(.+)",
    re.IGNORECASE,
)
"""An item that can be chosen, by its letter or number: in a list, as a heading, in a table."""
_PICKED = re.compile(
    r"(?:^\W*(?:(?:yes|yeah|yep|ok|okay|sí|vale|हाँ|好的?)\W+)?([A-H]|\d{1,2})(?=\W*$|[.,:;)]\s|\s(?:is|and|but|please|y|और)\b)"
    r"|(?:\b(?:options?|approach|variant|opción)\s|विकल्प\s?|方案|选项?)([A-H]|\d{1,2})\b(?!\.\d|[\w/-])"
    r"|\b(?:go\swith|fix\sfor)\s([A-H]|\d{1,2})(?=\W*$|[.,:;)!]\s|\s(?:and|but|please|then|for|y|और)\b))",
    re.IGNORECASE,
)
"""The letter or number of an item where a user chooses it; "A book" and "go with 3 retries" choose none."""


class Reply(msgspec.Struct, frozen=True):
    """What a message of the assistant says.

    Attributes:
        why: the last sentence of its first paragraph, the reason for what it does next.
        outcome: the sentences that say what came of the request; empty if none does.
        question: what it asks in the end.
        options: what there is to choose from, each with its letter or number, if it asks.
    """

    why: str
    outcome: str
    question: str
    options: tuple[str, ...]


def reply_of(said: str) -> Reply | None:
    """The message taken apart; None if it has no sentence."""
    lines = [(raw, line) for raw in _without_fenced(said) if is_prose(line := clean_line(raw))]
    if not lines:
        return None
    question = _question([sentence for _, line in lines for sentence in sentences(line)])
    return Reply(
        why=sentences(lines[0][1])[-1][:120],
        outcome=_outcome(lines),
        question=question,
        options=tuple(_options(said))[-MAX_OPTIONS:] if question else (),
    )


def what_was_asked(reply: str, question: str, options: Iterable[str]) -> str:
    """The question that a reply of the user answers, with the options that it names; empty if the reply says enough.

    "Yes, A" says nothing to who has not read what A is.
    """
    if not question or asks(reply):
        return ""
    picked = {"".join(letter).upper() for letter in _PICKED.findall(reply)}
    by_name = {option.split(".", 1)[0]: option for option in options if option.split(". ", 1)[-1] not in question}
    named = [by_name[name] for name in sorted(picked & by_name.keys())]
    if not named and len(content_words(reply)) >= _SHORT_REPLY and not points_back(reply):
        return ""
    room = MAX_ASKED_CHARS - sum(len(option) + 1 for option in named[:2])
    short = question if len(question) <= room else f"… {question[-max(room, 40) :].split(' ', 1)[-1]}"
    return " ".join([short, *named[:2]])


def picks(sentence: str) -> bool:
    """Whether a sentence of the user names one of several options ("A. is fine")."""
    return bool(_PICKED.search(sentence))


def _without_fenced(said: str) -> list[str]:
    """The lines that stand in no block of code; a block that nobody closes is none."""
    kept: list[str] = []
    block: list[str] = []
    for line in said.split("\n"):
        if block:
            block.append(line)
            if line.rstrip(" \t") == "```":
                block = []
        elif line.startswith("```"):
            block = [line]
        else:
            kept.append(line)
    return kept + block


def _outcome(lines: Sequence[tuple[str, str]]) -> str:
    """What came of it: the answer that the message begins with, else the first sentence that says something."""
    raw, first = lines[0]
    if _ANSWERS.match(first) and not _HEADING.match(raw):
        answer = _sentences_of(first, leads=True)
        if answer.endswith((":", "：")):
            answer = _with_items(answer, lines[1:])
        if _says_enough(answer, _SHORT_REPLY - 1):
            return answer
    # Headings, items of lists and lines of code tell less than a sentence that stands for itself; that all tests pass
    # tells the least.
    plain = [line for raw, line in lines if line.endswith(_ENDS) and not (_ITEM.match(raw) or _HEADING.match(raw))]
    told = [line for line in plain if not _STATUS.search(line)]
    items = [line for raw, line in lines if not (_HEADING.match(raw) or _STATUS.search(line))]
    return _telling(told) or _telling(items) or _telling(plain)


def _telling(lines: Sequence[str]) -> str:
    """The first sentences that do not only lead over to something; empty if these say little."""
    outcome = next((told for line in lines[:_MOST_LINES] if (told := _sentences_of(line))), "")
    return outcome if _says_enough(outcome) else ""


def _sentences_of(line: str, *, leads: bool = False) -> str:
    """The sentences that a line begins with, as far as they tell and there is room."""
    told = ""
    for sentence in sentences(line):
        empty = not leads and (is_narration(sentence) or _BEFORE.match(sentence))
        if empty or asks(sentence) or len(told) + len(sentence) > MAX_OUTCOME_CHARS:
            break
        told = f"{told} {sentence}".strip()
    return told


def _says_enough(outcome: str, least: int = _SHORT_REPLY) -> bool:
    """Whether it is more than "Done." or "Noted and recorded."."""
    return len(content_words(outcome)) >= least or any(map(str.isdigit, outcome))


def _with_items(outcome: str, lines: Iterable[tuple[str, str]]) -> str:
    """An answer that ends with a colon, and the items after it as far as there is room."""
    for raw, line in lines:
        if not _ITEM.match(raw) or len(outcome) + len(line) > MAX_OUTCOME_CHARS:
            break
        outcome = f"{outcome}{' ' if outcome.endswith((':', '：')) else '; '}{line}"
    return outcome


def _question(said: Sequence[str]) -> str:
    """The question at the end; if it is as short as "Which one?", after the one before it, which says of what."""
    if not asks(said[-1]) or len(said[-1]) > MAX_QUESTION_CHARS:
        return ""
    before = next((sentence for sentence in reversed(said[:-1]) if asks(sentence)), "")
    short = len(content_words(said[-1])) < _SHORT_REPLY and len(before) + len(said[-1]) < MAX_QUESTION_CHARS
    return f"{before} {said[-1]}".strip() if short else said[-1]


def _options(said: str) -> Iterator[str]:
    for raw in said.split("\n"):
        option = _OPTION.match(raw)
        if option:
            text = clean_line(option.group(2).split(" | ")[0]).strip("* ")
            yield f"{option.group(1).upper()}. {text[:MAX_OPTION_CHARS]}"
