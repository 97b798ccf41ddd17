"""Standing rules of the user: found in several languages, withdrawn, changed."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import said

from treering.facts.fold import FactState, fold
from treering.facts.rules import is_rule
from treering.facts.values import statement_of, supersedes


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "please don't touch the generated files",
        "Only Python 3.11.",
        "Always run the linter before you commit.",
        "I prefer tabs.",
        "Nunca subas a main.",
        "Usa siempre comillas dobles.",
        "कभी भी main पर push मत करो।",
        "हमेशा हिंदी में जवाब दो।",
        "不要修改配置文件。",
        "提交前必须运行测试。",
    ],
)
def test_rules_are_found(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence", ["Should we never push?", "the tests pass", "¿siempre?", "可以不要吗？", "look at it"]
)
def test_what_is_no_rule(sentence: str) -> None:
    assert not is_rule(sentence)


def rules_after(*texts: str) -> list[str]:
    state = fold(FactState(), [said("user", text, number) for number, text in enumerate(texts)])
    return [rule.text for rule in state.rules]


def test_a_rule_is_kept_word_for_word_until_it_is_withdrawn() -> None:
    rule = "Never change files in the vendor folder."
    assert rules_after(rule, "ok, next the parser please") == [rule]
    assert rules_after(rule, "You can now change files in the vendor folder.") == []
    assert rules_after(rule, "Forget the rule about the vendor folder files.") == []


def test_a_rule_said_twice_stands_once() -> None:
    assert rules_after("Always use tabs.", "fine", "Always use tabs.") == ["Always use tabs."]


def test_scratch_that_takes_back_what_was_said_last() -> None:
    state = fold(
        FactState(),
        [
            said("user", "Let's store dates as strings."),
            said("user", "Actually, scratch that. Use integers for dates."),
        ],
    )
    assert [request.text for request in state.requests] == ["Actually, scratch that. Use integers for dates."]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("The port is 8080.", "The port is 9090.", True),
        ("Use port 8080 for the server.", "Actually use port 9090 for the server.", True),
        ("The weekly report is due on Monday.", "The weekly report is due on Friday.", True),
        ("The platform migration is at phase 3 of 6.", "Migration progress: phase 4 of 6.", True),
        ("User wants answers in Pwkev style.", "The user's preferred answer style is Ouiqr.", True),
        ("सर्वर का पोर्ट 8080 है।", "अब सर्वर का पोर्ट 9090 है।", True),
        ("The staging database is at db-1.", "The production database is at db-2.", False),
        ("Run unit tests with pytest.", "Run integration tests with make.", False),
        ("The port is 8080.", "Is the port 9090?", False),
    ],
)
def test_a_later_value_takes_the_place_of_the_earlier_one(old: str, new: str, changed: bool) -> None:
    before, after = statement_of(old), statement_of(new)
    assert bool(before and after and supersedes(after, before)) is changed


def test_a_superseded_value_is_in_no_fact() -> None:
    state = fold(FactState(), [said("user", "The budget cap is $500."), said("user", "The budget cap is $700.")])
    assert [request.text for request in state.requests] == ["The budget cap is $700."]
    assert dict(state.superseded) == {"$500": "$700"}
