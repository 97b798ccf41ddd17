"""Settings."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tidewatch.alerts import Rule
from tidewatch.config import load_settings
from tidewatch.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    path = folder / "tidewatch.toml"
    path.write_text(text)
    return path


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, ""))
    assert settings.step == timedelta(minutes=10)
    assert settings.stations == tmp_path / "stations"
    assert settings.rules == ()


def test_a_rule_in_feet(tmp_path: Path) -> None:
    text = '[[rules]]\nname = "ramp"\nstation = "x"\nbelow = "3 ft"\n'
    (rule,) = load_settings(write(tmp_path, text)).rules
    assert rule == Rule("ramp", "x", "below", pytest.approx(0.9144))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("speed = 3\n", "config: speed: unknown setting"),
        ('unit = "yard"\n', "config: unit: 'yard' is none of"),
        ("step_minutes = 0\n", "config: step_minutes: a positive whole number"),
        ("step_minutes = true\n", "config: step_minutes: a positive whole number"),
        ('[[rules]]\nname = "a"\nstation = "x"\n', "exactly one of 'above' and 'below'"),
        ('[[rules]]\nstation = "x"\nabove = 1\n', "'name' is missing"),
        ('[[rules]]\nname = "a"\nstation = "x"\nabove = 1\nvolume = 11\n', "unknown setting 'volume'"),
    ],
)
def test_bad_settings(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem.replace("[", r"\[")):
        load_settings(write(tmp_path, text))
