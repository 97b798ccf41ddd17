"""`treering doctor` on files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treering.cli import run
from treering.session.entries import encode_object
from treering.session.tree import new_header

HEADER = encode_object(new_header(session_id="s"))
LINE = b'{"type":"custom","id":"%s","parentId":null,"timestamp":"t"}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([HEADER, LINE % b"a" + LINE % b"b", LINE % b"c"]) + b"\n")
    return path


def test_a_whole_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(HEADER + b"\n" + LINE % b"a" + b"\n")
    assert run(["doctor", str(file)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


def test_a_torn_tail_is_a_warning(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(HEADER + b"\n" + LINE % b"a" + b"\n" + LINE[:20])
    assert run(["doctor", str(file)]) == 0
    out = capsys.readouterr().out
    assert "line 3  warning  the last line is unfinished (20 bytes)" in out
    assert "--repair" not in out


def test_damage_is_3_and_a_way_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(file)]) == 3
    out = capsys.readouterr().out
    assert "line 2  damage   2 records on one line" in out
    assert f"`treering doctor --repair {file}`" in out


def test_repair(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = file.read_bytes()
    assert run(["doctor", str(file), "--repair"]) == 0
    assert file.read_bytes() == before
    copy = file.with_name("s.repaired.jsonl")
    assert len(copy.read_bytes().splitlines()) == 4
    out = capsys.readouterr().out
    assert "line 2: each record got a line of its own" in out
    assert f"written: {copy}, 3 entries; no damage is left" in out
    assert run(["doctor", str(file), "--repair"]) == 0
    assert file.with_name("s.repaired-2.jsonl").exists(), "a second repair does not overwrite the first"


def test_json(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(file), "--json"]) == 3
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert data["damaged"] is True
    assert data["repaired"] is None
    (finding,) = data["findings"]
    text = finding.pop("text")
    assert text.startswith("2 records")
    assert finding == {"line": 2, "kind": "fused", "entry_id": None, "severity": "damage", "loses": True}
    assert run(["doctor", str(file), "--repair", "--to", str(tmp_path / "copy"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["damaged"] is True
    assert data["repaired"]["damaged"] is False
    assert data["repaired"]["notes"] == ["line 2: each record got a line of its own"]


def test_wrong_use(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(file), "--to", "x"]) == 2
    assert run(["doctor", str(tmp_path / "none")]) == 1
    (tmp_path / "notes").write_text("# Notes")
    assert run(["doctor", str(tmp_path / "notes")]) == 1
    assert "no session in this file" in capsys.readouterr().err
