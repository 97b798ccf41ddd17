"""The browser, with the keys that change the session: check out, label, fork, delete, compact, undo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from textual import work

from treering.cancel import CancelToken
from treering.cli.common import number
from treering.errors import TreeringError
from treering.operations.branch import NavigationResult, navigate_tree
from treering.operations.branches import delete_branch, fork
from treering.operations.compact import compact
from treering.operations.result import CompactionResult
from treering.operations.undo import undo
from treering.session.rows import preview
from treering.tui.screens import AskScreen, ConfirmScreen
from treering.tui.view import BrowserView

FIRST_ENTRIES = 400
"""Newest entries of the leaf's path that are shown at once, while the whole tree is read."""

ABOUT_WHAT = "What should the summary look at? (Enter: everything)"

R = TypeVar("R", CompactionResult, NavigationResult)


class Browser(BrowserView):
    """Look at one session file and work on its tree."""

    def action_cancel(self) -> None:
        """Cancel what is running."""
        if self.running is not None:
            self.running.cancel()
            self.say("cancelling …")

    async def _operate(self, said: str, operation: Callable[[CancelToken], Awaitable[R]]) -> R | None:
        """The result of an operation that was applied; else None, and why is said. One runs at a time."""
        if self.running is not None:
            self.say("something is running still: Escape cancels it")
            return None
        self.say(said)
        self.running = CancelToken()
        try:
            result = await operation(self.running)
        except TreeringError as error:
            self.say(str(error))
            return None
        finally:
            self.running = None
        if result.outcome != "applied":
            self.say(f"{result.outcome}: {result.cause}")
            return None
        return result

    @work
    async def action_checkout(self, summarize: bool) -> None:
        """Go on from the entry of the cursor."""
        if self.node < 0:
            return
        entry = self.model.outline.entries[self.node]
        instructions = None
        if summarize:
            instructions = await self.push_screen_wait(AskScreen(ABOUT_WHAT))
            if instructions is None:
                return
        result = await self._operate(
            "summarising what is left …" if summarize else "moving …",
            lambda cancel: navigate_tree(
                self.session,
                entry.id,
                summarize=summarize,
                instructions=instructions or None,
                summarizer=self.options.summarizer,
                settings=self.options.settings,
                window=self.options.window,
                hooks=self.options.hooks,
                cancel=cancel,
            ),
        )
        if result is None:
            return
        said = f"work goes on behind {(result.target_id or 'nothing, before the first entry')[:24]}"
        if result.summary:
            said += f", with a summary by {result.summarizer}"
        if result.text is not None:
            self.copy_to_clipboard(result.text)
            said += "; the message is in the clipboard, to be edited"
        self.reload(said, result.summary.id if result.summary else entry.id)

    @work
    async def action_label(self) -> None:
        """Label the entry of the cursor."""
        node = self.node
        if node < 0:
            return
        outline = self.model.outline
        label = await self.push_screen_wait(AskScreen("Label (empty: none)", outline.labels.get(node, "")))
        if label is not None:
            entry_id = outline.entries[node].id
            self._try(lambda: self.session.set_label(entry_id, label.strip()), "labelled", entry_id)

    @work
    async def action_fork(self) -> None:
        """Write the path to the entry of the cursor as a file."""
        if self.node < 0:
            return
        entry_id = self.model.outline.entries[self.node].id
        proposed = self.path.with_name(f"{self.path.stem}-{entry_id[:8]}.jsonl")
        name = await self.push_screen_wait(AskScreen("Write the path to here as", str(proposed)))
        if name:
            self._try(lambda: fork(self.session, name, entry_id), f"written: {name}", entry_id)

    @work
    async def action_delete(self) -> None:
        """Delete the side branch of the cursor."""
        if self.node < 0:
            return
        entry = self.model.outline.entries[self.node]
        question = f"Delete the branch of {preview(entry, 50)!r}? Nothing is erased."
        if await self.push_screen_wait(ConfirmScreen(question)):
            self._try(
                lambda: delete_branch(self.session, entry.id), "deleted: treering branch FILE --restore brings it back"
            )

    def _try(self, change: Callable[[], object], said: str, entry_id: str | None = None) -> None:
        try:
            change()
        except TreeringError as error:
            self.say(str(error))
        else:
            self.reload(said, entry_id)

    @work
    async def action_compact(self) -> None:
        """Compact at the leaf."""
        instructions = await self.push_screen_wait(AskScreen(ABOUT_WHAT))
        if instructions is None:
            return
        result = await self._operate(
            "compacting …",
            lambda cancel: compact(
                self.session,
                instructions=instructions or None,
                settings=self.options.settings,
                window=self.options.window,
                summarizer=self.options.summarizer,
                hooks=self.options.hooks,
                cancel=cancel,
            ),
        )
        if result is not None:
            said = f"compacted: {number(result.tokens_before)} → {number(result.tokens_after)} tokens; u takes it back"
            self.reload(said, result.entry_id)

    def action_undo(self) -> None:
        """Take the newest compaction back."""
        try:
            result = undo(self.session)
        except TreeringError as error:
            self.say(str(error))
            return
        if result.outcome == "skipped":
            self.say("nothing to undo: no compaction is in force")
        else:
            self.reload(f"undone: {result.undone}")
