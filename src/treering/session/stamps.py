"""Moments as session files carry them: ISO 8601 in UTC, with milliseconds."""

from __future__ import annotations

import time
from datetime import UTC, datetime

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000


class Stamps:
    """The time as session files carry it. What stays the same for a second is made once for it."""

    def __init__(self) -> None:
        self._second = -_SECOND
        self._text = ""

    def now(self) -> str:
        """This moment."""
        moment = time.time_ns()
        passed = moment - self._second
        if not 0 <= passed < _SECOND:
            passed = moment % _SECOND
            self._second = moment - passed
            self._text = time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(self._second // _SECOND))
        return f"{self._text}{str(passed // _MILLISECOND).zfill(3)}Z"


def iso_timestamp(moment: datetime) -> str:
    """A moment as session files carry it: UTC, milliseconds, `Z`."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds")[:23] + "Z"
