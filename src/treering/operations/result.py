"""What an operation came to: outcomes, not exceptions, for what is to be expected (SPEC §9)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Outcome = Literal["applied", "skipped", "failed", "cancelled"]
Reason = Literal["manual", "overflow", "threshold", "interval"]


class Pruned(msgspec.Struct, frozen=True):
    """Tool results that were shortened: how many, and the tokens that saves."""

    results: int = 0
    tokens: int = 0


class CompactionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction came to, or, of a dry run, what it would come to.

    Attributes:
        outcome: applied; skipped: there was nothing to do; failed; cancelled.
        reason: what it was made for.
        cause: why it was not applied, in one sentence.
        cause_code: the same as one word, for programs.
        dry_run: nothing was written.
        entry_id: the new compaction entry.
        first_kept_entry_id: the first entry that stays verbatim.
        split_turn: whether the cut falls inside a turn.
        tokens_before: the size of the context before, in the provider's tokens.
        tokens_after: the size after, in the same unit.
        summary: the stored text.
        short_summary: two or three sentences for people, if there are any.
        summary_tokens: estimated tokens of the stored text.
        summarizer: who made the summary.
        pruned: what was pruned before.
        read_files: files that were only read, most recent first.
        modified_files: files that were changed, most recent first.
        check: what the check of the summary found; None if there was none.
        open_calls: awaited calls that were summarised as open.
        branched: another process continued the leaf meanwhile, so the compaction is on a branch.
        problems: what went wrong with hooks on the way.
        seconds: how long it took.
    """

    outcome: Outcome
    reason: Reason
    cause: str | None = None
    cause_code: str | None = None
    dry_run: bool = False
    entry_id: str | None = None
    first_kept_entry_id: str | None = None
    split_turn: bool = False
    tokens_before: int = 0
    tokens_after: int | None = None
    summary: str | None = None
    short_summary: str | None = None
    summary_tokens: int | None = None
    summarizer: str | None = None
    pruned: Pruned = Pruned()
    read_files: tuple[str, ...] = ()
    modified_files: tuple[str, ...] = ()
    check: dict[str, Any] | None = None
    open_calls: tuple[str, ...] = ()
    branched: bool = False
    problems: tuple[str, ...] = ()
    seconds: float = 0.0
