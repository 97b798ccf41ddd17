"""CASES group A: calls and results stay together, and every request is one that a provider accepts.

PAIR-1, -2, -4, -5, -6, -8 stand by drawings in tests/compaction/test_plan.py and tests/session/test_llm.py; here are
those that need a compaction of a whole session, or chat messages.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.sketch import draw, extend

from treering.fitting import fit
from treering.operations.compact import compact_sync
from treering.session.llm import to_llm
from treering.session.tree import Session
from treering.session.validity import check_messages
from treering.settings import CompactionSettings, Settings


def small(keep: int = 100) -> Settings:
    return Settings(compaction=CompactionSettings(keep_recent_tokens=keep, summary_tokens=400))


def request(session: Session) -> list[str]:
    sent = [item.message for item in to_llm(session.context())]
    assert check_messages(sent) == []
    return [f"{message.role}({message.tool_call_id})" if message.tool_call_id else message.role for message in sent]


def test_pair_1_two_compactions_with_a_call_in_flight() -> None:
    session = draw("U*300 A*300 U*50 A[t1]*50")
    compact_sync(session, settings=small())
    extend(session, "R(t1)*50 A*300 U*300 A*300 U*20 A*20")
    compact_sync(session, settings=small())
    assert "toolResult(t1)" not in request(session)
    extend(session, "A[t2]*10 R(t2)*10 A*10")
    assert request(session)[-3:] == ["assistant", "toolResult(t2)", "assistant"]


def test_pair_4_a_call_that_never_gets_its_result_freezes_nothing() -> None:
    session = draw("U*50 A[dead]*50 U*300 A*300")
    sizes: list[int] = []
    for _ in range(4):
        extend(session, "U*300 A*300 U*20 A*20")
        result = compact_sync(session, settings=small())
        assert result.outcome == "applied"
        sizes.append(result.tokens_after or 0)
    assert max(sizes) < 1000


def test_pair_5_an_answer_to_a_confirmation_finds_its_call() -> None:
    session = draw("U*50 A*50 U*50 A[confirm:c1]*50 " + "U*50 A*50 " * 9)
    compact_sync(session, settings=small(300), pending_calls={"c1"})
    extend(session, "R(confirm:c1)=yes")
    assert "toolResult(c1)" in request(session)
    sent = [item.message for item in to_llm(session.context())]
    assert "yes" in next(message.text for message in sent if message.tool_call_id == "c1")


def test_a_result_of_a_call_that_was_summarised_as_open_arrives_as_a_note() -> None:
    session = draw("U*50 A[job:c1]*50 U*1500 A*1500 U*50 A*50")
    result = compact_sync(session, settings=small(), window=3000, pending_calls={"c1"})
    assert result.open_calls == ("c1",)
    assert "job (c1), still running" in (result.summary or "")
    extend(session, "R(job:c1)=the_numbers")
    sent = [item.message for item in to_llm(session.context())]
    assert check_messages(sent) == []
    assert sent[-1].role == "user"
    assert "the numbers" in sent[-1].text


def test_pair_12_stand_ins_are_made_from_the_rebuilt_path_only() -> None:
    session = draw("U*300 A[t1]*300 U*300 A*300 U*20 A*20")
    compact_sync(session, settings=small())
    extend(session, "A[t2]*10")
    assert request(session)[-2:] == ["assistant", "toolResult(t2)"]
    assert "toolResult(t1)" not in request(session)


def chat(*rounds: tuple[str, str]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for call_id, filler in rounds:
        use = {"type": "tool_use", "id": call_id, "name": "bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": filler}
        messages += [
            {"role": "user", "content": "go on with it"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result, {"type": "text", "text": f"and note {call_id}"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "noted"}]},
        ]
    return messages


@pytest.mark.parametrize("window", range(3000, 9000, 500))
def test_pair_14_a_user_message_with_text_and_a_result_never_keeps_an_orphan(window: int) -> None:
    fitted = fit(chat(*[(f"t{number}", "word " * 200) for number in range(40)]), window=window)
    calls = {block["id"] for message in fitted for block in blocks(message) if block["type"] == "tool_use"}
    results = {
        block["tool_use_id"] for message in fitted for block in blocks(message) if block["type"] == "tool_result"
    }
    assert calls == results


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["content"] if isinstance(message["content"], list) else []


def test_pair_15_results_of_parallel_calls_stay_together() -> None:
    assert request(draw("U A[t1,t2,t3] R(t3) R(t1) R(t2) A"))[2:5] == [
        "toolResult(t3)",
        "toolResult(t1)",
        "toolResult(t2)",
    ]


def test_pair_17_a_system_message_in_front_hides_no_orphan() -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "be careful"}]
    for number in range(60):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": "go on"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "word " * 150},
            {"role": "assistant", "content": "done"},
        ]
    fitted = fit(messages, window=6000)
    assert [message["role"] for message in fitted[:2]] == ["system", "user"]
    calls = [call["id"] for message in fitted for call in message.get("tool_calls") or []]
    assert [message["tool_call_id"] for message in fitted if message["role"] == "tool"] == calls


def test_pair_22_if_nothing_but_the_summary_is_left_it_is_a_users_message() -> None:
    session = draw("U A C(k=2)=all_of_it")
    assert request(session) == ["user"]


def test_pair_24_a_second_compaction_of_one_state_does_nothing() -> None:
    session = draw("U*300 A*300 U*300 A*300 U*20 A*20")
    assert compact_sync(session, settings=small()).outcome == "applied"
    extend(session, "M=continue")
    again = compact_sync(session, settings=small())
    assert again.outcome == "skipped"
    assert request(session)[0] == "user"


def test_pair_25_no_pair_makes_compaction_refuse() -> None:
    session = draw("U*100 " + "A[a,b,c]*50 R(c)*50 R(a)*50 R(b)*50 " * 20 + "A*20")
    result = compact_sync(session, settings=small(300))
    assert result.outcome == "applied"
    request(session)
