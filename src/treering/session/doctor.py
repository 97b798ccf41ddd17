"""What is wrong with a session file, and a repaired copy of it (SPEC §2). The file itself is never changed.

diagnosis = examine("session.jsonl")
for finding in diagnosis.findings:
    print(finding.line, finding.kind, finding.text)
if diagnosis.damaged:
    repair("session.jsonl", "session.repaired.jsonl")
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from treering.errors import StorageError
from treering.session import records
from treering.session.copy import write_session
from treering.session.entries import Entry, encode_object, parse_line
from treering.session.examination import Examination
from treering.session.findings import KINDS, Diagnosis, Finding
from treering.session.messages import JsonObject
from treering.session.migrate import current_header

__all__ = ["Diagnosis", "Finding", "Repair", "examine", "repair", "report"]


class Repair(msgspec.Struct, frozen=True):
    """What a repair did.

    Attributes:
        path: the new file.
        before: what was found in the source.
        after: what is found in the copy.
        notes: what was changed, each in a sentence.
    """

    path: Path
    before: Diagnosis
    after: Diagnosis
    notes: tuple[str, ...]


def examine(path: str | os.PathLike[str]) -> Diagnosis:
    """Read a whole session file and say what is wrong with it.

    Raises:
        StorageError: it cannot be read.
        DamagedFileError: there is not one entry in it.
    """
    with Examination(Path(path)) as examination:
        examination.run()
        return examination.diagnosis()


def repair(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> Repair:
    """Write a repaired copy, version 3, with the ids that reading gives.

    Stubs and what is no record are left out; records that share a line get one each; a record that was broken over
    lines is joined; a lost header is made anew; a second entry under an id gets an id of its own; an entry whose parent
    is missing, or is part of a cycle, hangs on the entry before it in the file (the first: is a root).

    Raises:
        StorageError: the source cannot be read, or the copy exists or cannot be written.
        DamagedFileError: there is not one entry in the source.
    """
    if os.path.realpath(path) == os.path.realpath(to):
        raise StorageError(f"{to} is the file itself: a repair goes to another one")
    with Examination(Path(path)) as examination:
        examination.run()
        before = examination.diagnosis()
        notes: list[str] = []
        header = examination.header
        write_session(to, current_header(header), _repaired(examination, notes), title=examination.title)
    return Repair(Path(to), before, examine(to), tuple(notes))


def _repaired(examination: Examination, notes: list[str]) -> Iterator[Entry]:
    """The entries of the copy. Only what is broken is changed; the raw lines of all others are taken over."""
    for finding in examination.findings:
        if note := KINDS[finding.kind].repair:
            notes.append(f"line {finding.line}: {note}" if finding.line else note)
    above = examination.parents
    written: dict[str, int] = {}
    last = previous = None
    for entry in examination.entries():
        last = entry.id
        if entry.id in written:
            if written[entry.id] == hash(entry.raw):
                continue
            own = hashlib.sha256(entry.id.encode("utf-8", "surrogatepass") + b"\n" + entry.raw).hexdigest()[:16]
            if own in written:
                continue
            known = entry.parent_id is None or (entry.parent_id in above and entry.parent_id != entry.id)
            entry = entry.replace_head(entry_id=own, parent_id=entry.parent_id if known else previous)  # noqa: PLW2901
            last = own
        elif entry.id in examination.broken or (entry.parent_id is not None and entry.parent_id not in above):
            parent = None if previous is None or _leads_to(previous, entry.id, above) else previous
            entry = entry.replace_head(entry_id=entry.id, parent_id=parent)  # noqa: PLW2901
        above[entry.id] = entry.parent_id
        written[entry.id] = hash(entry.raw)
        previous = entry.id
        yield entry
    if last is not None and last != previous:  # the last line repeated an older entry: work stood there
        leaf_id = hashlib.sha256(f"leaf {last}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        body = {**records.record(records.LEAF, left=previous), "id": leaf_id, "parentId": last}
        yield parse_line(encode_object({**body, "timestamp": examination.header.timestamp}))[0]


def _leads_to(entry_id: str, target: str, above: Mapping[str, str | None]) -> bool:
    """Whether an entry is the target or below it."""
    seen: set[str] = set()
    at: str | None = entry_id
    while at is not None and at not in seen:
        if at == target:
            return True
        seen.add(at)
        at = above.get(at)
    return False


def report(diagnosis: Diagnosis) -> JsonObject:
    """The diagnosis as `--json` prints it."""
    return {
        "file": str(diagnosis.path),
        "version": diagnosis.version,
        "lines": diagnosis.lines,
        "entries": diagnosis.entries,
        "damaged": diagnosis.damaged,
        "findings": [
            {**msgspec.structs.asdict(finding), "severity": finding.severity, "loses": finding.loses}
            for finding in diagnosis.findings
        ],
    }
