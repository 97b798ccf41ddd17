"""What the user asked, in order: the words themselves, without what a machine put into the user's message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from treering.facts.lexicon import clean_line, content_words, is_prose, sentences
from treering.session.messages import without_tagged

MAX_REQUESTS = 96
MAX_REQUEST_CHARS = 2400
MAX_REQUESTS_CHARS = 14_000
MAX_PART_CHARS = 160
TELLING_WORDS = 2
"""A request with fewer words that carry meaning does not say what is wanted."""

_TAG = re.compile(r"<([a-z][a-z0-9_-]*)(?:\s[^<>]*)?>")
"""Opens what a machine put into a message."""
_COMMAND_NAME = re.compile(r"<command-name>\s*(/?[\w:.-]+)\s*</command-name>")
_BRACKETED = re.compile(r"^\s*\[[^\]]{0,300}\]\s*$")
_PASTED = re.compile(
    r"^(?:\t| {4,})|^\s*(?:[*|\\/]\s|[A-Z][\w-]{2,20}:\s+\S+(?: \S+){0,3}$|\S+:\d+|\d{4}-\d\d-\d\d|\[[\w ]+\]|at \S+\()"
)
"""A line of a log, a commit, a listing or a trace: set in, or with a field's name, a place or a date before it."""
_PICTURE = re.compile(
    r"'/[^'\n]+\.(?:png|jpe?g|gif|webp|heic|bmp)'|(?<!\S)(?:/|~/|[A-Za-z]:\\)\S+\.(?:png|jpe?g|gif|webp|heic|bmp)(?!\S)",
    re.IGNORECASE,
)
"""The path of a picture that was dropped on the terminal: the picture is in the message, its path helps nobody."""
_POINTER = re.compile(r"[^\n]{0,80}:\s+(?:/|~/|[A-Za-z]:\\|https?://)\S+")
"""One line that ends with where to read more."""
_DUMP_LINES = 15
_ENDS = (".", "?", "!", ":", ";", "…", "。", "？", "！", "：", "।")
_DOCUMENT_CHARS = 6000
_HEADING = re.compile(r"^#{1,4} \w", re.MULTILINE)


class Request(msgspec.Struct, frozen=True, array_like=True):
    """One request of the user, sentence by sentence.

    `outcome` is what the assistant said last about it, `question` the question that this ended with, if any, and
    `options` what it left to choose from; `asked` is the assistant's question that the request answers in few words;
    `again` whether the user had said it before, word for word; `pasted` whether it is not the user's own: output
    without a word on it, of which only the beginning is there, or a pointer that an agent wrote.
    """

    parts: tuple[str, ...]
    entry: str
    at: int
    turn: int
    outcome: str = ""
    outcome_entry: str = ""
    question: str = ""
    again: bool = False
    pasted: bool = False
    asked: str = ""
    options: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The request as one line."""
        return " ".join(self.parts)

    @property
    def shown(self) -> str:
        """The request as one line, after the question that it answers."""
        return f"{self.asked} → {self.text}" if self.asked else self.text

    @property
    def tells(self) -> bool:
        """Whether the user says in it what is wanted."""
        return not self.pasted and says_what(self.text)


def says_what(text: str) -> bool:
    """Whether a request says what is wanted; "yes, all of them" does not."""
    return len(content_words(text)) >= TELLING_WORDS


def telling_request(requests: Sequence[Request]) -> Request | None:
    """The newest request that says what is wanted, if any does."""
    return next((request for request in reversed(requests) if request.tells), None)


def own_parts(text: str) -> list[str]:
    """All of the user's own sentences in a user message; none if it holds only what a machine put there.

    Blocks in tags (notifications, reminders) are the agent's, not the user's. Pasted logs, code and tables, and paths
    of pictures, are left out: they can be read in the entry. Of long output without a word on it the first line is
    given, and `…`.
    """
    command = _COMMAND_NAME.search(text)
    own = _PICTURE.sub(" ", without_machine_blocks(text)).strip()
    if command and not own:
        return [command.group(1)]
    if not own or _BRACKETED.match(own) or (len(own) > _DOCUMENT_CHARS and len(_HEADING.findall(own)) >= 3):
        return []
    said = own_sentences(own)
    if not said and len(own) < 200:
        said = [" ".join(own.split())]
    return said


def is_pointer(text: str) -> bool:
    """Whether the agent wrote the message: a notification, and after it one line that says where to read more."""
    rest = without_machine_blocks(text).strip()
    return rest != text.strip() and bool(_POINTER.fullmatch(rest))


def without_machine_blocks(text: str) -> str:
    """A user message without what an agent put into it in tags."""
    return without_tagged(text, _TAG)


def own_sentences(text: str) -> list[str]:
    """The sentences of language in a message of the user, in order."""
    blocks = list(_blocks(text))
    lines = [line for block in blocks for line in block]
    pasted = sum(not is_own for _, is_own in lines)
    if pasted >= _DUMP_LINES and 2 * pasted >= len(lines):
        # A word on pasted output: what reads as language in the output is output too.
        before = lines[: next(place for place, (_, is_own) in enumerate(lines) if not is_own)]
        after = blocks[-1] if all(is_own for _, is_own in blocks[-1]) else []
        lines = [*before, *after] if _says_something(before) else after
        if not _says_something(lines):
            return [*_pieces(blocks[0][0][0])[:1], "…"]
    return [piece for line, is_own in lines if is_own for piece in _pieces(line)]


def _says_something(lines: Iterable[tuple[str, bool]]) -> bool:
    return any(line.rstrip().endswith(_ENDS) for line, _ in lines)


def _blocks(text: str) -> Iterator[list[tuple[str, bool]]]:
    """The paragraphs, as lines and whether each may be the user's own words; what is fenced is left out."""
    block: list[tuple[str, bool]] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not line.strip():
            if block:
                yield block
            block = []
        elif not fenced:
            block.append((line, not _PASTED.match(line) and is_prose(line)))
    if block:
        yield block


def _pieces(line: str) -> list[str]:
    # Sentences of one short line belong together: "The cap is 500. Never exceed it."
    said = " ".join(clean_line(line).split())
    return [said] if len(said) <= MAX_PART_CHARS else sentences(said)


def shortened(said: list[str] | tuple[str, ...], limit: int) -> list[str]:
    """The sentences within `limit` characters: what is too much is left out of the middle, with `…`."""
    if sum(len(part) + 1 for part in said) <= limit + 1:
        return list(said)
    head: list[str] = []
    tail: list[str] = []
    room = limit - 2
    first, last = 0, len(said) - 1
    while first <= last:
        from_head = len(head) <= 2 * len(tail)
        piece = said[first] if from_head else said[last]
        if len(piece) > room:
            break
        room -= len(piece) + 1
        if from_head:
            head.append(piece)
            first += 1
        else:
            tail.insert(0, piece)
            last -= 1
    if not head and not tail:
        return [said[0][: limit - 2].rsplit(" ", 1)[0] + " …"]
    return [*head, "…", *tail]
