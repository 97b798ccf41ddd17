"""A plot of recall against tokens, as SVG: one small chart a measure, one line a summarizer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from treering.evaluation.report import Row

CHARTS = ("files", "names", "commands", "numbers", "directives", "relations", "errors", "bare")
WIDTH, HEIGHT = 240, 150
MARGIN_LEFT, MARGIN_TOP, GAP_X, GAP_Y = 44, 40, 40, 56
COLUMNS = 4
COLOURS = ("#0b6e4f", "#d1495b", "#e29c45", "#30638e", "#8d6a9f", "#7a7a7a", "#6b8f23", "#b0413e", "#3d405b")


def plot_svg(rows: Sequence[Row], *, title: str) -> str:
    """The rows as an SVG document. The size of the summary in tokens runs on a logarithmic axis."""
    names = list(dict.fromkeys(row.summarizer for row in rows))
    lines = math.ceil(len(CHARTS) / COLUMNS)
    width = MARGIN_LEFT + COLUMNS * (WIDTH + GAP_X)
    height = MARGIN_TOP + lines * (HEIGHT + GAP_Y) + 20 + 18 * math.ceil(len(names) / COLUMNS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="11" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{MARGIN_LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    sizes = [max(row.tokens, 1) for row in rows] or [1]
    low, high = math.log(min(sizes)), math.log(max(sizes))
    for place, measure in enumerate(CHARTS):
        left = MARGIN_LEFT + (place % COLUMNS) * (WIDTH + GAP_X)
        top = MARGIN_TOP + (place // COLUMNS) * (HEIGHT + GAP_Y)
        parts += _chart(rows, names, measure, (left, top), (low, max(high, low + 0.1)))
    for place, name in enumerate(names):
        x = MARGIN_LEFT + (place % COLUMNS) * (WIDTH + GAP_X)
        y = height - 18 * (math.ceil(len(names) / COLUMNS) - place // COLUMNS) + 6
        parts.append(f'<rect x="{x}" y="{y - 8}" width="14" height="4" fill="{_colour(place)}"/>')
        parts.append(f'<text x="{x + 20}" y="{y - 2}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _chart(
    rows: Sequence[Row], names: Sequence[str], measure: str, corner: tuple[int, int], span: tuple[float, float]
) -> list[str]:
    left, top = corner
    low, high = span

    def x_of(tokens: float) -> float:
        return round(left + WIDTH * (math.log(max(tokens, 1)) - low) / (high - low), 1)

    def y_of(rate: float) -> float:
        return round(top + HEIGHT * (1 - rate), 1)

    less = " (less is better)" if measure == "bare" else ""
    parts = [f'<text x="{left}" y="{top - 6}" font-weight="600">{measure.replace("_", " ")}{less}</text>']
    for rate in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = y_of(rate)
        parts.append(f'<line x1="{left}" y1="{y}" x2="{left + WIDTH}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end" fill="#666">{rate:.0%}</text>')
    for budget in dict.fromkeys(row.budget for row in rows):
        if low <= math.log(budget) <= high + 0.1:
            x = min(x_of(budget), left + WIDTH)
            parts.append(f'<text x="{x}" y="{top + HEIGHT + 14}" text-anchor="middle" fill="#666">{budget}</text>')
    for place, name in enumerate(names):
        points = sorted(
            (row.tokens, rate) for row in rows if row.summarizer == name and (rate := row.rates[measure]) is not None
        )
        if points:
            line = " ".join(f"{x_of(tokens)},{y_of(rate)}" for tokens, rate in points)
            stroke = f'stroke="{_colour(place)}" stroke-width="{2.5 if place == 0 else 1.3}" fill="none"'
            parts.append(f'<polyline points="{line}" {stroke}/>')
            parts += [
                f'<circle cx="{x_of(tokens)}" cy="{y_of(rate)}" r="2.5" fill="{_colour(place)}"/>'
                for tokens, rate in points
            ]
    return parts


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]
