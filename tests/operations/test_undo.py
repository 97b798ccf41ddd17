"""Undo and redo of compactions (SPEC §9)."""

from __future__ import annotations

import pytest
from tests.sketch import draw, extend

from treering.errors import EntryNotFoundError
from treering.operations.undo import NO_SUMMARY, redo, undo
from treering.session.tree import Session


def first_text(session: Session) -> str:
    return session.context().messages[0].message.text


def shown(session: Session) -> list[str]:
    return [item.entry_id for item in session.context()]


def test_if_only_metadata_follows_the_path_goes_on_before_the_compaction() -> None:
    session = draw("U A U A C(k=2)=one X S")
    result = undo(session)
    assert (result.outcome, result.undone, result.restored) == ("applied", "e4", None)
    assert shown(session) == ["e0", "e1", "e2", "e3"]
    assert session.get(session.leaf_id or "").parent_id == "e3", "so another tool sees the same history"


def test_if_work_follows_a_new_entry_restores_what_was_in_force_before() -> None:
    session = draw("U A U A C(k=2)=one U A C(k=5)=two U")
    result = undo(session)
    assert (result.undone, result.restored) == ("e7", "e4")
    assert first_text(session) == "one"
    assert shown(session)[1:] == ["e2", "e3", "e5", "e6", "e8"]


def test_again_it_undoes_the_one_before_and_then_there_is_none() -> None:
    session = draw("U A U A C(k=2)=one U A C(k=5)=two U")
    undo(session)
    assert undo(session).undone == "e4"
    assert first_text(session) == NO_SUMMARY
    assert shown(session)[1:] == ["e0", "e1", "e2", "e3", "e5", "e6", "e8"]
    assert undo(session).outcome == "skipped"


def test_redo_of_either_kind() -> None:
    session = draw("U A U A C(k=2)=one")
    undo(session)
    assert redo(session).outcome == "applied"
    assert first_text(session) == "one"
    assert redo(session).outcome == "skipped"

    session = draw("U A U A C(k=2)=one U A C(k=5)=two U")
    undo(session)
    extend(session, "A")
    redo(session)
    assert first_text(session) == "two"
    assert shown(session)[1:] == ["e5", "e6", "e8", "e10"]


def test_undoing_an_undo_by_its_id_is_redo() -> None:
    session = draw("U A U A C(k=2)=one")
    record = undo(session).entry_id or ""
    undo(session, record)
    assert first_text(session) == "one"


def test_only_the_compaction_in_force_can_be_undone() -> None:
    session = draw("U A U A C(k=2)=one U A C(k=5)=two U")
    with pytest.raises(EntryNotFoundError, match="e4 is a compaction and no compaction in force"):
        undo(session, "e4")


def test_work_goes_on_after_an_undo_and_is_compacted_anew() -> None:
    session = draw("U A U A C(k=2)=one")
    undo(session)
    extend(session, "U A C(k=6)=three")
    assert first_text(session) == "three"
