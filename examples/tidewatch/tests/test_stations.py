"""Station files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidewatch.errors import ConfigError, UnknownStation
from tidewatch.stations import find_station, load_station, load_stations


def test_ours(root: Path) -> None:
    found = load_stations(root / "stations")
    assert sorted(found) == ["kettle-bay", "port-ellery", "saltmere"]
    assert found["saltmere"].largest.name == "M2"


def test_unknown(root: Path) -> None:
    with pytest.raises(UnknownStation, match="known: kettle-bay, port-ellery, saltmere"):
        find_station(root / "stations", "atlantis")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[station]\ntitle = "X"\nmean_level = 1\n', "harmonics: this table is missing"),
        ('[station]\ntitle = "X"\nmean_level = 1\n[harmonics]\nQ9 = [1, 2]\n', "unknown constituent"),
        ('[station]\ntitle = "X"\nmean_level = 1\n[harmonics]\nM2 = [-1, 2]\n', "negative"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=problem):
        load_station(path)
