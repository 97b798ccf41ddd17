"""The check of a summary, and its repair (SPEC §15.2)."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sketch import draw

from treering.compaction.check import RECORD_HEADING, CheckReport, check_summary, repair
from treering.compaction.plan import span_messages
from treering.compaction.summarizer import SpanMessage, Summary, SummaryRequest
from treering.facts.fold import FactState, fold
from treering.hooks import CompactionAnswer, Hooks
from treering.operations.compact import compact_sync
from treering.session.messages import decode_message
from treering.settings import CompactionSettings, Settings
from treering.testing.trees import Tree, session_trees
from treering.tokens.estimate import estimate_text


def span(*messages: tuple[str, str]) -> tuple[SpanMessage, ...]:
    return tuple(
        SpanMessage(f"e{number}", decode_message({"role": role, "content": [{"type": "text", "text": text}]}))
        for number, (role, text) in enumerate(messages)
    )


WORK = span(
    ("user", "Never edit anything under data/raw. Please make parse_height refuse a comma."),
    ("assistant", "I changed parse_height in tidewatch/units.py; a comma is an error now. Shall I commit it?"),
)
FACTS = fold(FactState(), WORK)
GOOD = (
    "Goal: make parse_height refuse a comma. Rule: Never edit anything under data/raw. parse_height in "
    "tidewatch/units.py was changed. Open: Shall I commit it?"
)


def texts(report: CheckReport) -> list[str]:
    return [fact.text for fact in report.missing]


def test_a_summary_that_tells_all_is_found_complete() -> None:
    report = check_summary(GOOD, facts=FACTS, span=WORK)
    assert report.missing == ()
    assert report.invented == ()
    assert report.score == 1.0


def test_what_is_missing_is_named_with_its_entry() -> None:
    report = check_summary("A comma is an error in parse_height now.", facts=FACTS, span=WORK)
    assert any("data/raw" in text for text in texts(report))
    assert {fact.kind for fact in report.missing} >= {"rule"}
    assert {fact.entry_id for fact in report.missing} <= {"e0", "e1"}
    assert report.score < 1


def test_what_the_kept_part_tells_need_not_be_in_the_summary() -> None:
    kept = span(("user", "And remember: never edit anything under data/raw!"))
    report = check_summary("parse_height refuses a comma. Shall I commit it?", facts=FACTS, span=WORK, kept=kept)
    assert not any("data/raw" in text for text in texts(report))


def test_a_name_that_is_nowhere_is_invented_and_one_that_is_somewhere_is_not() -> None:
    text = GOOD + " The new module tidewatch/heights.py holds HeightParser."
    report = check_summary(text, facts=FACTS, span=WORK)
    assert set(report.invented) == {"heights.py", "HeightParser"}
    assert check_summary(text, facts=FACTS, span=WORK, previous_summary="heights.py: HeightParser").invented == ()


def test_a_value_that_was_changed_is_stale_without_the_new_one() -> None:
    facts = FactState(superseded=(("port 8080", "port 9090"),))
    assert check_summary("It listens on port 8080.", facts=facts).stale == ("port 8080",)
    assert check_summary("It was port 8080 and is port 9090 now.", facts=facts).stale == ()


def test_a_repair_puts_back_what_is_missing_word_for_word() -> None:
    report = check_summary("nothing much", facts=FACTS, span=WORK)
    text, repaired = repair("nothing much", report, max_tokens=400)
    assert RECORD_HEADING in text
    assert "Never edit anything under data/raw" in text
    assert repaired.missing == ()
    assert repaired.repaired == report.missing
    assert check_summary(text, facts=FACTS, span=WORK).missing == ()


def test_a_repair_goes_into_a_section_that_is_there() -> None:
    report = check_summary("story", facts=FACTS, span=WORK)
    text, _ = repair(f"story\n\n{RECORD_HEADING}\n- one\n", report, max_tokens=400)
    assert text.count(RECORD_HEADING) == 1
    assert "- one" in text


@settings(deadline=None)
@given(session_trees(), st.integers(0, 300))
def test_a_repair_is_bounded_and_never_makes_it_worse(tree: Tree, room: int) -> None:
    path = tree.open().path()
    messages = span_messages(path, 0, len(path))
    facts = fold(FactState(), messages)
    before = check_summary("a summary", facts=facts, span=messages)
    text, after = repair("a summary", before, max_tokens=room)
    assert estimate_text(text) <= estimate_text("a summary") + room + 2
    assert len(after.missing) <= len(before.missing)
    assert set(after.kept) | set(after.missing) == set(before.kept) | set(before.missing)


class Told:
    name = "told"

    def __init__(self, text: str) -> None:
        self.text = text

    def summarize(self, request: SummaryRequest) -> Summary:
        return Summary(text=self.text, summarizer=self.name)


LONG = "U=Never_touch_the_vendored_code._Please_build_it. A*300 U=now_test_it A*300 U*50=last A*50"
SMALL = Settings(compaction=CompactionSettings(keep_recent_tokens=120))


def test_every_commit_is_checked_and_a_poor_summary_repaired() -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=SMALL, summarizer=Told("all went well"), budget=500)
    assert "Never touch the vendored code" in (result.summary or "")
    assert result.check is not None
    assert next(fact["kind"] for fact in result.check["repaired"]) == "rule"
    own: dict[str, Any] = session.get(result.entry_id or "").details["treering"]["check"]
    assert own["missing"] == []
    assert estimate_text(result.summary or "") <= 500


def test_a_hooks_result_is_reported_and_left_as_it_is() -> None:
    hooks = Hooks()
    answer = CompactionAnswer(summary="by hand, see TideMonster", first_kept_entry_id="e2")
    hooks.on("before_compact")(lambda event: answer)
    result = compact_sync(draw(LONG), settings=SMALL, hooks=hooks)
    assert result.summary == "by hand, see TideMonster"
    assert result.check is not None
    assert list(result.check["invented"]) == ["TideMonster"]
    assert result.check["missing"]
    assert not result.check["repaired"]
