"""The protocol of summarizers: what they are asked, and what they answer.

A summarizer is any object with a `name` and a `summarize(request)` that returns a `Summary`, or an awaitable of one.
It sees values only: no session, no file. The operation that asked appends the file tags, checks the text and commits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from treering.session.entries import Entry
from treering.session.messages import JsonObject, Message, without_surrogates

if TYPE_CHECKING:
    from treering.facts.fold import FactState

SPLIT_TURN_HEADING = "**Turn Context (split turn):**"
"""Stands between the two parts of a summary whose cut fell inside a turn (SPEC §8)."""


class SpanMessage(msgspec.Struct, frozen=True):
    """A message of the span with the entry that it comes from.

    `details` are those of a compaction or branch summary entry (its file lists), `from_extension` says that an
    extension wrote that entry, so that its lists are not to be trusted (SPEC §8).
    """

    entry_id: str
    message: Message
    details: JsonObject | None = None
    from_extension: bool = False


class ModelCall(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One request to a model or an endpoint, for the ledger.

    Attributes:
        model: the model's name, or the endpoint.
        purpose: what was asked: `first`, `update`, `turn-prefix`, `short`, `branch`.
        outcome: what came of it.
        cause: why it failed.
        seconds: how long it took.
        input_tokens: as the provider counted them; None if it did not say.
        output_tokens: likewise, reasoning included.
        price: US dollars by the model layer's price data; None if that does not know the model.
        retry: 0 for the first try of a request, then 1, 2, …
    """

    model: str
    purpose: str
    outcome: Literal["answered", "failed", "cancelled"]
    cause: str | None = None
    seconds: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    price: float | None = None
    retry: int = 0


class SummaryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """All that a summarizer may use.

    Attributes:
        purpose: `compaction` (the past of this path) or `branch` (a branch that is being left).
        history: the messages that the summary replaces, oldest first, without the turn prefix.
        turn_prefix: the first part of the turn that the cut splits; empty if the cut stands at a turn start.
        kept: the messages that stay verbatim after the summary; what they show need not be repeated.
        facts: the facts of everything up to the cut, earlier spans included.
        prefix_facts: the facts of the turn prefix alone, if there is one.
        previous_summary: the summary in force before, which the new one replaces.
        instructions: what the user asked of this summary.
        budget: tokens that the whole text may have (o200k; see `treering.tokens`).
        cwd: the directory that the session's relative paths are relative to.
        prompt: replaces the base prompt (a hook's word; used by model summarizers only).
        context_lines: further context from hooks, one line each.
        short: whether two or three sentences for people are wanted too, even if they cost a call.
        on_call: told of every model call when it has ended, whatever came of it, cancelled ones included.
        on_progress: told in a few words what is being done.
    """

    history: tuple[SpanMessage, ...]
    turn_prefix: tuple[SpanMessage, ...] = ()
    kept: tuple[SpanMessage, ...] = ()
    facts: FactState
    prefix_facts: FactState | None = None
    previous_summary: str | None = None
    instructions: str | None = None
    budget: int
    purpose: Literal["compaction", "branch"] = "compaction"
    cwd: str = ""
    prompt: str | None = None
    context_lines: tuple[str, ...] = ()
    short: bool = False
    on_call: Callable[[ModelCall], None] | None = None
    on_progress: Callable[[str], None] | None = None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A summarizer's answer.

    Attributes:
        text: the summary, without file tags; both parts if the turn is split (see `join_split_turn`).
        short: two or three sentences for people, if it costs nothing or was asked for.
        summarizer: who made it, e.g. `extractive` or a model's name.
        preserve_data: what the summarizer wants kept on the entry (a provider's own compaction).
        redacted: how many secrets were replaced on the way to a model and back.
    """

    text: str
    short: str | None = None
    summarizer: str
    preserve_data: JsonObject | None = None
    redacted: int = 0


class Summarizer(Protocol):
    """Turns a request into a summary. Raise `treering.errors.SummaryError` to say that it failed and why."""

    @property
    def name(self) -> str:
        """Shown to people and kept in the log."""
        ...

    def summarize(self, request: SummaryRequest) -> Summary | Awaitable[Summary]:
        """Make the summary. Plain ones return it, asynchronous ones an awaitable."""
        ...


def span_message(entry: Entry, message: Message) -> SpanMessage:
    """An entry's message as summarizers and facts read it: any text in it can be encoded."""
    return SpanMessage(entry.id, without_surrogates(message), entry.details or None, entry.from_extension)


def join_split_turn(history: str, prefix: str) -> str:
    """The stored form of a summary in two parts (SPEC §8)."""
    return f"{history.rstrip()}\n\n---\n\n{SPLIT_TURN_HEADING}\n\n{prefix.strip()}"
