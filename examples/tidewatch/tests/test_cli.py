"""The command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidewatch.cli import main


@pytest.fixture(autouse=True)
def _at_the_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_stations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stations"]) == 0
    assert "saltmere" in capsys.readouterr().out


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "port-ellery", "--start", "2026-02-01", "--days", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Port Ellery, from 2026-02-01"
    assert lines[3].split() == ["date", "time", "height", "kind"]
    assert len(lines) > 8


def test_predict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "saltmere", "--start", "2026-02-01", "--days", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 145


def test_alerts_end_with_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["alerts", "--start", "2026-02-01", "--days", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("alerts")


def test_unknown_station(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "atlantis", "--start", "2026-02-01"]) == 1
    assert "unknown station 'atlantis'" in capsys.readouterr().out
