"""The fold of facts: pieces and whole agree, the state is bounded and survives its JSON form."""

from __future__ import annotations

import base64
import json
import random
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts.fact_parts import answered, called, said

from treering.compaction.summarizer import SpanMessage
from treering.facts.fold import FactState, fold
from treering.facts.replies import MAX_OPTIONS
from treering.facts.state import MAX_JSON_BYTES
from treering.session.messages import decode_message


def real(shared: Path, name: str) -> list[SpanMessage]:
    lines = (shared / "sessions" / "pi" / name).read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    return [SpanMessage(e["id"], decode_message(e["message"])) for e in entries if e["type"] == "message"]


WORDS = st.sampled_from(
    [
        "handleTurnEnd",
        "src/app_main.py",
        "4711",
        "never",
        "push",
        "the",
        "parser_state",
        "MAX_SIZE",
        "is",
        "now",
        "not",
        "port",
        "8080.",
        "9090.",
        "let's do that.",
        "scratch all of this.",
        "？",
        "Which one?",
        "\nA. the first",
        "\nB. the second",
        "yes, A",
    ]
)
TEXT = st.lists(WORDS, max_size=25).map(" ".join)
MESSAGES = st.one_of(
    st.builds(said, st.sampled_from(["user", "assistant", "custom", "developer"]), TEXT, st.integers(0, 9)),
    st.builds(lambda command, number: called("Bash", {"command": command}, number), TEXT, st.integers(0, 9)),
    st.builds(
        lambda path, new, number: called("Edit", {"file_path": path, "new_string": new}, number),
        st.sampled_from(["a.py", "/w/b.py", "c/d.go"]),
        TEXT,
        st.integers(0, 9),
    ),
    st.builds(lambda text, number, error: answered(text, number, error=error), TEXT, st.integers(0, 9), st.booleans()),
)


@given(st.lists(MESSAGES, max_size=20), st.integers(0, 20))
@settings(max_examples=150, deadline=None)
def test_folding_in_pieces_is_folding_at_once(messages: list[SpanMessage], at: int) -> None:
    whole = fold(FactState(), messages, cwd="/w")
    assert fold(fold(FactState(), messages[:at], cwd="/w"), messages[at:], cwd="/w") == whole
    carried = FactState.from_json(msgspec.json.decode(msgspec.json.encode(whole.to_json())))
    assert carried == whole


def test_the_state_is_bounded_in_any_script_and_rules_stay() -> None:
    dice = random.Random(1)
    rule = "不要修改配置文件。"
    messages = [said("user", rule, 0)]
    messages += [
        said("user", "".join(chr(dice.randrange(0x4E00, 0x9FFF)) for _ in range(600)) + "。", number)
        for number in range(1, 90)
    ]
    state = fold(FactState(), messages)
    packed = state.to_json()
    assert len(json.dumps(packed)) <= MAX_JSON_BYTES + 100
    carried = FactState.from_json(packed)
    assert [kept.text for kept in carried.rules] == [rule]
    assert carried.requests[0] == state.requests[0]
    assert carried.requests[-1] == state.requests[-1]


def test_answers_and_what_there_was_to_choose_fold_in_pieces_too() -> None:
    """Random words rarely make them."""
    menu = "\n".join(f"{number}. Take the way of the number {number}" for number in range(1, MAX_OPTIONS + 3))
    messages = [
        said("user", "Make the list of all books.", 1),
        said("assistant", f"There are some ways.\n{menu}\nWhich one?", 2),
        said("user", "7", 3),
        said("assistant", "Done.\nShall I print it?", 4),
        said("user", "yes", 5),
        said("assistant", "Done.\nShall I send it?", 6),
        said("user", "yes", 7),
    ]
    whole = fold(FactState(), messages)
    assert [request.asked for request in whole.requests][-1] == "Shall I send it?"
    for at in range(len(messages)):
        first = FactState.from_json(fold(FactState(), messages[:at]).to_json())
        assert fold(first, messages[at:]) == whole


def test_a_state_of_the_version_before_is_read() -> None:
    old = {
        "clock": 60, "messages": 6, "turn": 2,
        "requests": [[["Fix it."], "e1", 15, 1, "", "", "Shall I push it?", False]],
        "errors": [["1 failed", "r4", 45, "pytest -q"]],
    }  # fmt: skip
    packed = base64.b85encode(zlib.compress(msgspec.json.encode(old))).decode()
    state = FactState.from_json({"format": 1, "packed": packed})
    (error,) = state.errors
    assert not error.slip
    later = fold(state, [said("user", "yes", 7)])
    assert later.requests[-1].shown == "Shall I push it? → yes"


@pytest.mark.parametrize("name", ["real-02210dc3.v3.jsonl", "real-8f534908.v3.jsonl"])
def test_a_real_session_folds_the_same_in_any_pieces(shared: Path, name: str) -> None:
    messages = real(shared, name)
    whole = fold(FactState(), messages)
    state = FactState()
    for start in range(0, len(messages), 37):
        state = fold(state, messages[start : start + 37])
    assert state == whole
    assert len(json.dumps(whole.to_json())) <= MAX_JSON_BYTES + 100


@pytest.mark.parametrize("damaged", [None, 3, "x", [], {}, {"format": 99}, {"format": 1}, {"format": 1, "packed": "!"}])
def test_damaged_json_gives_an_empty_state(damaged: object) -> None:
    assert FactState.from_json(damaged) == FactState()
