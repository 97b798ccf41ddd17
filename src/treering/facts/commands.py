"""Shell commands with their outcome, the errors that stand, the last test result."""

from __future__ import annotations

import re

import msgspec

from treering.facts.lexicon import clean_line, is_file, listed, words

MAX_COMMANDS = 60
MAX_ERRORS = 12
MAX_SOURCE_CHARS = 160
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]|(?<![>&])&(?![>&])")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
"""What is no sign of the shell: an escaped character (which opens no quotation either), a quotation."""
_PREFIXES = frozenset({"sudo", "time", "env", "nohup", "exec", "then", "do", "else", "if", "while", "!"})
_ASSIGNMENT = re.compile(r"^\w+=\S*$")
_PROGRAM = re.compile(r"^[A-Za-z0-9_./~+-]+$")
_TRIVIAL = listed(
    """
    cd echo printf sleep true false exit export source set for do done if then else fi while read
    """
)
_SHOWS = listed("cat head tail sed nl less more bat grep egrep rg awk")
_FILE_ARGUMENT = re.compile(r"[\w./~@+-]+")
_ERROR = re.compile(
    r"\b(?:error|errors|exception|traceback|panic|fatal|failed|failure|fail|cannot|undefined|denied|refused|not found|"
    r"no such|unknown|invalid|unexpected|missing|exit (?:code|status) [1-9]\d*)\b|[A-Z]\w+(?:Error|Exception)\b|✗|✖|❌",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"\buser (?:doesn['’]t want|rejected|denied|declined|cancell?ed|refused)\b", re.IGNORECASE)
"""What the user did not allow is no error, and what to do instead is in the user's next words."""
_NO_ERROR = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed)\b", re.IGNORECASE)
_TEST = re.compile(
    r"\b\d+ (?:passed|failed|passing|failing|tests?|errors?|skipped)\b|^(?:ok|FAIL|PASS|OK)\b|\btest result:|^Tests?:",
    re.IGNORECASE,
)

_KIND = re.compile(
    r"\b(?:(?P<test>tests?|pytest|unittest|jest|vitest|mocha|rspec|phpunit|ctest|tox|nox)"
    r"|(?P<check>lint|ruff|eslint|vet|clippy|mypy|pyright|golangci-lint|staticcheck|typecheck)|(?P<build>install))\b",
    re.IGNORECASE,
)
"""The first of these words says what a command does; later ones are its arguments ("ruff check tests")."""
_BUILD = re.compile(r"\b(?:build|compile|tsc|make)\b", re.IGNORECASE)
"""What builds, wherever it stands."""
_NARROW = re.compile(r"\s(?:-run|-k|-t|--grep|--filter|--last-failed)[\s=]|::")
"""What runs some of the tests only."""
_LOOKS = _SHOWS | listed("ls find fd tree stat file wc which type test jq cut sort uniq diff")
_HANDLES = _LOOKS | listed("git cp mv rm mkdir rmdir touch chmod ln tee")
"""What tests, checks and builds nothing, whatever the names of its arguments are."""
_CHANGES = re.compile(r"<<|(?<![\d&>])>>?(?!&|\s*/dev/null)|\bsed\s+-i|\s-delete\b")
"""What a program that shows something can do beside that: write, or feed a script that is not seen here."""


class Command(msgspec.Struct, frozen=True, array_like=True):
    """A command line: `key` is program and first argument, `failed` the outcome of the last run if it is known."""

    key: str
    text: str
    entry: str
    at: int
    times: int
    failed: bool | None = None


class StandingError(msgspec.Struct, frozen=True, array_like=True):
    """An error that nothing has fixed since.

    `source` is what must succeed to fix it; `slip` whether it stops nobody: something was looked for that is not there,
    or a tool for files refused what is then done otherwise.
    """

    text: str
    entry: str
    at: int
    source: str
    slip: bool = False


def command_keys(command: str) -> list[tuple[str, str]]:
    """Program with first argument, and the text, of each simple command in a command line."""
    body = command.split("<<", 1)[0].replace("\\\n", " ")
    # A quoted text may hold separators: it is masked while the line is split.
    masked = _QUOTED.sub(lambda match: "\0" * len(match.group()), body)
    found: list[tuple[str, str]] = []
    start = 0
    for match in (*_SEPARATOR.finditer(masked), None):
        end = match.start() if match else len(masked)
        simple = _simple(body[start:end])
        if simple:
            found.append(simple)
        start = match.end() if match else end
    return found


def _simple(text: str) -> tuple[str, str] | None:
    pieces = text.split()
    while pieces and (_ASSIGNMENT.match(pieces[0]) or pieces[0] in _PREFIXES):
        pieces = pieces[1:]
    if not pieces or pieces[0] in _TRIVIAL or not _PROGRAM.match(pieces[0]):
        return None
    argument = pieces[1] if len(pieces) > 1 and re.match(r"[\w./~@:=+-]", pieces[1]) else ""
    if argument.startswith(("2>", "1>")):
        argument = ""
    shown = " ".join(pieces)
    return f"{pieces[0]} {argument}".strip(), shown


def file_shown(command: str) -> str:
    """The one file whose lines a command prints (`sed -n 1,40p FILE`, `grep -n WORD FILE`); empty if not just one."""
    files = {
        path
        for _, text in command_keys(command)
        if text.split(None, 1)[0] in _SHOWS
        for path in text.split()[1:]
        if _FILE_ARGUMENT.fullmatch(path) and is_file(path)
    }
    return files.pop() if len(files) == 1 else ""


def only_looks(command: str) -> bool:
    """Whether a command only looks at something: that it found nothing stops nobody."""
    keys = command_keys(command)
    looks = bool(keys) and all(text.split(None, 1)[0] in _LOOKS for _, text in keys)
    return looks and not _CHANGES.search(_QUOTED.sub("", command))


def source_of(command: str) -> str:
    """The beginning of a command line, by which its errors are known: its lines apart, as they are run."""
    lines = (" ".join(line.split()) for line in command.replace("\\\n", " ").split("\n"))
    return "\n".join(filter(None, lines))[:MAX_SOURCE_CHARS]


def fixes(command: str, failed: str) -> bool:
    """Whether the success of a command says that what failed before no longer does.

    It is the same command, or one of the same kind (tests, checks, a build) that does not run less of it.
    """
    if command == failed:
        return True
    done, wanted = _kinds(command), _kinds(failed)
    if "test" in done:
        done.add("build")  # what is tested was built
    return wanted <= done and (not _NARROW.search(command) or bool(_NARROW.search(failed)))


def _kinds(command: str) -> set[str]:
    """What the commands of a line do; the first program, if none of them is of a known kind."""
    keys = command_keys(command)
    runs = [(key, text) for key, text in keys if text.split(None, 1)[0] not in _HANDLES]
    found: set[str] = set()
    for _, text in runs:
        plain = _QUOTED.sub("", text)
        kind = _KIND.search(plain)
        if kind and kind.lastgroup:
            found.add(kind.lastgroup)
        if _BUILD.search(plain):
            found.add("build")
    return found or {next((key for key, _ in runs or keys), command)}


def said_in_refusal(output: str) -> str:
    """What the user said when a call was not allowed; empty if nothing."""
    return output.partition("user said:")[2].strip() if _REFUSED.search(output[:200]) else ""


def error_lines(output: str, failed: bool, limit: int = 2) -> list[str]:
    """The lines of a result that say what went wrong. What did not fail has none."""
    if not failed or _REFUSED.search(output[:200]):
        return []
    lines = [clean_line(line) for line in output.split("\n")]
    lines = [line for line in lines if line and len(line) <= 300]
    telling = [line for line in lines if _ERROR.search(line) and not _NO_ERROR.search(line)]
    # "FAIL" and "Exit code 1" say that something failed, not what.
    return [line for line in telling if len(words(line)) >= 3][:limit] or (telling or lines)[:1]


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
