"""Bars: what fills a context, drawn in one line and explained in a few."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from treering.cli.common import number, percent


class Part(msgspec.Struct, frozen=True):
    """A part of a whole: its name, its tokens, and the colour that it is drawn in on a terminal."""

    name: str
    tokens: int
    color: str = ""


SHADES = "█▓▒░"
"""Neighbouring parts differ in shade, so that the bar can be read without colours."""


def bar(parts: Sequence[Part], whole: int, width: int) -> str:
    """One line of `width` columns in which each part has its share of `whole`; the rest is free."""
    whole = max(whole, sum(part.tokens for part in parts), 1)
    drawn: list[str] = []
    filled = 0
    tokens = 0
    for index, part in enumerate(parts):
        tokens += part.tokens
        end = round(width * tokens / whole)
        if part.tokens and end == filled and filled < width:
            end += 1  # something that is there is seen
        drawn.append(click.style(SHADES[index % len(SHADES)] * (end - filled), fg=part.color or None))
        filled = end
    return "".join(drawn) + "·" * max(0, width - filled)


def legend(parts: Sequence[Part], width: int) -> list[str]:
    """A line for each part: its shade, name, tokens, share, and a bar of its own, in the order of the bar."""
    total = max(sum(part.tokens for part in parts), 1)
    longest = max((len(part.name) for part in parts), default=0)
    lines: list[str] = []
    for index, part in enumerate(parts):
        share = part.tokens / total
        mark = click.style(SHADES[index % len(SHADES)] * 2, fg=part.color or None)
        own = click.style("▆" * max(1 if part.tokens else 0, round(share * width)), fg=part.color or None)
        lines.append(
            f"  {mark} {part.name:<{longest}} {number(part.tokens):>9} {percent(part.tokens, total):>5}  {own}".rstrip()
        )
    return lines
