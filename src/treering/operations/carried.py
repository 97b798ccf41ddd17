"""What a compaction of ours carries forward in `details.treering`, so that nobody has to look behind it (SPEC §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treering.compaction.files import FileOperations
from treering.compaction.plan import Plan, span_messages
from treering.compaction.summarizer import SpanMessage, span_message
from treering.facts.fold import FactState, fold
from treering.operations.pins import Pin
from treering.session import records
from treering.session.context import ModelInForce
from treering.session.entries import Entry, encode_object
from treering.session.messages import as_list
from treering.session.tree import Session

LIMIT = 32_000
"""Bytes of `details.treering` at most."""


def facts_before(session: Session, plan: Plan) -> FactState:
    """The facts of everything before the span: carried by the compaction in force, else found in the whole history."""
    previous = plan.previous
    if previous is not None:
        carried = records.treering_details(previous).get("facts")
        if carried is not None:
            return FactState.from_json(carried)
    whole = plan.path if plan.path.complete else session.path(plan.path.leaf_id)
    first = whole.index_of(plan.path[plan.start].id) or 0
    before = span_messages(whole, 0, first)
    if not before and previous is not None and previous.message is not None:
        before = (span_message(previous, previous.message),)  # all that is left of the history is its summary
    return fold(FactState(), before, cwd=session.header.cwd)


def files_before(previous: Entry | None) -> FileOperations | None:
    """The files that the compaction in force lists, unless an extension wrote it (SPEC §8)."""
    if previous is None or previous.from_extension:
        return None
    return FileOperations(
        read=tuple(_strings(previous.details.get("readFiles"))),
        modified=tuple(_strings(previous.details.get("modifiedFiles"))),
    )


def details(
    files: FileOperations,
    *,
    facts: FactState,
    model: ModelInForce,
    pins: Sequence[Pin],
    summarizer: str,
    **more: Any,
) -> dict[str, Any]:
    """The `details` of a compaction entry: plain file lists for every tool, and ours in `treering`.

    `more` holds what is only written if it is not empty. If all of it is over the limit, the facts stay out: the next
    compaction then finds them in the history again.
    """
    own: dict[str, Any] = {
        "version": records.RECORD_VERSION,
        "summarizer": summarizer,
        "model": {"provider": model.provider, "modelId": model.model_id, "thinkingLevel": model.thinking_level},
        "facts": facts.to_json(),
    }
    if pins:
        own["pins"] = [{"entry": pin.entry_id, "text": pin.text} for pin in pins]
    own.update({key: value for key, value in more.items() if value})
    if len(encode_object(own)) > LIMIT:
        del own["facts"]
    return {"readFiles": list(files.read), "modifiedFiles": list(files.modified), "treering": own}


def awaited_names(calls: Sequence[str], messages: Sequence[SpanMessage]) -> list[str]:
    """A line for each awaited call that is summarised: its id, its tool, and what it was called with."""
    lines: list[str] = []
    for span in messages:
        for call in span.message.tool_calls:
            if call.id in calls:
                arguments = encode_object(call.arguments).decode("utf-8", "replace")
                lines.append(f"- {call.name} ({call.id}), still running: {arguments[:200]}")
    return lines


def _strings(value: object) -> list[str]:
    return [item for item in as_list(value) or [] if isinstance(item, str)]
