"""What entries cost in a context: cached per entry, with prefix sums per path."""

from __future__ import annotations

from itertools import accumulate
from weakref import WeakKeyDictionary

from treering.session.context import pruned_message, renders
from treering.session.entries import Entry
from treering.session.path import Path
from treering.tokens.estimate import estimate_message


def entry_tokens(entry: Entry) -> int:
    """Tokens of the entry's own message, whole; 0 if it says nothing to the model. Counted once an entry."""
    cache: dict[str, int] = vars(entry)
    if "tokens" not in cache:
        cache["tokens"] = 0 if entry.message is None else estimate_message(entry.message)
    return cache["tokens"]


def rendered_tokens(path: Path, index: int) -> int:
    """Tokens that the entry at this index costs in the context of its path: a pruned result by its placeholder."""
    entry = path[index]
    if not renders(entry):
        return 0
    pruned = path.pruned.get(entry.id)
    if pruned is None or entry.message is None:
        return entry_tokens(entry)
    return estimate_message(pruned_message(entry.message, pruned))


_PREFIX_SUMS: WeakKeyDictionary[Path, list[int]] = WeakKeyDictionary()


def prefix_sums(path: Path) -> list[int]:
    """For each index, the tokens of all entries before it as they render; one more item than entries."""
    sums = _PREFIX_SUMS.get(path)
    if sums is None:
        sums = [0, *accumulate(rendered_tokens(path, index) for index in range(len(path)))]
        _PREFIX_SUMS[path] = sums
    return sums
