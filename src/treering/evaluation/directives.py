"""Sentences of the user that order, forbid, prefer or correct, in any language.

Two signs are used. Words of command in a dozen languages; and, since a list of words can never be whole, the shape of
the message: what a user tells an agent in a few lines that is no question and no pasted text is nearly always an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treering.evaluation.texts import Part, own_words
from treering.evaluation.vocabulary import CUES, IMPERATIVES
from treering.evaluation.words import content_words

_SENTENCE_END = re.compile(r"(?<=[.!?])[)\"'”’*]*\s+(?=\S)|(?<=[。！？।॥؟])\s*|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>]|\d+[.)])\s+")
_PASTED = re.compile(
    r"^\s*(?:[{}\[\]<|$#>=+@]|at \S+\(|File \"|\d{4}-\d\d-\d\d|\S+:\d+|[A-Z]+\s*[:=]|---|===|\w+\s*[({=]|//|✓|✗|❯"
    r"|commit [0-9a-f]{7,}|(?:create|delete) mode \d|(?:return|import|from|def|func|class|const|let|var) [\w.]+)"
)
_FIRST_WORD = re.compile(r"(?:(?:yes|yeah|yep|ok|okay|no|now|then|and|also|so|but|sure|next)\b[,.]?\s+)*([a-z\-]+)")
_QUESTION = re.compile(r"[?？؟]['\")”]*\s*$")


def user_sentences(part: Part) -> list[str]:
    """Every sentence that users wrote themselves, each once, in order; pasted logs and code left out."""
    found: dict[str, None] = {}
    for piece in part.pieces:
        if piece.author == "user":
            for sentence in _sentences(own_words(piece.text)):
                found.setdefault(sentence)
    return list(found)


def directives(part: Part) -> list[str]:
    """The sentences of the user that order, forbid, prefer or correct, each once, in order."""
    return [sentence for sentence in user_sentences(part) if is_directive(sentence)]


def is_directive(sentence: str) -> bool:
    """Whether the sentence tells what to do, what not, what rather, or that something was wrong.

    A question is one only if it asks for something to be done in words of command ("can we please use …?").
    """
    if CUES.search(sentence):
        return True
    if _QUESTION.search(sentence):
        return False
    first = re.match(
        r"(?:(?:yes|yeah|yep|ok|okay|no|now|then|and|also|so|but|sure|next)\b[,.]?\s+)*([a-z\-]+)", sentence.lower()
    )
    return bool(first and first.group(1) in IMPERATIVES)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; a line ends one too."""
    return [sentence for part in _SENTENCE_END.split(text) if (sentence := part.strip())]


def _sentences(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        plain = _BULLET.sub("", line)
        if not plain.strip() or _PASTED.match(line) or _PASTED.match(plain):
            continue
        for sentence in split_sentences(plain):
            # One word of meaning is no rule that could be kept or lost ("yes please", "commit this").
            if len(set(content_words(sentence))) >= 2:
                yield sentence
