"""From a plan to a text that is ready to be committed: the request, the blocks around the summary, the check."""

from __future__ import annotations

from typing import Any

import msgspec

from treering.compaction.check import CheckReport, check_summary, repair
from treering.compaction.files import FileOperations, file_operations, render_file_tags, tag_budget
from treering.compaction.hooks import Additions, CompactionAnswer
from treering.compaction.plan import Plan
from treering.compaction.summarizer import SpanMessage, Summary, SummaryRequest
from treering.facts.fold import FactState, fold
from treering.operations import carried
from treering.operations.measure import Measure
from treering.operations.pins import pins_of_span, pins_on, render_pins
from treering.session.tree import Session
from treering.summarizers.extractive import MARGIN
from treering.tokens.estimate import estimate_text

REPAIR_SHARE = 0.25
"""What is put back into a summary may take this share of its budget, and no more than the summary left of it."""


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan's span holds, found once for the request and for the check.

    Attributes:
        span: the messages that are replaced.
        facts: of everything up to the cut.
        files: what was read and changed up to the cut.
        tags: the files as they stand in the summary.
    """

    span: tuple[SpanMessage, ...]
    facts: FactState
    files: FileOperations
    tags: str


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A summary that is ready to be committed."""

    plan: Plan
    text: str
    first_kept_id: str
    details: dict[str, Any]
    check: CheckReport
    short: str | None = None
    preserve_data: dict[str, Any] | None = None
    summarizer: str = ""
    from_extension: bool = False


def gather(session: Session, plan: Plan, budget: int) -> Material:
    """Read the span of a plan. `budget`: tokens of the whole summary, of which the files may have a share."""
    span = (*plan.history, *plan.turn_prefix)
    cwd = session.header.cwd
    files = file_operations(span, cwd=cwd, previous=carried.files_before(plan.previous))
    kept_files = file_operations(plan.kept, cwd=cwd)
    shown = {*kept_files.read, *kept_files.modified}
    return Material(
        span=span,
        facts=fold(carried.facts_before(session, plan), span, cwd=cwd),
        files=files,
        tags=render_file_tags(files, max_tokens=tag_budget(budget), seen=shown),
    )


def make_request(session: Session, plan: Plan, material: Material, budget: int, additions: Additions) -> SummaryRequest:
    """What a summarizer is asked; instructions, listeners and the like are the caller's to add."""
    cwd = session.header.cwd
    return SummaryRequest(
        history=plan.history,
        turn_prefix=plan.turn_prefix,
        kept=plan.kept,
        facts=material.facts,
        prefix_facts=fold(FactState(), plan.turn_prefix, cwd=cwd) if plan.split_turn else None,
        previous_summary=plan.previous.summary if plan.previous else None,
        budget=budget - (int(MARGIN * estimate_text(material.tags)) + 3 if material.tags else 0),
        cwd=cwd,
        prompt=additions.prompt,
        context_lines=additions.context,
    )


def assemble(
    session: Session,
    plan: Plan,
    material: Material,
    summary: Summary,
    *,
    budget: int,
    size: Measure,
    prune_id: str | None,
    additions: Additions,
) -> Draft:
    """The stored text: the summary, checked and repaired; awaited calls, pins, files. And what is stored beside it."""
    pins = pins_on(plan.path)
    around = (
        "\n".join(carried.awaited_names(plan.open_calls, material.span)),
        render_pins(pins_of_span(pins, plan.path, plan.cut)),
        material.tags,
    )
    body = summary.text.strip()
    report = _check(_joined(body, *around), plan, material)
    if report.missing and not summary.redacted:  # what was left out as a secret is not put back
        left = int(budget / MARGIN) - estimate_text(_joined(body, around[0], material.tags))
        body, report = repair(body, report, max_tokens=min(left, int(REPAIR_SHARE * budget)))
    details = carried.details(
        material.files,
        facts=material.facts,
        model=session.context().model,
        pins=pins,
        summarizer=summary.summarizer,
        check=_brief(report),
        redacted=summary.redacted,
        openCalls=list(plan.open_calls),
        calibration=msgspec.to_builtins(size.calibration) if size.calibration.pairs else None,
        prune=prune_id,
    )
    return Draft(
        plan=plan,
        text=_joined(body, *around),
        first_kept_id=plan.first_kept_id,
        details=details,
        check=report,
        short=summary.short,
        preserve_data={**(additions.preserve_data or {}), **(summary.preserve_data or {})} or None,
        summarizer=summary.summarizer,
    )


def from_hook(plan: Plan, material: Material, answer: CompactionAnswer) -> Draft:
    """A hook's whole result as it is: it is checked, and not repaired (SPEC §12)."""
    return Draft(
        plan=plan,
        text=answer.summary,
        first_kept_id=answer.first_kept_entry_id,
        details=answer.details or {"readFiles": [], "modifiedFiles": []},
        check=_check(answer.summary, plan, material),
        short=answer.short_summary,
        preserve_data=answer.preserve_data,
        summarizer="hook",
        from_extension=True,
    )


def _check(text: str, plan: Plan, material: Material) -> CheckReport:
    return check_summary(
        text,
        facts=material.facts,
        span=material.span,
        kept=plan.kept,
        previous_summary=plan.previous.summary if plan.previous else None,
    )


def _brief(report: CheckReport) -> dict[str, Any]:
    """The report as it is kept on the entry: how much is told, and the first few of what is not right."""

    def some(texts: list[str]) -> list[str]:
        return [text[:200] for text in texts[:10]]

    return {
        "score": round(report.score, 3),
        "kept": len(report.kept),
        "missing": some([fact.text for fact in report.missing]),
        "repaired": some([fact.text for fact in report.repaired]),
        "invented": some(list(report.invented)),
        "stale": some(list(report.stale)),
    }


def _joined(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block)
