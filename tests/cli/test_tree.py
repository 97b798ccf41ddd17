"""The commands on the tree of a session, run in this process on files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drawn import bodies
from treering.cli import run
from treering.session.entries import encode_object
from treering.session.tree import Session, new_header

DRAWING = """
    U1(Read both files) → A1(read a.py) → R1 → A2 → U3(try it with regular expressions) → A3(edit lexer.py) → R3
    A2 → U4(write a parser) → A4(edit lexer.py; edit parser.py) → R4 → C5(Goal: a parser.; k=U4) → U6(and now?) → A6
"""


@pytest.fixture
def file(tmp_path):
    target = tmp_path / "session.jsonl"
    lines = [new_header(cwd="/srv/demo", session_id="source"), *bodies(DRAWING)]
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


@pytest.fixture
def call(capsys):
    def call(*arguments, code=0):
        assert run([str(argument) for argument in arguments]) == code
        captured = capsys.readouterr()
        return captured.out if code == 0 else captured.err

    return call


def test_the_tree_is_drawn(file, call):
    call("label", file, "A2", "base")
    lines = call("tree", file).splitlines()
    assert lines[0] == "session.jsonl  14 entries, 2 branches"
    assert lines[1].startswith("● U1 Read both files")
    assert "[base]" in lines[1]
    assert "(2 replies, 1 tool)" in lines[1]
    assert lines[2].startswith("├─○ U3 try it with regular expressions")
    assert lines[2].endswith(" tokens")
    assert lines[3].startswith("● U4 write a parser")
    assert lines[4].startswith("◆ C5 compaction: Goal: a parser.")
    assert lines[5].startswith("● U6 and now?")
    assert "← leaf" in lines[5]
    assert len(lines) == 6


def test_the_tree_as_json(file, call):
    data = json.loads(call("tree", file, "--json"))
    assert (data["schema"], data["leaf"], data["entries"]) == (1, "A6", 13)
    assert [(row["kind"], row["id"], row["depth"], row["tip"]) for row in data["rows"]] == [
        ("turn", "U1", 0, False),
        ("turn", "U3", 1, True),
        ("turn", "U4", 0, False),
        ("compaction", "C5", 0, False),
        ("turn", "U6", 0, True),
    ]
    assert all((row["tokens"] is not None) == row["tip"] for row in data["rows"])
    every = json.loads(call("tree", file, "--all", "--json"))
    assert {row["id"] for row in every["rows"]} == {body["id"] for body in bodies(DRAWING)}


def test_what_a_session_says_cannot_steer_the_terminal(file, call):
    with Session.open(file) as session:
        session.append_message({"role": "user", "content": "\x1b[2J\x1b]0;title\x07wiped\r\nout"})
    assert "\x1b" not in call("tree", file)


def test_branches_are_listed_deleted_and_restored(file, call):
    lines = call("branch", file).splitlines()
    assert lines[0].startswith("* A6")
    assert lines[1].startswith("  R3")
    assert "parts at A2" in lines[1]
    assert call("branch", file, "--delete", "A3") == "deleted U3\n"
    assert len(call("branch", file).splitlines()) == 1
    assert "deleted" in call("branch", file, "--deleted")
    assert "U3" not in call("tree", file)
    assert "deleted" in call("tree", file, "--deleted")
    assert call("branch", file, "--restore", "R3") == "restored U3\n"
    assert len(json.loads(call("branch", file, "--json"))["branches"]) == 2
    assert "check out another branch first" in call("branch", file, "--delete", "HEAD", code=1)


def test_checkout_of_a_user_message_prints_it_to_be_edited(file, call):
    assert call("checkout", file, "HEAD~2") == "write a parser\n"
    with Session.open(file) as session:
        assert [m.entry_id for m in session.context()] == ["U1", "A1", "R1", "A2"]


def test_checkout_takes_a_summary_along(file, call):
    call("checkout", file, "U3", "--as-is", "--summarize")
    with Session.open(file) as session:
        entry = session.get(session.leaf_id)
        assert (entry.type, entry.parent_id, entry.body["fromId"]) == ("branch_summary", "U3", "A6")
        assert entry.details["modifiedFiles"] == ["parser.py", "lexer.py"]


def test_instructions_ask_for_a_summary(file, call):
    data = json.loads(call("checkout", file, "R3", "only", "the", "parser", "--json"))
    assert (data["outcome"], data["target_id"], data["summary"]["type"]) == ("applied", "R3", "branch_summary")
    assert json.loads(call("checkout", file, "HEAD", "--json"))["outcome"] == "skipped"


def test_addresses_that_mean_nothing_are_wrong_use(file, call):
    assert "no entry has the id" in call("checkout", file, "nonsense", code=2)
    assert "only 3 turns" in call("checkout", file, "HEAD~9", code=2)
    assert "give the address of an entry" in call("label", file, "@root", "x", code=2)


def test_a_branch_becomes_a_file(file, call, tmp_path):
    target = tmp_path / "fork.jsonl"
    data = json.loads(call("fork", file, target, "R3", "--json"))
    assert data["parent_session"] == str(file)
    with Session.open(target) as session:
        assert session.leaf_id == "R3"
    assert "exists already" in call("fork", file, target, code=1)
    call("fork", file, tmp_path / "clone.jsonl", "--whole")
    assert (tmp_path / "clone.jsonl").read_bytes().splitlines()[1:] == file.read_bytes().splitlines()[1:]


def test_labels_and_names(file, call):
    assert call("label", file, "A2", "base").startswith("base  A2  answer A2")
    assert json.loads(call("label", file, "--json"))["labels"] == {"A2": "base"}
    assert call("checkout", file, "base") == ""
    assert call("label", file, "base", "--remove").startswith("no labels")
    assert "either a LABEL or --remove" in call("label", file, "A2", code=2)
    assert call("name", file) == "(no name)\n"
    assert call("name", file, "two parsers") == "two parsers\n"
    assert call("tree", file).startswith("two parsers ")


def test_branches_are_compared(file, call):
    text = call("diff", file, "R3")
    assert text.startswith("part at  A2  answer A2")
    assert "> try it with regular expressions" in text
    assert "M lexer.py" in text
    assert text.endswith("changed by both\n  lexer.py\n")
    data = json.loads(call("diff", file, "R3", "A6", "--json"))
    assert data["modified_by_both"] == ["lexer.py"]


def test_vacuum(file, call):
    assert call("vacuum", file).startswith("nothing to erase")
    call("branch", file, "--delete", "R3")
    before = file.read_bytes()
    data = json.loads(call("vacuum", file, "--json"))
    assert data["erased"] == 3
    assert Path(data["backup"]).read_bytes() == before
    assert b'"id":"U3"' not in file.read_bytes()


def test_an_empty_session(tmp_path, call):
    target = tmp_path / "empty.jsonl"
    Session.create(target).close()
    assert call("tree", target).splitlines() == ["empty.jsonl  0 entries, 0 branches", "← leaf: before the first entry"]
    assert call("branch", target).startswith("no branches")


def test_every_shared_session_has_a_tree(shared, call):
    for path in sorted((shared / "sessions/pi").glob("*.jsonl")):
        assert call("tree", path)
        assert call("tree", path, "--all")
