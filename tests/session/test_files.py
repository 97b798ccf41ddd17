"""One session file: opening, appending, healing, upgrading; and each way in which that can fail."""

from __future__ import annotations

import contextlib
import gc
import os
import stat
import subprocess
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_processes import run_python

from treering.errors import DamagedFileError, EntryNotFoundError, InvalidEntryError, StorageError
from treering.session.jsonl import JsonlStore
from treering.session.tree import Session, new_header

HELLO = {"role": "user", "content": "hello"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    with Session.create(path, cwd="/srv/demo") as session:
        session.append_message(HELLO)
    return path


class TestOpening:
    def test_a_new_file_is_for_its_owner_alone(self, path: Path) -> None:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_create_does_not_overwrite(self, path: Path) -> None:
        with pytest.raises(StorageError, match="exists already"):
            Session.create(path)

    def test_create_in_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"none/s\.jsonl cannot be made: No such file"):
            Session.create(tmp_path / "none" / "s.jsonl")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"s\.jsonl cannot be read: No such file or directory \(check the name"):
            Session.open(tmp_path / "s.jsonl")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="is a folder"):
            Session.open(tmp_path)

    def test_a_pipe_does_not_hang(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(StorageError, match="no regular file"):
            Session.open(tmp_path / "pipe")

    def test_a_device(self) -> None:
        with pytest.raises(StorageError, match="no regular file"):
            Session.open("/dev/zero")

    def test_a_name_that_cannot_be(self) -> None:
        with pytest.raises(StorageError, match="cannot be read"):
            Session.open("a\0b")

    def test_an_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "s.jsonl").touch()
        with pytest.raises(DamagedFileError, match="is empty"):
            Session.open(tmp_path / "s.jsonl")

    def test_a_missing_header_is_named_with_its_line_and_a_way_out(self, path: Path) -> None:
        path.write_bytes(b"\n" + path.read_bytes().partition(b"\n")[2])
        with pytest.raises(DamagedFileError, match=r"line 2: no session header .* type 'message'.*doctor --repair"):
            Session.open(path)

    def test_a_file_of_another_tool(self, shared: Path) -> None:
        with pytest.raises(DamagedFileError, match="another tool"):
            Session.open(next((shared / "sessions/claude-code").glob("small*")))

    def test_a_session_without_entries(self, tmp_path: Path) -> None:
        with Session.create(tmp_path / "s.jsonl") as session:
            assert session.leaf_id is None
            assert len(session.context()) == 0
            assert session.children(None) == []
            first = session.append_message(HELLO)
            assert first.entries[0].parent_id is None

    def test_descriptors_are_given_back(self, path: Path) -> None:
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(50):
            Session.open(path).append({"type": "custom", "customType": "x"})
        gc.collect()
        assert len(os.listdir("/proc/self/fd")) <= before

    @pytest.mark.parametrize(
        ("version", "expected"), [(None, 1), (1, 1), (2, 2), (3, 3), ("3", 3), (3.0, 3), (4, 4), ("x", 3)]
    )
    def test_versions(self, tmp_path: Path, version: object, expected: int) -> None:
        header = {**new_header(), "version": version}
        with contextlib.closing(JsonlStore.create(tmp_path / "s.jsonl", header)) as store:
            assert store.header.version == expected


class TestClosed:
    def test_a_closed_session_says_so(self, path: Path) -> None:
        session = Session.open(path)
        session.close()
        session.close()
        for use in (
            lambda: session.append_message(HELLO),
            lambda: list(session.store.scan()),
            session.refresh,
            lambda: session.find("abc"),
        ):
            with pytest.raises(StorageError, match="closed"):
                use()


class TestAppending:
    def test_entries_that_cannot_be_written_are_refused(self, path: Path) -> None:
        before = path.read_bytes()
        with Session.open(path) as session:
            for body, why in [
                ({"type": "custom", "data": object()}, "cannot be written as JSON"),
                ({"type": "custom", "data": {(1, 2): 3}}, "cannot be written as JSON"),
                ({"type": ""}, "needs a type"),
                ({"type": "session"}, "header"),
                ({"type": "message", "message": {"content": "x"}}, "role"),
            ]:
                with pytest.raises(InvalidEntryError, match=why):
                    session.append({"type": "custom", "customType": "first"}, body)
            with pytest.raises(InvalidEntryError):
                session.append()
        assert path.read_bytes() == before, "a batch is whole, or is not there"

    def test_what_json_can_hold_survives(self, path: Path) -> None:
        data = {
            "lone": "\ud800",
            "lines": "\u2028\u2029\u0085\v\f\x1c\r\n",
            "big": 10**30,
            "nul": "\0",
            "deep": [[[[]]]],
        }
        with Session.open(path) as session:
            added = session.append({"type": "custom", "customType": "x", "data": data})
        line = path.read_bytes().splitlines()[-1]
        assert len(path.read_text("utf-8").splitlines()) == 3, "no reader may split inside of an entry"
        with Session.open(path) as session:
            entry = session.get(added.id)
            assert entry.raw == line
            assert entry.body["data"] == data

    def test_ids_are_16_hex_digits(self, path: Path) -> None:
        with Session.open(path) as session:
            assert session.leaf_id is not None
            assert len(session.leaf_id) == 16
            assert int(session.leaf_id, 16) >= 0

    def test_the_same_input_gives_the_same_bytes(self, tmp_path: Path) -> None:
        import datetime

        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=datetime.UTC)
        written = []
        for name in ("a", "b"):
            ids = iter(["e1", "e2"])
            store = JsonlStore.create(tmp_path / name, new_header(session_id="s", now=lambda: moment))
            with Session(store, now=lambda: moment, new_id=lambda ids=ids: next(ids)) as session:
                session.append_message(HELLO)
                session.append({"type": "label", "targetId": "e1", "label": "x"})
            written.append((tmp_path / name).read_bytes())
        assert written[0] == written[1]
        assert b'"timestamp":"2026-01-02T03:04:05.678Z"' in written[0]

    def test_a_relative_name_survives_a_change_of_folder(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(path.parent)
        with Session.open(path.name) as session:
            monkeypatch.chdir("/")
            session.append_message(HELLO)
            assert len(session.context()) == 2

    def test_children_and_labels_follow_what_is_appended(self, path: Path) -> None:
        with Session.open(path) as session, Session.open(path) as other:
            root = session.leaf_id
            assert root is not None
            assert session.children(root) == []
            mine = session.append_message(HELLO)
            theirs = other.append_at(root, {"type": "label", "targetId": root, "label": "here"})
            assert [entry.id for entry in session.children(root)] == [mine.id]
            session.refresh()
            assert [entry.id for entry in session.children(root)] == [mine.id, theirs.id]
            assert session.labels() == {root: "here"}
            session.set_label(root, None)
            assert session.labels() == {}

    def test_an_id_by_its_prefix(self, tmp_path: Path) -> None:
        ids = iter(["abc1", "abc2", "b"])
        with Session.create(tmp_path / "s.jsonl", new_id=lambda: next(ids)) as session:
            for _ in range(3):
                session.append_message(HELLO)
            assert session.find("b").id == "b"
            assert session.find("@last").id == "b"
            assert session.find("abc2").id == "abc2"
            with pytest.raises(EntryNotFoundError, match=r"2 entries .*abc1, abc2.*give more"):
                session.find("abc")
            with pytest.raises(EntryNotFoundError, match="begins with 'z'"):
                session.find("z")


class TestChangedByOthers:
    def test_a_file_that_was_cut(self, path: Path) -> None:
        with Session.open(path) as session:
            session.append_message(HELLO)
            os.truncate(path, path.stat().st_size - 30)
            cut = path.read_bytes()
            for use in (session.refresh, lambda: session.append_message(HELLO)):
                with pytest.raises(StorageError, match=r"was cut or written anew .* open the session again"):
                    use()
        assert path.read_bytes() == cut

    def test_a_file_that_was_written_anew_in_place(self, path: Path) -> None:
        """pi upgrades old files so, under the same inode."""
        with Session.open(path) as session:
            data = path.read_bytes()
            with path.open("r+b") as file:
                file.write(data.replace(b"hello", b"world", 1) + data.splitlines(keepends=True)[-1])
            path.write_bytes(data.replace(b'"role"', b'"r0le"') + b"{}\n")
            with pytest.raises(StorageError, match="written anew"):
                session.append_message(HELLO)

    def test_a_file_that_is_gone(self, path: Path) -> None:
        with Session.open(path) as session:
            path.unlink()
            with pytest.raises(StorageError, match=r"cannot be written: No such file .*; nothing was kept"):
                session.append_message(HELLO)
            assert not path.exists(), "it must not come back with half of its history"
            assert len(session.context()) == 1, "what was read stays readable"

    def test_a_file_that_is_moved_away_and_back(self, path: Path) -> None:
        away = path.with_suffix(".away")
        with Session.open(path) as session:
            session.append_message(HELLO)
            leaf = session.leaf_id
            path.rename(away)
            moved = away.read_bytes()
            with pytest.raises(StorageError, match="No such file"):
                session.append_message(HELLO)
            assert away.read_bytes() == moved, "nothing is written to a file that has lost its name"
            assert not path.exists()
            away.rename(path)
            assert session.append_message(HELLO).entries[0].parent_id == leaf

    def test_a_file_that_was_replaced_before_the_first_append(self, path: Path) -> None:
        with Session.open(path) as session, Session.open(path) as other:
            path.with_suffix(".new").write_bytes(path.read_bytes())
            os.replace(path.with_suffix(".new"), path)
            first = session.append_message(HELLO)
            assert other.refresh()[-1].id == first.id
            assert other.append_message(HELLO).branched
        with Session.open(path) as again:
            assert sum(1 for _ in again.store.scan()) == 3

    def test_another_file_that_has_the_name_for_a_moment(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Just while the file is opened for the first append; so it must be looked at which one that was."""
        other, away = path.with_suffix(".other"), path.with_suffix(".away")
        other.write_bytes(path.read_bytes())
        before = other.read_bytes()
        real_open = os.open

        def swapped(*arguments: Any, **options: Any) -> int:
            monkeypatch.undo()
            path.rename(away)
            other.rename(path)
            fd = real_open(*arguments, **options)
            path.rename(other)
            away.rename(path)
            return fd

        with Session.open(path) as session:
            monkeypatch.setattr(os, "open", swapped)
            added = session.append_message(HELLO)
        assert other.read_bytes() == before
        assert path.read_bytes() == before + added.entries[0].raw + b"\n"

    def test_another_session_under_the_name(self, path: Path, tmp_path: Path) -> None:
        with Session.open(path) as session:
            with Session.create(tmp_path / "other.jsonl") as other:
                other.append_message(HELLO)
            os.replace(tmp_path / "other.jsonl", path)
            before = path.read_bytes()
            with pytest.raises(StorageError, match="replaced by another file"):
                session.append_message(HELLO)
            assert path.read_bytes() == before

    def test_the_same_session_in_a_new_file_is_followed(self, path: Path) -> None:
        with Session.open(path) as session, Session.open(path) as other:
            path.with_suffix(".new").write_bytes(path.read_bytes())
            os.replace(path.with_suffix(".new"), path)
            label = other.set_label(other.leaf_id or "", "here")
            added = session.append_message(HELLO)
            assert [entry.id for entry in added.adopted] == [label.id]
        with Session.open(path) as again:
            assert len(again.path()) == 3

    def test_an_older_copy_of_the_session_is_not_followed(self, path: Path) -> None:
        copy = path.read_bytes()
        with Session.open(path) as session:
            session.append_message(HELLO)
            path.with_suffix(".new").write_bytes(copy)
            os.replace(path.with_suffix(".new"), path)
            with pytest.raises(StorageError, match="replaced"):
                session.append_message(HELLO)

    def test_entries_without_an_id_that_come_late_get_the_id_of_their_line(self, path: Path) -> None:
        with Session.open(path) as session:
            with path.open("ab") as file:
                file.write(b'{"type":"custom","customType":"x","timestamp":""}\n')
            (found,) = session.refresh()
        with Session.open(path) as again:
            assert again.leaf_id == found.id
            assert len(found.id) == 16


class TestPermissions:
    """As an ordinary user: root may write everywhere."""

    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="treering-") as name:  # tmp_path is closed to other users
            Path(name).chmod(0o755)
            yield Path(name)

    def _as_user(self, folder: Path, code: str) -> subprocess.CompletedProcess[str]:
        prelude = """
            import glob, hashlib, os, shutil, uuid  # now: the other user may not be able to read them
            import treering.session.tree as t
            import treering.session.jsonl
            if os.getuid() == 0:
                os.setgroups([]); os.setgid(65534); os.setuid(65534)
        """
        return run_python(textwrap.dedent(prelude) + textwrap.dedent(code), folder)

    def test_a_file_that_may_only_be_read(self, folder: Path) -> None:
        with Session.create(folder / "s.jsonl") as session:
            session.append_message(HELLO)
        (folder / "s.jsonl").chmod(0o444)
        code = """
            session = t.Session.open("s.jsonl")
            print(len(session.context()))
            session.append_message({"role": "user", "content": "x"})
        """
        done = self._as_user(folder, code)
        assert done.stdout == "1\n"
        assert "StorageError: s.jsonl cannot be written: Permission denied (check the permissions" in done.stderr

    def test_a_file_that_may_not_be_read(self, folder: Path) -> None:
        Session.create(folder / "s.jsonl").close()
        (folder / "s.jsonl").chmod(0o000)
        done = self._as_user(folder, "t.Session.open('s.jsonl')")
        assert "StorageError: s.jsonl cannot be read: Permission denied" in done.stderr

    def test_an_upgrade_in_a_folder_that_may_not_be_written(self, folder: Path) -> None:
        old = folder / "s.jsonl"
        old.write_bytes(
            b'{"type":"session","id":"s","timestamp":"","cwd":"/"}\n'
            b'{"type":"message","timestamp":"","message":{"role":"user","content":"x"}}\n'
        )
        old.chmod(0o666)
        before = old.read_bytes()
        done = self._as_user(folder, "t.Session.open('s.jsonl').append_message({'role': 'user', 'content': 'y'})")
        assert "StorageError: s.jsonl cannot be written: Permission denied" in done.stderr
        assert old.read_bytes() == before
        assert list(folder.iterdir()) == [old]
