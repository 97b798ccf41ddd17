"""What was acknowledged is there: after a kill, on a full disk, with two who write at once."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from session_processes import run_python, start_python

from treering.errors import StorageError
from treering.session.jsonl import JsonlStore
from treering.session.tree import Session

HELLO = {"role": "user", "content": "hello"}
ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "Good day."}], "stopReason": "stop"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    with Session.create(path) as session:
        session.append_message(HELLO)
    return path


class TestKills:
    @pytest.mark.slow
    def test_kill_9_at_random_moments_200_times(self, path: Path) -> None:
        """One file through all of it; the writer says what was acknowledged through a pipe."""
        moments = random.Random(9)
        acknowledged: list[str] = []
        for _ in range(200):
            ids, state = _write_until_killed(path, moments.uniform(0.0, 0.02))
            assert os.WIFSIGNALED(state)
            assert os.WTERMSIG(state) == signal.SIGKILL
            acknowledged += ids
            with Session.open(path) as session:
                leaf = session.leaf_id
                added = session.append_message(HELLO)
                assert added.entries[0].parent_id == leaf
                assert not added.adopted
        with Session.open(path) as session:
            on_path = [entry.id for entry in session.path()]
            assert len(acknowledged) > 200, "the writer hardly wrote"
            assert set(acknowledged) <= set(on_path), "an acknowledged entry is lost"
            assert len(on_path) == sum(1 for _ in session.store.scan()), "some entry is off the path"

    def test_the_sync_comes_before_the_acknowledgement(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        done: list[tuple[str, bytes]] = []
        real_write, real_sync = os.write, os.fsync
        monkeypatch.setattr(os, "write", lambda fd, data: done.append(("write", bytes(data))) or real_write(fd, data))
        monkeypatch.setattr(os, "fsync", lambda fd: done.append(("sync", path.read_bytes())) or real_sync(fd))
        compaction = {"type": "compaction", "summary": "S", "firstKeptEntryId": "x", "tokensBefore": 1}
        synced = [
            {"type": "message", "message": HELLO},
            compaction,
            {"type": "branch_summary", "summary": "S", "fromId": "x"},
        ]
        flushed = [{"type": "message", "message": ANSWER}, {"type": "custom", "customType": "x"}]
        with Session.open(path) as session:
            for bodies in ([body] for body in synced):
                added = session.append(*bodies)
                assert [name for name, _ in done] == ["write", "sync"], "one write, then the sync, then the answer"
                assert added.entries[-1].raw in done[1][1], "the sync came before the write"
                done.clear()
            session.append(flushed[1], compaction, flushed[1])
            assert [name for name, _ in done] == ["write", "sync"], "a batch is one write"
            done.clear()
            for body in flushed:
                added = session.append(body)
                assert [name for name, _ in done] == ["write"]
                assert added.entries[0].raw in path.read_bytes(), "flushed: a kill of the process does not lose it"
                done.clear()
        with Session.open(path, sync="all") as session:
            session.append(flushed[0])
            assert [name for name, _ in done] == ["write", "sync"]

    @pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
    def test_the_system_sees_the_sync_before_the_acknowledgement(self, path: Path) -> None:
        code = """
import os
from treering.session.tree import Session
session = Session.open("s.jsonl")
session.append_message({"role": "user", "content": "first"})
os.write(1, b"acknowledged")
"""
        trace = ["strace", "-f", "-o", "trace", "-e", "trace=write,fsync,fdatasync"]
        source = Path(sys.modules["treering"].__file__ or "").parents[1]
        done = subprocess.run(
            [*trace, sys.executable, "-c", code],
            cwd=path.parent,
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            check=False,
            timeout=60,
        )
        if done.returncode != 0 and b"ptrace" in done.stderr:
            pytest.skip("processes may not be traced here")
        calls = re.findall(r"(write|fsync|fdatasync)\((\d+)(.*)", (path.parent / "trace").read_text())
        names = [
            (name, fd) for name, fd, rest in calls if name != "write" or "message" in rest or "acknowledged" in rest
        ]
        (write, file), (sync, synced), (answer, out) = names
        assert (write, answer, out) == ("write", "write", "1")
        assert sync in {"fsync", "fdatasync"}
        assert synced == file

    def test_a_sync_that_fails_is_no_acknowledgement(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(fd: int) -> None:
            raise OSError(5, "Input/output error")

        before = path.read_bytes()
        with Session.open(path) as session:
            leaf = session.leaf_id
            monkeypatch.setattr(os, "fsync", failing)
            with pytest.raises(StorageError, match="Input/output error; nothing was kept"):
                session.append_message(HELLO)
            assert path.read_bytes() == before
            assert session.leaf_id == leaf
            monkeypatch.undo()
            assert session.append_message(HELLO).entries[0].parent_id == leaf

    def test_an_interrupt_during_the_sync_leaves_nothing(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(fd: int) -> None:
            raise KeyboardInterrupt

        before = path.read_bytes()
        with Session.open(path) as session:
            monkeypatch.setattr(os, "fsync", interrupted)
            with pytest.raises(KeyboardInterrupt):
                session.append_message(HELLO)
            monkeypatch.undo()
            assert path.read_bytes() == before
            assert not session.append_message(HELLO).branched


class TestFullDisk:
    CODE = """
import sys
from treering.session.tree import Session
session = Session.open("s.jsonl")
{limit}
try:
    while True:
        session.append_message({{"role": "assistant", "content": "x" * 3000}})
except Exception as error:
    print(type(error).__name__, error)
    print(len(session.path()), session.leaf_id)
"""

    def test_a_short_write_is_cut_back(self, path: Path) -> None:
        """A limit on the size of files gives a real short write, and an error at the next one."""
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))"
        done = run_python(self.CODE.format(limit=limit), path.parent)
        message, state = done.stdout.splitlines()
        assert message.startswith("StorageError s.jsonl cannot be written: File too large")
        self._check(path, state)

    def test_a_full_disk(self, small_disk: Path) -> None:
        path = small_disk / "s.jsonl"
        with Session.create(path) as session:
            session.append_message(HELLO)
        done = run_python(self.CODE.format(limit=""), small_disk)
        message, state = done.stdout.splitlines()
        assert message.startswith("StorageError s.jsonl cannot be written: No space left on device (the disk is full")
        self._check(path, state)

    def test_a_batch_is_cut_back_whole(self, small_disk: Path) -> None:
        with Session.create(small_disk / "s.jsonl") as session:
            before = (small_disk / "s.jsonl").read_bytes()
            filler = {"type": "custom", "customType": "x", "data": "x" * 20_000}
            with pytest.raises(StorageError, match="No space left"):
                session.append(*[filler] * 20)
            assert (small_disk / "s.jsonl").read_bytes() == before
            session.append(filler)

    def test_an_upgrade_on_a_full_disk(self, small_disk: Path, shared: Path) -> None:
        line = b'{"type":"message","timestamp":"","message":{"role":"user","content":"' + b"x" * 900 + b'"}}\n'
        old = small_disk / "s.jsonl"
        old.write_bytes(b'{"type":"session","id":"s","timestamp":"","cwd":"/"}\n' + line * 100)
        before = old.read_bytes()
        with Session.open(old) as session, pytest.raises(StorageError, match="No space left"):
            session.append_message(HELLO)
        assert old.read_bytes() == before
        assert list(small_disk.iterdir()) == [old]

    def test_a_new_file_on_a_full_disk(self, small_disk: Path) -> None:
        (small_disk / "filler").write_bytes(b"x" * 131_072)
        with pytest.raises(StorageError, match="cannot be made: No space left"):
            Session.create(small_disk / "s.jsonl")
        assert not (small_disk / "s.jsonl").exists()

    @pytest.fixture
    def small_disk(self, tmp_path: Path) -> Iterator[Path]:
        mount, unmount = shutil.which("mount"), shutil.which("umount")
        if os.geteuid() != 0 or not mount or not unmount:
            pytest.skip("only root can mount a small disk")
        folder = tmp_path / "disk"
        folder.mkdir()
        done = subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=128k", "none", folder], capture_output=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"a small disk cannot be mounted here: {done.stderr.decode().strip()}")
        yield folder
        subprocess.run([unmount, "-l", folder], check=True)

    def _check(self, path: Path, state: str) -> None:
        data = path.read_bytes()
        assert data.endswith(b"}\n"), "the part of an entry that was written was cut off again"
        count, leaf = state.split()
        with Session.open(path) as session:
            assert session.leaf_id == leaf
            assert len(session.path()) == int(count) > 2


class TestTwoProcesses:
    WRITER = """
import sys
from treering.session.tree import Session
session = Session.open("s.jsonl")
print("open", flush=True)
sys.stdin.readline()
for number in range(100):
    added = session.append_message({"role": "user" if number % 20 == 0 else "assistant", "content": sys.argv[1]})
    print(added.id, added.entries[0].parent_id, flush=True)
"""

    def test_both_write_at_once(self, path: Path) -> None:
        writers = [start_python(self.WRITER, path.parent, name) for name in ("one", "two", "three")]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write(b"\n")
            writer.stdin.flush()
        acknowledged = [[line.split() for line in writer.communicate(timeout=60)[0].splitlines()] for writer in writers]
        with Session.open(path) as session:
            entries = {entry.id: entry for entry in session.store.scan()}
            assert len(entries) == 1 + 300
            for chain in acknowledged:
                assert len(chain) == 100
                for entry_id, parent_id in chain:
                    assert entries[entry_id.decode()].parent_id == parent_id.decode()
                last = chain[-1][0].decode()
                texts = [each.message.text for each in session.context(last)]
                assert len(texts) == 101, "each has its own branch, whole"
                assert len(set(texts[1:])) == 1
        assert len(path.read_bytes().splitlines()) == 302

    def test_what_is_adopted_and_what_is_a_branch(self, path: Path) -> None:
        kept = {"firstKeptEntryId": "x", "tokensBefore": 1}
        adopted = [
            {"type": "custom", "customType": "x"},
            {"type": "label", "targetId": "x", "label": "l"},
            {"type": "session_info", "name": "n"},
            {"type": "compaction", "summary": "S", **kept},
        ]
        for bodies in ([body] for body in adopted):
            mine, theirs = Session.open(path), Session.open(path)
            others = theirs.append(*bodies)
            added = mine.append_message(HELLO)
            assert [entry.id for entry in added.adopted] == [entry.id for entry in others.entries]
            assert added.entries[0].parent_id == others.id
            assert not added.branched
        mine, theirs = Session.open(path), Session.open(path)
        others = theirs.append(*adopted)
        assert mine.append_message(HELLO).entries[0].parent_id == others.id, "a whole chain"

        branching = [
            [{"type": "message", "message": ANSWER}],
            [{"type": "custom_message", "customType": "x", "content": "x", "display": True}],
            [{"type": "branch_summary", "summary": "S", "fromId": "x"}],
            [{"type": "model_change", "provider": "p", "modelId": "m"}],
            [{"type": "custom", "customType": "x"}, {"type": "message", "message": ANSWER}],
        ]
        for bodies in branching:
            mine, theirs = Session.open(path), Session.open(path)
            leaf = mine.leaf_id
            theirs.append(*bodies)
            added = mine.append_message(HELLO)
            assert added.branched, bodies
            assert not added.adopted
            assert added.entries[0].parent_id == leaf
            assert not mine.append_message(ANSWER).branched, "said once"

    def test_work_elsewhere_in_the_tree_is_no_branch_of_ours(self, path: Path) -> None:
        with Session.open(path) as mine, Session.open(path) as theirs:
            root = mine.leaf_id
            mine.append_message(HELLO)
            theirs.refresh()
            theirs.checkout(root)
            theirs.append_message(ANSWER)
            leaf = mine.leaf_id
            added = mine.append_message(ANSWER)
            assert added.entries[0].parent_id == leaf
            assert not added.branched
            assert not added.adopted

    def test_a_branch_is_said_also_after_a_refresh(self, path: Path) -> None:
        with Session.open(path) as mine, Session.open(path) as theirs:
            leaf = mine.leaf_id
            theirs.append_message(ANSWER)
            assert len(mine.refresh()) == 1
            assert mine.leaf_id == leaf
            assert mine.append_message(ANSWER).branched
            assert not mine.append_message(ANSWER).branched

    def test_looking_at_children_takes_nothing_away_from_the_next_append(self, path: Path) -> None:
        with Session.open(path) as mine, Session.open(path) as theirs:
            leaf = mine.leaf_id
            label = theirs.set_label(leaf or "", "here")
            mine.children(leaf)
            assert [entry.id for entry in mine.append_message(ANSWER).adopted] == [label.id]
            assert [entry.id for entry in mine.children(leaf)] == [label.id]

    def test_a_leaf_that_moves_is_a_branch_of_nobody(self, path: Path) -> None:
        with Session.open(path) as mine, Session.open(path) as theirs:
            root = mine.leaf_id
            mine.append_message(ANSWER)
            theirs.refresh()
            theirs.append_at(root, {"type": "message", "message": ANSWER})
            mine.checkout(root)
            assert mine.leaf_id != root
            assert not mine.append_message(ANSWER).branched

    def test_what_was_adopted_before_a_failure_stays_adopted(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(fd: int) -> None:
            raise OSError(28, "No space left on device")

        with Session.open(path) as mine, Session.open(path) as theirs:
            label = theirs.set_label(mine.leaf_id or "", "here")
            monkeypatch.setattr(os, "fsync", failing)
            with pytest.raises(StorageError):
                mine.append_message(HELLO)
            monkeypatch.undo()
            assert mine.append_message(HELLO).entries[0].parent_id == label.id

    def test_a_stub_of_a_killed_writer_is_closed_and_stays(self, path: Path) -> None:
        with Session.open(path) as mine:
            with path.open("ab") as file:
                file.write(b'{"type":"message","id":"x","par')
            added = mine.append_message(HELLO)
            assert path.read_bytes().splitlines()[-2] == b'{"type":"message","id":"x","par'
            assert mine.append_message(ANSWER).entries[0].parent_id == added.id
            assert not added.branched

    def test_a_line_that_was_half_there_when_the_file_was_opened(self, path: Path) -> None:
        """A writer without lock: its line is whole a moment later."""
        line = path.read_bytes().splitlines()[-1].replace(b'"id":"', b'"id":"f', 1)
        with path.open("ab", buffering=0) as file:
            file.write(line[:60])
            with Session.open(path) as mine:
                assert len(mine.path()) == 1
                file.write(line[60:] + b"\n")
                assert len(mine.refresh()) == 1


def _write_until_killed(path: Path, seconds: float) -> tuple[list[str], int]:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:  # no coming back from here, whatever happens
        try:
            with Session(JsonlStore(path)) as session:
                for number in range(10**9):
                    body = {**(HELLO if number % 3 == 0 else ANSWER), "pad": "é" * (number % 700)}
                    batch = [{"type": "message", "message": body}] * (1 + number % 3)
                    added = session.append(*batch)
                    os.write(into, "".join(entry.id + "\n" for entry in added.entries).encode())
        finally:
            os._exit(1)
    os.close(into)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    with open(out, "rb") as said:
        ids = said.read().decode().split("\n")[:-1]
    return ids, os.waitpid(child, 0)[1]
