"""The plan: what a compaction would replace and what would stay (SPEC §7).

Pure: path, settings and pending calls in; a plan, or the reason to skip, out. A plan holds indices into its path, no
copies; making one costs what is kept, not what is replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from treering.compaction.cut import find_cut, find_cut_before, with_metadata
from treering.compaction.summarizer import SpanMessage, span_message
from treering.session import records
from treering.session.context import renders
from treering.session.entries import METADATA_TYPES, Entry
from treering.session.messages import as_list
from treering.session.path import Path
from treering.session.validity import pairing
from treering.settings import DEFAULT_WINDOW, Settings, keep_for
from treering.tokens.sizes import rendered_tokens


class Skip(msgspec.Struct, frozen=True):
    """Why there is nothing to compact.

    Attributes:
        cause: `empty`, `already_compacted` or `nothing_to_summarise`.
        text: the same for people.
    """

    cause: str
    text: str


class Plan(msgspec.Struct, frozen=True):
    """A compaction to be made.

    Attributes:
        path: what was planned on.
        start: index where the span begins: the first entry that the compaction in force keeps.
        cut: index of the first kept entry.
        turn_start: index where the turn prefix begins, if the cut splits a turn.
        open_calls: ids of awaited calls that are summarised as open, because keeping them would keep too much.
        keep_tokens: the estimate that was aimed at for the kept part.
    """

    path: Path
    start: int
    cut: int
    turn_start: int | None
    open_calls: tuple[str, ...]
    keep_tokens: int

    @property
    def split_turn(self) -> bool:
        """Whether the cut falls inside a turn."""
        return self.turn_start is not None

    @property
    def first_kept_id(self) -> str:
        """The id of the first kept entry."""
        return self.path[self.cut].id

    def is_valid_cut(self, index: int) -> bool:
        """Whether the kept part may begin at this index: at a valid cut point, or at metadata just before one."""
        while index < len(self.path) and self.path[index].type in METADATA_TYPES:
            index += 1
        return find_cut_before(self.path, self.start, index) == index

    @property
    def previous(self) -> Entry | None:
        """The compaction in force, whose summary the new one replaces."""
        return self.path.compaction

    @property
    def history(self) -> tuple[SpanMessage, ...]:
        """What the summary replaces, without the turn prefix."""
        return span_messages(self.path, self.start, self.cut if self.turn_start is None else self.turn_start)

    @property
    def turn_prefix(self) -> tuple[SpanMessage, ...]:
        """The beginning of the split turn."""
        return () if self.turn_start is None else span_messages(self.path, self.turn_start, self.cut)

    @property
    def kept(self) -> tuple[SpanMessage, ...]:
        """What stays verbatim."""
        return span_messages(self.path, self.cut, len(self.path))


def plan_compaction(
    path: Path,
    settings: Settings = Settings(),
    *,
    window: int = DEFAULT_WINDOW,
    overhead: int = 0,
    scale: float = 1.0,
    pending_calls: Collection[str] = (),
    long_running_tools: Collection[str] = (),
) -> Plan | Skip:
    """Plan a compaction of a path.

    Args:
        path: from the first kept entry of the compaction in force to the leaf; more does not harm.
        settings: how much is to be kept.
        window: the model's limit in tokens.
        overhead: tokens of system prompt and tool schemas.
        scale: the provider's tokens for one estimated token (calibration).
        pending_calls: ids of calls whose result is still to come.
        long_running_tools: tools whose first result is not the final one.
    """
    if not any(map(renders, path)):
        return Skip("empty", "the session has no messages at this leaf")
    start = path.start
    if path.compaction_index is not None and not any(map(renders, path.entries[start:])):
        return Skip("already_compacted", "there is nothing after the newest compaction")
    keep = int(keep_for(settings.compaction, window, overhead=overhead) / scale)
    reached = _reach(path, start, keep)
    cut = None if reached is None else find_cut(path, start, reached)
    trailing = _unanswered_from(path, start)
    if cut is not None and trailing < cut:
        cut = find_cut_before(path, start, trailing)
    awaited = awaited_calls(path, start, pending_calls, long_running_tools)
    cut, open_calls = _keep_awaited(path, start, cut, awaited, limit=window / scale / 2)
    if cut is not None:
        cut = with_metadata(path, start, cut)
    if cut is None or not any(map(renders, path.entries[start:cut])):
        return Skip("nothing_to_summarise", f"all that is there fits into the {keep} tokens that stay verbatim")
    return Plan(path, start, cut, _turn_start(path, start, cut), open_calls, keep)


def _reach(path: Path, start: int, keep: int) -> int | None:
    """The index that a walk back from the leaf reaches when it has counted `keep` tokens; None if all is less."""
    total = 0
    for index in range(len(path) - 1, start - 1, -1):
        total += rendered_tokens(path, index)
        if total >= keep:
            return index
    return None


def _unanswered_from(path: Path, start: int) -> int:
    """Index of the first of the trailing user-side messages that nothing has answered; the path's length if none."""
    first = len(path)
    for index in range(len(path) - 1, start - 1, -1):
        message = path[index].message
        if message is None or not renders(path[index]):
            continue
        if not message.starts_turn:
            break
        first = index
    return first


def awaited_calls(
    path: Path, start: int, pending_calls: Collection[str], long_running_tools: Collection[str]
) -> dict[str, int]:
    """The calls whose result is still to come: id → index of the message that made them (SPEC §7.4).

    Those are the calls of the last turn without a result, and, wherever they stand, the ones that are named, of
    long-running tools without a later result, or in a pending record. All other calls without a result are dead, and
    hold nothing back.
    """
    named = set(pending_calls) | _recorded_pending(path)
    first = start if named or long_running_tools else _last_turn(path, start)
    positions: list[int] = []
    for index in range(first, len(path)):
        if renders(path[index]):
            positions.append(index)
    messages = [message for index in positions if (message := path[index].message) is not None]
    callers = pairing(messages)
    results: dict[tuple[int, str], int] = {}
    for number, caller in enumerate(callers):
        if caller is not None:
            key = (caller, messages[number].tool_call_id or "")
            results[key] = results.get(key, 0) + 1
    last_turn = _last_turn(path, start)
    found: dict[str, int] = {}
    for number, message in enumerate(messages):
        for call in message.tool_calls:
            count = results.get((number, call.id), 0)
            if (
                (count == 0 and positions[number] >= last_turn)
                or call.id in named
                or (call.name in long_running_tools and count < 2)
            ):
                found[call.id] = positions[number]
    return found


def _keep_awaited(
    path: Path, start: int, cut: int | None, awaited: dict[str, int], *, limit: float
) -> tuple[int | None, tuple[str, ...]]:
    """The cut moved back so that awaited calls stay, unless that would keep more than `limit` tokens."""
    open_calls: list[str] = []
    for call_id, index in sorted(awaited.items(), key=lambda item: -item[1]):
        if cut is None or index >= cut:
            continue
        kept = sum(rendered_tokens(path, position) for position in range(index, len(path)))
        if kept > limit:
            open_calls.append(call_id)
        else:
            cut = find_cut_before(path, start, index)
    return cut, tuple(reversed(open_calls))


def _recorded_pending(path: Path) -> set[str]:
    """Calls that pending records on the path name; a later record replaces an earlier one."""
    for index in reversed(path.customs):
        data = records.record_data(path[index], records.PENDING)
        if data is not None:
            return {str(call) for call in as_list(data.get("calls")) or []}
    return set()


def _last_turn(path: Path, start: int) -> int:
    """Index where the newest turn that an assistant took part in begins."""
    answered = False
    for index in range(len(path) - 1, start - 1, -1):
        message = path[index].message
        if message is None or not renders(path[index]):
            continue
        if not message.starts_turn:
            answered = True
        elif answered:
            return index
    return start


def _turn_start(path: Path, start: int, cut: int) -> int | None:
    """Where the turn that the cut splits begins; None if the first kept message starts a turn.

    A turn that began before the span is in it from the span's first entry on.
    """
    for index in range(cut, len(path)):
        message = path[index].message
        if message is not None and renders(path[index]):
            if message.starts_turn:
                return None
            break
    for index in range(cut - 1, start - 1, -1):
        message = path[index].message
        if message is not None and renders(path[index]) and message.starts_turn:
            return index
    return start


def span_messages(path: Path | Sequence[Entry], start: int, stop: int) -> tuple[SpanMessage, ...]:
    """The messages of a stretch of a path, whole (a pruned result too), with their entries' ids and details."""
    entries = (path[index] for index in range(start, stop))
    return tuple(span_message(entry, entry.message) for entry in entries if entry.message and renders(entry))
