"""On 50 kB or more of every kind of text, the estimate is within 10 % of the exact count (SPEC §4)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import toktok
from token_corpora import LIMIT, OFFLINE, SESSION_KINDS, session_texts

from treering.tokens.estimate import estimate_text

MESSAGE = 3000
"""Characters of a piece: an ordinary message, since that is what is estimated one by one."""


def relative_error(text: str) -> float:
    pieces = [text[at : at + MESSAGE] for at in range(0, min(len(text), LIMIT), MESSAGE)]
    assert sum(len(piece.encode()) for piece in pieces) >= 50_000, "too little text to judge"
    return sum(map(estimate_text, pieces)) / sum(toktok.batch_count(pieces, "o200k_base")) - 1


@pytest.mark.parametrize("kind", OFFLINE)
def test_estimate_is_within_ten_percent(kind: str) -> None:
    assert abs(relative_error(OFFLINE[kind]())) <= 0.10


@cache
def texts(shared: Path) -> dict[str, str]:
    return session_texts(shared)


@pytest.mark.parametrize("kind", [kind for kind in SESSION_KINDS if kind != "user"])
def test_estimate_of_what_sessions_hold_is_within_ten_percent(shared: Path, kind: str) -> None:
    assert abs(relative_error(texts(shared)[kind])) <= 0.10


def test_estimate_of_hindi_prose_is_within_ten_percent(shared: Path) -> None:
    prose = "\n".join(file.read_text(encoding="utf-8") for file in sorted(shared.glob("seeds/*.txt")))
    assert abs(estimate_text(prose) / toktok.batch_count([prose], "o200k_base")[0] - 1) <= 0.10
