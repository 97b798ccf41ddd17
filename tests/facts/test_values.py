"""What decides whether a statement gives a new value to what an earlier one said."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from treering.facts.pairs import Pair
from treering.facts.statements import statement_of
from treering.facts.values import ORDER, supersedes


@pytest.mark.parametrize(("applies", "goes"), ORDER, ids=[applies.__name__ for applies, _ in ORDER])
def test_each_reason_decides_its_own_example(applies: Callable[[Pair], bool], goes: bool) -> None:
    example = re.search(r'"(.+)" → "(.+)"', applies.__doc__ or "")
    assert example
    old, new = map(statement_of, example.groups())
    assert old
    assert new
    near = "next message" in (applies.__doc__ or "")
    pair = Pair(new, old, near=near)
    assert next(reason for reason, _ in ORDER if reason(pair)) is applies
    assert supersedes(new, old, near=near) is goes
