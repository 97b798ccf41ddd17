"""Accuracy and speed of the token estimator, beside the exact tokenizer in the same run.

    python benchmarks/tokens.py            # needs toktok-rs and the development packages

For each kind of text: bytes, the error of the estimate and of "characters / 4" against o200k, and megabytes a second of
the estimator and of toktok-rs, message by message (3000 characters) in one thread. The texts are those of
`tests/tokens/token_corpora.py`; the weights were fitted on others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from treering.tokens.estimate import estimate_text
from treering.tokens.exact import exact_counter

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tokens"))

from token_corpora import LIMIT, OFFLINE, session_texts  # noqa: E402  (found only by the path above)

MESSAGE = 3000
ROUNDS = 3


def seconds(count: Callable[[str], int], pieces: Iterable[str]) -> float:
    """The best of a few rounds over all pieces."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for piece in pieces:
            count(piece)
        best = min(best, time.perf_counter() - start)
    return best


def table(texts: dict[str, str]) -> None:
    exact = exact_counter()
    print(f"{'kind':24}{'bytes':>10}{'estimate':>10}{'chars/4':>10}{'MB/s':>8}{'exact':>8}{'ratio':>8}")
    for kind, text in texts.items():
        pieces = [text[at : at + MESSAGE] for at in range(0, min(len(text), LIMIT), MESSAGE)]
        size = sum(len(piece.encode()) for piece in pieces)
        if size < 50_000:
            continue
        tokens = sum(map(exact, pieces))
        error = sum(map(estimate_text, pieces)) / tokens - 1
        naive = sum(map(len, pieces)) / 4 / tokens - 1
        ours, theirs = seconds(estimate_text, pieces), seconds(exact, pieces)
        speed = f"{size / ours / 1e6:8.0f}{size / theirs / 1e6:8.0f}{theirs / ours:8.1f}"
        print(f"{kind:24}{size:10}{error:+10.1%}{naive:+10.0%}{speed}")


def lines() -> None:
    """Single lines of 5 MB and more: the time must be that of the bytes, whatever they are."""
    print(f"\n{'one line of':24}{'bytes':>10}{'seconds':>10}{'MB/s':>10}")
    for name, unit in (
        ("a", "a"),
        ("spaces", " "),
        ("digits", "7"),
        ("base64", "aG4kZ9Qx"),
        ("Han", "的"),
        ("emoji", "🧠"),
    ):
        text = unit * (5_000_000 // len(unit.encode()))
        taken = seconds(estimate_text, [text])
        print(f"{name:24}{len(text.encode()):10}{taken:10.3f}{len(text.encode()) / taken / 1e6:10.0f}")


def main() -> None:
    texts = {kind: make() for kind, make in OFFLINE.items()}
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        texts |= {f"session: {kind}": text for kind, text in session_texts(shared).items()}
    table(texts)
    lines()


if __name__ == "__main__":
    main()
