"""A recorded session, played again in memory as far as one likes, so that the product itself can be run on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from treering.compaction.plan import Plan, Skip, plan_compaction
from treering.compaction.summarizer import Summarizer
from treering.operations.compact import compact_sync
from treering.operations.measure import measure
from treering.operations.result import CompactionResult
from treering.session.entries import Entry
from treering.session.path import Path
from treering.session.tree import Session
from treering.settings import CompactionSettings, Settings
from treering.tokens.sizes import entry_tokens

_HEAD = frozenset({"id", "parentId", "timestamp"})
_HISTORY_ENDS = frozenset({"compaction", "reset_boundary"})


class Replay:
    """A session in memory that grows entry by entry as the recorded one did, entry ids kept."""

    def __init__(self, entries: Sequence[Entry], *, cwd: str, keep_tokens: int) -> None:
        """Begin before the first entry.

        Args:
            entries: the path that is played, root first.
            cwd: the session's folder.
            keep_tokens: what compactions leave verbatim.
        """
        self._entries = entries
        self._position = 0
        self._ids: Iterator[str] = iter(())
        self._own = 0
        self.settings = Settings(compaction=CompactionSettings(keep_recent_tokens=keep_tokens))
        self.session = Session.in_memory(cwd=cwd, new_id=self._next_id, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    def grow(self, end: int) -> None:
        """Play on up to the entry at this index, without it."""
        new = self._entries[self._position : end]
        self._ids = iter([entry.id for entry in new])
        bodies = [{key: value for key, value in entry.body.items() if key not in _HEAD} for entry in new]
        if bodies:
            self.session.append(*bodies)
        self._position = max(self._position, end)

    def plan(self) -> Plan | Skip:
        """What a compaction would do here."""
        context = self.session.context()
        calibration = measure(context).calibration
        return plan_compaction(context.path, self.settings, overhead=calibration.overhead, scale=calibration.factor)

    def region_tokens(self) -> int:
        """Size of what a compaction would replace here, in tokens; 0 if there would be none."""
        plan = self.plan()
        return region_tokens(plan) if isinstance(plan, Plan) else 0

    def compact(self, summarizer: Summarizer, budget: int, *, dry_run: bool = False) -> CompactionResult:
        """Compact as `treering compact --budget` does."""
        return compact_sync(self.session, settings=self.settings, summarizer=summarizer, budget=budget, dry_run=dry_run)

    def _next_id(self) -> str:
        recorded = next(self._ids, None)
        if recorded is not None:
            return recorded
        self._own += 1
        return f"{self._own:016x}"


def region_tokens(plan: Plan) -> int:
    """Size of what a plan replaces, in tokens."""
    return sum(entry_tokens(entry) for entry in plan.path.entries[plan.start : plan.cut])


def whole_history(path: Path) -> tuple[Entry, ...]:
    """The entries of a path as if it had never been compacted or cleared, so that all of its past can be looked at."""
    return tuple(entry for entry in path if entry.type not in _HISTORY_ENDS)


def stopping_points(entries: Sequence[Entry], at: Sequence[float]) -> list[tuple[float, int]]:
    """For each share of the messages, 0 to 1, the index of the first entry after it; shares without future left out."""
    speaking = [index for index, entry in enumerate(entries) if entry.message is not None]
    counts = [(share, int(len(speaking) * share)) for share in at]
    return [(share, speaking[count]) for share, count in counts if 0 < count < len(speaking)]
