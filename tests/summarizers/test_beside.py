"""A model's narrative and the facts that it missed, in one budget."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.model_summaries import Row, rows

from asked import SUMMARY, message, request
from servers.scripted import chat, scripted
from treering.compaction.summarizer import SPLIT_TURN_HEADING, SpanMessage, SummaryRequest
from treering.facts.fold import FactState, fold
from treering.summarizers.beside import FACTS_SHARE, RECORD_HEADING, with_facts, without_facts
from treering.summarizers.llm import LLMSummarizer
from treering.tokens.estimate import estimate_text

RULE = "Never touch the generated files under build/."
SPAN = (
    message("user", f"Fix the tokenizer in src/lexer.py. {RULE} Always run make check afterwards."),
    *(
        item
        for number in range(12)
        for item in (
            message(
                "assistant",
                [
                    {"type": "text", "text": f"The function read_token_{number} in src/lexer.py drops the last quote."},
                    {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": "make check"}},
                ],
            ),
            message(
                "toolResult",
                f"FAILED test_{number}: QuoteError\n" + "line of output\n" * 20,
                toolName="bash",
                toolCallId=f"c{number}",
                isError=True,
            ),
        )
    ),
    message("user", "Now do the same for src/printer.py, please."),
)
NARRATIVE = "## Goal\n- Fix the tokenizer\n\n## Next Steps\n- the printer"


def asked(history: tuple[SpanMessage, ...] = SPAN, **fields: object) -> SummaryRequest:
    return request(history, facts=fold(FactState(), history), **fields)


def test_rules_requests_and_commands_that_the_narrative_lacks_stand_after_it() -> None:
    text = with_facts(NARRATIVE, asked())
    assert text.startswith(NARRATIVE)
    facts = text.partition(RECORD_HEADING)[2]
    assert "Never touch the generated files under build/" in facts
    assert "Now do the same for src/printer.py, please." in facts
    assert "make check" in facts


def test_what_the_narrative_says_is_not_said_again() -> None:
    first = SPAN[0].message.text
    told = f"{NARRATIVE}\n- *{first}*\n- Now do the same for\n  src/printer.py, please."
    facts = with_facts(told, asked()).partition(RECORD_HEADING)[2]
    assert RULE not in facts
    assert "Now do the same" not in facts


@pytest.mark.parametrize("budget", [64, 128, 256, 512, 1024, 4096])
@pytest.mark.parametrize("length", [1, 40, 200])
def test_the_budget_is_kept_and_facts_take_their_share_at_most(budget: int, length: int) -> None:
    narrative = "- one more thing\n" * length
    text = with_facts(narrative, asked(budget=budget))
    if text != narrative:
        assert estimate_text(text) * 1.05 <= budget + 2
        assert estimate_text(text[len(narrative) :]) <= FACTS_SHARE * budget


def test_without_room_or_facts_the_narrative_stays_as_it_is() -> None:
    assert with_facts(NARRATIVE, asked(budget=20)) == NARRATIVE
    assert with_facts(NARRATIVE, request(SPAN)) == NARRATIVE


def test_the_section_comes_off_again_whatever_stands_around_it() -> None:
    text = with_facts(NARRATIVE, asked())
    tags = "<read-files>\nsrc/lexer.py\n</read-files>"
    split = f"{text}\n\n---\n\n{SPLIT_TURN_HEADING}\n\nThe prefix.\n\n{tags}"
    assert without_facts(text) == NARRATIVE
    assert without_facts(split) == f"{NARRATIVE}\n\n---\n\n{SPLIT_TURN_HEADING}\n\nThe prefix."
    assert without_facts(without_facts(split)) == without_facts(split)


async def test_the_next_round_neither_sends_nor_stacks_them() -> None:
    previous = with_facts("## Goal\n- Fix the tokenizer", asked())
    with scripted(chat(SUMMARY)) as server:
        summary = await LLMSummarizer(server.model).summarize(asked(previous_summary=previous))
        sent = server.requests[0].json["messages"][1]["content"]
    assert RECORD_HEADING not in sent
    assert "- Fix the tokenizer\n</previous-summary>" in sent
    assert summary.text.count(RECORD_HEADING) == 1


async def test_in_a_split_turn_they_stand_with_the_history() -> None:
    with scripted(chat(SUMMARY), repeat=True) as server:
        summary = await LLMSummarizer(server.model).summarize(asked(turn_prefix=SPAN[:3]))
    history, _, prefix = summary.text.partition(f"\n\n---\n\n{SPLIT_TURN_HEADING}\n\n")
    assert RECORD_HEADING in history
    assert prefix == SUMMARY.strip()


async def test_they_can_be_left_out() -> None:
    with scripted(chat(SUMMARY)) as server:
        summary = await LLMSummarizer(server.model, facts=False).summarize(asked())
    assert summary.text == SUMMARY.strip()


def test_two_real_summaries_of_a_model_keep_more_with_facts_beside_them(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes((shared / "sessions/pi/two-compactions.v1.jsonl").read_bytes())
    found = {(row.compaction, row.variant): row for row in rows(file)}

    def rates(row: Row) -> tuple[float, ...]:
        score = row.score
        return tuple(item.rate or 0.0 for item in (score.commands, score.directives, score.names))

    for number in (1, 2):
        alone, both = found[number, "model alone"], found[number, "model plus facts"]
        assert all(with_them > without for with_them, without in zip(rates(both), rates(alone), strict=True))
        assert (both.score.relations.rate or 0.0) >= (alone.score.relations.rate or 0.0)
        assert both.score.stale.hit == 0
        assert both.score.invented == alone.score.invented
        assert both.score.budget is not None
        assert both.tokens <= both.score.budget


def test_a_short_answer_stands_with_its_question_there_too() -> None:
    talk = (
        *SPAN,
        message("assistant", "Both are done.\nShall I delete the old lexer?"),
        message("user", "yes"),
        message("assistant", "It is gone."),
        message("user", "Write the release notes for the next version now, please."),
    )
    lines = with_facts(NARRATIVE, asked(talk, budget=1024)).partition(RECORD_HEADING)[2].split("\n")
    assert "- Shall I delete the old lexer? → yes" in lines
    assert "- yes" not in lines
