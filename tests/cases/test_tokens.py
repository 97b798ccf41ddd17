"""Group C of CASES: token accounting. Those that need a trigger or a whole compaction are with the operations."""

from __future__ import annotations

from typing import Any

import toktok

from treering.session.llm import to_llm
from treering.session.messages import decode_message
from treering.session.tree import Session
from treering.tokens.estimate import estimate_message, estimate_text
from treering.tokens.measuring import context_size
from treering.tokens.sizes import entry_tokens
from treering.tokens.usage import context_tokens, usage_tokens


def user(text: str = "Go on.") -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": text}}


def answer(total: int, stop: str = "stop", **fields: Any) -> dict[str, Any]:
    usage = {"input": total, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": total}
    content = [{"type": "text", "text": "Done."}]
    return {"type": "message", "message": {"role": "assistant", "content": content, "usage": usage, "stopReason": stop}}


def compaction(kept: str, **fields: Any) -> dict[str, Any]:
    return {"type": "compaction", "summary": "S.", "firstKeptEntryId": kept, "tokensBefore": 195_000, **fields}


def test_tok_1_usage_made_before_the_compaction_is_stale() -> None:
    session = Session.in_memory()
    session.append(user(), answer(190_000), user())
    kept = session.append(answer(195_000)).id
    session.append(compaction(kept))
    for _ in range(2):  # a second check must not fire either
        assert context_size(session.context()).tokens < 100
    session.append(user("And now?"))
    assert context_size(session.context()).tokens < 100
    # mid-run: the answer that a compaction let through is newer than it
    session.append(answer(7000, "toolUse"))
    assert context_size(session.context()).tokens == 7000


def test_tok_1_an_older_compaction_in_the_kept_part_changes_nothing() -> None:
    session = Session.in_memory()
    first = session.append(user()).id
    session.append(answer(150_000), compaction(first), user())
    kept = session.append(answer(180_000)).id
    session.append(user(), compaction(kept))
    assert context_size(session.context()).anchor is None


def test_tok_2_a_failed_compaction_does_not_zero_usage() -> None:
    session = Session.in_memory()
    session.append(user(), answer(150_000))
    session.append({"type": "custom", "customType": "treering.attempt", "data": {"version": 1, "outcome": "failed"}})
    session.append(user(), answer(0, "error"))
    assert context_size(session.context()).tokens >= 150_000


def test_tok_4_the_newest_count_alone_is_the_size() -> None:
    messages = [decode_message(entry["message"]) for n in (10, 20, 30) for entry in (user(), answer(n * 1000))]
    assert context_tokens(messages).tokens == 30_000


def test_tok_6_system_prompt_and_tools_count() -> None:
    messages = [decode_message({"role": "user", "content": "word " * 60_000})]
    assert context_tokens(messages, overhead=40_000).tokens >= 0.9 * 100_000


def test_tok_7_usage_survives_saving_and_is_no_message_size(tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    with Session.create(path) as session:
        session.append(user(), answer(150_000))
    with Session.open(path) as session:
        context = session.context()
        assert usage_tokens(context.messages[-1].message) == 150_000
        assert context_size(context).tokens == 150_000
        assert entry_tokens(context.messages[-1].entry) < 100


def test_tok_9_chinese_is_not_four_characters_a_token() -> None:
    text = "会话越来越长的时候我们把旧的历史压缩成一个摘要而不丢失任何东西" * 10
    assert 96 <= estimate_text(text[:160]) <= 160
    assert abs(estimate_text(text) / toktok.batch_count([text], "o200k_base")[0] - 1) <= 0.25
    # the trigger and the cut use one estimator
    message = decode_message({"role": "user", "content": text})
    assert context_tokens([message]).tokens == estimate_message(message)


def test_tok_11_the_summary_call_is_not_the_context() -> None:
    session = Session.in_memory()
    kept = session.append(user()).id
    usage = {"input": 180_000, "output": 2000, "totalTokens": 182_000}
    session.append(compaction(kept, usage=usage, details={"treering": {"usage": usage}}))
    size = context_size(session.context())
    assert size.anchor is None
    assert size.tokens < 100


def test_tok_12_the_words_around_a_summary_count() -> None:
    session = Session.in_memory()
    kept = session.append(user()).id
    session.append(compaction(kept), user(), {"type": "branch_summary", "summary": "S.", "fromId": kept})
    session.append({"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "a"}})
    context = session.context()
    sent = [item.message.text for item in to_llm(context)]
    assert len(sent) == len(context)
    for item, text in zip(context, sent, strict=True):
        assert entry_tokens(item.entry) >= estimate_text(text)
