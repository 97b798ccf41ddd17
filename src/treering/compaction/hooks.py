"""The protocol of hooks: what they are told, what they may answer, and how several answers become one.

Everything here is pure. `treering.hooks.Hooks` holds the functions, calls them and hands their answers in.

| event | in Python | told | may answer |
|---|---|---|---|
| `session_before_compact` | `before_compact` | `BeforeCompact` | `Cancel`, or a whole result: `CompactionAnswer` |
| `session.compacting` | `compacting` | `Compacting` | `CompactingAnswer`: prompt, context lines, data to preserve |
| `session_compact` | `after_compact` | `AfterCompact` | nothing |
| `session_before_tree` | `before_tree` | `BeforeTree` | `Cancel`, or a summary: `BranchSummaryAnswer` |
| `session_tree` | `after_tree` | `AfterTree` | nothing |

An answer is one of these types, or a mapping with the same fields (`{"cancel": True}`, `{"compaction": {…}}`,
`{"summary": {…}}`, or the fields of a `CompactingAnswer`; camelCase as in session files, or snake_case). Nothing, or
an empty mapping, is no opinion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

import msgspec

from treering.cancel import CancelToken
from treering.compaction.branch import TreeMove
from treering.session.entries import Entry
from treering.session.messages import JsonObject, as_object
from treering.session.path import Path

EventName = Literal["before_compact", "compacting", "after_compact", "before_tree", "after_tree"]

EVENTS: dict[str, EventName] = {
    "session_before_compact": "before_compact",
    "session.compacting": "compacting",
    "session_compact": "after_compact",
    "session_before_tree": "before_tree",
    "session_tree": "after_tree",
}
"""The five events: the name in the specification → the name in Python."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What every hook is told.

    Attributes:
        path: the path that the operation works on, as it was before.
        reason: why: `manual`, `overflow`, `threshold`, `interval`; `tree` for a move in the tree.
        instructions: what the user asked of the summary.
        cancel: set when the user cancels; a hook that takes long should look at it.
    """

    path: Path
    reason: str
    instructions: str | None = None
    cancel: CancelToken


class BeforeCompact(HookEvent, frozen=True, kw_only=True):
    """A compaction is about to be made. `plan` tells what it replaces and what it keeps."""

    plan: Any


class Compacting(HookEvent, frozen=True, kw_only=True):
    """A summarizer is about to be asked."""

    plan: Any


class AfterCompact(HookEvent, frozen=True, kw_only=True):
    """A compaction was saved.

    Attributes:
        plan: what it replaced and what it keeps.
        entry: the saved entry.
        from_extension: whether a hook made it.
    """

    plan: Any
    entry: Entry
    from_extension: bool


class BeforeTree(HookEvent, frozen=True, kw_only=True):
    """The leaf is about to move.

    Attributes:
        plan: from where to where, and the entries that are left behind.
        summarize: whether a summary was asked for; only then a summary in the answer is used.
    """

    plan: TreeMove
    summarize: bool


class AfterTree(HookEvent, frozen=True, kw_only=True):
    """The leaf has moved.

    Attributes:
        plan: from where to where.
        new_leaf_id: where work goes on: the branch summary, or the record of the move.
        old_leaf_id: the leaf that was left.
        summary: the saved branch summary, if one was made.
        from_extension: whether a hook made the summary.
    """

    plan: TreeMove
    new_leaf_id: str | None
    old_leaf_id: str | None
    summary: Entry | None = None
    from_extension: bool = False


class Cancel(msgspec.Struct, frozen=True):
    """Answer: do not do it. All stays as it was; `reason` is told to the user."""

    reason: str = ""


class CompactionAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Answer: this whole compaction instead of the summarizer's. Stored with `fromExtension`, never repaired.

    Attributes:
        summary: the whole text, file tags included.
        first_kept_entry_id: the first entry that stays verbatim; it must be a valid cut.
        tokens_before: the size of the context before; as measured if left out.
        short_summary: two or three sentences for people.
        details: kept on the entry; `readFiles` and `modifiedFiles` must be lists of strings.
        preserve_data: kept on the entry as `preserveData`.
    """

    summary: str
    first_kept_entry_id: str
    tokens_before: int | None = None
    short_summary: str | None = None
    details: dict[str, Any] | None = None
    preserve_data: dict[str, Any] | None = None


class CompactingAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Answer: what to add to the request of a summary.

    Attributes:
        prompt: replaces the base prompt; of several the first wins.
        context: further context, one line each; those of several hooks add up.
        preserve_data: kept on the entry as `preserveData`; merged.
    """

    prompt: str | None = None
    context: tuple[str, ...] = ()
    preserve_data: dict[str, Any] | None = None


class BranchSummaryAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Answer: this summary of the branch that is left. Used only if one was asked for.

    Attributes:
        summary: the whole text.
        details: kept on the entry; `readFiles` and `modifiedFiles` must be lists of strings.
    """

    summary: str
    details: dict[str, Any] | None = None


class HookProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that went wrong with a hook. It is reported, and the default goes on.

    Attributes:
        event: during which event.
        hook: which hook.
        kind: it raised, took too long, answered nonsense, or decided otherwise than one before it.
        message: for people.
    """

    event: str
    hook: str
    kind: Literal["raised", "timed_out", "invalid", "conflict", "unavailable"]
    message: str

    def __str__(self) -> str:
        return f"hook {self.hook} ({self.event}): {self.message}"


A = TypeVar("A")


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What the hooks before an operation decided together.

    Attributes:
        answer: `Cancel`, a whole result, or None: go on as usual.
        hook: whose answer it is.
        problems: what went wrong on the way.
    """

    answer: Cancel | CompactionAnswer | BranchSummaryAnswer | None = None
    hook: str = ""
    problems: tuple[HookProblem, ...] = ()

    @property
    def cancel(self) -> Cancel | None:
        """The answer if it is to cancel."""
        return self.answer if isinstance(self.answer, Cancel) else None

    @property
    def compaction(self) -> CompactionAnswer | None:
        """The answer if it is a whole compaction."""
        return self.answer if isinstance(self.answer, CompactionAnswer) else None

    @property
    def branch_summary(self) -> BranchSummaryAnswer | None:
        """The answer if it is a branch summary."""
        return self.answer if isinstance(self.answer, BranchSummaryAnswer) else None


class Additions(msgspec.Struct, frozen=True, kw_only=True):
    """What the hooks of `session.compacting` add together; the fields as in `CompactingAnswer`."""

    prompt: str | None = None
    context: tuple[str, ...] = ()
    preserve_data: JsonObject | None = None
    problems: tuple[HookProblem, ...] = ()


class InvalidAnswerError(ValueError):
    """A hook's answer is none of those that its event knows."""


Answer = Cancel | CompactionAnswer | CompactingAnswer | BranchSummaryAnswer

_WHOLE: dict[str, tuple[str, type[CompactionAnswer | BranchSummaryAnswer]]] = {
    "before_compact": ("compaction", CompactionAnswer),
    "before_tree": ("summary", BranchSummaryAnswer),
}
"""Events whose answer may be a whole result: its key in a mapping, and its type."""


def read_answer(event: EventName, value: object) -> Answer | None:
    """The typed form of what a hook returned; None if it has no opinion.

    Raises:
        InvalidAnswerError: the event knows no such answer; the message says what it knows.
    """
    if event in {"after_compact", "after_tree"} or value is None:
        return None
    raw = as_object(value)
    if raw is not None:
        value = _from_mapping(event, raw)
        if value is None:
            return None
    if isinstance(value, Cancel) and event != "compacting":
        return value
    if event == "compacting":
        if isinstance(value, CompactingAnswer):
            return _check(event, value, CompactingAnswer)
    else:
        expected = _WHOLE[event][1]
        if isinstance(value, expected):
            return _check_whole(event, value, expected)
    raise InvalidAnswerError(f"it answered {type(value).__name__}; {_expectation(event)}")


def combine_decisions(event: EventName, answers: Sequence[tuple[str, Answer]]) -> Decision:
    """One decision from the answers of several hooks, in order: the first wins, a different later one is a conflict."""
    chosen: tuple[str, Answer] | None = None
    problems: list[HookProblem] = []
    for hook, answer in answers:
        if chosen is None:
            chosen = hook, answer
        elif answer != chosen[1]:
            message = f"it decided to {_verb(answer)}, but {chosen[0]} before it decided to {_verb(chosen[1])}"
            problems.append(HookProblem(event=event, hook=hook, kind="conflict", message=message))
    if chosen is None:
        return Decision()
    decided = cast("Cancel | CompactionAnswer | BranchSummaryAnswer", chosen[1])
    return Decision(answer=decided, hook=chosen[0], problems=tuple(problems))


def combine_additions(answers: Sequence[tuple[str, Answer]]) -> Additions:
    """One set of additions: the first prompt, all context lines, the data merged (the first value of a key wins)."""
    prompt: tuple[str, str] | None = None
    context: list[str] = []
    data: dict[str, Any] = {}
    owners: dict[str, str] = {}
    problems: list[HookProblem] = []

    def conflict(hook: str, message: str) -> None:
        problems.append(HookProblem(event="compacting", hook=hook, kind="conflict", message=message))

    for hook, answer in answers:
        assert isinstance(answer, CompactingAnswer)
        if answer.prompt:
            if prompt is None:
                prompt = hook, answer.prompt
            elif prompt[1] != answer.prompt:
                conflict(hook, f"it gave a prompt, but {prompt[0]} before it gave another one, which is used")
        context += [line for line in answer.context if line.strip()]
        for key, value in (answer.preserve_data or {}).items():
            if key not in data:
                data[key], owners[key] = value, hook
            elif data[key] != value:
                conflict(hook, f"it preserves {key!r}, but {owners[key]} before it does so with another value")
    return Additions(
        prompt=prompt[1] if prompt else None,
        context=tuple(context),
        preserve_data=data or None,
        problems=tuple(problems),
    )


Validate = Callable[[Any], str | None]
"""Judges a whole result: what is wrong with it, or None."""


def _from_mapping(event: EventName, raw: JsonObject) -> object:
    """A mapping as the type it stands for; None if it decides nothing."""
    if not raw:
        return None
    if event == "compacting":
        return _convert(event, raw, CompactingAnswer)
    whole_key, whole = _WHOLE[event]
    known = {"cancel", "reason", whole_key}
    if unknown := sorted(set(raw) - known):
        raise InvalidAnswerError(f"it answered with unknown fields {', '.join(unknown)}; {_expectation(event)}")
    cancel = raw.get("cancel", False)
    if not isinstance(cancel, bool):
        raise InvalidAnswerError(f"`cancel` is {cancel!r}; {_expectation(event)}")
    if cancel:
        if raw.get(whole_key) is not None:
            raise InvalidAnswerError(f"it answered both `cancel` and `{whole_key}`: give one")
        reason = raw.get("reason")
        return Cancel(reason if isinstance(reason, str) else "")
    result = raw.get(whole_key)
    if result is None or isinstance(result, whole):
        return result
    return _convert(event, as_object(result), whole)


def _convert(event: EventName, raw: JsonObject | None, kind: type[A]) -> A:
    if raw is None:
        raise InvalidAnswerError(_expectation(event))
    renamed = {_camel(key): value for key, value in raw.items()}
    try:
        return msgspec.convert(renamed, kind)
    except msgspec.ValidationError as error:
        raise InvalidAnswerError(f"{error}; {_expectation(event)}") from None


def _check(event: EventName, answer: A, kind: type[A]) -> A:
    """Fields of the right types: a struct that was made by hand has not been checked."""
    try:
        return msgspec.convert(msgspec.to_builtins(answer), kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidAnswerError(f"{error}; {_expectation(event)}") from None


def _check_whole(event: EventName, answer: CompactionAnswer | BranchSummaryAnswer, kind: type[Any]) -> Answer:
    checked = _check(event, answer, kind)
    if not checked.summary.strip():
        raise InvalidAnswerError("its summary is empty")
    for key in ("readFiles", "modifiedFiles"):
        files = (checked.details or {}).get(key, [])
        if not isinstance(files, list) or not all(isinstance(path, str) for path in cast("list[object]", files)):
            raise InvalidAnswerError(f"details.{key} must be a list of strings")
    nested = as_object((checked.details or {}).get("details"))
    if nested is not None and nested.keys() & {"readFiles", "modifiedFiles"}:
        raise InvalidAnswerError("its file lists lie in details.details: put them into details")
    return checked


def _verb(answer: Answer) -> str:
    return "cancel" if isinstance(answer, Cancel) else "give a summary of its own"


def _expectation(event: EventName) -> str:
    if event == "compacting":
        return "an answer to `compacting` has the fields prompt (a string), context (strings) and preserveData"
    key, kind = _WHOLE[event]
    return f"an answer to `{event}` is None, Cancel, {kind.__name__}, {{'cancel': True}} or {{{key!r}: {{…}}}}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
