"""pi and Treering open each other's files, and see the same leaf, context, labels and name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from treering.operations.branch import navigate_tree_sync
from treering.operations.compact import compact_sync
from treering.operations.prune import prune
from treering.operations.undo import undo
from treering.session.copy import copy_session
from treering.session.tree import Session
from treering.settings import CompactionSettings, PruneSettings, Settings
from treering.testing.trees import Tree, session_trees

USER = {"role": "user", "content": "and now?"}
ANSWER = {
    "role": "assistant",
    "content": [{"type": "text", "text": "Done. 📖 नमस्ते \u2028 \x00"}],
    "api": "anthropic-messages",
    "provider": "anthropic",
    "model": "some-model",
    "usage": {"input": 20, "output": 9, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 29},
    "stopReason": "stop",
    "timestamp": 1767323046000,
}

LITTLE = Settings(
    compaction=CompactionSettings(keep_recent_tokens=2000),
    prune=PruneSettings(protect_tokens=1000, minimum_tokens=100),
)
"""So that the small sessions are pruned and compacted too."""


def same(seen: dict[str, Any], session: Session) -> None:
    """What pi sees of a file is what Treering sees of it; prunes apart, and what was excluded from the context."""
    assert seen["leaf"] == session.leaf_id
    assert seen["path"] == [entry.id for entry in session.path()]
    assert seen["entries"] == [entry.id for entry in session.store.scan()]
    context = session.context()
    theirs = [message for message in seen["messages"] if not message.get("excludeFromContext")]
    assert theirs == [each.entry.message.raw for each in context if each.entry.message]
    assert seen["labels"] == session.labels()
    model = seen["model"] or {"provider": None, "modelId": None}
    found = context.model
    assert (found.provider, found.model_id) == (model.get("provider"), model.get("modelId"))
    assert found.thinking_level == seen["thinkingLevel"]


def same_file(pi: Any, path: Path) -> None:
    """Both open the file; neither changes it."""
    before = path.read_bytes()
    with Session.open(path) as session:
        assert session.header.version == 3
        same(pi.open(path), session)
    assert path.read_bytes() == before


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "sessions/pi").glob("*.jsonl")) if folder.is_dir() else []


SHARED = Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(params=_names(SHARED) or [pytest.param("", marks=pytest.mark.skip(reason="../shared is not here"))])
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a real file."""
    target = tmp_path / "s.jsonl"
    shutil.copyfile(SHARED / "sessions/pi" / request.param, target)
    return target


class TestPiOpensWhatTreeringWrote:
    def test_append_leaf_move_and_label(self, pi: Any, copy: Path) -> None:
        """The first append upgrades the old ones."""
        with Session.open(copy) as session:
            session.append_message(USER)
            session.append_message(ANSWER)
        same_file(pi, copy)
        with Session.open(copy) as session:
            path = session.path()
            session.checkout(path[len(path) // 2].id)
            same(pi.open(copy), session)
            session.append_message(USER)
            session.set_label(path[0].id, "the first one")
            same(pi.open(copy), session)
            session.checkout(None)
            assert pi.open(copy)["messages"] == []
            session.append_message(USER)
            same(pi.open(copy), session)

    def test_compaction_prune_and_undo(self, pi: Any, copy: Path) -> None:
        with Session.open(copy) as session:
            before = [each.message.raw for each in session.context()]
            leaf = session.leaf_id
            prune(session, LITTLE)
            assert copy.stat().st_size < 20_000 or session.leaf_id != leaf, "nothing was pruned in a large session"
            same(pi.open(copy), session)
            result = compact_sync(session, settings=LITTLE)
            same(pi.open(copy), session)
            if result.outcome != "applied":
                return
            assert session.context().messages[0].message.role == "compactionSummary"
            session.append_message(USER)
            same(pi.open(copy), session)
            undo(session)
            same(pi.open(copy), session)
            after = [each.entry.message.raw for each in session.context() if each.entry.message]
            assert _without_summary(after) == [*_without_summary(before), after[-1]]

    def test_undo_at_once(self, pi: Any, copy: Path) -> None:
        with Session.open(copy) as session:
            before = [each.message.raw for each in session.context()]
            if compact_sync(session, settings=LITTLE).outcome == "applied":
                undo(session)
                seen = pi.open(copy)
                same(seen, session)
                assert [m for m in seen["messages"] if not m.get("excludeFromContext")] == before

    def test_a_branch_summary(self, pi: Any, copy: Path) -> None:
        with Session.open(copy) as session:
            path = session.path()
            target = next(entry for entry in path if entry.message and entry.message.role == "assistant")
            navigate_tree_sync(session, target.id, summarize=True)
            same(pi.open(copy), session)

    def test_a_copy(self, pi: Any, copy: Path, tmp_path: Path) -> None:
        with Session.open(copy) as session:
            copy_session(session, tmp_path / "copy.jsonl")
        same_file(pi, tmp_path / "copy.jsonl")

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(tree=session_trees(without=("reset",)))
    def test_any_tree(self, pi: Any, tmp_path: Path, tree: Tree) -> None:
        path = tree.write(tmp_path / "s.jsonl")
        with Session.open(path) as session:
            seen = pi.open(path)
            assert seen["leaf"] == session.leaf_id
            assert seen["path"] == [entry.id for entry in session.path()]
            theirs = [message for message in seen["messages"] if not message.get("excludeFromContext")]
            assert theirs == [each.entry.message.raw for each in session.context() if each.entry.message]

    def test_an_odd_text(self, pi: Any, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        with Session.create(path) as session:
            session.append_message({"role": "user", "content": "\ud800 \u2028\u2029\u0085\v\f\x1c\x00 \ufeff 🙂"})
            session.append_message(ANSWER)
            assert pi.open(path)["messages"][0]["content"] == "\ud800 \u2028\u2029\u0085\v\f\x1c\x00 \ufeff 🙂"

    def test_after_a_crash(self, pi: Any, tmp_path: Path) -> None:
        """A stub, closed by Treering's next append, costs neither of them the entry behind it."""
        path = tmp_path / "s.jsonl"
        with Session.create(path) as session:
            session.append_message(USER)
            session.append_message(ANSWER)
            with path.open("ab") as file:
                file.write(b'{"type":"message","id":"half')
            session.append_message(USER)
            session.append_message(ANSWER)
            same(pi.open(path), session)


class TestTreeringOpensWhatPiWrote:
    def test_a_session_of_every_kind_of_entry(self, pi: Any, tmp_path: Path) -> None:
        first = pi.create(
            tmp_path,
            ["appendSessionInfo", "A name"],
            ["appendModelChange", "anthropic", "some-model"],
            ["appendThinkingLevelChange", "high"],
            ["appendMessage", USER],
            ["appendMessage", ANSWER],
            ["appendMessage", {**USER, "content": [{"type": "text", "text": "look"}]}],
            ["appendMessage", ANSWER],
            ["appendCustomMessageEntry", "my-ext", "Injected", False, {"k": 1}],
            ["appendCustomEntry", "my-ext", {"n": 1}],
        )
        file = Path(first["file"])
        ids = first["results"]
        with Session.open(file) as session:
            same(first, session)
        for steps in (
            [["appendLabelChange", ids[3], "here"], ["appendMessage", ANSWER]],
            [["branch", ids[4]], ["appendMessage", USER], ["appendMessage", ANSWER]],
            [["appendCompaction", "What was.", ids[4], 12345, {"readFiles": ["a"], "modifiedFiles": []}, False]],
            [["appendMessage", USER], ["appendMessage", ANSWER]],
            [["branchWithSummary", ids[3], "What was tried.", {"readFiles": []}, False]],
            [["appendLabelChange", ids[3], ""], ["appendSessionInfo", "Another name"]],
            [["resetLeaf"], ["appendMessage", USER], ["appendMessage", ANSWER]],
            [["appendCompaction", "What was.", "nowhere", 12345]],
        ):
            seen = pi.open(file, *steps)
            with Session.open(file) as session:
                same(seen, session)

    def test_an_upgrade_by_pi(self, pi: Any, copy: Path) -> None:
        seen = pi.open(copy)
        with Session.open(copy) as session:
            assert session.header.version == 3
            same(seen, session)

    def test_both_write_in_turn(self, pi: Any, copy: Path) -> None:
        with Session.open(copy) as session:
            session.append_message(USER)
            for _ in range(3):
                ours = session.append_message(ANSWER)
                seen = pi.open(copy, ["appendLabelChange", ours.id, "by pi"], ["appendCustomEntry", "x", {}])
                added = session.append_message(USER)
                assert [entry.id for entry in added.adopted] == seen["results"]
                assert not added.branched
                same(pi.open(copy), session)
            pi.open(copy, ["appendMessage", ANSWER])
            added = session.append_message(ANSWER)
            assert added.branched
            same(pi.open(copy), session)

    def test_a_session_that_pi_upgrades_while_it_is_open_here(self, pi: Any, tmp_path: Path) -> None:
        """pi writes it anew in place, under other ids: to go on would be to write under a parent that is gone."""
        from treering.errors import StorageError

        path = tmp_path / "s.jsonl"
        path.write_bytes(
            b'{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}\n'
            b'{"type":"message","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"}}\n'
        )
        with Session.open(path) as session:
            pi.open(path)
            with pytest.raises(StorageError, match="open the session again"):
                session.append_message(USER)
        same_file(pi, path)


def _without_summary(messages: list[Any]) -> list[Any]:
    """Undo behind later messages writes a summary anew, or a note; what follows it is what was there before."""
    return messages[1:] if messages[:1] and messages[0]["role"] == "compactionSummary" else messages
