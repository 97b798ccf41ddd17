"""Shell commands with their outcome, the errors that stand, the last test result."""

from __future__ import annotations

import re

import msgspec

from treering.facts.lexicon import clean_line, listed

MAX_COMMANDS = 60
MAX_ERRORS = 12
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNMENT = re.compile(r"^\w+=\S*$")
_PROGRAM = re.compile(r"^[A-Za-z0-9_./~+-]+$")
_TRIVIAL = listed(
    """
    cd echo printf sleep true false exit export source set for do done if then else fi while read
    """
)
_ERROR = re.compile(
    r"\b(?:error|errors|exception|traceback|panic|fatal|failed|failure|fail|cannot|undefined|denied|refused|not found|"
    r"no such|unknown|invalid|unexpected|missing|exit (?:code|status) [1-9]\d*)\b|[A-Z]\w+(?:Error|Exception)\b|✗|✖|❌",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed)\b", re.IGNORECASE)
_TEST = re.compile(
    r"\b\d+ (?:passed|failed|passing|failing|tests?|errors?|skipped)\b|^(?:ok|FAIL|PASS|OK)\b|\btest result:|^Tests?:",
    re.IGNORECASE,
)


class Command(msgspec.Struct, frozen=True, array_like=True):
    """A command line: `key` is program and first argument, `failed` the outcome of the last run if it is known."""

    key: str
    text: str
    entry: str
    at: int
    times: int
    failed: bool | None = None


class StandingError(msgspec.Struct, frozen=True, array_like=True):
    """An error that nothing has fixed since. `source` is what must succeed to fix it."""

    text: str
    entry: str
    at: int
    source: str


def command_keys(command: str) -> list[tuple[str, str]]:
    """Program with first argument, and the text, of each simple command in a command line."""
    found: list[tuple[str, str]] = []
    body = command.split("<<", 1)[0]
    for part in _SEPARATOR.split(body):
        pieces = part.split()
        while pieces and (_ASSIGNMENT.match(pieces[0]) or pieces[0] in {"sudo", "time", "env", "then", "do"}):
            pieces = pieces[1:]
        if len(pieces) < 2 or pieces[0] in _TRIVIAL or not _PROGRAM.match(pieces[0]):
            continue
        found.append((f"{pieces[0]} {pieces[1]}", " ".join(pieces)))
    return found


def error_lines(output: str, failed: bool, limit: int = 2) -> list[str]:
    """The lines of a result that say what went wrong. What did not fail has none."""
    if not failed:
        return []
    lines = [clean_line(line) for line in output.split("\n")]
    lines = [line for line in lines if line]
    telling = [line for line in lines if _ERROR.search(line) and not _NO_ERROR.search(line) and len(line) <= 300]
    return (telling or lines)[:limit]


def looks_failed(output: str) -> bool:
    """Whether a command's output says that it failed, where no flag says so."""
    tail = output[-2000:]
    return bool(
        re.search(
            r"^(?:Exit code [1-9]|FAIL\b|--- FAIL|Traceback|panic:|fatal:|error(?:\[|:))",
            output[:2000] + "\n" + tail,
            re.MULTILINE,
        )
    )


def test_line(output: str) -> str:
    """The last line of an output that gives a test result; empty if there is none."""
    for line in reversed(output.split("\n")[-60:]):
        text = line.strip(" =\t")
        if text and len(text) <= 200 and _TEST.search(text):
            return text
    return ""
