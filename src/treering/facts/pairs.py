"""Two statements beside each other: how many words and which values they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from treering.facts.statements import Statement, is_light, says_change, shape_of

_HALF = 0.5
"""Of so few common words, what comes after them tells two things apart as well as what comes before."""


class Pair:
    """Two statements, and what they have in common; what takes time to find out is found out when it is asked for.

    Attributes:
        new: the newer one.
        old: the older one.
        near: whether the older one was said in the message before.
        fresh: the values that only the newer one gives.
        gone: the values that only the older one gives.
        denied: the values of the older one that the newer one says are wrong.
    """

    def __init__(self, new: Statement, old: Statement, *, near: bool) -> None:
        self.new, self.old, self.near = new, old, near
        self.fresh, self.gone = new.values - old.values, old.values - new.values
        self.denied = new.denied & old.values

    @cached_property
    def common(self) -> int:
        """How many words meet, in whatever form."""
        return shared(self.new, self.old)

    @property
    def share(self) -> float:
        """Which part of the shorter one that is."""
        return self.common / max(1, min(len(self.new.content), len(self.old.content)))

    @property
    def likeness(self) -> float:
        """Which part of both together that is."""
        return self.common / (len(self.new.content) + len(self.old.content) - self.common)

    @cached_property
    def shapes(self) -> frozenset[str]:
        """The shapes in which a value went and another came."""
        return frozenset(map(shape_of, self.fresh)) & frozenset(map(shape_of, self.gone))

    @property
    def as_old_and_new(self) -> bool:
        """Whether one of them, which says no more of a change, is about the old one of what the other is about."""
        new, old = self.new, self.old
        of_old = new.former and not new.updates and not new.former.isdisjoint(old.content - old.former)
        of_new = old.former and not old.updates and not old.former.isdisjoint(new.content - new.former)
        return bool(of_old or of_new)

    @cached_property
    def contrasts(self) -> bool:
        """Whether what both are about is told apart by other words beside it: "staging host", "production host"."""
        new, old = self.new, self.old
        both = [word for word in new.plain if word in new.content and word in old.content][:2]
        for word in both:
            for step in (-1, 1) if self.share <= _HALF else (-1,):
                a, b = _beside(new.plain, word, step), _beside(old.plain, word, step)
                if a and b and not akin(a, b) and a not in old.content and b not in new.content:
                    return True
        return False


def shared(new: Statement, old: Statement) -> int:
    """How many words of two statements meet, in whatever form."""
    heads = new.heads & old.heads
    if not heads:
        return 0
    rest = [word for word in old.content - new.content if word[:3] in heads]
    forms = (word for word in new.content - old.content if word[:3] in heads)
    return len(new.content & old.content) + sum(any(akin(word, other) for other in rest) for word in forms)


def akin(a: str, b: str) -> bool:
    """Whether two words may be forms of one: alike at the beginning, or one the beginning of the other ("cap")."""
    if not (a.isascii() and b.isascii()):
        return len(a) >= 4 and len(b) >= 4 and a[:4] == b[:4]
    short, long = sorted((a, b), key=len)
    if len(short) < 5:
        return len(short) >= 3 and len(long) - len(short) <= 3 and long.startswith(short)
    return a[:5] == b[:5]


def _beside(plain: tuple[str, ...], word: str, step: int) -> str:
    """The word that carries meaning just before, or next after; none if it only says that something is newer."""
    index = plain.index(word) + step
    while step > 0 and index < len(plain) and is_light(plain[index]):
        index += 1
    found = plain[index] if 0 <= index < len(plain) else ""
    return "" if is_light(found) or says_change(found) else found


def differing(new: Sequence[str], old: Sequence[str]) -> list[int]:
    """The places at which two sequences of one length differ; none if their lengths do."""
    return [index for index, (a, b) in enumerate(zip(new, old, strict=True)) if a != b] if len(new) == len(old) else []
