"""What the assistant's last words say, and which question a short answer of the user answers."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import said

from treering.facts.fold import FactState, fold
from treering.facts.replies import reply_of, what_was_asked
from treering.facts.said import UserWords
from treering.tokens.estimate import estimate_text


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Fixed. The cache was never emptied.", "Fixed. The cache was never emptied."),
        ("## What I found\n\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("**Summary**\n- one thing\n\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("Let me look at it first.\n\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("- The loop ends one step too early", "- The loop ends one step too early"),
        ("Committed as `d0261b6`.", "Committed as `d0261b6`."),
        ("All tests pass.\n\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("All 12 tests pass and the linter reports no issues.", "All 12 tests pass and the linter reports no issues."),
        (
            "No - it still reads the old table:\n```go\nconst table = 1\n```\nSo it is.",
            "No - it still reads the old table:",
        ),
        (
            "No documentation. There is:\n- no page of it\n- no example",
            "No documentation. There is: no page of it; no example",
        ),
        (
            "**Before:** it read the header.\n\nIt reads the first log line now.",
            "It reads the first log line now.",
        ),
        ("```\nx = the loop ends early.\n```\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("Good, that's a nice result.\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("```\nThe loop ends one step too early.", "The loop ends one step too early."),
        ("Done.", ""),
        ("Noted and recorded.", ""),
        ("## Only a heading", ""),
        ("Shall I empty the cache of the loop as well?", ""),
        ("El bucle termina un paso antes de tiempo.", "El bucle termina un paso antes de tiempo."),
        ("循环提前一步就结束了，所以少了一行。", "循环提前一步就结束了，所以少了一行。"),
        ("लूप एक कदम पहले ख़त्म हो जाता है।", "लूप एक कदम पहले ख़त्म हो जाता है।"),
    ],
)
def test_the_outcome_is_the_first_sentence_that_says_what_came_of_it(text: str, outcome: str) -> None:
    reply = reply_of(text)
    assert (reply.outcome if reply else "") == outcome.removeprefix("- ")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("It works now. Shall I commit it to the branch?", "Shall I commit it to the branch?"),
        ("When should the list be printed, at noon or at night? I can do both.\n\nWhich one?",
         "When should the list be printed, at noon or at night? Which one?"),
        ("Is it late? No, it is not.", ""),
        ("¿Lo subo también a la otra rama del proyecto?", "¿Lo subo también a la otra rama del proyecto?"),
        ("要不要我也把它提交到另外一个分支？", "要不要我也把它提交到另外一个分支？"),
    ],
)  # fmt: skip
def test_the_question_is_the_one_at_the_end_and_says_what_about(text: str, question: str) -> None:
    reply = reply_of(text)
    assert reply
    assert reply.question == question


MENU = """Two ways are open:

| Option | |
|---|---|
| **A. At night** | Slow, but nobody waits. |
| **B. At once** | Needs a lock. |

1. Print it
2) Send it

Which one do you want?"""


def test_what_can_be_chosen_is_read_from_lists_and_tables() -> None:
    reply = reply_of(MENU)
    assert reply
    assert reply.options == ("A. At night", "B. At once", "1. Print it", "2. Send it")


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("A.", "Which one do you want? A. At night"),
        ("yes, let's go with b", "Which one do you want? B. At once"),
        ("i like option 2, it is what our readers are used to anyway", "Which one do you want? 2. Send it"),
        ("1", "Which one do you want? 1. Print it"),
        ("yes", "Which one do you want?"),
        ("ok, do that", "Which one do you want?"),
        ("sí, ese", "Which one do you want?"),
        ("go with a", "Which one do you want? A. At night"),
        ("go with a way that nobody at all has thought of before", ""),
        ("go with 2 printers, both of them in the hall upstairs", ""),
        ("A book about trains stands in the shelf of the hall.", ""),
        ("what do the two ways cost us?", ""),
        ("First tell me what the numbers of the last month were.", ""),
    ],
)
def test_a_short_answer_stands_with_its_question(answer: str, asked: str) -> None:
    state = fold(FactState(), [said("user", "make the list", 1), said("assistant", MENU, 2), said("user", answer, 3)])
    assert state.requests[-1].asked == asked
    halves = fold(fold(FactState(), [said("user", "make the list", 1), said("assistant", MENU, 2)]), [
        said("user", answer, 3)
    ])  # fmt: skip
    assert FactState.from_json(halves.to_json()).requests == state.requests


def test_a_notification_leaves_the_question_open() -> None:
    note = "<task-notification>\n<status>done</status>\n</task-notification>\nRead the result: /tmp/tasks/b1.output"
    messages = [
        said("user", "Make the tests run side by side.", 1),
        said("assistant", "It takes ten minutes. Shall I add the missing calls to the tests?", 2),
        said("user", note, 3),
        said("assistant", "That was the list of the calls, read already.", 4),
        said("user", "yep, add them", 5),
    ]
    assert fold(FactState(), messages).requests[-1].asked == "Shall I add the missing calls to the tests?"


def test_an_answer_that_picks_is_no_rule() -> None:
    menu = "**A.** Fail without a word\n**B.** Ask again\n\nWhich one do you want?"
    messages = [said("user", "go on", 1), said("assistant", menu, 2), said("user", "A. is fine, ensure we log", 3)]
    state = fold(FactState(), messages)
    assert not state.rules
    assert state.requests[-1].shown.endswith("A. Fail without a word → A. is fine, ensure we log")
    for answer in ("A. Also, never log the body.", "A\nFrom now on ask me before you push."):
        (rule,) = fold(FactState(), [*messages[:2], said("user", answer, 3)]).rules
        assert answer.endswith(rule.text), "what is said beside the answer may be one"


@pytest.mark.parametrize(
    ("request_", "question", "answer"),
    [
        ("yes", "Shall I sell the printer?", "yes"),
        ("Paint the fence green on Monday.", "One coat or two?", "Scratch that. One."),
        ("The rent is 500 euros.", "For both rooms?", "The rent is now 700 euros. Yes."),
    ],
)
def test_what_is_answered_is_the_last_question_even_if_its_request_goes(
    request_: str, question: str, answer: str
) -> None:
    messages = [
        said("user", "Make the list of all books.", 1),
        said("assistant", "Done.\nShall I print it?", 2),
        said("user", request_, 3),
        said("assistant", f"Noted.\n{question}", 4),
        said("user", answer, 5),
    ]
    last = fold(FactState(), messages).requests[-1]
    assert last.shown == f"{question} → {answer}"
    assert not last.again, "another question was answered"


def test_a_question_with_a_value_that_was_changed_since_is_not_repeated() -> None:
    messages = [
        said("user", "The port of the server is 48080.", 1),
        said("assistant", "Shall the server listen on port 48080 in the tests as well?", 2),
        said("user", "yes", 3),
        said("assistant", "It listens there in the tests now.", 4),
        said("user", "The port of the server is 49090.", 5),
        said("assistant", "I changed the port of the server everywhere.", 6),
        said("user", "Then write the notes.", 7),
    ]
    chosen = UserWords(fold(FactState(), messages), estimate_text).choose(400)
    assert not any("48080" in request.shown for request in chosen.requests)


def test_a_long_question_is_shortened_from_its_front() -> None:
    question = f"After all that was said about {'very ' * 40}many things, shall the printer be sold?"
    asked = what_was_asked("yes", question, ())
    assert asked.startswith("… ")
    assert asked.endswith("shall the printer be sold?")
    assert len(asked) < 150
