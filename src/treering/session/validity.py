"""What makes a list of messages one that a provider accepts: small named rules, each with its reason.

The rules read messages by position and id only. `to_llm` upholds them, the cut of a compaction asks them where it
may fall, and the tests judge every context by them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from treering.session.messages import Message


class Violation(msgspec.Struct, frozen=True):
    """One breach: the rule's name, the message's position, and what is wrong there."""

    rule: str
    index: int
    text: str


class Rule(msgspec.Struct, frozen=True):
    """A named rule.

    Attributes:
        name: short, for reports.
        why: what a provider does if it is broken.
        violations: (position, what is wrong) of each breach in a list of messages.
    """

    name: str
    why: str
    violations: Callable[[Sequence[Message]], list[tuple[int, str]]]


def _not_empty(messages: Sequence[Message]) -> list[tuple[int, str]]:
    return [] if messages else [(0, "there is no message")]


def _first_is_user(messages: Sequence[Message]) -> list[tuple[int, str]]:
    if not messages or messages[0].role == "user":
        return []
    return [(0, f"the first message is of role {messages[0].role}")]


def _known_roles(messages: Sequence[Message]) -> list[tuple[int, str]]:
    known = {"user", "assistant", "toolResult"}
    return [(index, f"role {message.role}") for index, message in enumerate(messages) if message.role not in known]


def _results_follow_calls(messages: Sequence[Message]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        if message.role == "assistant":
            open_calls = {call.id for call in message.tool_calls}
        elif message.role == "toolResult":
            call_id = message.tool_call_id or ""
            if call_id not in open_calls:
                found.append((index, f"a result of call {call_id!r}, which is not open here"))
            open_calls.discard(call_id)
        else:
            open_calls = set()
    return found


def _calls_are_answered(messages: Sequence[Message]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for index, message in enumerate(messages):
        if message.role != "assistant" or not message.tool_calls:
            continue
        answered: set[str | None] = set()
        for later in messages[index + 1 :]:
            if later.role != "toolResult":
                break
            answered.add(later.tool_call_id)
        found += [(index, f"call {call.id!r} has no result") for call in message.tool_calls if call.id not in answered]
    return found


def _nothing_blank(messages: Sequence[Message]) -> list[tuple[int, str]]:
    return [(index, "no content") for index, message in enumerate(messages) if not message.blocks]


RULES: tuple[Rule, ...] = (
    Rule("not-empty", "a request without messages is refused", _not_empty),
    Rule("first-is-user", "Anthropic and Google refuse a conversation that the assistant begins", _first_is_user),
    Rule("known-roles", "a second system message, or a role of our own, is refused", _known_roles),
    Rule(
        "results-follow-calls",
        "a result without its call directly before it bricks a session: every request gets 400",
        _results_follow_calls,
    ),
    Rule("calls-are-answered", "a call without a result is refused by all providers", _calls_are_answered),
    Rule("nothing-blank", "a message without content is refused", _nothing_blank),
)
"""Rules for a request: the messages that `to_llm` makes."""


def check_messages(messages: Sequence[Message], rules: Sequence[Rule] = RULES) -> list[Violation]:
    """All breaches of the rules, in the order of the rules."""
    return [Violation(rule.name, index, text) for rule in rules for index, text in rule.violations(messages)]


def pairing(messages: Sequence[Message]) -> list[int | None]:
    """For each message: if it is a tool result, the position of the assistant message whose call it answers.

    Call ids are not unique in a session, so a result belongs to the nearest call before it (FORMATS, pitfalls).
    None for an orphan, and for everything that is no result.
    """
    callers: dict[str, int] = {}
    found: list[int | None] = []
    for index, message in enumerate(messages):
        caller = None
        if message.role == "assistant":
            for call in message.tool_calls:
                callers[call.id] = index
        elif message.role == "toolResult":
            caller = callers.get(message.tool_call_id or "")
        found.append(caller)
    return found


def cuts_allowed(messages: Sequence[Message]) -> list[bool]:
    """For each message, whether a kept part may begin there: every pair stays whole on one side (SPEC §7.3).

    Never at a tool result, nor between a call's message and any result of one of its calls.
    """
    last_result: dict[int, int] = {}
    for index, caller in enumerate(pairing(messages)):
        if caller is not None:
            last_result[caller] = index
    allowed: list[bool] = []
    blocked_up_to = -1
    for index, message in enumerate(messages):
        blocked_up_to = max(blocked_up_to, last_result.get(index - 1, -1))
        allowed.append(index > blocked_up_to and message.role != "toolResult")
    return allowed
