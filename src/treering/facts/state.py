"""The state of the facts: a frozen, bounded value that is carried from compaction to compaction."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

import msgspec

from treering.facts.commands import Command, StandingError
from treering.facts.expect import history_score
from treering.facts.requests import Request
from treering.facts.roles import ARGUMENT, ASSISTANT, COMMAND, EDIT, RESULT, THINKING, USER
from treering.facts.rules import Rule
from treering.facts.tasks import Task
from treering.session.messages import as_object

__all__ = ["ARGUMENT", "ASSISTANT", "COMMAND", "EDIT", "RESULT", "THINKING", "USER", "FactState"]

FORMAT = 1
MAX_JSON_BYTES = 30_000
_MAX_UNPACKED = 4_000_000


class Quote(msgspec.Struct, frozen=True, array_like=True):
    """A line or sentence of the session, verbatim, with where it stands.

    `at` counts tokens from the session's start; `turn` counts requests; `quality` (0 to 100) is how well it reads.
    """

    text: str
    entry: str
    at: int
    turn: int
    source: int
    home: str
    quality: int


class TermFact(msgspec.Struct, frozen=True, array_like=True):
    """A name, file or number with its history. `prose`, `code`, `dense` are indices of its quotes.

    `home` is the file whose text showed it last.
    """

    kind: str
    name: str
    messages: int
    turns: int
    last: int
    last_turn: int
    roles: int
    home: str = ""
    prose: int = -1
    code: int = -1
    dense: int = -1
    density: int = 0


class FileFact(msgspec.Struct, frozen=True, array_like=True):
    """A file with what was done to it (`read`, `edit`, `write`, `delete`), how often, and why, in a quoted sentence."""

    path: str
    operation: str
    times: int
    entry: str
    at: int
    why: str = ""


class PendingCall(msgspec.Struct, frozen=True, array_like=True):
    """A call whose result has not come yet."""

    id: str
    source: str
    is_command: bool
    home: str = ""


class FactState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known after some prefix of a path; bounded, so that it can be carried from compaction to compaction.

    Make it with `treering.facts.fold.fold`. Folding in pieces and folding at once give the same state.
    """

    clock: int = 0
    messages: int = 0
    turn: int = 0
    language: str = ""
    rules: tuple[Rule, ...] = ()
    requests: tuple[Request, ...] = ()
    decisions: tuple[Quote, ...] = ()
    commands: tuple[Command, ...] = ()
    errors: tuple[StandingError, ...] = ()
    test: Quote | None = None
    tasks: tuple[Task, ...] = ()
    files: tuple[FileFact, ...] = ()
    terms: tuple[TermFact, ...] = ()
    quotes: tuple[Quote, ...] = ()
    superseded: tuple[tuple[str, str], ...] = ()
    pending: tuple[PendingCall, ...] = ()
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """The state as JSON values, for `details.treering`: at most `MAX_JSON_BYTES`.

        It is compressed, which makes it three times as much as would fit otherwise. If it still does not fit (text
        that hardly compresses), the least expected terms are left out, and after these the decisions and the requests
        between the first and the last; rules never are.
        """
        state = self
        while True:
            packed = base64.b85encode(zlib.compress(msgspec.json.encode(state), 9)).decode()
            if len(packed) <= MAX_JSON_BYTES or not (state.terms or state.decisions or len(state.requests) > 2):
                return {"format": FORMAT, "packed": packed}
            state = state.smaller()

    def smaller(self) -> FactState:
        """Without the tenth of the terms that is least expected to be used again, and their quotes.

        Where there are none, without the older quarter of the decisions, and of the requests after the first.
        """
        if not self.terms:
            first, *others = self.requests or (None,)
            spared = (len(others) + 3) // 4 if len(others) > 1 else 0
            return msgspec.structs.replace(
                self,
                quotes=(),
                decisions=self.decisions[(len(self.decisions) + 3) // 4 :],
                requests=(first, *others[spared:]) if first else (),
            )
        terms = sorted(self.terms, key=lambda t: (-history_score(t.kind, t.name, t, self.clock), t.kind, t.name))
        terms = terms[: len(terms) * 9 // 10]
        used: dict[int, int] = {}
        kept = tuple(
            msgspec.structs.replace(
                term,
                **{
                    slot: -1 if (index := getattr(term, slot)) < 0 else used.setdefault(index, len(used))
                    for slot in ("prose", "code", "dense")
                },
            )
            for term in terms
        )
        return msgspec.structs.replace(self, terms=kept, quotes=tuple(self.quotes[index] for index in used))

    def gives_old_value(self, text: str) -> bool:
        """Whether a text gives a value that the user changed, without the new one."""
        return any(_stands_in(old, text) and not _stands_in(new, text) for old, new in self.superseded)

    @staticmethod
    def from_json(value: object) -> FactState:
        """The state from JSON values. Damaged input, or a form of a later version, gives an empty state."""
        known = as_object(value)
        if known is None or known.get("format") != FORMAT:
            return FactState()
        try:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(base64.b85decode(known["packed"]), _MAX_UNPACKED)
            state = msgspec.json.decode(data, type=FactState)
        except (KeyError, ValueError, TypeError, zlib.error, msgspec.DecodeError, RecursionError):
            return FactState()
        count = len(state.quotes)
        if any(not -1 <= index < count for term in state.terms for index in (term.prose, term.code, term.dense)):
            return FactState()
        return state


def _stands_in(value: str, text: str) -> bool:
    return value in text and bool(re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text))
