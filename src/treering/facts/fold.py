"""The fold: from messages, one by one, to a bounded state of facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treering.facts.ledger import Ledger
from treering.facts.state import FactState

if TYPE_CHECKING:
    from treering.compaction.summarizer import SpanMessage

__all__ = ["FactState", "fold"]


def fold(state: FactState, messages: Iterable[SpanMessage], *, cwd: str = "") -> FactState:
    """The state after further messages, oldest first.

    A left fold, message by message: `fold(fold(s, a), b)` is `fold(s, a + b)`. Linear in the text of the messages.
    """
    ledger = Ledger(state, cwd)
    for message in messages:
        ledger.add(message)
    return ledger.state()
