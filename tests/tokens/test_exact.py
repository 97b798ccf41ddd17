"""The exact tokenizer is an explicit choice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from treering.errors import TokenizerNotAvailableError
from treering.session.messages import decode_message
from treering.tokens.estimate import estimate_message
from treering.tokens.exact import exact_counter


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("a\ud800b", 3), ("\ud83d\ude00", 1)]
)
def test_counts_by_o200k(text: str, tokens: int) -> None:
    assert exact_counter()(text) == tokens


def test_can_be_handed_to_what_counts() -> None:
    message = decode_message({"role": "user", "content": "indivisibilities " * 100})
    assert estimate_message(message, count_tokens=exact_counter()) != estimate_message(message)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    with pytest.raises(TokenizerNotAvailableError, match=r"treering\[exact\]"):
        exact_counter()


def test_estimating_does_not_load_it_though_it_is_installed() -> None:
    program = "import sys, treering.tokens.estimate as e; e.estimate_text('x'); sys.exit('toktok' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
