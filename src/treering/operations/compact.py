"""Compact a session: plan → fulfil → apply (SPEC §9).

Written once, as a coroutine: `compact` waits under an event loop; `compact_sync` blocks, and starts no loop for a
plain summarizer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Any, TypedDict, Unpack
from weakref import WeakSet

import msgspec

from treering.cancel import CancelToken, OperationCancelledError
from treering.compaction.hooks import AfterCompact, BeforeCompact, Compacting, CompactionAnswer
from treering.compaction.plan import Plan, Skip, plan_compaction
from treering.compaction.summarizer import ModelCall, Summarizer, Summary, SummaryRequest
from treering.errors import SummaryError
from treering.hooks import Hooks
from treering.operations.attempts import attempt_record
from treering.operations.draft import Draft, assemble, from_hook, gather, make_request
from treering.operations.measure import Measure, measure, summary_message_tokens
from treering.operations.options import check_options
from treering.operations.prune import prune_record
from treering.operations.result import CompactionResult, Pruned, Reason
from treering.session.entries import Entry
from treering.session.tree import Session
from treering.settings import DEFAULT_WINDOW, KEEP_SHARE, Settings, reserve_for
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.tokens.estimate import estimate_text
from treering.waiting import Blocking, Concurrent, Waiting, run_blocking

MODEL_BUDGET_LIMIT = 16_384
MODEL_BUDGET_SHARE = 0.8
"""A model's summary may have this share of the reserve, and at most so many tokens (SPEC §8)."""

LEAST_BUDGET = 256
"""Tokens below which a summary holds only what must not be missing (SPEC §8)."""


class CompactOptions(TypedDict, total=False):
    """How to compact; everything has a default.

    Attributes:
        instructions: what the user asks of the summary.
        settings: see `Settings`.
        window: the model's context window in tokens; 200 000 if it is not given.
        overhead: tokens of system prompt and tool schemas; found from what the provider counted if it is not given.
        reason: what it is for; anything but `manual` prunes first.
        summarizer: makes the summary; the extractive one if none is given.
        budget: tokens that the stored text may have.
        short: whether a short summary for people is wanted, even if a model must make it.
        dry_run: write nothing, tell what would be.
        hooks: asked before, told after.
        cancel: set it to stop; nothing is written then but a record of the attempt.
        pending_calls: ids of tool calls whose result is still to come.
        long_running_tools: tools whose first result is not their final one.
        on_progress: told in a few words what is being done.
    """

    instructions: str | None
    settings: Settings
    window: int | None
    overhead: int | None
    reason: Reason
    summarizer: Summarizer | None
    budget: int | None
    short: bool
    dry_run: bool
    hooks: Hooks | None
    cancel: CancelToken | None
    pending_calls: Collection[str]
    long_running_tools: Collection[str]
    on_progress: Callable[[str], None] | None


async def compact(session: Session, **options: Unpack[CompactOptions]) -> CompactionResult:
    """Compact the path to the leaf. See `CompactOptions`; a plain summarizer runs in a thread.

    Raises:
        SettingsError: window, reserve or budget are impossible.
        StorageError: the file cannot be written; nothing was.
    """
    return await _Compaction(session, options, Concurrent()).run()


def compact_sync(session: Session, **options: Unpack[CompactOptions]) -> CompactionResult:
    """As `compact`, without an event loop of the caller's."""
    return run_blocking(_Compaction(session, options, Blocking()).run())


_RUNNING: WeakSet[Session] = WeakSet()
"""Sessions that are being compacted: one compaction at a time each (SPEC §9)."""


class _NotApplied(Exception):  # noqa: N818 - no error, but the way out of every step
    """Why a compaction ends early; `run` turns it into a result."""

    def __init__(self, outcome: Any, code: str, cause: str) -> None:
        super().__init__(cause)
        self.outcome = outcome
        self.code = code
        self.cause = cause


class _Compaction:
    """One compaction, from the plan to the result."""

    def __init__(self, session: Session, options: CompactOptions, waiting: Waiting) -> None:
        check_options(options, CompactOptions)
        self.session = session
        self.waiting = waiting
        self.settings = options.get("settings") or Settings()
        self.window = options.get("window") or DEFAULT_WINDOW
        self.reserve = reserve_for(self.settings.compaction, self.window)
        self.overhead = options.get("overhead")
        self.reason: Reason = options.get("reason") or "manual"
        self.instructions = options.get("instructions")
        self.summarizer = options.get("summarizer") or ExtractiveSummarizer()
        self.budget = options.get("budget") or self._default_budget()
        self.short = options.get("short") or False
        self.dry_run = options.get("dry_run") or False
        self.hooks = options.get("hooks") or Hooks()
        self.cancel = options.get("cancel") or CancelToken()
        self.pending_calls = options.get("pending_calls") or ()
        self.long_running_tools = options.get("long_running_tools") or ()
        self.on_progress = options.get("on_progress")
        self.started = session.now()
        self.clock = time.perf_counter()
        self.calls: list[ModelCall] = []
        self.problems: list[str] = []
        self.pruned = Pruned()
        self.prune_id: str | None = None
        self.size: Measure | None = None

    def _default_budget(self) -> int:
        if isinstance(self.summarizer, ExtractiveSummarizer):
            usable = self.window - self.reserve - (self.overhead or 0)
            return min(self.settings.compaction.summary_tokens, max(LEAST_BUDGET, int(KEEP_SHARE * usable)))
        return min(int(MODEL_BUDGET_SHARE * self.reserve), MODEL_BUDGET_LIMIT)

    async def run(self) -> CompactionResult:
        if self.session in _RUNNING:
            return self._ended("skipped", "busy", "another compaction of this session is running")
        _RUNNING.add(self.session)
        try:
            self.session.refresh()
            plan = self._plan()
            draft = await self._draft(plan)
            self._check_gain(draft)
            if self.dry_run:
                return self._applied(draft, None)
            self.cancel.check()
            entry, branched = self._commit(draft)
            event = AfterCompact(
                **self._event_fields(plan), plan=plan, entry=entry, from_extension=draft.from_extension
            )
            self.problems += map(str, await self.hooks.after_compact(event, self.waiting))
            return self._applied(draft, entry, branched=branched)
        except _NotApplied as end:
            return self._ended(end.outcome, end.code, end.cause)
        except OperationCancelledError:
            return self._ended("cancelled", "cancelled", "it was cancelled; the session is as it was")
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C or a cancelled task: leave a trace, then go on ending
                self._ended("cancelled", "cancelled", "it was interrupted; the session is as it was")
            raise
        finally:
            _RUNNING.discard(self.session)

    # Plan

    def _plan(self) -> Plan:
        if self.reason != "manual":
            self._prune()
        context = self.session.context()
        self.size = measure(context, overhead=self.overhead)
        plan = plan_compaction(
            context.path,
            self.settings,
            window=self.window,
            overhead=self.size.calibration.overhead,
            scale=self.size.calibration.factor,
            pending_calls=self.pending_calls,
            long_running_tools=self.long_running_tools,
        )
        if isinstance(plan, Skip):
            raise _NotApplied("skipped", plan.cause, plan.text)
        return plan

    def _prune(self) -> None:
        body, self.pruned = prune_record(self.session, self.settings, self.pending_calls, self.long_running_tools)
        if body is not None and not self.dry_run:
            self.prune_id = self.session.append(body).id

    # Fulfil

    async def _draft(self, plan: Plan) -> Draft:
        decision = await self.hooks.before_compact(
            BeforeCompact(**self._event_fields(plan), plan=plan),
            self.waiting,
            validate=lambda answer: _judge(plan, answer),
        )
        self.problems += map(str, decision.problems)
        if decision.cancel is not None:
            raise _NotApplied("cancelled", "hook", f"hook {decision.hook} said no. {decision.cancel.reason}".strip())
        material = gather(self.session, plan, self.budget)
        if decision.compaction is not None:
            return from_hook(plan, material, decision.compaction)
        additions = await self.hooks.compacting(Compacting(**self._event_fields(plan), plan=plan), self.waiting)
        self.problems += map(str, additions.problems)
        request = msgspec.structs.replace(
            make_request(self.session, plan, material, self.budget, additions),
            instructions=self.instructions,
            short=self.short,
            on_call=self.calls.append,
            on_progress=self.on_progress,
        )
        summary = await self._summarise(request)
        assert self.size is not None
        return assemble(
            self.session,
            plan,
            material,
            summary,
            budget=self.budget,
            size=self.size,
            prune_id=self.prune_id,
            additions=additions,
        )

    async def _summarise(self, request: SummaryRequest) -> Summary:
        try:
            summary = await self.waiting.call(lambda: self.summarizer.summarize(request), cancel=self.cancel)
        except SummaryError as error:
            raise _NotApplied("failed", "summarizer", str(error)) from error
        if not summary.text.strip():
            if isinstance(self.summarizer, ExtractiveSummarizer):
                raise _NotApplied("skipped", "nothing_to_summarise", "there is no text in what would be summarised")
            raise _NotApplied("failed", "empty_summary", f"{summary.summarizer} gave an empty summary")
        return summary

    def _check_gain(self, draft: Draft) -> None:
        assert self.size is not None
        replaced = self.size.replaced(draft.plan, draft.first_kept_id)
        tokens = summary_message_tokens(draft.text)
        if tokens >= replaced:
            cause = f"the summary would take {tokens} tokens, what it replaces takes {replaced}: nothing to gain"
            plain = isinstance(self.summarizer, ExtractiveSummarizer)
            raise _NotApplied("skipped" if plain else "failed", "no_gain", cause)

    # Apply

    def _commit(self, draft: Draft) -> tuple[Entry, bool]:
        assert self.size is not None
        self._check_leaf(draft.plan)
        body: dict[str, Any] = {
            "type": "compaction",
            "summary": draft.text,
            "firstKeptEntryId": draft.first_kept_id,
            "tokensBefore": self.size.tokens,
            "details": draft.details,
        }
        if draft.short:
            body["shortSummary"] = draft.short
        if draft.preserve_data:
            body["preserveData"] = draft.preserve_data
        if draft.from_extension:
            body.update(fromExtension=True, fromHook=True)
        bodies = [body]
        if self.calls:
            bodies.append(self._attempt("applied", None))
        appended = self.session.append(*bodies)
        return appended.entries[0], appended.branched

    def _check_leaf(self, plan: Plan) -> None:
        """Entries that came on the path meanwhile are fine; if the leaf went elsewhere, the summary is of no use."""
        self.session.refresh()
        leaf = self.session.leaf_id
        for entry in self.session.store.walk(leaf) if leaf else ():
            if entry.id == plan.path.leaf_id:
                return
            if entry.type == "compaction":
                break
        raise _NotApplied(
            "failed",
            "leaf_moved",
            "the leaf was moved while the summary was made, so it was thrown away: compact again",
        )

    def _attempt(self, outcome: str, cause: str | None) -> dict[str, Any]:
        return attempt_record(
            start=self.started,
            reason=self.reason,
            outcome=outcome,
            cause=cause,
            tokens=self.size.tokens if self.size else None,
            seconds=time.perf_counter() - self.clock,
            summarizer=self.summarizer.name,
            calls=self.calls,
        )

    def _ended(self, outcome: Any, code: str, cause: str) -> CompactionResult:
        if outcome in {"failed", "cancelled"} and not self.dry_run:
            self.session.append(self._attempt(outcome, cause))
        return CompactionResult(
            outcome=outcome,
            reason=self.reason,
            cause=cause,
            cause_code=code,
            dry_run=self.dry_run,
            tokens_before=self.size.tokens if self.size else 0,
            pruned=self.pruned,
            problems=tuple(self.problems),
            seconds=time.perf_counter() - self.clock,
        )

    def _applied(self, draft: Draft, entry: Entry | None, *, branched: bool = False) -> CompactionResult:
        assert self.size is not None
        return CompactionResult(
            outcome="applied",
            reason=self.reason,
            dry_run=self.dry_run,
            entry_id=entry.id if entry else None,
            first_kept_entry_id=draft.first_kept_id,
            split_turn=draft.plan.split_turn,
            tokens_before=self.size.tokens,
            tokens_after=self.size.after(draft.plan, draft.first_kept_id, draft.text),
            summary=draft.text,
            short_summary=draft.short,
            summary_tokens=estimate_text(draft.text),
            summarizer=draft.summarizer,
            pruned=self.pruned,
            read_files=tuple(draft.details.get("readFiles", ())),
            modified_files=tuple(draft.details.get("modifiedFiles", ())),
            check=msgspec.to_builtins(draft.check),
            open_calls=draft.plan.open_calls,
            branched=branched,
            problems=tuple(self.problems),
            seconds=time.perf_counter() - self.clock,
        )

    def _event_fields(self, plan: Plan) -> dict[str, Any]:
        return {"path": plan.path, "reason": self.reason, "instructions": self.instructions, "cancel": self.cancel}


def _judge(plan: Plan, answer: CompactionAnswer) -> str | None:
    """What is wrong with a hook's whole result; None if nothing is (SPEC §12)."""
    if not answer.summary.strip():
        return "its summary is empty"
    position = plan.path.index_of(answer.first_kept_entry_id)
    if position is None or position < plan.start:
        return f"its firstKeptEntryId {answer.first_kept_entry_id} is not on the path that is compacted"
    return (
        None if plan.is_valid_cut(position) else f"entry {answer.first_kept_entry_id} is no place where a cut may fall"
    )
