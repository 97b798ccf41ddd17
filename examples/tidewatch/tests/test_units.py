"""Heights with units."""

from __future__ import annotations

import pytest

from tidewatch.errors import TidewatchError
from tidewatch.units import format_height, parse_height


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("3.2 m", 3.2),
        ("3.2", 3.2),
        ("120cm", 1.2),
        ("4 ft", 1.2192),
        ("2 fathom", 3.6576),
        ("  0.5 m ", 0.5),
    ],
)
def test_parse_height(text: str, metres: float) -> None:
    assert parse_height(text) == pytest.approx(metres)


@pytest.mark.parametrize("text", ["", "high", "m"])
def test_not_a_height(text: str) -> None:
    with pytest.raises(TidewatchError, match="not a height"):
        parse_height(text)


@pytest.mark.parametrize(
    ("metres", "unit", "text"),
    [(1.234, "m", "1.23 m"), (1.234, "cm", "123 cm"), (0.3048, "ft", "1.00 ft"), (-0.2, "m", "-0.20 m")],
)
def test_format_height(metres: float, unit: str, text: str) -> None:
    assert format_height(metres, unit) == text
