"""Old versions: read as version 3, and upgraded by the first append, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from pathlib import Path

import pytest
from session_processes import run_python, start_python

from treering.errors import StorageError
from treering.session.tree import Session

HELLO = {"role": "user", "content": "hello"}

V1 = [
    {
        "type": "session",
        "id": "s1",
        "timestamp": "2025-11-01T00:00:00.000Z",
        "cwd": "/srv",
        "branchedFrom": "old.jsonl",
    },
    {"type": "message", "timestamp": "t1", "message": {"role": "user", "content": "one", "price": 1.50}},
    {
        "type": "message",
        "timestamp": "t2",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
    },
    {"type": "message", "timestamp": "t3", "message": {"role": "hookMessage", "customType": "h", "content": "three"}},
    {"type": "compaction", "timestamp": "t4", "summary": "S", "firstKeptEntryIndex": 3, "tokensBefore": 9},
    {"type": "message", "timestamp": "t5", "message": {"role": "user", "content": "four"}},
]


def old_file(path: Path, records: list = V1, **header: object) -> Path:
    lines = [json.dumps({**record, **(header if number == 0 else {})}) for number, record in enumerate(records)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    return old_file(tmp_path / "s.jsonl")


def test_version_1_reads_as_a_chain_with_ids_that_stay(v1: Path) -> None:
    before = v1.read_bytes()
    with Session.open(v1) as session:
        path = session.path()
        assert [entry.parent_id for entry in path] == [None, *(entry.id for entry in path)][:-1]
        assert path[3].first_kept_id == path[2].id, "index 3 counts the header"
        assert session.header.parent_session == "old.jsonl"
        texts = [each.message.text for each in session.context()]
        assert texts == ["S", "three", "four"]
        assert session.context().messages[1].message.role == "custom"
        ids = [entry.id for entry in path]
    assert v1.read_bytes() == before, "reading never changes a file"
    with Session.open(v1) as again:
        assert [entry.id for entry in again.path()] == ids
        again.append_message(HELLO)
        assert [entry.id for entry in again.path()][:-1] == ids
    with Session.open(v1) as upgraded:
        assert upgraded.header.version == 3
        assert [entry.id for entry in upgraded.path()][:-1] == ids, "the upgrade keeps the ids of reading"
        assert [each.message.text for each in upgraded.context()] == ["S", "three", "four", "hello"]
        assert upgraded.header.raw["parentSession"] == "old.jsonl"
        assert b'"price": 1.5' in upgraded.path()[0].raw, "what need not change is not written anew"


def test_the_backup_is_the_original(v1: Path) -> None:
    before = v1.read_bytes()
    v1.chmod(0o640)
    with Session.open(v1) as session:
        session.append_message(HELLO)
        backup = session.store.backup
    assert backup == v1.with_name("s.jsonl.v1.bak")
    assert backup.read_bytes() == before
    assert stat.S_IMODE(v1.stat().st_mode) == 0o640
    assert sorted(each.name for each in v1.parent.iterdir()) == ["s.jsonl", "s.jsonl.v1.bak"]


def test_a_backup_that_is_there_already_is_kept(v1: Path) -> None:
    before = v1.read_bytes()
    v1.with_name("s.jsonl.v1.bak").write_text("mine")
    with Session.open(v1) as session:
        session.append_message(HELLO)
    assert v1.with_name("s.jsonl.v1.bak").read_text() == "mine"
    assert v1.with_name("s.jsonl.v1.2.bak").read_bytes() == before


def test_where_there_are_no_hard_links_the_backup_is_a_copy(v1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*names: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    before = v1.read_bytes()
    with Session.open(v1) as session:
        session.append_message(HELLO)
    assert v1.with_name("s.jsonl.v1.bak").read_bytes() == before


def test_a_link_stays_a_link(v1: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.jsonl"
    link.symlink_to("../s.jsonl")
    before = v1.read_bytes()
    with Session.open(link) as session:
        session.append_message(HELLO)
    assert link.is_symlink()
    assert link.resolve() == v1
    assert v1.read_bytes().startswith(b'{"type":"session"')
    assert v1.with_name("s.jsonl.v1.bak").read_bytes() == before
    assert [each.name for each in link.parent.iterdir()] == ["link.jsonl"]


def test_version_2(tmp_path: Path) -> None:
    records = [
        {"type": "session", "version": 2, "id": "s2", "timestamp": "t", "cwd": "/srv"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": "t", "message": {"role": "user", "content": "x"}},
        {
            "type": "message",
            "id": "b",
            "parentId": "a",
            "timestamp": "t",
            "message": {"role": "hookMessage", "content": "y"},
        },
        {"type": "message", "id": "c", "parentId": "a", "timestamp": "t", "message": {"role": "user", "content": "z"}},
    ]
    path = old_file(tmp_path / "s.jsonl", records)
    raw = path.read_bytes().splitlines()
    with Session.open(path) as session:
        assert session.get("b").message is not None
        assert session.get("b").body["message"]["role"] == "custom"
        session.append_message(HELLO)
        assert [entry.id for entry in session.path()][:2] == ["a", "c"]
    lines = path.read_bytes().splitlines()
    assert lines[1] == raw[1], "entries that need no change keep their bytes"
    assert json.loads(lines[2])["message"] == {"role": "custom", "content": "y"}
    assert path.with_name("s.jsonl.v2.bak").read_bytes().splitlines() == raw


def test_a_header_that_lost_its_version_does_not_cost_the_branches(tmp_path: Path) -> None:
    """Entries of version 1 have no ids. These have: they keep them, and their parents."""
    records = [
        {"type": "session", "id": "s", "timestamp": "t", "cwd": "/srv"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": "t", "message": HELLO},
        {"type": "message", "id": "b", "parentId": "a", "timestamp": "t", "message": HELLO},
        {"type": "message", "id": "c", "parentId": "a", "timestamp": "t", "message": HELLO},
        {"type": "message", "id": "d", "parentId": None, "timestamp": "t", "message": HELLO},
    ]
    path = old_file(tmp_path / "s.jsonl", records)
    raw = path.read_bytes().splitlines()
    with Session.open(path) as session:
        assert [entry.id for entry in session.path("c")] == ["a", "c"]
        session.append_message(HELLO)
        assert [entry.id for entry in session.children(None)] == ["a", "d"]
    assert path.read_bytes().splitlines()[1:5] == raw[1:]


def test_a_title_line_stays_first(tmp_path: Path) -> None:
    """As oh-my-pi writes it, in version 3 and in an older one."""
    for version in (2, 3):
        title = {"type": "title", "title": "A name", "pad": " " * 40}
        header = {"type": "session", "version": version, "id": "s", "timestamp": "t", "cwd": "/"}
        entry = {"type": "message", "id": "a", "parentId": None, "timestamp": "t", "message": HELLO}
        path = old_file(tmp_path / f"{version}.jsonl", [title, header, entry])
        with Session.open(path) as session:
            assert session.leaf_id == "a"
            session.append_message(HELLO)
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        assert [line["type"] for line in lines] == ["title", "session", "message", "message"]
        assert lines[1]["version"] == 3


def test_odd_lines_of_version_1(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    one, two = (json.dumps(record).encode() for record in V1[1:3])
    deep = b'{"type":"custom","timestamp":"","data":' + b"[" * 9000 + b"]" * 9000 + b"}"
    keep = b'{"type":"compaction","timestamp":"","summary":"S","firstKeptEntryIndex":3}'
    nan = b'{"type":"custom","timestamp":"","data":NaN,"x":1e400}'
    path.write_bytes(
        b"\n".join([json.dumps(V1[0]).encode(), one + two, b"{stub", deep, keep, nan, b"{}", b'{"type":"mess'])
    )
    with Session.open(path) as session:
        entries = list(session.path())
        assert len(entries) == 6
        assert entries[3].first_kept_id == entries[2].id
        session.append_message(HELLO)
    with Session.open(path) as session:
        assert [entry.id for entry in session.path()][:-1] == [entry.id for entry in entries]
        assert [entry.raw for entry in session.path()][:-1] == [entry.raw for entry in entries]
        assert b"[" * 9000 in session.path()[2].raw
        assert b"NaN" in session.path()[4].raw


def test_a_second_process_that_waits_follows_the_upgrade(v1: Path, tmp_path: Path) -> None:
    """Both opened the old file; the second one gets the lock of a file that has lost its name."""
    code = """
import sys
from treering.session.tree import Session
session = Session.open("s.jsonl")
print("open", flush=True)
sys.stdin.readline()
added = session.append_message({"role": "user", "content": sys.argv[1]})
print(added.id, added.branched, flush=True)
"""
    processes = [start_python(code, tmp_path, f"from {number}") for number in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=30)[0].split() for process in processes]
    with Session.open(v1) as session:
        ids = [entry.id for entry in session.store.scan()]
        assert len(ids) == 5 + 4
        assert {answer[0].decode() for answer in answers} == set(ids[5:])
        assert sorted(answer[1] for answer in answers) == [b"False", b"True", b"True", b"True"]
        leaf = ids[4]
        assert [entry.parent_id for entry in session.store.scan()][5:] == [leaf] * 4
    assert len(list(tmp_path.glob("*.bak"))) == 1


def test_a_full_disk_leaves_the_old_file(v1: Path, tmp_path: Path) -> None:
    code = """
import resource
from treering.session.tree import Session
session = Session.open("s.jsonl")
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    session.append_message({"role": "user", "content": "hello"})
except Exception as error:
    print(type(error).__name__, error)
print(len(session.context()))
"""
    before = v1.read_bytes()
    done = run_python(code, tmp_path)
    assert done.stdout.startswith("StorageError s.jsonl cannot be written: File too large")
    assert done.stdout.endswith("3\n"), "the session goes on as it was"
    assert v1.read_bytes() == before
    assert list(tmp_path.iterdir()) == [v1]


@pytest.mark.slow
def test_a_kill_during_the_upgrade_leaves_the_old_file_or_the_new_one(shared: Path, tmp_path: Path) -> None:
    source = (shared / "sessions/pi/large.v1.jsonl").read_bytes()
    with Session.open(shared / "sessions/pi/large.v1.jsonl") as session:
        ids = [entry.id for entry in session.store.scan()]
    code = """
from treering.session.tree import Session
session = Session.open("s.jsonl")
print("open", flush=True)
session.append_message({"role": "user", "content": "hello"})
"""
    rounds = 40
    whole_time = 0.0
    for number in range(-1, rounds):  # the first one runs to its end, to know how long that takes
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "s.jsonl"
        path.write_bytes(source)
        process = start_python(code, folder)
        assert process.stdout is not None
        process.stdout.readline()
        start = time.perf_counter()
        if number >= 0:
            time.sleep(whole_time * number / rounds)
            process.send_signal(signal.SIGKILL)
        process.wait()
        whole_time = whole_time or time.perf_counter() - start
        with Session.open(path) as after:
            version = after.header.version
            assert [entry.id for entry in after.store.scan()][: len(ids)] == ids
            if version == 1:
                assert path.read_bytes() == source
            else:
                assert path.with_name("s.jsonl.v1.bak").read_bytes() == source
            added = after.append_message(HELLO)
        with Session.open(path) as again:
            assert again.leaf_id == added.id
        assert not list(folder.glob(".*")), "what a killed upgrade left is cleared away by the next one"


def test_a_failed_upgrade_can_be_tried_again(v1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = v1.read_bytes()
    real = os.fsync
    with Session.open(v1) as session:
        monkeypatch.setattr(os, "fsync", _fails)
        with pytest.raises(StorageError, match="Input/output error"):
            session.append_message(HELLO)
        assert v1.read_bytes() == before
        assert list(v1.parent.iterdir()) == [v1]
        monkeypatch.setattr(os, "fsync", real)
        session.append_message(HELLO)
        assert len(session.path()) == 6


def _fails(fd: int) -> None:
    raise OSError(5, "Input/output error")
