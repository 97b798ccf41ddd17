"""`doctor`: it finds each kind of damage, and a repaired copy has none and lost nothing that could be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from treering.errors import DamagedFileError, StorageError
from treering.session.doctor import examine, repair
from treering.session.entries import encode_object
from treering.session.findings import KINDS
from treering.session.tree import Session, new_header
from treering.testing.damage import damaged_files
from treering.testing.trees import Tree, session_trees

ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])

HEADER = encode_object(new_header(session_id="s", cwd="/srv"))


def entry(entry_id: object, parent_id: object, text: str = "x", **fields: object) -> bytes:
    head = {"type": "message", "id": entry_id, "parentId": parent_id, "timestamp": "2026-01-02T03:04:05.000Z"}
    return encode_object({**head, "message": {"role": "user", "content": text}, **fields})


A, B, C = entry("a", None), entry("b", "a"), entry("c", "b")

CALL = {"role": "assistant", "content": [{"type": "toolCall", "id": "t", "name": "read", "arguments": {}}]}
RESULT = {"role": "toolResult", "toolCallId": "t", "toolName": "read", "content": []}

# name, the lines behind the header, what is found as (line, kind), the ids in the repaired copy
CASES: list[tuple[str, list[bytes], list[tuple[int, str]], list[str]]] = [
    ("nothing", [A, B, C], [], ["a", "b", "c"]),
    ("a stub in the middle", [A, B[:30], C], [(3, "stub"), (4, "missing-parent")], ["a", "c"]),
    (
        "a stub cut inside a character",
        [A, entry("b", "a", "é")[:-4], C],
        [(3, "stub"), (4, "missing-parent")],
        ["a", "c"],
    ),
    ("zeros", [A, b"\0" * 50, B], [(3, "unreadable")], ["a", "b"]),
    ("garbage", [A, b"what is this", B], [(3, "unreadable")], ["a", "b"]),
    ("no object", [A, b"[1]", B], [(3, "no-object")], ["a", "b"]),
    ("two records on a line", [A + B, C], [(2, "fused")], ["a", "b", "c"]),
    ("a stub and a record on a line", [A, C[:30] + B, C], [(3, "fused-stub")], ["a", "b", "c"]),
    ("two entries with one id", [A, B, entry("b", "a", "other"), C], [(4, "duplicate-id")], ["a", "b", "?", "c"]),
    ("an entry twice", [A, B, B, C], [(4, "repeated")], ["a", "b", "c"]),
    ("the last entry is an old one", [A, B, A], [(4, "repeated")], ["a", "b", "?"]),
    ("a missing parent", [A, entry("x", "gone"), entry("y", "x")], [(3, "missing-parent")], ["a", "x", "y"]),
    ("its own parent", [A, entry("x", "x")], [(3, "cycle")], ["a", "x"]),
    ("a circle", [A, entry("x", "z"), entry("y", "x"), entry("z", "y")], [(3, "cycle")], ["a", "x", "y", "z"]),
    ("a child before its parent", [entry("b", "a"), A], [(2, "order")], ["b", "a"]),
    ("a second header", [A, HEADER, B], [(3, "second-header")], ["a", "b"]),
    ("no id", [A, B.replace(b'"id":"b",', b"")], [(3, "no-id")], ["a", "?"]),
    ("no type", [A, B.replace(b'"type":"message",', b"")], [(3, "no-type")], ["a", "b"]),
    ("NaN", [A, B.replace(b'"x"', b"NaN")], [(3, "not-strict")], ["a", "b"]),
    ("too deep", [A, B.replace(b'"x"', b"[" * 9000 + b"]" * 9000)], [(3, "deep")], ["a", "b"]),
    (
        "a record over four lines",
        [
            A,
            b'{"type":"message",\n "id":"b","parentId":"a","timestamp":"t",\n"message":{"role":"user",'
            b'"content":"x\ny"}}',
            C,
        ],
        [(3, "broken-over-lines")],
        ["a", "b", "c"],
    ),
    (
        "a first kept entry elsewhere",
        [A, B, entry("k", "a", type="compaction", summary="S", firstKeptEntryId="b")],
        [(4, "first-kept")],
        ["a", "b", "k"],
    ),
    ("an orphan result", [A, entry("r", "a", message=RESULT)], [(3, "orphan-result")], ["a", "r"]),
    (
        "a doubled result",
        [entry("a", None, message=CALL), entry("r", "a", message=RESULT), entry("s", "r", message=RESULT)],
        [(4, "doubled-result")],
        ["a", "r", "s"],
    ),
]


@pytest.mark.parametrize(("lines", "expected", "ids"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_damage_is_found_and_repaired(
    tmp_path: Path, lines: list[bytes], expected: list[tuple[int, str]], ids: list[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([HEADER, *lines]) + b"\n")
    before = path.read_bytes()
    diagnosis = examine(path)
    assert [(finding.line, finding.kind) for finding in diagnosis.findings] == expected
    assert all(finding.text for finding in diagnosis.findings)
    done = repair(path, tmp_path / "copy.jsonl")
    assert path.read_bytes() == before, "the source is never touched"
    assert not done.after.damaged
    with Session.open(tmp_path / "copy.jsonl") as session:
        found = [each.id for each in session.store.scan()]
        assert [have if want != "?" else "?" for have, want in zip(found, ids, strict=True)] == ids
        assert session.header.raw == json.loads(HEADER)
    assert len(done.notes) >= sum(1 for _, kind in expected if KINDS[kind].repair)


def test_every_kind_is_shown_here() -> None:
    shown = {kind for _, _, found, _ in CASES for _, kind in found}
    elsewhere = {"missing-header", "byte-order-mark", "torn-tail", "long-line", "large-file"}
    assert shown | elsewhere == KINDS.keys()


def test_lines_that_are_whole_keep_their_bytes(tmp_path: Path) -> None:
    odd = b'{ "type":"future", "id":"b","parentId":"a","timestamp":"t", "n": 1.50, "s":"\xc2\x85" }'
    (tmp_path / "s.jsonl").write_bytes(b"\n".join([HEADER, A, b"\0\0", odd + b"\r"]) + b"\n")
    repair(tmp_path / "s.jsonl", tmp_path / "copy.jsonl")
    assert (tmp_path / "copy.jsonl").read_bytes().splitlines(keepends=False)[1] == A
    assert odd in (tmp_path / "copy.jsonl").read_bytes()


def test_a_torn_tail_is_a_warning(tmp_path: Path) -> None:
    for tail in (C[:40], C + B[:10]):
        (tmp_path / "s.jsonl").write_bytes(b"\n".join([HEADER, A, B, tail]))
        diagnosis = examine(tmp_path / "s.jsonl")
        assert [finding.kind for finding in diagnosis.findings] == ["torn-tail"]
        assert not diagnosis.damaged
    (tmp_path / "s.jsonl").write_bytes(b"\n".join([HEADER, A, B, C]))
    assert examine(tmp_path / "s.jsonl").findings == (), "a whole last line without a newline is fine"


def test_a_lost_header_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([A, B]) + b"\n")
    diagnosis = examine(path)
    assert [(finding.line, finding.kind) for finding in diagnosis.findings] == [(0, "missing-header")]
    repair(path, tmp_path / "one.jsonl")
    repair(path, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    with Session.open(tmp_path / "one.jsonl") as session:
        assert [each.id for each in session.path()] == ["a", "b"]
        assert session.header.timestamp == "2026-01-02T03:04:05.000Z"


def test_a_lost_header_of_version_1(tmp_path: Path) -> None:
    lines = [
        b'{"type":"message","timestamp":"t","message":{"role":"user","content":"%d"}}' % number for number in range(3)
    ]
    lines.append(b'{"type":"compaction","timestamp":"t","summary":"S","firstKeptEntryIndex":2}')
    (tmp_path / "s.jsonl").write_bytes(b"\n".join(lines))
    repair(tmp_path / "s.jsonl", tmp_path / "copy.jsonl")
    with Session.open(tmp_path / "copy.jsonl") as session:
        assert [each.message.text for each in session.context()] == ["S", "1", "2"]


def test_an_old_version_is_repaired_into_version_3_under_the_ids_of_reading(shared: Path, tmp_path: Path) -> None:
    source = shared / "sessions/pi/two-compactions.v1.jsonl"
    repair(source, tmp_path / "copy.jsonl")
    with Session.open(source) as old, Session.open(tmp_path / "copy.jsonl") as new:
        assert new.header.version == 3
        assert [each.id for each in new.store.scan()] == [each.id for each in old.store.scan()]
        assert [each.message.raw for each in new.context()] == [each.message.raw for each in old.context()]


def test_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join([HEADER, A]) + b"\n")
    assert [finding.kind for finding in examine(tmp_path / "s.jsonl").findings] == ["byte-order-mark"]
    repair(tmp_path / "s.jsonl", tmp_path / "copy.jsonl")
    assert (tmp_path / "copy.jsonl").read_bytes().startswith(HEADER)


def test_a_title_line_is_kept(tmp_path: Path) -> None:
    title = b'{"type":"title","title":"A name"}'
    (tmp_path / "s.jsonl").write_bytes(b"\n".join([title, HEADER, A + B]) + b"\n")
    repair(tmp_path / "s.jsonl", tmp_path / "copy.jsonl")
    assert (tmp_path / "copy.jsonl").read_bytes().splitlines() == [title, HEADER, A, B]


def test_long_lines_and_large_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + b"\n" + entry("a", None, "x" * (33 << 20)) + b"\n")
    assert [finding.kind for finding in examine(path).findings] == ["long-line"]


def test_what_is_no_session_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "notes").write_text("# Notes\n")
    for name in ("empty", "notes"):
        with pytest.raises(DamagedFileError, match="no session"):
            examine(tmp_path / name)
    with pytest.raises(StorageError, match="is a folder"):
        examine(tmp_path)


def test_a_repair_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([HEADER, A]) + b"\n")
    with pytest.raises(StorageError, match="the file itself"):
        repair(path, path)
    (tmp_path / "copy.jsonl").touch()
    with pytest.raises(StorageError, match="exists already"):
        repair(path, tmp_path / "copy.jsonl")
    assert path.read_bytes() == b"\n".join([HEADER, A]) + b"\n"


@settings(ANY, max_examples=60)
@given(session_trees())
def test_whole_files_are_not_damaged(tmp_path: Path, tree: Tree) -> None:
    path = tree.write(tmp_path / "s.jsonl")
    assert not examine(path).damaged


@settings(ANY, max_examples=80)
@given(damaged_files())
def test_any_damage_is_repaired(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    copy = tmp_path / "copy.jsonl"
    copy.unlink(missing_ok=True)
    path.write_bytes(data)
    try:
        done = repair(path, copy)
    except DamagedFileError:
        return
    assert path.read_bytes() == data
    assert not done.after.damaged, done.after.findings
    with Session.open(copy) as repaired:
        ids = {each.id for each in repaired.store.scan()}
        if done.before.findings[:1] and done.before.findings[0].kind == "missing-header":
            return
        with Session.open(path) as session:
            assert {each.id for each in session.store.scan()} <= ids, "an entry that could be read is lost"


def test_real_files_are_whole(shared: Path) -> None:
    for path in sorted((shared / "sessions/pi").glob("*.jsonl")):
        diagnosis = examine(path)
        assert not diagnosis.damaged, (path.name, diagnosis.findings)
