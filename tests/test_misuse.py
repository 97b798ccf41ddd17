"""What callers get wrong is said before anything is written, by one of our errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from treering import InvalidEntryError, Session, SettingsError, compact_sync
from treering.operations.branch import navigate_tree_sync
from treering.settings import CompactionSettings, HooksSettings, PruneSettings, SummarySettings


@pytest.fixture
def session(tmp_path: Path) -> Any:
    with Session.create(tmp_path / "s.jsonl", cwd="/srv/demo") as session:
        session.append_message({"role": "user", "content": "hello"})
        yield session


@pytest.mark.parametrize("window", [0, -5, 1.5, True, "big"])
def test_impossible_windows(session: Any, window: Any) -> None:
    for call in (compact_sync, lambda session, window: navigate_tree_sync(session, None, window=window)):
        with pytest.raises(SettingsError, match=r"^window is .*: give a whole number of tokens, 1 or more$"):
            call(session, window=window)


@pytest.mark.parametrize("budget", [0, -1, "x"])
def test_impossible_budgets(session: Any, budget: Any) -> None:
    with pytest.raises(SettingsError, match=r"^budget is "):
        compact_sync(session, budget=budget)


def test_options_that_do_not_exist(session: Any) -> None:
    entries = len(list(session.store.scan()))
    with pytest.raises(SettingsError, match=r"no option 'instruction'; did you mean 'instructions'\?"):
        compact_sync(session, instruction="the API")
    with pytest.raises(SettingsError, match="no option 'nonsense'; there are summarize, "):
        navigate_tree_sync(session, None, nonsense=1)
    assert len(list(session.store.scan())) == entries


@pytest.mark.parametrize("body", [None, 5, "x", [], {}, {"type": 5}])
def test_what_is_no_entry(session: Any, body: Any) -> None:
    with pytest.raises(InvalidEntryError):
        session.append(body)
    with pytest.raises(InvalidEntryError):
        session.append_message(body)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (CompactionSettings, "reserve_tokens"), (CompactionSettings, "keep_recent_tokens"),
        (PruneSettings, "protect_tokens"), (SummarySettings, "timeout"), (HooksSettings, "timeout"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [-1, "x", float("nan")])
def test_impossible_settings(settings: Any, name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=rf"\.{name} is "):
        settings(**{name: value})
