"""Heights with units. Inside the program every height is in metres."""

from __future__ import annotations

import re

from tidewatch.errors import TidewatchError

METRES_PER = {
    "m": 1.0,
    "cm": 0.01,
    "ft": 0.3048,
    "fathom": 1.8288,
}

_HEIGHT = re.compile(r"(\d+(?:\.\d+)?)\s*(m|cm|ft|fathom)?\b")


def parse_height(text: str) -> float:
    """Read a height such as ``3.2 m``, ``120cm`` or ``4 ft`` and return metres.

    A bare number is taken as metres.
    """
    match = _HEIGHT.search(text)
    if match is None:
        raise TidewatchError(f"not a height: {text!r}")
    number, unit = match.groups()
    return float(number) * METRES_PER[unit or "m"]


def format_height(metres: float, unit: str = "m") -> str:
    """Write a height for people: two decimals in metres and feet, none in centimetres."""
    value = metres / METRES_PER[unit]
    if unit == "cm":
        return f"{value:.0f} cm"
    return f"{value:.2f} {unit}"
