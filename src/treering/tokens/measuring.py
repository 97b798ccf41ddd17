"""The size of a context of a session, and what its usages teach: `usage.py` on entries, with cached estimates."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from treering.session.context import Context, ContextMessage
from treering.session.messages import as_object
from treering.session.records import PRUNE, record_data, treering_details
from treering.tokens.estimate import estimate_message
from treering.tokens.sizes import entry_tokens
from treering.tokens.usage import (
    Calibration,
    ContextSize,
    Prune,
    calibrate,
    context_tokens,
    decode_calibration,
    usage_samples,
)


def context_size(
    context: Context, *, calibration: Calibration | None = None, overhead: int | None = None
) -> ContextSize:
    """The size of a context in the provider's tokens (see `usage.context_tokens`).

    Args:
        context: of any leaf.
        calibration: what was learnt about this model, as by `context_calibration`.
        overhead: tokens of system prompt and tool schemas, if the caller knows.
    """
    sizes = [_rendered_tokens(context, item) for item in context.messages]
    return context_tokens(
        [item.message for item in context.messages],
        counted_from=context.kept_count,
        prunes=_prunes(context, sizes),
        calibration=calibration,
        overhead=overhead,
        estimates=sizes,
    )


def context_calibration(context: Context, *, overhead: int | None = None) -> Calibration:
    """What the usages since the newest compaction teach, on top of what it carries forward in `details.treering`.

    Args:
        context: of any leaf.
        overhead: tokens of system prompt and tool schemas, if the caller knows.
    """
    carried = treering_details(context.compaction).get("calibration") if context.compaction else None
    samples = usage_samples(
        [item.message for item in context.messages],
        counted_from=context.kept_count,
        estimates=[entry_tokens(item.entry) for item in context.messages],
    )
    return calibrate(samples, previous=decode_calibration(carried), overhead=overhead)


def _rendered_tokens(context: Context, item: ContextMessage) -> int:
    return estimate_message(item.message) if item.entry_id in context.path.pruned else entry_tokens(item.entry)


def _prunes(context: Context, sizes: Sequence[int]) -> list[Prune]:
    """The prunes of the context's results, each with its place among the messages.

    A result that several records name is pruned by the first.
    """
    path = context.path
    saved = {
        item.entry_id: entry_tokens(item.entry) - size
        for item, size in zip(context.messages, sizes, strict=True)
        if item.entry_id in path.pruned
    }
    # The summary stands before all other messages, wherever its compaction stands on the path.
    places = [-1 if item.entry is path.compaction else path.index_of(item.entry_id) or 0 for item in context.messages]
    prunes: list[Prune] = []
    for index in path.customs:
        data = record_data(path[index], PRUNE) or {}
        ids = as_object(data.get("results")) or {}
        prunes.append(Prune(bisect_left(places, index), sum(saved.pop(entry_id, 0) for entry_id in ids)))
    return prunes
