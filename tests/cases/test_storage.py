"""CASES group D, E and I, as far as they touch where entries lie; and PAIR-1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treering.errors import StorageError
from treering.session.doctor import examine, repair
from treering.session.entries import encode_object
from treering.session.llm import to_llm
from treering.session.reader import FileReader
from treering.session.tree import Session, new_header
from treering.session.validity import check_messages

HELLO = {"role": "user", "content": "hello"}
ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "Good day."}], "stopReason": "stop"}


def result(call: str, text: str = "done") -> dict:
    return {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": [{"type": "text", "text": text}]}


def call(*ids: str) -> dict:
    blocks = [{"type": "toolCall", "id": each, "name": "read", "arguments": {"path": "a.txt"}} for each in ids]
    return {"role": "assistant", "content": blocks, "stopReason": "toolUse"}


def compaction(first_kept: str, summary: str = "What was.") -> dict:
    return {"type": "compaction", "summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 9000}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    with Session.create(path) as session:
        session.append_message({"role": "user", "content": "one — नमस्ते"})
        session.append_message(ANSWER)
    return path


class TestPair1:
    def test_a_stale_compaction_inside_a_kept_range_does_not_render(self, path: Path) -> None:
        """It was appended while a call was in flight, and the next compaction keeps from before it."""
        with Session.open(path) as session:
            first = session.leaf_id or ""
            kept = session.append_message(HELLO).id
            session.append_message(call("t1"))
            session.append(compaction(first, "The first."))
            session.append_message(result("t1"))
            session.append_message(ANSWER)
            session.append_message(HELLO)
            session.append(compaction(kept, "The second."))
            session.append_message(HELLO)
            context = session.context()
            roles = [each.message.role for each in context]
            expected = ["compactionSummary", "user", "assistant", "toolResult", "assistant", "user", "user"]
            assert roles == expected
            assert "The first." not in json.dumps([each.message.raw for each in context])
            assert check_messages([each.message for each in to_llm(context)]) == []


class TestStore1:
    """A torn tail is not fused with the next append."""

    @pytest.mark.parametrize("cut", ["mid-JSON", "inside of a character", "complete, no newline"])
    def test_a_torn_tail(self, path: Path, cut: str) -> None:
        with Session.open(path) as session:
            torn = session.append_message({"role": "user", "content": "नमस्ते"}).id
        data = path.read_bytes()
        at = {"mid-JSON": -40, "inside of a character": data.index("नमस्ते".encode(), 300) - len(data) + 1}.get(cut, -1)
        path.write_bytes(data[:at])
        with Session.open(path) as session:
            complete = cut.startswith("complete")
            assert (session.leaf_id == torn) is complete
            assert bool(session.store.unfinished) is not complete, "the user can be told"
            for _ in range(2):
                session.append_message(HELLO)
        assert path.read_bytes().startswith(data[:at] + b"\n"), "the stub stays, on a line of its own"
        with Session.open(path) as session:
            assert len(session.path()) == (5 if complete else 4)
        kinds = {finding.kind for finding in examine(path).findings}
        assert kinds == (set() if complete else {"stub"})


class TestStore3:
    """Lines end at newlines only."""

    SEPARATORS = "\u2028\u2029\u0085\v\f\x1c\x1d\x1e"

    def test_every_separator_in_a_tool_result(self, path: Path) -> None:
        with Session.open(path) as session:
            for each in self.SEPARATORS:
                session.append_message(result("t", f"before{each}after"))
        with Session.open(path) as session:
            texts = [entry.message.text for entry in session.path()[2:] if entry.message]
            assert texts == [f"before{each}after" for each in self.SEPARATORS]
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) == 3 + len(self.SEPARATORS), "we write none of them raw, so no reader splits there"

    def test_files_in_which_another_tool_wrote_them_raw(self, path: Path) -> None:
        line = '{"type":"message","id":"raw","parentId":null,"timestamp":"t",'
        line += '"message":{"role":"user","content":"a\u2028b\u0085c"}}'
        with path.open("ab") as file:
            file.write(line.encode() + b"\n")
        with Session.open(path) as session:
            assert session.leaf_id == "raw"
            assert session.get("raw").raw == line.encode()
            assert session.context().messages[0].message.text == "a\u2028b\u0085c"

    def test_crlf(self, path: Path) -> None:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        with Session.open(path) as session:
            assert len(session.context()) == 2
            assert not session.get(session.leaf_id or "").raw.endswith(b"\r")
            session.append_message(HELLO)
        with Session.open(path) as session:
            assert len(session.context()) == 3
        assert examine(path).findings == ()


def test_store_5_a_raw_newline_inside_of_a_record(path: Path, tmp_path: Path) -> None:
    line = b'{"type":"message","id":"n","parentId":null,"timestamp":"t","message":{"role":"user","content":"a\nb\nc"}}'
    with path.open("ab") as file:
        file.write(line + b"\n")
    with Session.open(path) as session:
        assert len(session.context()) == 2, "it is passed over"
    (finding,) = examine(path).findings
    assert (finding.line, finding.kind, finding.loses) == (4, "broken-over-lines", True)
    repair(path, tmp_path / "copy.jsonl")
    with Session.open(tmp_path / "copy.jsonl") as session:
        assert session.context().messages[0].message.text == "a\nb\nc"


def test_store_7_a_branch_back_between_two_compactions(path: Path) -> None:
    with Session.open(path) as session:
        kept = session.append_message(HELLO).id
        session.append(compaction(kept, "The first."))
        between = session.append_message(ANSWER).id
        later = session.append_message(HELLO).id
        session.append(compaction(later, "The second."))
        session.checkout(between)
    with Session.open(path) as session:
        texts = [each.message.text for each in session.context()]
        assert texts == ["The first.", "hello", "Good day."], "the older compaction is as it was"


def test_store_8_the_parent_of_a_new_entry_is_the_leaf(path: Path) -> None:
    with Session.open(path) as session:
        for round_ in range(3):
            leaf = session.leaf_id
            added = session.append(compaction(leaf or "", f"Round {round_}."))
            assert added.entries[0].parent_id == leaf
            batch = session.append({"type": "custom", "customType": "hook"}, {"type": "message", "message": HELLO})
            assert [entry.parent_id for entry in batch.entries] == [added.id, batch.entries[0].id]
        assert len(session.path()) == 2 + 9
    assert examine(path).findings == (), "nothing is out of reach"


def test_store_8_entries_out_of_reach_are_told(path: Path) -> None:
    with path.open("ab") as file:
        for entry_id, parent in (("x", "gone"), ("y", "x"), ("z", "y")):
            file.write(encode_object({"type": "custom", "id": entry_id, "parentId": parent, "timestamp": "t"}) + b"\n")
    (finding,) = examine(path).findings
    assert finding.kind == "missing-parent"
    assert finding.entry_id == "x"
    assert "2 entries that continue it" in finding.text


def test_store_15_a_failed_open_is_told_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        Session.open(tmp_path / "s.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_conc_8_two_who_append_to_the_same_leaf(path: Path) -> None:
    with Session.open(path) as one, Session.open(path) as two:
        leaf = one.leaf_id
        first = one.append_message(HELLO)
        second = two.append_message(ANSWER)
        assert not first.branched
        assert second.branched, "it is said"
        assert first.entries[0].parent_id == second.entries[0].parent_id == leaf
    with Session.open(path) as session:
        assert [entry.id for entry in session.children(leaf)] == [first.id, second.id]


class TestPerf1:
    """Opening a large session reads its end, not its history."""

    def test_what_is_read_does_not_grow_with_the_history(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        reads: list[int] = []
        real = FileReader._read

        def counted(self: FileReader, length: int, offset: int) -> bytes:
            data = real(self, length, offset)
            reads.append(len(data))
            return data

        monkeypatch.setattr(FileReader, "_read", counted)
        sums = []
        for history in (1000, 20_000):
            path = tmp_path / f"{history}.jsonl"
            _long_session(path, history)
            reads.clear()
            with Session.open(path) as session:
                context = session.context()
                assert [each.message.text for each in context] == ["What was.", *["x" * 200] * 11]
            sums.append(sum(reads))
        assert sums[1] <= sums[0] * 1.1
        assert sums[1] < 300_000

    def test_a_long_line_and_a_long_history(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        _long_session(path, 100)
        with Session.open(path) as session:
            big = session.append_message({"role": "user", "content": "y" * 9_000_000}).id
            session.append_message(ANSWER)
        with Session.open(path) as session:
            assert len(session.context().messages[-2].message.text) == 9_000_000
            assert session.get(big).parent_id is not None

    @pytest.mark.slow
    def test_a_file_of_more_than_512_megabytes(self, tmp_path: Path) -> None:
        """More than a JavaScript string can hold. A hole makes it cheap: zeros are lines that readers skip."""
        path = tmp_path / "s.jsonl"
        _long_session(path, 100)
        with path.open("r+b") as file:
            file.seek(700 << 20)
            file.write(b"\n")
        with Session.open(path) as session:
            assert len(session.store.header.id) > 0
        with path.open("ab") as file:
            for number in range(30):
                parent = None if number == 0 else f"n{number - 1}"
                entry = {"type": "message", "id": f"n{number}", "parentId": parent, "timestamp": "t", "message": HELLO}
                file.write(encode_object(entry) + b"\n")
        with Session.open(path) as session:
            assert len(session.context()) == 30
            session.append_message(ANSWER)
            assert len(session.context()) == 31


def _long_session(path: Path, history: int) -> None:
    lines = [encode_object(new_header(session_id="s"))]
    message = {"role": "user", "content": "x" * 200}
    for number in range(history):
        body = {"type": "message", "message": message}
        if number == history - 2:
            body = compaction(f"e{number - 10}")
        head = {"id": f"e{number}", "parentId": f"e{number - 1}" if number else None, "timestamp": "t"}
        lines.append(encode_object({**head, **body}))
    path.write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize("content", [b'"x\\ud800y"', b'"\xff\xfe"', b'[{"type":"text","text":"a\\udfffb"}]'])
def test_text_that_no_encoder_takes_is_compacted_and_kept_as_it_is(content: bytes, tmp_path: Path) -> None:
    from treering.operations.compact import compact_sync
    from treering.settings import CompactionSettings, Settings

    file = tmp_path / "s.jsonl"
    with Session.create(file) as session:
        for number in range(20):
            session.append_message({"role": "user", "content": f"do step {number} of the plan " * 20})
    lines = file.read_bytes().splitlines()
    head = b'{"type":"message","id":"odd","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":'
    lines.insert(1, head + b'{"role":"user","content":' + content + b"}}")
    first = lines[2].replace(b'"parentId":null', b'"parentId":"odd"')
    lines[2] = first
    file.write_bytes(b"\n".join([*lines, b""]))
    with Session.open(file) as session:
        session.append_message({"role": "assistant", "content": [{"type": "text", "text": "done"}]})
        result = compact_sync(session, settings=Settings(compaction=CompactionSettings(keep_recent_tokens=10)))
        assert result.outcome == "applied", result.cause
    assert content in file.read_bytes()
