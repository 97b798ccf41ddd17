"""What an examination of a session file can find: the kinds, and the findings themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

Severity = Literal["warning", "damage"]


class Kind(msgspec.Struct, frozen=True):
    """A kind of finding.

    Attributes:
        severity: `damage` is what a repair mends; a `warning` is what Treering can live with.
        loses: whether something is lost by it, for Treering or for another tool that reads the file.
        repair: what a repair does about it; empty if nothing.
    """

    severity: Severity
    loses: bool
    repair: str = ""


KINDS: dict[str, Kind] = {
    "missing-header": Kind("damage", True, "a header was made; the directory of the session is not known"),
    "second-header": Kind("warning", False, "the second header was left out"),
    "byte-order-mark": Kind("warning", False, "the byte order mark was left out"),
    "torn-tail": Kind("warning", True, "the unfinished line was left out"),
    "stub": Kind("warning", True, "the unfinished line was left out"),
    "unreadable": Kind("damage", True, "what is no record was left out"),
    "no-object": Kind("damage", True, "what is no record was left out"),
    "fused": Kind("damage", True, "each record got a line of its own"),
    "fused-stub": Kind("damage", True, "the whole record was freed from the unfinished one"),
    "broken-over-lines": Kind("damage", True, "the record was joined"),
    "not-strict": Kind("warning", True),
    "deep": Kind("warning", True),
    "no-id": Kind("warning", False, "the entry got the id under which Treering reads it"),
    "no-type": Kind("warning", False),
    "repeated": Kind("warning", False, "the repetition was left out"),
    "duplicate-id": Kind("damage", True, "the second entry got an id of its own"),
    "missing-parent": Kind("damage", True, "the entry was hung on the one before it in the file"),
    "cycle": Kind("damage", True, "the circle was opened: the entry was hung on the one before it in the file"),
    "order": Kind("warning", False),
    "first-kept": Kind("warning", True),
    "orphan-result": Kind("warning", False),
    "doubled-result": Kind("warning", False),
    "long-line": Kind("warning", False),
    "large-file": Kind("warning", False),
}
"""Every kind by its name."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong.

    Attributes:
        line: where, counted from 1; 0 for the file as a whole.
        kind: its name in `KINDS`.
        text: what it means, for people.
        entry_id: the entry that it concerns, if one can be named.
    """

    line: int
    kind: str
    text: str
    entry_id: str | None = None

    @property
    def severity(self) -> Severity:
        """`damage` or `warning`."""
        return KINDS[self.kind].severity

    @property
    def loses(self) -> bool:
        """Whether something is lost by it, for Treering or for another tool that reads the file."""
        return KINDS[self.kind].loses


class Diagnosis(msgspec.Struct, frozen=True):
    """What an examination found.

    Attributes:
        path: the file.
        version: of the format.
        lines: how many lines the file has.
        entries: how many entries can be read, or made readable.
        findings: all that is wrong, by line.
    """

    path: Path
    version: int
    lines: int
    entries: int
    findings: tuple[Finding, ...]

    @property
    def damaged(self) -> bool:
        """Whether there is damage, and not only warnings."""
        return any(finding.severity == "damage" for finding in self.findings)
