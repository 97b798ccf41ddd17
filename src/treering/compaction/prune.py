"""Prune: which old tool outputs are replaced by a placeholder (SPEC §6). Pure: a context in, a choice out."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from treering.session.context import Context, pruned_message
from treering.settings import PruneSettings
from treering.tokens.estimate import estimate_message
from treering.tokens.sizes import entry_tokens


class PrunePlan(msgspec.Struct, frozen=True):
    """What a prune would do.

    Attributes:
        results: entry id → tokens of the output that is cut, for each result, oldest first.
        tokens: what all of it saves, placeholders deducted.
    """

    results: dict[str, int]
    tokens: int


NOTHING = PrunePlan({}, 0)


def plan_prune(
    context: Context, settings: PruneSettings = PruneSettings(), *, awaited: Collection[str] = ()
) -> PrunePlan:
    """Choose the results to prune: newest first, those that begin inside the protected newest tokens stay whole.

    Protected and pruned results count at the size they render. A result is left alone if the placeholder would make
    it longer, if its tool is protected, if it is pruned already or if its call is awaited. Below the minimum saving
    nothing is pruned: prunes break the provider's cache, so they come seldom and large (CASES PERF-4).

    Args:
        context: of the leaf.
        settings: sizes in tokens.
        awaited: ids of calls whose final result is still to come.
    """
    pruned = context.path.pruned
    protected = {tool.lower() for tool in settings.protected_tools}  # agents write Read and read
    saved: dict[str, int] = {}
    total = 0
    seen = 0
    for item in reversed(context.messages):
        entry = item.entry
        message = entry.message
        if message is None or message.role != "toolResult":
            continue
        already = entry.id in pruned
        size = estimate_message(item.message) if already else entry_tokens(entry)
        begins_inside = seen < settings.protect_tokens
        seen += size
        if begins_inside or already or message.tool_name.lower() in protected:
            continue
        if message.tool_call_id in awaited:
            continue
        gain = size - estimate_message(pruned_message(message, size))
        if gain > 0:
            saved[entry.id] = size
            total += gain
    if total < max(settings.minimum_tokens, 1):
        return NOTHING
    return PrunePlan(dict(reversed(saved.items())), total)


def plan_shortening(context: Context, tokens: int, *, awaited: Collection[str] = ()) -> PrunePlan:
    """The last resort when nothing else helps (SPEC §5): cut the largest results, of protected tools too, until
    `tokens` are saved."""
    pruned = context.path.pruned
    gains: list[tuple[int, int, str, int]] = []
    for position, item in enumerate(context.messages):
        message = item.entry.message
        if message is None or message.role != "toolResult" or item.entry_id in pruned:
            continue
        if message.tool_call_id in awaited:
            continue
        size = entry_tokens(item.entry)
        gain = size - estimate_message(pruned_message(message, size))
        if gain > 0:
            gains.append((-gain, position, item.entry_id, size))
    chosen: dict[int, tuple[str, int]] = {}
    saved = 0
    for negative_gain, position, entry_id, size in sorted(gains):
        if saved >= tokens:
            break
        chosen[position] = (entry_id, size)
        saved -= negative_gain
    return PrunePlan({entry_id: size for _, (entry_id, size) in sorted(chosen.items())}, saved)
