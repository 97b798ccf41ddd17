"""Prompts of other agents, read back: the conversation with its authors, calls and results."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asked import WORK, message
from treering.compaction.transcript import render_messages, transcript
from treering.session.messages import Message
from treering.summarizers.parsing import parse_prompt


def roles(messages: list[Message]) -> list[str]:
    return [item.role for item in messages]


def test_our_own_transcript_comes_back() -> None:
    span = (
        *WORK,
        message("bashExecution", command="make", output="boom", exitCode=2),
        message("toolResult", "no such file", toolName="read", toolCallId="x", isError=True),
        message("branchSummary", summary="tried B"),
    )
    text = transcript(render_messages(item.message for item in span))
    prompt = (
        f"<conversation>\n{text}\n</conversation>\n\n<previous-summary>\nearlier\n</previous-summary>\n\nSummarise."
    )
    found = parse_prompt(prompt, budget=900)
    messages = [item.message for item in found.history]
    assert roles(messages) == [
        "user", "assistant", "assistant", "assistant", "toolResult", "assistant", "bashExecution", "toolResult",
        "branchSummary",
    ]  # fmt: skip
    assert messages[0].text == "Fix the parser in src/parser.py. Never touch the tests."
    assert messages[3].tool_calls[0].name == "read"
    assert messages[3].tool_calls[0].arguments == {"path": "src/parser.py"}
    assert messages[4].tool_name == "read"
    assert messages[6].raw["command"] == "make"
    assert messages[6].is_error
    assert messages[7].is_error
    assert found.previous_summary == "earlier"
    assert found.budget == 900
    assert any("Never touch the tests" in rule.text for rule in found.facts.rules)


def test_labels_in_brackets_are_read() -> None:
    text = (
        "[User]: Fix the parser.\nNever touch build/.\n\n[Assistant thinking]: hm\n\n[Assistant]: I look.\n\n"
        '[Assistant tool calls]: read(path="src/a.py", limit=20); bash(command="make x=1 y=2")\n\n[Tool result]: ok'
    )
    messages = [item.message for item in parse_prompt(f"<conversation>\n{text}\n</conversation>", budget=1).history]
    assert roles(messages) == ["user", "assistant", "assistant", "assistant", "assistant", "toolResult"]
    assert messages[0].text == "Fix the parser.\nNever touch build/."
    assert messages[3].tool_calls[0].arguments == {"path": "src/a.py", "limit": 20}
    assert messages[4].tool_calls[0].name == "bash"
    assert "make x=1 y=2" in str(messages[4].tool_calls[0].arguments)


def test_a_text_of_no_known_form_is_the_users() -> None:
    (only,) = parse_prompt("Please summarise: we built a parser.", budget=1).history
    assert only.message.role == "user"


@given(st.text(alphabet='ab[]():="; \n<>/', max_size=300))
def test_nothing_breaks_it(text: str) -> None:
    parse_prompt(f"<conversation>\n[Assistant tool calls]: {text}\n</conversation>", budget=10)
    parse_prompt(f"<conversation>\nThe assistant used the tool x:\n{text}\n</conversation>", budget=10)
    parse_prompt(text, budget=10)
