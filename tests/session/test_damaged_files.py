"""Whatever a file went through, it opens or says why not, never hangs, and loses nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from treering.errors import DamagedFileError, TreeringError
from treering.session.doctor import repair
from treering.session.tree import Session
from treering.testing.damage import DAMAGES, damaged_files
from treering.testing.trees import HEADER, Tree

ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])

HELLO = {"role": "user", "content": "hello"}


def use(path: Path) -> None:
    """All that a reader does, then an append, then a reader again."""
    before = path.read_bytes()
    try:
        session = Session.open(path)
    except DamagedFileError:
        assert path.read_bytes() == before
        return
    with session:
        heads = [entry.id for entry in session.store.scan()]
        for entry_id in heads:
            session.get(entry_id)
            list(session.store.walk(entry_id))
            session.children(entry_id)
        messages = [each.message.raw for each in session.context()]
        whole = [entry.id for entry in session.path()]
        assert len(set(whole)) == len(whole)
        assert path.read_bytes() == before, "reading changed the file"
        upgraded = session.header.version < 3  # a flipped bit in the header
        added = session.append_message(HELLO)
        if not upgraded:
            assert path.read_bytes().startswith(before), "bytes before the append point changed"
        assert [each.message.raw for each in session.context()][: len(messages)] == messages
    with Session.open(path) as again:
        assert again.leaf_id == added.id
        assert [entry.id for entry in again.store.scan()] == [*heads, added.id]
        assert again.context().messages[-1].message.raw["content"] == "hello"


@settings(ANY, max_examples=150)
@given(damaged_files())
def test_any_damage(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    use(path)


@settings(ANY, max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=6), st.integers(0, 30))
def test_flipped_bytes_in_a_real_file(tmp_path: Path, shared: Path, flips: list[tuple[int, int]], name: int) -> None:
    small = sorted((shared / "sessions/pi").glob("*.jsonl"), key=lambda path: path.stat().st_size)[:5]
    data = bytearray(small[name % len(small)].read_bytes())
    for at, byte in flips:
        data[at % len(data)] = byte
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    use(path)


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_alone(tmp_path: Path, name: str) -> None:
    tree = _small_tree()
    path = tree.write(tmp_path / "s.jsonl")
    whole = path.read_bytes()
    for number in range(7):
        path.write_bytes(DAMAGES[name](whole, number * 37))
        use(path)


@ANY
@given(st.binary(max_size=200))
@example(b"")
@example(b"\n\n")
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe{\x00")
@example(b"# Notes\n\nNo session at all.\n")
@example(b'{"type":"session"}\n')
@example(b'{"type":"session","id":5}\n')
@example(b'{"sessionId":"1","projectHash":"2"}\n')
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"type":"session","id":"x","deep":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
def test_what_is_no_session_is_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    with pytest.raises(DamagedFileError, match=r"s\.jsonl(, line \d+: | is empty)"):
        Session.open(path)


def test_a_torn_tail_at_every_byte_of_the_last_record(tmp_path: Path) -> None:
    tree = _small_tree()
    path = tree.write(tmp_path / "s.jsonl")
    whole = path.read_bytes()
    ids = [body["id"] for body in tree.bodies]
    start = len(whole) - len(tree.lines[-1]) - 1
    for size in range(start, len(whole) + 1):
        path.write_bytes(whole[:size])
        complete = size >= len(whole) - 1
        expected = ids if complete else ids[:-1]
        with Session.open(path) as session:
            assert session.leaf_id == expected[-1]
            added = session.append_message(HELLO)
            assert added.entries[0].parent_id == expected[-1]
        data = path.read_bytes()
        assert data.startswith(whole[:size]), "the stub stays"
        assert data[size : size + 1] == (b"\n" if start < size < len(whole) else data[size : size + 1])
        with Session.open(path) as again:
            assert [entry.id for entry in again.store.scan()] == [*expected, added.id]
            assert [entry.id for entry in again.path()] == [*expected, added.id]


def test_every_prefix_of_a_file_opens_or_says_why_not(tmp_path: Path) -> None:
    data = b"".join(line + b"\n" for line in _small_tree().lines)
    path = tmp_path / "s.jsonl"
    for size in range(0, len(data), 3):
        path.write_bytes(data[:size])
        use(path)


@pytest.mark.slow
@settings(ANY, max_examples=600)
@given(damaged_files(max_steps=20))
def test_any_damage_at_length(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    use(path)


def test_lines_made_to_be_nasty_take_no_time(tmp_path: Path) -> None:
    header = _small_tree().lines[0] + b"\n"
    nasty = {
        "nested starts of entries": b'{"type":"a","x":' * 20_000,
        "an endless string of quotes": b'{"type":"message","x":' + b"[" * 5000 + b'"' + b'\\"' * 200_000,
        "many objects on a line": b'{"type":"custom","timestamp":"","id":"x"}' * 20_000,
        "many stubs on a line": b'{"type":"custom","timestamp":"","i' * 20_000,
        "carriage returns only": b'{"type":"custom","timestamp":"","id":"x"}\r' * 20_000,
        "zeros": b"\0" * 5_000_000,
        "braces": b"{" * 1_000_000,
    }
    for name, line in nasty.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(header + line)
        with Session.open(path) as session:
            session.append_message(HELLO)
        with Session.open(path) as session:
            assert session.context().messages[-1].message.text == "hello"


@pytest.mark.parametrize("odd", [b"\x80", b"\\ud800"])
def test_ids_that_are_no_text(tmp_path: Path, odd: bytes) -> None:
    """Bytes that are not UTF-8, or half a character, in the session's id and an entry's; and an entry without one."""
    lines = [b'{"type":"session","version":3,"id":"s%s","timestamp":"t","cwd":""}' % odd]
    for entry_id, parent in ((b'"a%s"' % odd, b"null"), (b"null", b'"a%s"' % odd), (b'"c"', b'"a%s"' % odd)):
        lines.append(b'{"type":"custom","id":%s,"parentId":%s,"timestamp":"t"}' % (entry_id, parent))
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    use(path)
    repaired = repair(path, tmp_path / "copy.jsonl")
    assert not repaired.after.damaged


def test_errors_are_of_one_family() -> None:
    assert issubclass(DamagedFileError, TreeringError)


def _small_tree() -> Tree:
    user = {"role": "user", "content": "Read a.txt — नमस्ते", "timestamp": 1}
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.txt"}}
    assistant = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Reading 📖"}, call],
        "stopReason": "toolUse",
    }
    result = {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "read",
        "content": [{"type": "text", "text": "AAA"}],
    }
    bodies = []
    parent = None
    for number, message in enumerate([user, assistant, result, user, {**assistant, "content": "तैयार है 📖"}]):
        head = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": "2026-01-02T03:04:05.000Z"}
        bodies.append({**head, "message": message})
        parent = f"{number:08x}"
    return Tree(HEADER, tuple(bodies))
