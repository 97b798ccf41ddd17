"""CASES group B: contexts that are too long, windows that are too small, and spans that are too large."""

from __future__ import annotations

from typing import Any

import pytest
from tests.sketch import draw, extend

from treering.compaction.summarizer import Summary, SummaryRequest
from treering.errors import SettingsError
from treering.operations.compact import compact_sync
from treering.operations.measure import measure
from treering.session.tree import Session
from treering.settings import CompactionSettings, Settings, keep_for, reserve_for, threshold_for
from treering.summarizers.extractive import ExtractiveSummarizer


def small(keep: int = 100, **options: Any) -> Settings:
    return Settings(compaction=CompactionSettings(keep_recent_tokens=keep, summary_tokens=400, **options))


def test_over_3_the_kept_region_is_in_the_span_of_the_next_compaction() -> None:
    session = draw("U*10 A*10 " * 5 + "U*3000=the_large_one A*10 " + "U*10 A*10 " * 2)
    first = compact_sync(session, settings=small(2500))
    kept = [item.entry_id for item in session.context()][1:]
    assert "e10" in kept
    extend(session, "U*30 A*30 " * 7)
    spans: list[str] = []

    class Noting(ExtractiveSummarizer):
        def summarize(self, request: SummaryRequest) -> Summary:
            spans.extend(span.entry_id for span in (*request.history, *request.turn_prefix))
            return super().summarize(request)

    result = compact_sync(session, settings=small(100), summarizer=Noting())
    assert result.outcome == "applied"
    assert spans[: len(kept)] == kept
    assert first.entry_id not in spans


@pytest.mark.parametrize("window", [1, 100, 4_000, 16_000, 32_768, 65_535, 65_536, 128_000, 1_000_000])
def test_over_5_every_window_leaves_something_to_use(window: int) -> None:
    settings = CompactionSettings()
    reserve = reserve_for(settings, window)
    assert 0 <= reserve < window
    assert threshold_for(settings, window) >= 1
    assert keep_for(settings, window) <= 0.4 * window


def test_over_5_a_window_of_nothing_is_an_error() -> None:
    with pytest.raises(SettingsError, match="a context window of 0 tokens"):
        reserve_for(CompactionSettings(), 0)


def test_over_12_a_smaller_model_gets_a_context_that_fits() -> None:
    session = draw("U*50 " + "A[t]*20 R(t)*900 " * 200 + "A*20")
    assert measure(session.context()).tokens > 128_000
    result = compact_sync(session, window=128_000)
    assert result.outcome == "applied"
    assert (result.tokens_after or 0) < 128_000 - 16_384


def test_over_13_a_file_is_compacted_without_a_live_session(tmp_path: Any) -> None:
    with Session.create(tmp_path / "s.jsonl") as session:
        extend(session, "U*50 " + "A[t]*20 R(t)*900 " * 100 + "A*20")
    with Session.open(tmp_path / "s.jsonl") as session:
        assert compact_sync(session, window=64_000).outcome == "applied"


def test_over_15_the_output_that_is_asked_for_is_kept_free_too() -> None:
    assert threshold_for(CompactionSettings(), 200_000, output_tokens=64_000) == 136_000
    assert threshold_for(CompactionSettings(), 200_000) == 200_000 - 16_384


def test_over_18_and_21_the_whole_of_a_large_backlog_is_covered() -> None:
    session = draw("U=first_of_all_keep_the_license " + "A[t]*20 R(t)*900 " * 300 + "U=then_the_rest A*20 U*20 A*20")
    result = compact_sync(session, settings=small(50))
    assert "keep the license" in (result.summary or "")
    assert "then the rest" in (result.summary or "")


def test_tok_10_a_short_session_gains_nothing_and_stays() -> None:
    session = draw("U=hello A=hi U=thanks A=welcome")
    result = compact_sync(session, settings=small(1))
    assert (result.outcome, result.cause_code) == ("skipped", "no_gain")
    assert session.context().compaction is None
    assert session.leaf_id == "e3"
