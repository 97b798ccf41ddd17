"""Prune a session: one record on the path; the log stays as it is (SPEC §6)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from treering.compaction.plan import awaited_calls
from treering.compaction.prune import plan_prune
from treering.operations.result import Pruned
from treering.session import records
from treering.session.tree import Session
from treering.settings import Settings


def prune(
    session: Session,
    settings: Settings = Settings(),
    *,
    dry_run: bool = False,
    pending_calls: Collection[str] = (),
    long_running_tools: Collection[str] = (),
) -> Pruned:
    """Shorten old tool outputs at the leaf; what was cut stays readable under its entry's id.

    Returns what was pruned, or, with `dry_run`, would be. Nothing, if too little would be saved.

    Raises:
        StorageError: the record cannot be written.
    """
    body, pruned = prune_record(session, settings, pending_calls, long_running_tools)
    if body is not None and not dry_run:
        session.append(body)
    return pruned


def prune_record(
    session: Session, settings: Settings, pending_calls: Collection[str], long_running_tools: Collection[str]
) -> tuple[dict[str, Any] | None, Pruned]:
    """The record that a prune of the leaf's context would append (None: nothing to prune), and what it would do."""
    context = session.context()
    awaited = awaited_calls(context.path, context.path.start, pending_calls, long_running_tools)
    plan = plan_prune(context, settings.prune, awaited=awaited)
    if not plan.results:
        return None, Pruned()
    return records.record(records.PRUNE, results=plan.results), Pruned(len(plan.results), plan.tokens)
