"""What the user asked, in order: the words themselves, without what a machine put into the user's message."""

from __future__ import annotations

import re

import msgspec

from treering.facts.lexicon import is_prose, sentences

MAX_REQUESTS = 48
MAX_REQUEST_CHARS = 1000
MAX_REQUESTS_CHARS = 14_000
_MACHINE_BLOCK = re.compile(r"<([a-z][a-z0-9_-]*)(?:\s[^>]*)?>.*?</\1>", re.DOTALL)
_COMMAND_NAME = re.compile(r"<command-name>\s*(/?[\w:.-]+)\s*</command-name>")
_BRACKETED = re.compile(r"^\s*\[[^\]]{0,300}\]\s*$")
_PASTED = re.compile(
    r"^(?:\t| {4,})|^\s*(?:[*|\\/]\s|[A-Z][\w-]{2,20}:\s+\S+(?: \S+){0,3}$|\S+:\d+|\d{4}-\d\d-\d\d|\[[\w ]+\]|at \S+\()"
)
"""A line of a log, a commit, a listing or a trace: set in, or with a field's name, a place or a date before it."""
_DOCUMENT_CHARS = 6000


class Request(msgspec.Struct, frozen=True, array_like=True):
    """One request of the user.

    `outcome` is what the assistant said last about it, `question` the question that this ended with, if any.
    """

    text: str
    entry: str
    at: int
    turn: int
    outcome: str = ""
    outcome_entry: str = ""
    question: str = ""


def request_text(text: str) -> str:
    """The user's own sentences in a user message; empty if it holds only what a machine put there.

    Blocks in tags (notifications, reminders) are the agent's, not the user's. Pasted logs, code and tables are
    left out: they can be read in the entry. A very long message keeps its beginning and its end.
    """
    command = _COMMAND_NAME.search(text)
    own = _MACHINE_BLOCK.sub("\n", text).strip()
    if command and not own:
        return command.group(1)
    if not own or _BRACKETED.match(own):
        return ""
    if len(own) > _DOCUMENT_CHARS and own.count("\n#") >= 3:
        return ""
    said = own_sentences(own)
    if not said and len(own) < 200:
        said = [" ".join(own.split())]
    return shortened(said, MAX_REQUEST_CHARS)


def own_sentences(text: str) -> list[str]:
    """The sentences of language in a message of the user, in order."""
    found: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if not fenced and not _PASTED.match(line) and is_prose(line):
            found.extend(sentences(" ".join(line.split())))
    return found


def shortened(said: list[str], limit: int) -> str:
    """The sentences as one text of at most `limit` characters: what is too much is left out of the middle, with `…`."""
    joined = " ".join(said)
    if len(joined) <= limit:
        return joined
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
        return said[0][: limit - 2].rsplit(" ", 1)[0] + " …"
    return " ".join([*head, "…", *tail])
