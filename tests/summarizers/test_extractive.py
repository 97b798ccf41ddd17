"""The extractive summarizer: within its budget, quoted, repeatable, readable in the user's language."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
import toktok
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.compaction.summarizer import SPLIT_TURN_HEADING, SpanMessage, SummaryRequest
from treering.facts.fold import FactState, fold
from treering.facts.lexicon import sentences
from treering.session.messages import decode_message
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.summarizers.sections import HEADINGS
from treering.tokens.estimate import estimate_text

REAL = ["real-2243c588.v3.jsonl", "real-8f534908.v3.jsonl", "real-eeac8907.v3.jsonl"]


def tokens(text: str) -> int:
    return toktok.batch_count([text], "o200k_base", 1)[0]


def messages_of(path: Path) -> list[SpanMessage]:
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [SpanMessage(e["id"], decode_message(e["message"])) for e in entries if e["type"] == "message"]


def chat(*turns: tuple[str, str]) -> list[SpanMessage]:
    return [
        SpanMessage(f"{i:08x}", decode_message({"role": role, "content": text})) for i, (role, text) in enumerate(turns)
    ]


def summary(span: list[SpanMessage], budget: int, **more) -> str:
    prefix = more.pop("turn_prefix", ())
    facts = fold(FactState(), (*span, *prefix))
    request = SummaryRequest(history=tuple(span), turn_prefix=tuple(prefix), facts=facts, budget=budget, **more)
    text = ExtractiveSummarizer().summarize(request).text
    assert ExtractiveSummarizer().summarize(request).text == text
    return text


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("budget", [60, 256, 300, 512, 1100, 2000, 4000])
def test_never_over_budget(shared: Path, name: str, budget: int) -> None:
    messages = messages_of(shared / "sessions" / "pi" / name)
    assert 0 < tokens(summary(messages[:150], budget, kept=tuple(messages[150:200]))) <= budget


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=200)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXT), max_size=12), st.integers(40, 700))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_summary_within_budget(turns: list[tuple[str, str]], budget: int) -> None:
    assert estimate_text(summary(chat(*turns), budget)) * 1.05 <= budget


@pytest.mark.parametrize("name", REAL)
def test_every_line_is_a_quotation(shared: Path, name: str) -> None:
    messages = messages_of(shared / "sessions" / "pi" / name)
    source = " ".join(" ".join(json.dumps(span.message.raw, ensure_ascii=False).split()) for span in messages)
    source = source.replace('\\"', '"').replace("\\n", " ").replace("\\t", " ").replace("\\\\", "\\")
    source = " ".join(source.replace("→", " ").split())
    found = fold(FactState(), messages).requests
    requests = {part for request in found for part in request.parts}
    questions = {f"{request.asked} → " for request in found if request.asked}
    story = summary(messages, 2000).split("```")[0]
    lines = [line.strip().removeprefix("- ") for line in story.split("\n") if line.strip().startswith("- ")]
    assert lines
    for line in lines:
        rest = line
        for part in sorted(questions | requests, key=len, reverse=True):  # a request is one line
            rest = rest.replace(part, "…")
        for piece in rest.split("…"):
            assert " ".join(piece.split()) in source, piece
    for part in requests:
        assert part.rstrip("… ") in source, part
    for request in found:
        for sentence in sentences(re.sub(r"(?<= )([A-H]|\d{1,2})\. ", "", request.asked)):
            assert sentence.strip("… ") in source, sentence


def test_what_is_kept_is_not_repeated() -> None:
    span = chat(("user", "explain"), ("assistant", "The `parse_header_line` function reads `max_header_size` bytes."))
    kept = chat(("assistant", "The `parse_header_line` function reads `max_header_size` bytes."))
    assert "parse_header_line" in summary(span, 600)
    assert "parse_header_line" not in summary(span, 600, kept=tuple(kept))


def test_instructions_rank_first() -> None:
    facts = [f"The module_{i}_handler uses table_{i}_index for its lookups in every request." for i in range(60)]
    span = chat(("user", "look at the modules"), *(("assistant", fact) for fact in facts))
    assert facts[40] not in summary(span, 300)
    assert facts[40] in summary(span, 300, instructions="keep all about module_40_handler")


def test_rules_and_the_open_question_come_before_all_else() -> None:
    talk = [("assistant", f"The value of setting_number_{i} was looked at in file_{i}.py today.") for i in range(200)]
    span = chat(
        ("user", "Never push to main."), ("user", "tidy the settings"), *talk, ("assistant", "Shall I delete them?")
    )
    for budget in (60, 300, 1100):
        text = summary(span, budget)
        assert "Never push to main." in text
        assert "tidy the settings" in text
        assert "Shall I delete them?" in text


def test_the_last_line_counts_the_lines_that_could_have_been_quoted() -> None:
    facts = [f"The module_{i}_handler uses table_{i}_index for its lookups in every request." for i in range(40)]
    span = chat(("user", "Look at the modules."), *(("assistant", fact) for fact in facts))
    text = summary(span, 600)
    missing = sum(fact not in text for fact in facts)
    assert 0 < missing < len(facts)
    assert text.endswith(f"{missing} more lines: `treering entry FILE ID`")
    assert "more lines" not in summary(span[:9], 1000)
    kept = chat(*(("assistant", fact) for fact in facts[:8]))
    text = summary(span, 600, kept=tuple(kept))
    missing = sum(fact not in text for fact in facts[8:])
    assert missing
    assert text.endswith(f"{missing} more lines: `treering entry FILE ID`")


def test_small_budgets_spend_nothing_on_headings() -> None:
    span = chat(
        ("user", "Never push to main."), ("user", "tidy the settings"),
        ("assistant", "The `settings_loader` reads them from `defaults_table` first."),
    )  # fmt: skip
    for budget in (256, 300, 500):
        text = summary(span, budget)
        assert "#" not in text
        assert "Never push to main." in text
        assert "settings_loader" in text
    assert f"## {HEADINGS['en'].constraints}" in summary(span, 512)


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    return re.split(r"^#{2,3} ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_what_came_of_a_request_stands_under_it_and_what_was_thought_apart() -> None:
    def thought(text: str) -> SpanMessage:
        return SpanMessage(
            "t1", decode_message({"role": "assistant", "content": [{"type": "thinking", "thinking": text}]})
        )

    span = [
        *chat(("user", "Find out why the list of tides is empty.")),
        thought("The `tide_reader` function may skip the first line of every log."),
        *chat(
            ("assistant", "Fixed. The `tide_reader` function took the header for a reading."),
            ("user", "Now print it on one page."),
            ("assistant", "The page is printed by `page_printer` in two columns so far."),
        ),
    ]
    text = summary(span, 1100)
    assert section(text, HEADINGS["en"].asked) == (
        "- Find out why the list of tides is empty.\n"
        "  - Fixed. The `tide_reader` function took the header for a reading.\n\n"
    )
    assert "in two columns so far" in section(text, HEADINGS["en"].in_progress)
    assert "may skip the first line" in section(text, HEADINGS["en"].context)


def test_a_short_answer_stands_with_its_question_in_every_size() -> None:
    question = "Shall I keep the old name of the table as well?"
    span = chat(
        ("user", "Rename the table of the harbours."), ("assistant", f"It is used in two places. {question}"),
        ("user", "yes"), ("assistant", "Both names work now, the old one warns."), ("user", "Then write the notes."),
    )  # fmt: skip
    for budget in (300, 600, 1100, 2000):
        assert f"{question} → yes" in summary(span, budget), budget


def test_a_split_turn_has_two_parts() -> None:
    history = chat(("user", "first task"), ("assistant", "The first task is finished: `first_helper` works."))
    prefix = chat(("user", "second task"), ("assistant", "The `second_helper` function is half written so far."))
    head, _, tail = summary(history, 800, turn_prefix=tuple(prefix)).partition(f"---\n\n{SPLIT_TURN_HEADING}")
    assert "first_helper" in head
    assert "second_helper" in tail
    assert "second_helper" not in head


def test_own_tags_in_quotations_are_inert() -> None:
    span = chat(("user", "what is </summary> and <read-files> here? Never print </conversation> please."))
    text = summary(span, 600)
    assert "</summary>" not in text
    assert "<read-files>" not in text
    assert "</conversation>" not in text


@pytest.mark.parametrize(
    ("language", "request_text"),
    [
        ("en", "please add a test for the parser and run it"),
        ("es", "por favor añade una prueba para el analizador y ejecuta los casos"),
        ("hi", "कृपया पार्सर के लिए एक परीक्षण जोड़ो और उसे चलाओ"),
        ("zh", "请为解析器添加一个测试并运行它"),
    ],
)
def test_headings_in_the_users_language(language: str, request_text: str) -> None:
    text = summary(chat(("user", request_text), ("assistant", "ok")), 600)
    assert f"## {HEADINGS[language].goal}" in text
    assert request_text in text


def test_a_summary_of_another_tool_is_taken_up() -> None:
    span = chat(("user", "go on"))
    text = summary(span, 600, previous_summary="The cache lives in `lru_cache_table` and holds 4096 entries.")
    assert "lru_cache_table" in text


def test_short_is_for_people() -> None:
    span = chat(("user", "Make the parser faster."), ("assistant", "It now takes half the time. The tests pass."))
    request = SummaryRequest(history=tuple(span), facts=fold(FactState(), span), budget=500)
    assert ExtractiveSummarizer().summarize(request).short == "Make the parser faster. It now takes half the time."


@pytest.mark.slow
def test_time_is_linear_in_the_span(shared: Path) -> None:
    messages = messages_of(shared / "sessions" / "pi" / "real-ed9c86d9.v3.jsonl")

    def seconds(times: int) -> float:
        span = messages * times
        start = time.process_time()
        fold(FactState(), span)
        return time.process_time() - start

    seconds(1)
    assert seconds(8) < 8 * 2.5 * seconds(2) / 2


def test_the_goal_says_to_what_a_short_answer_says_yes() -> None:
    from tests.sketch import draw

    from treering.operations.compact import compact_sync
    from treering.settings import CompactionSettings, Settings

    drawing = (
        "U=the_parser_gives_nothing_back_for_an_empty_line_and_it_crashes_the_report A*300 U=yes_to_all A*300 U*50 A*50"
    )
    settings = Settings(compaction=CompactionSettings(keep_recent_tokens=110))
    summary = compact_sync(draw(drawing), settings=settings).summary or ""
    goal = summary.partition("## Goal\n")[2].partition("\n\n")[0]
    assert goal.splitlines() == [
        "- the parser gives nothing back for an empty line and it crashes the report",
        "- yes to all",
    ]


def test_a_long_line_of_code_ends_where_its_names_are_told_and_one_sees_that_it_goes_on() -> None:
    line = "stored := turnStrategy.handleTurnEnd(state.id, store{path: dir, size: 17}, true, nil, x.y, z.w)"
    span = [SpanMessage(f"{n:08x}", decode_message({"role": "toolResult", "content": line})) for n in range(3)]
    text = summary([*chat(("user", "Look at the strategy of turns.")), *span], 400)
    (shown,) = (shown for shown in text.split("\n") if "handleTurnEnd" in shown)
    assert shown in line
    assert shown.endswith(("(", ",", "{")), shown


def test_in_little_room_too_the_goal_says_to_what_a_short_answer_says_yes() -> None:
    rules = [
        ("user", f"Never open the {name} door of the house by the lake before noon.") for name in "abcdefghijklmnop"
    ]
    asked = "Thanks. Now write a review of all that was changed since this morning, and be unkind."
    text = summary(chat(*rules, ("user", asked), ("assistant", "In that order?"), ("user", "Yes to all.")), 280)
    assert text.split("\n")[:2] == [f"- {asked}", "- In that order? → Yes to all."], text
