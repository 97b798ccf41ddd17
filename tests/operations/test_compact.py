"""Compacting a session: outcomes, what is written, and what is not (SPEC §7, §9)."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sketch import draw, extend

from treering.cancel import CancelToken
from treering.compaction.summarizer import Summary, SummaryRequest
from treering.errors import SettingsError, SummaryError
from treering.hooks import Cancel, CompactionAnswer, Hooks
from treering.operations.compact import compact, compact_sync
from treering.operations.pins import pin
from treering.session import records
from treering.session.tree import Session
from treering.settings import CompactionSettings, Settings
from treering.testing.trees import Tree, session_trees
from treering.tokens.estimate import estimate_text

LONG = "U=please_build_the_parser A*300 U=now_test_it A*300 U*50=last A*50"


def small(keep: int = 120, **options: Any) -> Settings:
    return Settings(compaction=CompactionSettings(keep_recent_tokens=keep, summary_tokens=300, **options))


class Scripted:
    """A summarizer that answers what the test says."""

    name = "scripted"

    def __init__(self, text: str = "what happened", error: Exception | None = None) -> None:
        self.text = text
        self.error = error
        self.requests: list[SummaryRequest] = []
        self.meanwhile = lambda: None

    def summarize(self, request: SummaryRequest) -> Summary:
        self.requests.append(request)
        self.meanwhile()
        if self.error:
            raise self.error
        return Summary(text=self.text, summarizer=self.name)


def attempts(session: Session) -> list[Any]:
    return [data for entry in session.store.scan() if (data := records.record_data(entry, records.ATTEMPT))]


def test_the_context_becomes_the_summary_and_what_is_kept() -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=small())
    assert result.outcome == "applied"
    assert result.first_kept_entry_id == "e4"
    assert [item.entry_id for item in session.context()] == [result.entry_id, "e4", "e5"]
    assert result.tokens_after is not None
    assert result.tokens_after < result.tokens_before
    assert "please build the parser" in (result.summary or "")


def test_the_entry_has_plain_file_lists_and_ours_apart() -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=small())
    entry = session.get(result.entry_id or "")
    assert entry.details["readFiles"] == []
    assert entry.details["modifiedFiles"] == []
    assert records.treering_details(entry)["summarizer"] == "extractive"
    assert entry.body["tokensBefore"] == result.tokens_before


def test_a_second_one_of_the_same_state_is_skipped_and_writes_nothing() -> None:
    session = draw(LONG)
    compact_sync(session, settings=small())
    leaf = session.leaf_id
    again = compact_sync(session, settings=small())
    assert (again.outcome, again.cause_code) == ("skipped", "nothing_to_summarise")
    assert session.leaf_id == leaf


def test_the_same_input_gives_the_same_bytes() -> None:
    summaries = {compact_sync(draw(LONG), settings=small()).summary for _ in range(3)}
    assert len(summaries) == 1


def test_a_dry_run_writes_nothing_and_tells_all() -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=small(), dry_run=True)
    assert (result.outcome, result.dry_run, result.entry_id) == ("applied", True, None)
    assert result.summary
    assert session.leaf_id == "e5"
    assert result.summary == compact_sync(session, settings=small()).summary


def test_a_summary_that_is_longer_than_what_it_replaces_is_refused() -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=small(), summarizer=Scripted("word " * 2000))
    assert (result.outcome, result.cause_code) == ("failed", "no_gain")
    assert next(item.entry_id for item in session.context()) == "e0"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_summary_is_a_failure_and_the_history_stays(text: str) -> None:
    session = draw(LONG)
    result = compact_sync(session, settings=small(), summarizer=Scripted(text))
    assert result.outcome == "failed"
    assert session.context().compaction is None
    assert attempts(session)[0]["outcome"] == "failed"


def test_an_error_of_the_summarizer_is_an_outcome_and_leaves_only_a_record() -> None:
    session = draw(LONG)
    before = [entry.raw for entry in session.store.scan()]
    result = compact_sync(session, settings=small(), summarizer=Scripted(error=SummaryError("429: too many requests")))
    assert (result.outcome, result.cause) == ("failed", "429: too many requests")
    after = [entry.raw for entry in session.store.scan()]
    assert after[:-1] == before
    assert attempts(session)[0]["cause"] == "429: too many requests"


def test_cancelling_writes_nothing_but_the_attempt() -> None:
    session = draw(LONG)
    token = CancelToken()
    summarizer = Scripted()
    summarizer.meanwhile = token.cancel  # pyright: ignore[reportAttributeAccessIssue]
    result = compact_sync(session, settings=small(), summarizer=summarizer, cancel=token)
    assert result.outcome == "cancelled"
    assert session.context().compaction is None
    assert attempts(session)[0]["outcome"] == "cancelled"


def test_if_the_leaf_moves_meanwhile_the_result_is_thrown_away() -> None:
    # CASES CONC-1
    session = draw(LONG)
    summarizer = Scripted()
    summarizer.meanwhile = lambda: session.checkout("e1")  # pyright: ignore[reportAttributeAccessIssue]
    result = compact_sync(session, settings=small(), summarizer=summarizer)
    assert (result.outcome, result.cause_code) == ("failed", "leaf_moved")
    assert session.context().compaction is None


def test_what_the_user_writes_meanwhile_comes_after_the_kept_part() -> None:
    # CASES CONC-6
    session = draw(LONG)
    summarizer = Scripted()
    summarizer.meanwhile = lambda: extend(session, "U=wait")  # pyright: ignore[reportAttributeAccessIssue]
    result = compact_sync(session, settings=small(), summarizer=summarizer)
    assert [item.entry_id for item in session.context()] == [result.entry_id, "e4", "e5", "e6"]


def test_one_compaction_at_a_time() -> None:
    # CASES CONC-5
    session = draw(LONG)
    inner: list[Any] = []
    summarizer = Scripted()
    summarizer.meanwhile = lambda: inner.append(compact_sync(session, settings=small()))  # pyright: ignore[reportAttributeAccessIssue]
    assert compact_sync(session, settings=small(), summarizer=summarizer).outcome == "applied"
    assert (inner[0].outcome, inner[0].cause_code) == ("skipped", "busy")


async def test_asynchronous_summarizers_and_plain_ones_under_a_loop() -> None:
    class Asynchronous(Scripted):
        def summarize(self, request: SummaryRequest) -> Any:
            async def answer() -> Summary:
                await asyncio.sleep(0)
                return Summary(text="made later", summarizer="async")

            return answer()

    result = await compact(draw(LONG), settings=small(), summarizer=Asynchronous())
    assert (result.summary or "").startswith("made later")
    assert (await compact(draw(LONG), settings=small())).outcome == "applied"


def test_without_a_model_no_event_loop_is_started() -> None:
    code = (
        "import sys\n"
        "from treering.operations.compact import compact_sync\n"
        "from treering.session.tree import Session\n"
        "session = Session.in_memory()\n"
        "for n in range(300): session.append_message({'role': 'user', 'content': 'do it ' * 200})\n"
        "session.append_message({'role': 'assistant', 'content': [{'type': 'text', 'text': 'done'}]})\n"
        "compact_sync(session)\n"
        "assert 'asyncio' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_the_summarizer_is_told() -> None:
    session = draw("U*200 A*200 U*200 A[t1]*50 R(t1)*50 A*50")
    summarizer = Scripted()
    compact_sync(session, settings=small(60), summarizer=summarizer, instructions="the parser")
    (request,) = summarizer.requests
    assert [span.entry_id for span in request.history] == ["e0", "e1"]
    assert [span.entry_id for span in request.turn_prefix] == ["e2", "e3", "e4"]
    assert [span.entry_id for span in request.kept] == ["e5"]
    assert request.instructions == "the parser"
    assert request.budget == int(0.8 * 16384)


def test_the_summary_before_goes_into_the_next_request() -> None:
    session = draw(LONG)
    compact_sync(session, settings=small(), summarizer=Scripted("the first"))
    extend(session, "U*200 A*200 U*50 A*50")
    summarizer = Scripted("the second")
    compact_sync(session, settings=small(), summarizer=summarizer)
    assert (summarizer.requests[0].previous_summary or "").startswith("the first")
    assert next(item.message.text for item in session.context()).startswith("the second")


def test_facts_are_carried_and_not_looked_up_again() -> None:
    session = draw(LONG)
    compact_sync(session, settings=small())
    extend(session, "U=and_write_the_manual A*300 U*50=last A*50")
    second = compact_sync(session, settings=small())
    whole = draw(LONG + " U=and_write_the_manual A*300 U*50=last A*50")
    at_once = compact_sync(whole, settings=small())
    assert "please build the parser" in (second.summary or "")
    assert second.summary == at_once.summary, "incremental and whole are the same"


def test_after_another_tools_compaction_the_facts_are_found_in_the_history() -> None:
    session = draw(LONG + " C(k=4)=somebody_elses U=and_write_the_manual A*300 U*50=last A*50")
    assert "please build the parser" in (compact_sync(session, settings=small()).summary or "")


def test_pins_of_the_span_are_in_the_text_word_for_word() -> None:
    session = draw("U*200=never_touch_the_vendored_code A*200 U*200 A*200 U*50 A*50")
    pin(session, "e0", "Never touch the vendored code!")
    result = compact_sync(session, settings=small())
    assert "Never touch the vendored code!" in (result.summary or "")
    extend(session, "U*200 A*200 U*50 A*50")
    assert "Never touch the vendored code!" in (compact_sync(session, settings=small()).summary or "")


def test_an_automatic_one_prunes_first_a_manual_one_does_not() -> None:
    drawing = "U*200 " + "A[t]*10 R(t)*9000 " * 12 + "U*50 A*50"
    assert compact_sync(draw(drawing), settings=small(30_000)).pruned.results == 0
    automatic = compact_sync(draw(drawing), settings=small(10_000), reason="threshold")
    assert automatic.pruned.results > 0


def test_an_impossible_reserve_is_an_error_that_names_it() -> None:
    with pytest.raises(SettingsError, match="reserve_tokens is 5000"):
        compact_sync(draw(LONG), settings=small(reserve_tokens=5000), window=4000)


def test_a_hook_may_cancel_or_give_the_whole_result() -> None:
    hooks = Hooks()
    hooks.on("before_compact", name="no")(lambda event: Cancel("not now"))
    cancelled = compact_sync(draw(LONG), settings=small(), hooks=hooks)
    assert (cancelled.outcome, cancelled.cause) == ("cancelled", "hook no said no. not now")

    hooks = Hooks()
    answer = CompactionAnswer(summary="by hand", first_kept_entry_id="e2")
    hooks.on("before_compact")(lambda event: answer)
    session = draw(LONG)
    result = compact_sync(session, settings=small(), hooks=hooks)
    entry = session.get(result.entry_id or "")
    assert (entry.summary, entry.first_kept_id, entry.from_extension) == ("by hand", "e2", True)
    assert entry.body["fromHook"] is True


def test_a_hooks_impossible_cut_is_reported_and_the_default_goes_on() -> None:
    hooks = Hooks()
    answer = CompactionAnswer(summary="by hand", first_kept_entry_id="e2")
    hooks.on("before_compact", name="odd")(lambda event: answer)
    session = draw("U*200 A[t1]*200 R(t1)*200 A*200 U*50 A*50")
    result = compact_sync(session, settings=small(), hooks=hooks)
    assert result.outcome == "applied"
    assert result.summarizer == "extractive"
    assert "no place where a cut may fall" in result.problems[0]


def test_what_hooks_add_reaches_the_summarizer_and_the_entry() -> None:
    hooks = Hooks()
    hooks.on("compacting")(lambda event: {"context": ["mind the gap"], "preserveData": {"mine": 1}})
    told: list[Any] = []
    hooks.on("after_compact")(told.append)
    session = draw(LONG)
    summarizer = Scripted()
    result = compact_sync(session, settings=small(), hooks=hooks, summarizer=summarizer)
    assert summarizer.requests[0].context_lines == ("mind the gap",)
    assert session.get(result.entry_id or "").body["preserveData"] == {"mine": 1}
    assert told[0].entry.id == result.entry_id


@settings(deadline=None)
@given(session_trees(), st.integers(0, 2000), st.integers(256, 1500))
def test_compact_then_undo_gives_the_same_context(tree: Tree, keep: int, budget: int) -> None:
    from treering.operations.undo import undo

    session = tree.open()
    before = [(item.entry_id, item.message.raw) for item in session.context()]
    result = compact_sync(session, settings=small(keep), budget=budget)
    if result.outcome != "applied":
        assert result.outcome == "skipped", result.cause
        assert [item.entry_id for item in session.context()] == [entry_id for entry_id, _ in before]
        return
    assert estimate_text(result.summary or "") <= budget
    undo(session)
    assert [(item.entry_id, item.message.raw) for item in session.context()] == before


@pytest.mark.slow
def test_every_session_of_pi_compacts_undoes_and_compacts_again(shared: Path, tmp_path: Path) -> None:
    from treering.operations.undo import undo

    for source in sorted((shared / "sessions" / "pi").glob("*.jsonl")):
        file = tmp_path / source.name
        shutil.copyfile(source, file)
        with Session.open(file) as session:
            before = [item.entry_id for item in session.context()]
            first = compact_sync(session)
            assert first.outcome in {"applied", "skipped"}, (source.name, first.cause)
            if first.outcome == "skipped":
                continue
            undo(session)
            assert [item.entry_id for item in session.context()] == before
            assert compact_sync(session).summary == first.summary
        if ".v1." not in source.name:
            assert file.read_bytes().startswith(source.read_bytes())
        else:
            assert file.with_name(file.name + ".v1.bak").read_bytes() == source.read_bytes()
