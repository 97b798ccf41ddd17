"""Hooks: functions of yours that are asked before, and told after, a compaction or a move in the tree.

    from treering.hooks import Cancel, Hooks

    hooks = Hooks()

    @hooks.on("before_compact")
    def not_at_night(event):
        if event.reason != "manual" and datetime.now().hour < 6:
            return Cancel("not at night")

Functions are plain or asynchronous, several for one event, called in the order in which they were added, each within
30 seconds. What goes wrong with one is logged and reported, and the default goes on. The events and their answers are
told in `treering.compaction.hooks`.

An operation dispatches with the methods named like the events. They never raise for what a hook does, only
`OperationCancelledError` if the event's cancel token is set meanwhile:

    decision = await hooks.before_compact(event, waiting, validate=check_first_kept)
    additions = await hooks.compacting(event, waiting)
    problems = await hooks.after_compact(event, waiting)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from treering.cancel import CancelToken, OperationCancelledError
from treering.compaction.hooks import (
    EVENTS,
    Additions,
    AfterCompact,
    AfterTree,
    Answer,
    BeforeCompact,
    BeforeTree,
    BranchSummaryAnswer,
    Cancel,
    Compacting,
    CompactingAnswer,
    CompactionAnswer,
    Decision,
    EventName,
    HookEvent,
    HookProblem,
    InvalidAnswerError,
    Validate,
    combine_additions,
    combine_decisions,
    read_answer,
)
from treering.errors import SettingsError
from treering.waiting import Concurrent, Waiting

__all__ = [
    "AfterCompact",
    "AfterTree",
    "BeforeCompact",
    "BeforeTree",
    "BranchSummaryAnswer",
    "Cancel",
    "CancelToken",
    "Compacting",
    "CompactingAnswer",
    "CompactionAnswer",
    "HookProblem",
    "Hooks",
]

TIMEOUT = 30.0
"""Seconds that a hook has (SPEC §12)."""

HookFunction = Callable[[Any], object | Awaitable[object]]
F = TypeVar("F", bound=HookFunction)

logger = logging.getLogger("treering")


class _Hook(NamedTuple):
    name: str
    function: HookFunction


class Hooks:
    """The hooks in force, in order."""

    def __init__(self, *providers: object, timeout: float = TIMEOUT) -> None:
        """Collect hooks.

        Args:
            providers: see `add`.
            timeout: seconds that each hook has.
        """
        self.timeout = timeout
        self.problems: list[HookProblem] = []
        """What went wrong while hooks were loaded; see `treering.plugins`."""
        self._hooks: dict[EventName, list[_Hook]] = {event: [] for event in EVENTS.values()}
        for provider in providers:
            self.add(provider)

    def __bool__(self) -> bool:
        return any(self._hooks.values())

    def add(self, provider: object, name: str | None = None) -> None:
        """Add a module or an object with functions named like the events in Python (`before_compact`, …).

        Raises:
            SettingsError: it has none of them.
        """
        name = name or _name_of(provider)
        found = False
        for event in EVENTS.values():
            function = getattr(provider, event, None)
            if callable(function):
                self._hooks[event].append(_Hook(f"{name}.{event}", function))
                found = True
        if not found:
            raise SettingsError(f"{name} has no hook: it needs a function named {', '.join(EVENTS.values())}")

    def on(self, event: str, *, name: str | None = None) -> Callable[[F], F]:
        """A decorator that adds a function for one event, by either of the event's names.

        Raises:
            SettingsError: there is no such event.
        """
        by_name: dict[str, EventName] = {**EVENTS, **{python: python for python in EVENTS.values()}}
        known = by_name.get(event)
        if known is None:
            raise SettingsError(f"there is no event {event!r}: events are {', '.join(EVENTS.values())}")

        def add(function: F) -> F:
            self._hooks[known].append(_Hook(name or _name_of(function), function))
            return function

        return add

    async def before_compact(
        self, event: BeforeCompact, waiting: Waiting | None = None, *, validate: Validate | None = None
    ) -> Decision:
        """Ask whether to compact: cancel, a whole result, or go on. `validate` judges a `CompactionAnswer`."""
        answers, problems = await self._ask("before_compact", event, waiting, validate)
        return _with_problems(combine_decisions("before_compact", answers), problems)

    async def compacting(self, event: Compacting, waiting: Waiting | None = None) -> Additions:
        """Ask what to add to the request of the summary."""
        answers, problems = await self._ask("compacting", event, waiting)
        combined = combine_additions(answers)
        return Additions(
            prompt=combined.prompt,
            context=combined.context,
            preserve_data=combined.preserve_data,
            problems=(*problems, *_report(combined.problems)),
        )

    async def after_compact(self, event: AfterCompact, waiting: Waiting | None = None) -> tuple[HookProblem, ...]:
        """Tell that a compaction was saved; returns what went wrong."""
        return await self._tell("after_compact", event, waiting)

    async def before_tree(
        self, event: BeforeTree, waiting: Waiting | None = None, *, validate: Validate | None = None
    ) -> Decision:
        """Ask whether to move: cancel, a summary, or go on. `validate` judges a `BranchSummaryAnswer`."""
        answers, problems = await self._ask("before_tree", event, waiting, validate)
        return _with_problems(combine_decisions("before_tree", answers), problems)

    async def after_tree(self, event: AfterTree, waiting: Waiting | None = None) -> tuple[HookProblem, ...]:
        """Tell that the leaf has moved; returns what went wrong."""
        return await self._tell("after_tree", event, waiting)

    async def _tell(self, name: EventName, event: HookEvent, waiting: Waiting | None) -> tuple[HookProblem, ...]:
        """As `_ask` for events that nobody answers. All is done by now: cancelling only ends the telling."""
        try:
            return tuple((await self._ask(name, event, waiting))[1])
        except OperationCancelledError:
            return ()

    async def _ask(
        self, name: EventName, event: HookEvent, waiting: Waiting | None, validate: Validate | None = None
    ) -> tuple[list[tuple[str, Answer]], list[HookProblem]]:
        answers: list[tuple[str, Answer]] = []
        problems: list[HookProblem] = []
        hooks = tuple(self._hooks[name])
        waiting = waiting or Concurrent()
        for hook in hooks:
            problem: HookProblem | None = None
            try:
                value = await waiting.call(_bind(hook.function, event), timeout=self.timeout, cancel=event.cancel)
                answer = read_answer(name, value)
                wrong = validate(answer) if validate and answer is not None and not isinstance(answer, Cancel) else None
                if wrong:
                    raise InvalidAnswerError(wrong)
                if answer is not None:
                    answers.append((hook.name, answer))
            except OperationCancelledError:
                if event.cancel.cancelled:
                    raise
                problem = _problem(name, hook, "raised", "it raised OperationCancelledError")
            except InvalidAnswerError as error:
                problem = _problem(name, hook, "invalid", f"its answer is not used: {error}")
            except TimeoutError:
                problem = _problem(name, hook, "timed_out", f"no answer within {self.timeout:g} seconds")
            except (Exception, SystemExit) as error:  # a hook may raise anything; the default goes on (SPEC §12)
                problem = _problem(name, hook, "raised", f"it raised {type(error).__name__}: {error}")
            if problem:
                problems += _report((problem,))
        return answers, problems


def _bind(function: HookFunction, event: HookEvent) -> Callable[[], object | Awaitable[object]]:
    import inspect

    async def guard(awaitable: Awaitable[object]) -> object:
        try:
            return await awaitable
        except SystemExit as error:  # inside a task it would go through the whole event loop
            raise RuntimeError(f"it tried to end the program (SystemExit: {error})") from error

    def call() -> object | Awaitable[object]:
        result = function(event)
        return guard(result) if inspect.isawaitable(result) else result

    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - asked of its kind, not called

        async def call_in_loop() -> object:
            result = call()
            return await result if inspect.isawaitable(result) else result

        return call_in_loop
    return call


def _problem(event: EventName, hook: _Hook, kind: Any, message: str) -> HookProblem:
    return HookProblem(event=event, hook=hook.name, kind=kind, message=message)


def _report(problems: tuple[HookProblem, ...]) -> tuple[HookProblem, ...]:
    for problem in problems:
        logger.warning("%s", problem)
    return problems


def _with_problems(decision: Decision, problems: list[HookProblem]) -> Decision:
    return Decision(answer=decision.answer, hook=decision.hook, problems=(*problems, *_report(decision.problems)))


def _name_of(thing: object) -> str:
    for attribute in ("__qualname__", "__name__"):
        name = getattr(thing, attribute, None)
        if isinstance(name, str):
            return name
    return type(thing).__qualname__
