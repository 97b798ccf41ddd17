"""One pass over a session file that finds what is wrong with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from treering.errors import DamagedFileError, StorageError
from treering.session.entries import MESSAGE_TYPES, METADATA_TYPES, Entry, encode_object, parse_line
from treering.session.findings import Diagnosis, Finding
from treering.session.lines import lines_forward
from treering.session.mending import Mender
from treering.session.messages import JsonObject
from treering.session.migrate import CURRENT_VERSION, HEAD_TYPES
from treering.session.reader import entries_of, open_file, read_header
from treering.session.store import Header, decode_header
from treering.session.system import explain, read_at
from treering.session.tree import Session
from treering.session.validity import pairing

TOO_LARGE_FOR_PI = 512 << 20
"""Bytes; JavaScript has no longer strings, so pi cannot open a larger file."""

_SESSION_TYPES = MESSAGE_TYPES | METADATA_TYPES | {"compaction"}


class Examination:
    """One pass over a file: its lines through the mender, its entries into what the tree needs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.ids: dict[str, int] = {}  # id → number of its entry
        self.broken: set[str] = set()  # one entry of each cycle
        self._parents: list[str | None] = []  # by number
        self._fd, self._status = open_file(path)
        try:
            self.header, self.title = self._header()
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Examination:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    @property
    def parents(self) -> dict[str, str | None]:
        """The parent of each entry, by id."""
        return {entry_id: self._parents[number] for entry_id, number in self.ids.items()}

    def entries(self) -> Iterator[Entry]:
        """The entries, those too that only mending makes readable."""
        return self._entries_of(Mender(self._lines()))

    def run(self) -> None:
        """Read all, and find what is wrong."""
        mender = Mender(self._lines(), self._note, entries_have_ids=self.header.version > 1)
        parents = self._parents
        lines: list[int] = []
        contents: list[int] = []
        compactions: list[tuple[int, str | None]] = []
        for entry in self._entries_of(mender):
            first = self.ids.setdefault(entry.id, len(parents))
            if first != len(parents):
                self._repeated(entry, mender.line, lines[first], same=contents[first] == hash(entry.raw))
            if not entry.type:
                self._note(mender.line, "no-type", "the entry has no type: readers pass it over", entry.id)
            if entry.type == "compaction":
                compactions.append((len(parents), entry.first_kept_id))
            parents.append(entry.parent_id)
            lines.append(mender.line)
            contents.append(hash(entry.raw))
        self._line_count = mender.line
        above = [self.ids.get(parent, -1) if parent is not None else -1 for parent in parents]
        self._check_tree(parents, above, lines)
        self._check_compactions(compactions, above, lines)
        if self._status.st_size > TOO_LARGE_FOR_PI:
            self._note(0, "large-file", "pi cannot open files over 512 MB; Treering can")
        if self._has_header:
            self._check_context(lines)
        self.findings.sort(key=lambda finding: finding.line)

    def diagnosis(self) -> Diagnosis:
        """What was found."""
        return Diagnosis(self.path, self.header.version, self._line_count, len(self._parents), tuple(self.findings))

    def _entries_of(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[Entry]:
        if not self._has_header:  # version 1 counts it
            lines = chain([(0, encode_object(self.header.raw))], lines)
        return entries_of(lines, self.header)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        return lines_forward(self._read, 0, self._status.st_size)

    def _read(self, length: int, offset: int) -> bytes:
        try:
            return read_at(self._fd, length, offset)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {explain(error)}") from error

    def _note(self, line: int, kind: str, text: str, entry_id: str | None = None) -> None:
        self.findings.append(Finding(line, kind, text, entry_id))

    def _header(self) -> tuple[Header, bytes]:
        self._has_header = True
        try:
            return read_header(self._read, self.path)
        except DamagedFileError:
            if self._status.st_size == 0:
                raise
        self._has_header = False
        self._note(0, "missing-header", "no header stands first: no tool opens the file; pi would empty it")
        made = self._made_header()
        return decode_header(made), b""

    def _made_header(self) -> JsonObject:
        """A header for a file that lost its own: with the time of its first entry, and the same on every run."""
        records = (entry for offset, line in Mender(self._lines()) for entry in parse_line(line, offset))
        first = next((entry for entry in records if entry.type not in HEAD_TYPES), None)
        if first is None:
            raise DamagedFileError(f"{self.path}: there is no session in this file, and no entry of one")
        if not any(entry.type in _SESSION_TYPES for entry in chain([first], records)):
            raise DamagedFileError(
                f"{self.path}: it has no session header and no entry of a session: is it a file of another tool?"
            )
        digest = hashlib.sha256(first.raw).hexdigest()
        session_id = f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"
        version = {"version": CURRENT_VERSION} if first.id else {}  # entries of version 1 have no ids
        return {"type": "session", **version, "id": session_id, "timestamp": first.timestamp, "cwd": ""}

    def _repeated(self, entry: Entry, line: int, first_line: int, *, same: bool) -> None:
        if same:
            text = f"repeats entry {entry.id} of line {first_line}"
            self._note(line, "repeated", text, entry.id)
        else:
            text = (
                f"another entry has the id {entry.id} since line {first_line}: that one counts, this one is not reached"
            )
            self._note(line, "duplicate-id", text, entry.id)

    def _check_tree(self, parents: list[str | None], above: list[int], lines: list[int]) -> None:
        of_id = {number: name for name, number in self.ids.items()}
        below = _below_roots(above)
        circled: set[int] = set()
        for circle in _circles(above):
            circled.update(circle)
            first = min(circle)
            entry_id = of_id[first]
            self.broken.add(entry_id)
            count = len(circle)
            text = f"entry {entry_id} is its own parent" if count == 1 else f"{count} entries are each other's parents"
            self._note(lines[first], "cycle", text + ": no root is above", entry_id)
        for number, parent in enumerate(parents):
            entry_id = of_id.get(number)
            if entry_id is None:
                continue
            if parent is not None and above[number] < 0:
                behind = below.get(number, 1) - 1
                text = f"the parent {parent} of entry {entry_id} is missing: what came before it is cut off from it"
                more = f", and from {behind} entries that continue it" if behind else ""
                self._note(lines[number], "missing-parent", text + more, entry_id)
            elif above[number] > number and number not in circled:
                text = f"entry {entry_id} stands before its parent {parent}"
                self._note(lines[number], "order", text, entry_id)

    def _check_compactions(
        self, compactions: Iterable[tuple[int, str | None]], above: list[int], lines: list[int]
    ) -> None:
        of_id = {number: name for name, number in self.ids.items()}
        for number, first_kept in compactions:
            wanted = self.ids.get(first_kept, -1) if first_kept is not None else -1
            seen: set[int] = set()
            at = number
            while at >= 0 and at != wanted and at not in seen:
                seen.add(at)
                at = above[at]
            if wanted < 0 or at != wanted:
                what = f"its first kept entry {first_kept}" if first_kept else "its first kept entry"
                text = f"{what} is not on the path of the compaction: nothing before it is kept"
                self._note(lines[number], "first-kept", text, of_id.get(number))

    def _check_context(self, lines: list[int]) -> None:
        with Session.open(self.path) as session:
            context = session.context()
            messages = [each.message for each in context]
        answered: set[tuple[int, str | None]] = set()
        for each, message, caller in zip(context, messages, pairing(messages), strict=True):
            if message.role != "toolResult":
                continue
            number = self.ids.get(each.entry_id)
            line = 0 if number is None else lines[number]
            call = message.tool_call_id
            if caller is None:
                text = f"the result of call {call!r} has no call before it in the context of the leaf: it is not sent"
                self._note(line, "orphan-result", text, each.entry_id)
            elif (caller, call) in answered:
                text = f"call {call!r} has a result already in the context of the leaf: only one is sent"
                self._note(line, "doubled-result", text, each.entry_id)
            else:
                answered.add((caller, call))


def _below_roots(above: list[int]) -> dict[int, int]:
    """For each entry without a parent: how many entries are its own or below it."""
    root = list(range(len(above)))
    done = [False] * len(above)
    for start in range(len(above)):
        chain: list[int] = []
        at = start
        seen: set[int] = set()
        while above[at] >= 0 and not done[at] and at not in seen:
            seen.add(at)
            chain.append(at)
            at = above[at]
        for number in chain:
            root[number] = root[at]
            done[number] = True
        done[at] = True
    below: dict[int, int] = {}
    for number in root:
        below[number] = below.get(number, 0) + 1
    return below


def _circles(above: list[int]) -> list[list[int]]:
    """The sets of entries that are each other's parents."""
    state = [0] * len(above)  # 0 not seen, 1 on the way, 2 done
    found: list[list[int]] = []
    for start in range(len(above)):
        chain: list[int] = []
        at = start
        while at >= 0 and state[at] == 0:
            state[at] = 1
            chain.append(at)
            at = above[at]
        if at >= 0 and state[at] == 1:
            found.append(chain[chain.index(at) :])
        for number in chain:
            state[number] = 2
    return found
