"""Every real file: open, context, compact, undo, and again; the bytes that were there stay as they are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from treering.operations.compact import compact_sync
from treering.operations.prune import prune
from treering.operations.undo import undo
from treering.session.llm import to_llm
from treering.session.tree import Session
from treering.session.validity import check_messages
from treering.settings import CompactionSettings, PruneSettings, Settings
from treering.tokens.estimate import estimate_message

SHARED = Path(__file__).resolve().parents[3] / "shared/sessions/pi"
FILES = sorted(path.name for path in SHARED.glob("*.jsonl"))
LITTLE = Settings(
    compaction=CompactionSettings(keep_recent_tokens=2000),
    prune=PruneSettings(protect_tokens=1000, minimum_tokens=100),
)
"""So that the small sessions are compacted and pruned too."""


@pytest.fixture(params=FILES or [pytest.param("", marks=pytest.mark.skip(reason="../shared is not here"))])
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a real file."""
    return Path(shutil.copyfile(SHARED / request.param, tmp_path / "s.jsonl"))


def messages(session: Session) -> list[Any]:
    """The context; and a look at it with every rule of a valid request."""
    context = session.context()
    assert check_messages([each.message for each in to_llm(context)]) == []
    return [each.message.raw for each in context]


def test_open_compact_undo_and_again(copy: Path) -> None:
    original = copy.read_bytes()
    with Session.open(copy) as session:
        version = session.header.version
        first = messages(session)
        for entry in list(session.store.scan()):
            if not session.children(entry.id):
                assert check_messages([each.message for each in to_llm(session.context(entry.id))]) == []
        assert copy.read_bytes() == original, "reading changed the file"
        summaries = []
        before = original
        for _ in range(2):
            done = compact_sync(session, settings=LITTLE)
            assert done.outcome in {"applied", "skipped"}, done.cause
            written = copy.read_bytes()
            if version == 3:
                assert written.startswith(before)
            if done.outcome == "skipped":
                return
            messages(session)
            summaries.append(done.summary)
            undo(session)
            assert copy.read_bytes().startswith(written)
            assert messages(session) == first
            before = copy.read_bytes()
        assert summaries[0] == summaries[1], "the same input gives the same summary"
    if version < 3:
        assert copy.with_name(f"s.jsonl.v{version}.bak").read_bytes() == original
    with Session.open(copy) as session:
        assert messages(session) == first


def test_prune_shrinks_and_loses_nothing(copy: Path) -> None:
    with Session.open(copy) as session:
        before = session.context()
        done = prune(session, LITTLE)
        after = session.context()
        assert [each.entry_id for each in after] == [each.entry_id for each in before]
        changed = [(b, a) for b, a in zip(before, after, strict=True) if b.message.raw != a.message.raw]
        assert len(changed) == done.results
        for old, new in changed:
            assert new.entry.message == old.message, "the original stays readable"
            assert estimate_message(new.message) < estimate_message(old.message)
        messages(session)
