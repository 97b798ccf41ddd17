"""What tools put before the lines of files that they list: line numbers, paths, the signs of a diff.

Taken off, the same line of a file is the same text whether it was read, searched for or changed; and what was before
it tells the file that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treering.facts.lexicon import is_file, strip_line_number

_FOUND = re.compile(r"^((?:[A-Za-z]:)?[\w.@~+/\\-]*[\w])([:-])\d{1,6}\2(?:\d+(?:\2|(?=\s|$)))?")
"""`path:12:` of a search, `path-12-` of the lines around, with or without the column."""
_NUMBERED = re.compile(r"^\d{1,6}(?::(?![\d:])|-(?=[\t }/*#@)]))")
"""The same in one file, where the path is left out."""
_FILE_LINE = re.compile(r"^(?:\+\+\+|---) \"?(?:[ab]/)?([^\t\"]+)")
_HEADER = re.compile(r"^(?:\+\+\+ |index [0-9a-f]+\.\.)")
_HUNK = re.compile(r"^@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@+ ?(.*)")


def listed_lines(text: str, home: str, *, numbered: bool = True) -> Iterator[tuple[str, str]]:
    """The lines of a text as they stand in the files that it lists, each with its file's path; empty ones left out.

    Args:
        text: a result of a tool, or text that is written.
        home: the file that all of it is of; empty if that is not known.
        numbered: whether numbers may have been put before the lines. In text that is written they are its own.
    """
    before = after = 0  # lines that the hunk of a diff has left of the old and of the new file
    changed = ""
    lines = text.split("\n")
    for raw, following in zip(lines, (*lines[1:], ""), strict=True):
        if before > 0 or after > 0:
            sign, line = raw[:1], raw[1:].strip()
            before -= sign != "+"
            after -= sign != "-"
            if line and sign != "\\":
                yield (f"-{line}" if sign == "-" else line), changed
            continue
        hunk = _HUNK.match(raw) if changed else None
        if hunk:
            before, after = (int(size) if size else 1 for size in hunk.group(1, 2))
            if hunk.group(3).strip():
                yield hunk.group(3).strip(), changed
            continue
        if raw.startswith("--- ") and following.startswith("+++ "):
            old, new = _FILE_LINE.match(raw), _FILE_LINE.match(following)
            named = old if new is None or new.group(1).strip() == "/dev/null" else new
            changed = named.group(1).strip() if named else ""
            continue
        if changed and _HEADER.match(raw):
            continue
        found = _FOUND.match(raw) if numbered else None
        if found and is_file(found.group(1)):
            yield raw[found.end() :].strip(), found.group(1)
            continue
        line = (_NUMBERED.sub("", strip_line_number(raw)) if numbered else raw).strip()
        if line:
            yield line, home
