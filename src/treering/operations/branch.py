"""Move in the tree of a session, and take along a summary of what is left behind (SPEC §10).

Written once as a coroutine: `navigate_tree` waits under an event loop, `navigate_tree_sync` blocks and starts none for
a plain summarizer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypedDict, Unpack
from weakref import WeakSet

import msgspec

from treering.cancel import CancelToken, OperationCancelledError
from treering.compaction.branch import (
    BRANCH_SUMMARY_TOKENS,
    TreeMove,
    branch_messages,
    is_silent,
    newest_within,
    plan_move,
)
from treering.compaction.files import file_operations, render_file_tags, tag_budget
from treering.compaction.hooks import AfterTree, BeforeTree, BranchSummaryAnswer
from treering.compaction.summarizer import ModelCall, Summarizer, SummaryRequest
from treering.errors import SummaryError
from treering.facts.fold import FactState, fold
from treering.hooks import Hooks
from treering.operations.attempts import attempt_record
from treering.operations.options import check_options
from treering.operations.result import Outcome
from treering.session import records
from treering.session.entries import Entry
from treering.session.tree import Session
from treering.settings import DEFAULT_WINDOW, Settings
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.prompts import load_prompts
from treering.tokens.estimate import estimate_message, estimate_text
from treering.waiting import Blocking, Concurrent, Waiting, run_blocking


class NavigateOptions(TypedDict, total=False):
    """How to move; everything has a default.

    Attributes:
        summarize: whether to summarise what is left; None: as the setting `branch_summary.enabled` says.
        instructions: what the user asks of the summary.
        edit: whether a user message or custom_message is edited (the default), or becomes the leaf itself.
        summarizer: makes the summary; the extractive one if none is given.
        settings: see `Settings`.
        window: the context window of the summarizer's model in tokens; 200 000 if it is not given. The extractive
            summarizer reads all.
        hooks: asked before, told after.
        cancel: set it to stop; then nothing was written.
        on_progress: told in a few words what is being done.
    """

    summarize: bool | None
    instructions: str | None
    edit: bool
    summarizer: Summarizer | None
    settings: Settings
    window: int | None
    hooks: Hooks | None
    cancel: CancelToken | None
    on_progress: Callable[[str], None] | None


class NavigationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a move came to.

    Attributes:
        outcome: applied; skipped: the leaf was there already; failed or cancelled: all is as it was.
        cause: why it was not applied, in one sentence.
        cause_code: the same as one word, for programs.
        old_leaf_id: the leaf that was left.
        leaf_id: the leaf now: the branch summary (or the record of what it cost), or the record of the move.
        target_id: the entry behind which work goes on; None: before the first entry.
        text: the text of the chosen message, to be edited and sent again.
        summary: the branch summary, if one was made.
        abandoned: how many entries were left behind.
        summarised: how many messages the summary was made from.
        summarizer: who made it.
        branched: another process has gone on behind the same entry meanwhile.
        problems: what went wrong with hooks on the way.
    """

    outcome: Outcome
    cause: str | None = None
    cause_code: str | None = None
    old_leaf_id: str | None
    leaf_id: str | None
    target_id: str | None
    text: str | None = None
    summary: Entry | None = None
    abandoned: int = 0
    summarised: int = 0
    summarizer: str | None = None
    branched: bool = False
    problems: tuple[str, ...] = ()


async def navigate_tree(session: Session, target: str | None, **options: Unpack[NavigateOptions]) -> NavigationResult:
    """Move the leaf to an entry (None: before the first one), with a summary of what is left if one is wanted.

    A user message or custom_message is chosen to be edited: the leaf goes before it, and its text is returned.
    The summary is made before the leaf moves. A plain summarizer runs in a thread. See `NavigateOptions`.

    Raises:
        EntryNotFoundError: there is no such entry.
        StorageError: the file cannot be written; nothing was.
    """
    return await _Navigation(session, target, options, Concurrent()).run()


def navigate_tree_sync(session: Session, target: str | None, **options: Unpack[NavigateOptions]) -> NavigationResult:
    """As `navigate_tree`, without an event loop of the caller's."""
    return run_blocking(_Navigation(session, target, options, Blocking()).run())


_RUNNING: WeakSet[Session] = WeakSet()
"""Sessions whose leaf is being moved: one move at a time each."""


class _NotApplied(Exception):  # noqa: N818 - no error, but the way out of every step
    def __init__(self, outcome: Outcome, code: str, cause: str) -> None:
        super().__init__(cause)
        self.outcome: Outcome = outcome
        self.code = code
        self.cause = cause


class _Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A branch summary that is ready to be committed."""

    text: str
    details: dict[str, Any]
    summarizer: str
    messages: int = 0
    from_extension: bool = False


class _Navigation:
    """One move, from the plan to the result."""

    def __init__(self, session: Session, target: str | None, options: NavigateOptions, waiting: Waiting) -> None:
        check_options(options, NavigateOptions)
        self.session = session
        self.target = target
        self.waiting = waiting
        self.settings = options.get("settings") or Settings()
        summarize = options.get("summarize")
        self.summarize = self.settings.branch_summary.enabled if summarize is None else summarize
        self.instructions = options.get("instructions")
        self.edit = options.get("edit", True)
        self.summarizer = options.get("summarizer") or ExtractiveSummarizer()
        self.window = options.get("window") or DEFAULT_WINDOW
        self.hooks = options.get("hooks") or Hooks()
        self.cancel = options.get("cancel") or CancelToken()
        self.on_progress = options.get("on_progress")
        self.started = session.now()
        self.clock = time.perf_counter()
        self.calls: list[ModelCall] = []
        self.problems: list[str] = []

    async def run(self) -> NavigationResult:
        session = self.session
        session.refresh()
        entry = None if self.target is None else session.get(self.target)
        move = plan_move(entry, session.leaf_id, session.store.walk, edit=self.edit)
        if not move.moves:
            return self._ended(move, "skipped", "already_there", "the leaf is there already")
        if session in _RUNNING:
            return self._ended(move, "skipped", "busy", "another move in this session is running")
        _RUNNING.add(session)
        try:
            return await self._move(move)
        except _NotApplied as end:
            return self._ended(move, end.outcome, end.code, end.cause)
        except OperationCancelledError:
            return self._ended(move, "cancelled", "cancelled", "it was cancelled; the session is as it was")
        finally:
            _RUNNING.discard(session)

    async def _move(self, move: TreeMove) -> NavigationResult:
        event: dict[str, Any] = {
            "path": self.session.path(whole=False),
            "reason": "tree",
            "instructions": self.instructions,
            "cancel": self.cancel,
            "plan": move,
        }
        decision = await self.hooks.before_tree(BeforeTree(**event, summarize=self.summarize), self.waiting)
        self.problems += map(str, decision.problems)
        if decision.cancel is not None:
            raise _NotApplied("cancelled", "hook", f"hook {decision.hook} said no. {decision.cancel.reason}".strip())
        summary = await self._summary(move, decision.branch_summary) if self.summarize else None
        self.cancel.check()
        self._check_leaf(move)
        bodies = [self._body(summary)]
        if self.calls:
            bodies.append(self._attempt())
        appended = self.session.append_at(move.new_leaf_id, *bodies)
        entry = appended.entries[0]
        extension = bool(summary and summary.from_extension)
        after = AfterTree(
            **event,
            new_leaf_id=self.session.leaf_id,
            old_leaf_id=move.old_leaf_id,
            summary=entry if summary else None,
            from_extension=extension,
        )
        self.problems += map(str, await self.hooks.after_tree(after, self.waiting))
        return NavigationResult(
            outcome="applied",
            old_leaf_id=move.old_leaf_id,
            leaf_id=self.session.leaf_id,
            target_id=move.new_leaf_id,
            text=move.text,
            summary=entry if summary else None,
            abandoned=len(move.abandoned),
            summarised=summary.messages if summary else 0,
            summarizer=summary.summarizer if summary else None,
            branched=appended.branched,
            problems=tuple(self.problems),
        )

    def _check_leaf(self, move: TreeMove) -> None:
        """Records that came meanwhile are fine; anything else makes the summary one of another branch."""
        leaf = self.session.leaf_id
        for entry in self.session.store.walk(leaf) if leaf else ():
            if entry.id == move.old_leaf_id:
                return
            if not is_silent(entry):
                break
        if leaf != move.old_leaf_id:
            cause = "the leaf moved on meanwhile, so the summary was thrown away: move again"
            raise _NotApplied("failed", "leaf_moved", cause)

    def _body(self, summary: _Summary | None) -> dict[str, Any]:
        if summary is None:
            return records.record(records.LEAF, left=self.session.leaf_id)
        body: dict[str, Any] = {
            "type": "branch_summary",
            "fromId": self.session.leaf_id,
            "summary": summary.text,
            "details": summary.details,
        }
        return {**body, "fromExtension": True, "fromHook": True} if summary.from_extension else body

    def _attempt(self) -> dict[str, Any]:
        """What the models cost that made the summary; a child of it."""
        return attempt_record(
            start=self.started,
            reason="tree",
            outcome="applied",
            cause=None,
            tokens=None,
            seconds=time.perf_counter() - self.clock,
            summarizer=self.summarizer.name,
            calls=self.calls,
        )

    async def _summary(self, move: TreeMove, answer: BranchSummaryAnswer | None) -> _Summary | None:
        """The summary of what is left; None if nothing is (a move further down, or only records left behind)."""
        messages = branch_messages(move.abandoned)
        if not messages:
            return None
        if answer is not None:
            details = answer.details or {"readFiles": [], "modifiedFiles": []}
            return _Summary(text=answer.summary, details=details, summarizer="hook", from_extension=True)
        cwd = self.session.header.cwd
        files = file_operations(messages, cwd=cwd)
        tags = render_file_tags(files, max_tokens=tag_budget(BRANCH_SUMMARY_TOKENS))
        preamble = load_prompts().branch_preamble
        chosen = newest_within(messages, self._input_budget(), lambda span: estimate_message(span.message))
        if not chosen:
            chosen = messages[-1:]  # one message over the budget: a model summarizer folds it in windows
        frame = estimate_text(preamble) + estimate_text(tags) + 4
        request = SummaryRequest(
            purpose="branch",
            history=chosen,
            facts=fold(FactState(), messages, cwd=cwd),
            instructions=self.instructions,
            budget=BRANCH_SUMMARY_TOKENS - frame,
            cwd=cwd,
            on_call=self.calls.append,
            on_progress=self.on_progress,
        )
        try:
            made = await self.waiting.call(lambda: self.summarizer.summarize(request), cancel=self.cancel)
        except SummaryError as error:
            raise _NotApplied("failed", "summarizer", str(error)) from error
        if not made.text.strip():
            if not isinstance(self.summarizer, ExtractiveSummarizer):
                raise _NotApplied("failed", "empty_summary", f"{made.summarizer} gave an empty summary")
            if not tags:
                return None  # nothing was said there and no file touched: images only, perhaps
        return _Summary(
            text="\n\n".join(part for part in (preamble, made.text.strip(), tags) if part),
            details={
                "readFiles": list(files.read),
                "modifiedFiles": list(files.modified),
                "treering": {"version": records.RECORD_VERSION, "summarizer": made.summarizer},
            },
            summarizer=made.summarizer,
            messages=len(chosen),
        )

    def _input_budget(self) -> int | None:
        """Tokens of the branch that the summarizer is handed; what is older stays out."""
        if isinstance(self.summarizer, ExtractiveSummarizer):
            return None
        reserve = self.settings.branch_summary.reserve_tokens
        # A reserve that was meant for a large window would leave nothing of a small one.
        return self.window - reserve if reserve < self.window / 2 else self.window // 2

    def _ended(self, move: TreeMove, outcome: Outcome, code: str, cause: str) -> NavigationResult:
        return NavigationResult(
            outcome=outcome,
            cause=cause,
            cause_code=code,
            old_leaf_id=move.old_leaf_id,
            leaf_id=self.session.leaf_id,
            target_id=move.new_leaf_id,
            text=move.text if outcome == "skipped" else None,
            abandoned=len(move.abandoned),
            problems=tuple(self.problems),
        )
