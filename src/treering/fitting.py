"""`fit`: one call for those who only have a list of chat messages (SPEC §15.9)."""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treering.compaction.prune import plan_prune, plan_shortening
from treering.compaction.summarizer import Summarizer
from treering.errors import TreeringError
from treering.interop.chat import SYSTEM_ROLES, recognise, to_session, with_output, without_blocks
from treering.operations.compact import compact_sync
from treering.operations.measure import measure
from treering.session import records
from treering.session.context import ContextMessage
from treering.session.llm import COMPACTION_TEMPLATE, answered_now, inside_tags
from treering.session.messages import JsonObject
from treering.session.tree import Session
from treering.settings import Settings, threshold_for
from treering.tokens.estimate import estimate_message, estimate_value

Message = Mapping[str, Any]

REMEMBERED = 64
"""Summaries of this process whose facts are remembered, so that the next `fit` goes on from them."""

_THINKING = frozenset({"thinking", "redacted_thinking"})
_RESULTS = frozenset({"tool_result"})
_PREFIX, _SUFFIX = COMPACTION_TEMPLATE.split("{text}")
_details: OrderedDict[str, JsonObject] = OrderedDict()


class DoesNotFitError(TreeringError):
    """What must stay (system messages, the newest message with its results) is larger than the window allows."""


def fit(
    messages: Sequence[Message],
    *,
    window: int,
    overhead: int = 0,
    budget: int | None = None,
    instructions: str | None = None,
    summarizer: Summarizer | None = None,
    settings: Settings = Settings(),
) -> list[dict[str, Any]]:
    """The messages, so that they fit into a context window.

    A list that fits comes back as it is. Else old tool outputs are shortened; if that does not do, old history is
    replaced by a summary, in a user message behind the system messages; the newest messages stay word for word, and
    every call stays with its results. The list that is given is not changed. The next call with the list that came
    back, and what was said since, goes on from its summary.

    Args:
        messages: chat messages in OpenAI's or Anthropic's form; which one is recognised.
        window: the model's context window in tokens.
        overhead: tokens of what is sent besides the messages (tool schemas, a system prompt that is not among them).
        budget: tokens that the summary may have.
        instructions: what the summary should care about.
        summarizer: makes the summary; without a model if none is given.
        settings: how much is kept free and stays.

    Raises:
        MessagesError: the list is in none of the two forms.
        DoesNotFitError: what must stay is too large; it says which part.
        SettingsError: the window or the reserve are impossible.
    """
    recognise(messages)
    system = [message for message in messages if message["role"] in SYSTEM_ROLES]
    fixed = overhead + sum(estimate_value(message) for message in system)
    limit = threshold_for(settings.compaction, window)
    session, origins = _session_of(messages)
    if measure(session.context(), overhead=fixed).tokens <= limit:
        return [dict(message) for message in messages]
    plan = plan_prune(session.context(), settings.prune)
    if plan.results:
        session.append(records.record(records.PRUNE, results=plan.results))
    if measure(session.context(), overhead=fixed).tokens > limit:
        result = compact_sync(
            session,
            window=window,
            overhead=fixed,
            budget=budget,
            instructions=instructions,
            summarizer=summarizer,
            settings=settings,
        )
        if result.outcome == "failed":
            raise DoesNotFitError(f"the messages have to be summarised to fit, and that failed: {result.cause}")
    size = measure(session.context(), overhead=fixed).tokens
    if size > limit:
        shortening = plan_shortening(session.context(), size - limit)
        if shortening.results:
            session.append(records.record(records.PRUNE, results=shortening.results))
        size = measure(session.context(), overhead=fixed).tokens
    if size > limit:
        raise DoesNotFitError(_what_is_too_large(session, fixed, size, limit, window))
    return [*map(dict, system), *_rebuilt(session, messages, origins)]


def _session_of(messages: Sequence[Message]) -> tuple[Session, dict[str, int]]:
    """The messages as a session in memory, and where each entry comes from."""
    session = Session.in_memory()
    origins: dict[str, int] = {}
    tools: dict[str, str] = {}
    for index, message in enumerate(messages):
        if message["role"] in SYSTEM_ROLES:
            continue
        earlier = _earlier_summary(message)
        if earlier is not None:
            entry = session.append(
                {
                    "type": "compaction",
                    "summary": earlier,
                    "firstKeptEntryId": "",
                    "tokensBefore": 0,
                    **_remembered(earlier),
                }
            )
            origins[entry.id] = index
            continue
        converted = [{"type": "message", "message": part} for part in to_session(message, tools)]
        for entry in session.append(*converted).entries:
            origins[entry.id] = index
            if entry.message is not None:
                tools.update((call.id, call.name) for call in entry.message.tool_calls)
    return session, origins


def _rebuilt(session: Session, messages: Sequence[Message], origins: Mapping[str, int]) -> Iterable[dict[str, Any]]:
    """The context in the form of the list: a summary first, then the messages that it came from."""
    context = session.context()
    compaction = context.compaction
    if compaction is not None:
        text = inside_tags(compaction.summary)
        _remember(text, compaction.details)
        yield {"role": "user", "content": COMPACTION_TEMPLATE.format(text=text)}
    entries_of = Counter(origins.values())
    shown: dict[int, list[ContextMessage]] = defaultdict(list)
    for item in context:
        if item.entry is not compaction:
            shown[origins[item.entry_id]].append(item)
    answering = answered_now([item.message for item in context])
    current = -1 if answering is None else origins[context.messages[answering].entry_id]
    for index, items in shown.items():
        message: dict[str, Any] | None = dict(messages[index])
        if len(items) < entries_of[index]:
            message = without_blocks(messages[index], _RESULTS)  # their calls are summarised
        if message is not None and compaction is not None and message["role"] == "assistant" and index != current:
            message = without_blocks(message, _THINKING)  # its signature holds only with what came before it
        if message is None:
            continue
        for item in items:
            if item.entry_id in context.path.pruned:
                message = with_output(message, item.message.tool_call_id or "", item.message.text)
        yield message


def _earlier_summary(message: Message) -> str | None:
    """The summary in a message that an earlier `fit` made; None if it is another message."""
    content = message.get("content")
    if (
        message["role"] == "user"
        and isinstance(content, str)
        and content.startswith(_PREFIX)
        and content.endswith(_SUFFIX)
    ):
        return content[len(_PREFIX) : -len(_SUFFIX)]
    return None


def _remember(summary: str, details: JsonObject) -> None:
    _details[_key(summary)] = details
    while len(_details) > REMEMBERED:
        _details.popitem(last=False)


def _remembered(summary: str) -> JsonObject:
    details = _details.get(_key(summary))
    return {"details": details} if details is not None else {}


def _key(summary: str) -> str:
    return hashlib.sha256(summary.encode("utf-8", "surrogatepass")).hexdigest()


def _what_is_too_large(session: Session, fixed: int, size: int, limit: int, window: int) -> str:
    largest = max(session.context(), key=lambda item: estimate_message(item.message))
    tokens = estimate_message(largest.message)
    return (
        f"the messages do not fit: {size} tokens must stay and {limit} of the window of {window} may be used. "
        f"System messages and overhead have {fixed} of them, the largest message ({largest.message.role}) {tokens}"
    )
