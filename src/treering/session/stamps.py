"""Moments as session files carry them: ISO 8601 in UTC, with milliseconds."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Stamps:
    """The time as session files carry it. Most of it stays the same for a second: a third of the cost of an append."""

    def __init__(self) -> None:
        self._second = -1
        self._text = ""

    def now(self) -> str:
        """This moment."""
        second, millisecond = divmod(time.time_ns() // 1_000_000, 1000)
        if second != self._second:
            self._second, self._text = second, time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(second))
        return f"{self._text}{millisecond:03d}Z"


def iso_timestamp(moment: datetime) -> str:
    """A moment as session files carry it: UTC, milliseconds, `Z`."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds")[:23] + "Z"
