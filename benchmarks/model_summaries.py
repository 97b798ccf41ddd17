"""What two summaries that a large model really wrote kept, alone and with the facts beside them (MEASURES §1).

    python -m benchmarks.model_summaries [FILE]

The summaries are those inside the file. Each is measured against what its session did afterwards: as it was written,
with our facts in a budget of which they may take 40 %, and, for comparison, a summary without a model of that size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from treering.compaction.plan import span_messages
from treering.compaction.summarizer import SummaryRequest
from treering.evaluation.hindsight import request_for
from treering.evaluation.measures import Score, make_reference, score_summary
from treering.session.tree import Session
from treering.summarizers.beside import FACTS_SHARE, with_facts, without_facts
from treering.summarizers.extractive import ExtractiveSummarizer
from treering.tokens.estimate import estimate_text

SESSION = Path(__file__).parents[2] / "shared/sessions/pi/two-compactions.v1.jsonl"
MEASURES = ("files", "names", "commands", "numbers", "directives", "relations", "next_steps", "errors", "bare")


class Row(msgspec.Struct, frozen=True):
    """One summary measured."""

    compaction: int
    variant: str
    score: Score
    tokens: int


def rows(file: Path) -> Iterator[Row]:
    """Three rows a compaction of the file."""
    with Session.open(file) as session:
        entries = tuple(session.path())
        cwd = session.header.cwd
    places = {entry.id: index for index, entry in enumerate(entries)}
    number = 0
    for index, entry in enumerate(entries):
        if entry.type != "compaction" or entry.first_kept_id not in places:
            continue
        number += 1
        cut = places[entry.first_kept_id]
        region, kept = span_messages(entries, 0, cut), span_messages(entries, cut, index)
        region = tuple(item for item in region if item.message.role != "compactionSummary")
        future = span_messages(entries, index + 1, len(entries))
        reference = make_reference(region, kept, future)
        narrative = without_facts(entry.summary)
        budget = int(estimate_text(narrative) / (1 - FACTS_SHARE)) + 40
        request: SummaryRequest = request_for(region, budget=budget, kept=kept, cwd=cwd)
        texts = {
            "model alone": narrative,
            "model plus facts": with_facts(narrative, request),
            "without a model": ExtractiveSummarizer().summarize(request).text,
        }
        for variant, text in texts.items():
            score = score_summary(reference, text, tokens=estimate_text, budget=budget)
            yield Row(number, variant, score, estimate_text(text))


def table(found: list[Row]) -> str:
    """The rows as Markdown, in percent of what was used later; invented names and stale values as they are."""
    lines = ["| compaction | summary | tokens | " + " | ".join(MEASURES) + " | stale | invented |"]
    lines.append("|---" * (len(MEASURES) + 5) + "|")
    for row in found:
        cells = [_percent(getattr(row.score, name).rate) for name in MEASURES]
        lines.append(
            f"| {row.compaction} | {row.variant} | {row.tokens} | "
            + " | ".join(cells)
            + f" | {row.score.stale.hit} | {len(row.score.invented)} |"
        )
    return "\n".join(lines)


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.0f}"


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SESSION
    print(table(list(rows(file))) if file.exists() else f"there is no {file}: name a session with compactions")
