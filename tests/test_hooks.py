"""Hooks: each answer of SPEC §12, and what becomes of a hook that cancels, replaces, raises or hangs."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from treering.cancel import CancelToken, OperationCancelledError
from treering.compaction.branch import TreeMove
from treering.errors import SettingsError
from treering.hooks import (
    AfterTree,
    BeforeCompact,
    BeforeTree,
    BranchSummaryAnswer,
    Cancel,
    Compacting,
    CompactingAnswer,
    CompactionAnswer,
    Hooks,
)
from treering.session.path import Path
from treering.waiting import Blocking, Concurrent, run_blocking

WAYS = ["blocking", "concurrent"]


def before(token=None):
    return BeforeCompact(path=Path(()), reason="manual", cancel=token or CancelToken(), plan="the plan")


def compacting():
    return Compacting(path=Path(()), reason="manual", cancel=CancelToken(), plan="the plan")


def before_tree():
    move = TreeMove(target_id="a", old_leaf_id="b", new_leaf_id="a", ancestor_id="a")
    return BeforeTree(path=Path(()), reason="tree", cancel=CancelToken(), plan=move, summarize=True)


def run(way, method, *arguments, **keywords):
    """A dispatch, without an event loop or inside one."""
    if way == "blocking":
        return run_blocking(method(*arguments, Blocking(), **keywords))
    return asyncio.run(method(*arguments, Concurrent(), **keywords))


def hooks_answering(event, *answers):
    hooks = Hooks(timeout=5)
    for number, answer in enumerate(answers):
        hooks.on(event, name=f"hook{number}")(lambda _, answer=answer: answer)
    return hooks


WHOLE = CompactionAnswer(summary="all of it", first_kept_entry_id="k1")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("answers", "expected", "problems"),
    [
        ([], None, []),
        ([None, {}, {"cancel": False}, {"compaction": None}], None, []),
        ([Cancel("no")], Cancel("no"), []),
        ([{"cancel": True, "reason": "no"}], Cancel("no"), []),
        ([WHOLE], WHOLE, []),
        ([{"compaction": {"summary": "all of it", "firstKeptEntryId": "k1"}}], WHOLE, []),
        ([{"compaction": {"summary": "all of it", "first_kept_entry_id": "k1"}}], WHOLE, []),
        ([None, WHOLE, WHOLE], WHOLE, []),
        ([WHOLE, Cancel()], WHOLE, [("hook1", "conflict")]),
        ([Cancel(), None, WHOLE], Cancel(), [("hook2", "conflict")]),
        (["a text", WHOLE], WHOLE, [("hook0", "invalid")]),
        ([{"cancel": "yes"}], None, [("hook0", "invalid")]),
        ([{"compaction": "a text"}], None, [("hook0", "invalid")]),
        ([{"compaction": {"summary": "s"}}], None, [("hook0", "invalid")]),
        ([{"compaction": {"summary": " \n", "firstKeptEntryId": "k1"}}], None, [("hook0", "invalid")]),
        ([{"canel": True}], None, [("hook0", "invalid")]),
        ([{"cancel": True, "compaction": {"summary": "s", "firstKeptEntryId": "k1"}}], None, [("hook0", "invalid")]),
        ([CompactionAnswer(summary=7, first_kept_entry_id="k1")], None, [("hook0", "invalid")]),  # type: ignore[arg-type]
        ([CompactingAnswer(prompt="p")], None, [("hook0", "invalid")]),
        (
            [{"compaction": {"summary": "s", "firstKeptEntryId": "k1", "details": {"readFiles": "a.py"}}}],
            None,
            [("hook0", "invalid")],
        ),
        (  # CASES UX-5
            [{"compaction": {"summary": "s", "firstKeptEntryId": "k1", "details": {"details": {"readFiles": []}}}}],
            None,
            [("hook0", "invalid")],
        ),
    ],
)
def test_decisions_before_a_compaction(way, answers, expected, problems):
    decision = run(way, hooks_answering("session_before_compact", *answers).before_compact, before())
    assert decision.answer == expected
    assert [(problem.hook, problem.kind) for problem in decision.problems] == problems


@pytest.mark.parametrize("way", WAYS)
def test_additions_to_a_request(way):
    hooks = hooks_answering(
        "session.compacting",
        {"context": ["one", " "], "preserveData": {"a": 1}},
        CompactingAnswer(prompt="first", context=("two",), preserve_data={"a": 1, "b": 2}),
        {"prompt": "second", "context": ["three"], "preserve_data": {"a": 3}},
        {},
        Cancel(),
        {"context": "not a list"},
    )
    additions = run(way, hooks.compacting, compacting())
    assert additions.prompt == "first"
    assert additions.context == ("one", "two", "three")
    assert additions.preserve_data == {"a": 1, "b": 2}
    assert sorted((problem.hook, problem.kind) for problem in additions.problems) == [
        ("hook2", "conflict"),
        ("hook2", "conflict"),
        ("hook4", "invalid"),
        ("hook5", "invalid"),
    ]


@pytest.mark.parametrize("way", WAYS)
def test_decisions_before_a_move(way):
    hooks = hooks_answering("before_tree", {"summary": {"summary": "left", "details": {"readFiles": ["a"]}}})
    decision = run(way, hooks.before_tree, before_tree())
    assert decision.branch_summary == BranchSummaryAnswer(summary="left", details={"readFiles": ["a"]})
    assert not decision.cancel
    assert not decision.compaction


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_what_a_hook_raises_is_reported_and_the_next_one_is_asked(way, kind, caplog):
    hooks = Hooks()

    def broken(event):
        raise OSError("disk on fire")

    async def broken_async(event):
        raise OSError("disk on fire")

    hooks.on("before_compact", name="broken")(broken if kind == "plain" else broken_async)
    hooks.on("before_compact")(lambda event: WHOLE)
    with caplog.at_level(logging.WARNING, "treering"):
        decision = run(way, hooks.before_compact, before())
    assert decision.compaction == WHOLE
    assert [problem.kind for problem in decision.problems] == ["raised"]
    assert "OSError: disk on fire" in caplog.text
    assert "broken" in caplog.text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "error", [SystemExit(3), asyncio.CancelledError(), OperationCancelledError("no"), TimeoutError()]
)
def test_a_hook_cannot_end_the_program_or_pretend_that_the_user_cancelled(way, error):
    hooks = Hooks()

    @hooks.on("before_compact")
    async def leave(event):
        raise error

    decision = run(way, hooks.before_compact, before())
    assert decision.answer is None
    assert len(decision.problems) == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_a_hook_that_hangs_is_left_alone(way, kind):
    release = threading.Event()
    hooks = Hooks(timeout=0.05)

    def hang(event):
        release.wait(30)

    async def hang_async(event):
        await asyncio.sleep(30)

    hooks.on("before_compact", name="slow")(hang if kind == "plain" else hang_async)
    hooks.on("before_compact")(lambda event: Cancel("asked"))
    try:
        decision = run(way, hooks.before_compact, before())
    finally:
        release.set()
    assert decision.cancel == Cancel("asked")
    assert [(problem.hook, problem.kind) for problem in decision.problems] == [("slow", "timed_out")]


def test_a_hook_has_thirty_seconds():
    assert Hooks().timeout == 30.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_cancelling_ends_the_wait_for_a_hook(way, kind):
    token, release = CancelToken(), threading.Event()
    hooks = Hooks()

    def hang(event):
        token.cancel()
        release.wait(30)

    async def hang_async(event):
        token.cancel()
        await asyncio.sleep(30)

    hooks.on("before_compact")(hang if kind == "plain" else hang_async)
    try:
        with pytest.raises(OperationCancelledError):
            run(way, hooks.before_compact, before(token))
    finally:
        release.set()


async def test_a_plain_hook_does_not_stop_the_event_loop():
    beats, hooks = [], Hooks()

    @hooks.on("before_compact")
    def wait_for_beats(event):
        while len(beats) < 3:
            time.sleep(0.001)

    async def beat():
        while True:
            beats.append(1)
            await asyncio.sleep(0)

    heart = asyncio.create_task(beat())
    assert not (await hooks.before_compact(before())).problems
    heart.cancel()


async def test_hooks_work_in_a_blocking_operation_inside_a_running_loop():
    hooks = Hooks()

    @hooks.on("before_compact")
    async def answer(event):
        await asyncio.sleep(0)
        return Cancel()

    assert run_blocking(hooks.before_compact(before(), Blocking())).cancel


@pytest.mark.parametrize("way", WAYS)
def test_hooks_are_asked_in_order_and_told_what_there_is(way):
    seen = []
    module = SimpleNamespace(
        __name__="plugin",
        before_compact=lambda event: seen.append(("module", event.plan, event.reason, event.path, event.cancel)),
        after_tree=lambda event: seen.append(("after", event.new_leaf_id, event.old_leaf_id, event.summary)),
    )
    hooks = Hooks(module)

    @hooks.on("session_before_compact")
    async def second(event):
        seen.append("second")

    event = before()
    run(way, hooks.before_compact, event)
    move = before_tree().plan
    after = AfterTree(path=Path(()), reason="tree", cancel=event.cancel, plan=move, new_leaf_id="n", old_leaf_id="b")
    assert run(way, hooks.after_tree, after) == ()
    assert seen == [("module", "the plan", "manual", event.path, event.cancel), "second", ("after", "n", "b", None)]


@pytest.mark.parametrize("way", WAYS)
def test_an_operation_judges_whole_results(way):
    hooks = hooks_answering("before_compact", {"compaction": {"summary": "s", "firstKeptEntryId": "mid-batch"}}, WHOLE)

    def validate(answer):
        return None if answer.first_kept_entry_id == "k1" else "its first kept entry is no valid cut"

    decision = run(way, hooks.before_compact, before(), validate=validate)
    assert decision.compaction == WHOLE
    assert "no valid cut" in decision.problems[0].message


def test_a_provider_without_hooks_and_an_unknown_event_are_errors():
    with pytest.raises(SettingsError, match=r"Empty.* has no hook"):
        Hooks(type("Empty", (), {})())
    with pytest.raises(SettingsError, match="before_compat"):
        Hooks().on("before_compat")


def test_plain_hooks_need_no_event_loop():
    program = """
import sys
from treering.hooks import BeforeCompact, Cancel, CancelToken, Hooks
from treering.session.path import Path
from treering.waiting import Blocking, run_blocking
hooks = Hooks()
hooks.on("before_compact")(lambda event: Cancel("no"))
event = BeforeCompact(path=Path(()), reason="manual", cancel=CancelToken(), plan=None)
assert run_blocking(hooks.before_compact(event, Blocking())).cancel
assert "asyncio" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
