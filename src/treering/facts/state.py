"""The state of the facts: a frozen, bounded value that is carried from compaction to compaction."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from treering.facts.commands import Command, StandingError
from treering.facts.requests import Request
from treering.facts.rules import Rule
from treering.facts.tasks import Task

FORMAT = 1

USER, ASSISTANT, THINKING, EDIT, COMMAND, RESULT = 1, 2, 4, 8, 16, 32
"""Where a term was seen; a `Term.roles` is a sum of these, a `Quote.source` is one."""


class Quote(msgspec.Struct, frozen=True, array_like=True):
    """A line or sentence of the session, verbatim, with where it stands.

    `at` counts tokens from the session's start; `turn` counts requests; `quality` (0 to 100) is how well it reads.
    """

    text: str
    entry: str
    at: int
    turn: int
    source: int
    quality: int


class TermFact(msgspec.Struct, frozen=True, array_like=True):
    """A name, file or number with its history. `prose` and `code` are indices of the quotes that tell most about it."""

    kind: str
    name: str
    messages: int
    turns: int
    last: int
    last_turn: int
    roles: int
    prose: int = -1
    code: int = -1


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
        """The state as JSON values, for `details.treering`; at most about 30 kB."""
        return {"format": FORMAT, **cast("dict[str, Any]", msgspec.to_builtins(self))}

    @staticmethod
    def from_json(value: object) -> FactState:
        """The state from JSON values. Damaged input, or a form of a later version, gives an empty state."""
        if not isinstance(value, dict) or cast("dict[str, object]", value).get("format") != FORMAT:
            return FactState()
        try:
            state = msgspec.convert(value, FactState)
        except (msgspec.ValidationError, ValueError, TypeError, RecursionError):
            return FactState()
        count = len(state.quotes)
        if any(term.prose >= count or term.code >= count for term in state.terms):
            return FactState()
        return state
