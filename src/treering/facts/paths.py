"""Paths as people write them: relative to the session's directory where they lie in it."""

from __future__ import annotations

import posixpath
import re

_DRIVE = re.compile(r"^[A-Za-z]:/")


def normalise(path: str, cwd: str = "") -> str:
    """The path in one spelling: forward slashes, no `.` and `..`, relative to `cwd` if it lies in it.

    A path on a Windows drive keeps its drive. `cwd` may be of either system. Never touches a file system.
    """
    text = path.strip().strip("\"'").replace("\\", "/").removeprefix("file://")
    if not text or "\n" in text or "\0" in text:
        return ""
    base = cwd.replace("\\", "/").rstrip("/")
    absolute = text.startswith(("/", "~")) or bool(_DRIVE.match(text))
    text = posixpath.normpath(text)
    if not absolute and text.startswith("..") and base:
        text = posixpath.normpath(posixpath.join(base, text))
    if base and text.startswith(base + "/"):
        text = text[len(base) + 1 :]
    elif base and text == base:
        text = "."
    return text
