"""The size of a session's context: what a compaction and a prune change in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from treering.session.records import PRUNE, record
from treering.session.tree import Session
from treering.testing.trees import Tree, session_trees
from treering.tokens.estimate import estimate_message, estimate_text
from treering.tokens.measuring import context_calibration, context_size
from treering.tokens.usage import Calibration


def user(text: str = "Go on.") -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": text}}


def answer(total: int, *calls: str) -> dict[str, Any]:
    content: list[Any] = [{"type": "toolCall", "id": call, "name": "bash", "arguments": {}} for call in calls]
    usage = {"totalTokens": total}
    message = {"role": "assistant", "content": content, "usage": usage, "stopReason": "toolUse" if calls else "stop"}
    return {"type": "message", "message": message}


def result(call: str, output: str) -> dict[str, Any]:
    content = [{"type": "text", "text": output}]
    return {"type": "message", "message": {"role": "toolResult", "toolCallId": call, "content": content}}


def estimates(session: Session) -> int:
    return sum(estimate_message(item.message) for item in session.context())


def test_a_prune_after_the_usage_is_taken_off_and_one_before_is_not() -> None:
    session = Session.in_memory()
    ids = [entry.id for entry in session.append(user(), answer(900, "a"), result("a", "word " * 8000)).entries]
    session.append(answer(60_000))
    assert context_size(session.context()).tokens == 60_000
    before = estimates(session)
    session.append(record(PRUNE, results={ids[2]: 8000}))
    saved = before - estimates(session)
    assert saved > 7000
    assert context_size(session.context()).tokens == 60_000 - saved
    session.append(user(), answer(53_000))
    assert context_size(session.context()).tokens == 53_000


def test_usage_before_a_compaction_says_nothing_about_what_is_kept() -> None:
    session = Session.in_memory()
    session.append(user("word " * 50_000), answer(190_000), user())
    kept = session.append(answer(195_000)).id
    session.append({"type": "compaction", "summary": "Short.", "firstKeptEntryId": kept, "tokensBefore": 195_000})
    size = context_size(session.context())
    assert size.anchor is None
    assert size.tokens == estimates(session) < 100
    session.append(user(), answer(9000))
    assert context_size(session.context()).tokens == 9000


def test_calibration_is_carried_over_a_compaction() -> None:
    session = Session.in_memory()
    turn = estimate_text("word " * 6000)
    for n in range(1, 6):
        session.append(user("word " * 6000), answer(10_000 + round(1.5 * n * turn)))
    learnt = context_calibration(session.context())
    assert learnt.factor == pytest.approx(1.5, abs=0.05)
    assert learnt.overhead == pytest.approx(10_000, abs=500)
    details = {
        "treering": {"calibration": {"factor": learnt.factor, "overhead": learnt.overhead, "pairs": learnt.pairs}}
    }
    kept = session.append(user()).id
    session.append(
        {"type": "compaction", "summary": "S.", "firstKeptEntryId": kept, "tokensBefore": 1, "details": details}
    )
    context = session.context()
    assert context_calibration(context) == learnt
    assert (
        context_size(context, calibration=learnt).tokens == round(learnt.factor * estimates(session)) + learnt.overhead
    )
    assert context_calibration(context, overhead=5) == Calibration(learnt.factor, 5, learnt.pairs)


@settings(suppress_health_check=list(HealthCheck))
@given(session_trees(), st.integers(0, 5000))
def test_any_session_has_a_size(tree: Tree, overhead: int) -> None:
    context = tree.open().context()
    calibration = context_calibration(context, overhead=overhead)
    size = context_size(context, calibration=calibration, overhead=overhead)
    assert size.estimate == sum(estimate_message(item.message) for item in context)
    assert size.tokens >= overhead
