"""Treering's own stores pass the conformance suite, and a store that loses something does not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from treering.session.entries import Entry
from treering.session.jsonl import JsonlStore
from treering.session.memory import MemoryStore
from treering.session.store import End, decode_header
from treering.testing.stores import CHECKS, check_store


@pytest.mark.parametrize("name", CHECKS)
def test_memory(name: str) -> None:
    CHECKS[name](lambda header: MemoryStore(decode_header(header)), lambda store: store)


@pytest.mark.parametrize("name", CHECKS)
def test_jsonl(name: str, tmp_path) -> None:
    numbers = itertools.count()
    CHECKS[name](
        lambda header: JsonlStore.create(tmp_path / f"{next(numbers)}.jsonl", header),
        lambda store: JsonlStore(store.path),
    )


class _Forgetful(MemoryStore):
    """Takes every batch, wherever it was to go."""

    def append(self, entries: Sequence[Entry], expected_end: End, *, sync: bool) -> bool:
        return super().append(entries, self.end(), sync=sync)


class _Backwards(MemoryStore):
    """Gives the newest first."""

    def scan(self):
        return reversed(list(super().scan()))


@pytest.mark.parametrize("wrong", [_Forgetful, _Backwards])
def test_a_store_that_does_otherwise_fails(wrong: type[MemoryStore]) -> None:
    with pytest.raises(AssertionError):
        check_store(lambda header: wrong(decode_header(header)), lambda store: store)
