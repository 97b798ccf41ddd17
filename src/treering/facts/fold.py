"""The fold: from messages, one by one, to a bounded state of facts."""

from __future__ import annotations

import msgspec


class FactState(msgspec.Struct, frozen=True):
    """What is known after some prefix of a path; bounded, so that it can be carried from compaction to compaction."""
