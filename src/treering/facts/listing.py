"""What tools put before the lines of files that they list: line numbers, paths, the signs of a diff.

Taken off, the same line of a file is the same text whether it was read, searched for or changed; and what was before
it tells the file that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treering.facts.lexicon import FILE, strip_line_number, terms_of

_FOUND = re.compile(r"^((?:[A-Za-z]:)?[\w.@~+/\\-]*[\w])([:-])\d+\2(?:\d+\2)?")
"""`path:12:` of a search, `path-12-` of the lines around, with or without the column."""
_NUMBERED = re.compile(r"^\d{1,6}(?::(?![\d:])|-(?=[\t }/*#@)]))")
"""The same in one file, where the path is left out."""
_NEW_FILE = re.compile(r"^\+\+\+ (?:b/)?(\S+)")
_HUNK = re.compile(r"^@@ .* @@ ?")


def listed_lines(text: str, home: str) -> Iterator[tuple[str, str]]:
    """The lines of a text as they stand in the files that it lists, each with its file's path; empty ones left out.

    Args:
        text: a result of a tool, or text that is written.
        home: the file that all of it is of; empty if that is not known.
    """
    in_diff = False
    for raw in text.split("\n"):
        found = _FOUND.match(raw)
        if found and _is_file(found.group(1)):
            yield raw[found.end() :].strip(), found.group(1)
            continue
        new_file = _NEW_FILE.match(raw)
        if new_file:
            in_diff, home = True, new_file.group(1)
            continue
        if in_diff:
            line = _HUNK.sub("", raw).removeprefix("+").strip()
        else:
            line = _NUMBERED.sub("", strip_line_number(raw)).strip()
        if line:
            yield line, home


def _is_file(path: str) -> bool:
    return any(kind == FILE for kind, _ in terms_of(path))
