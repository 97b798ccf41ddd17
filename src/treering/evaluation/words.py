"""Words, names, files, numbers and commands in a text: one definition each, for every measure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from treering.evaluation.vocabulary import FILE_EXTENSIONS, STOPWORDS

# A combining vowel sign is no \w for Python, so the Indic and South-East Asian blocks are named (without the danda).
_LETTERS = (
    r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0971-\u0dff\u0e00-\u0e7f\u1000-\u109f]"
)
_WORD = re.compile(rf"(?:{_LETTERS})+(?:['’](?:{_LETTERS})+)?")
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")

# Behind a backslash stands an escape, as in "\\nPlease", and no name begins.
_IDENTIFIER = re.compile(r"(?<![\w$\\])[A-Za-z_][A-Za-z0-9_]*(?![\w$])")
_CAMEL = re.compile(r"_*[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+_*")
_PASCAL = re.compile(r"_*[A-Z][A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|_*[A-Z]{2,}[a-z][A-Za-z0-9]*")
_SNAKE = re.compile(r"_*[a-z][a-z0-9]*(?:_+[a-z0-9]+)+_*")
_UPPER = re.compile(r"_*[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+_*")

_PATH = re.compile(r"[\w@.+\-~/]+")
_URL = re.compile(r"\b[a-z][a-z0-9+.\-]{0,15}://[^\s\"'<>)\]`]+")
_NUMBER = re.compile(r"(?<![\w.])\d{3,}(?![\w])|(?<![\w])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\w])")

LONGEST_COMMAND = 10_000
"""Characters of a command line that are looked at; what is longer carries data."""
_PROGRAM = re.compile(r"[\w./~][\w./~+\-@:]*")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_SPLIT = re.compile(r"&&|\|\||;|\||\n|(?<![>&])&(?![>&])")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_PREFIXES = frozenset(
    {"sudo", "time", "env", "nohup", "exec", "command", "then", "do", "else", "if", "while", "!", "("}
)
_NOT_PROGRAMS = frozenset(
    {
        "cd",
        "fi",
        "done",
        "esac",
        "for",
        "case",
        "}",
        "{",
        ")",
        "export",
        "set",
        "true",
        "false",
        "echo",
        "[",
        "[[",
        "read",
    }
)


def words(text: str) -> list[str]:
    """All words in lower case, in order; runs of Chinese or Japanese as pairs of neighbouring characters."""
    found = [(match.start(), match.group().lower()) for match in _WORD.finditer(text)]
    for match in _HAN_RUN.finditer(text):
        run = match.group()
        found.extend((match.start() + i, run[i : i + 2]) for i in range(max(1, len(run) - 1)))
    found.sort(key=lambda item: item[0])
    return [word for _, word in found]


def content_words(text: str) -> list[str]:
    """The words that carry meaning: of three letters or more and no stop word; pairs of Han characters."""
    return [word for word in words(text) if _carries_meaning(word)]


def _carries_meaning(word: str) -> bool:
    if word in STOPWORDS:
        return False
    return len(word) >= 3 or (len(word) == 2 and ord(word[0]) >= 0x0900)


def names(text: str, *, upper_words: bool = False) -> list[str]:
    """Names in camelCase, PascalCase, snake_case and UPPER_CASE of six letters or more, in order, repeats included.

    One capital at the start makes no PascalCase (any sentence begins so). UPPER_CASE needs its underscore, unless
    `upper_words` are wanted too.
    """
    found = (match.group() for match in _IDENTIFIER.finditer(text))
    return [word for word in found if is_name(word) or (upper_words and len(word) >= 6 and word.isupper())]


def is_name(word: str) -> bool:
    """Whether this identifier is a name in the sense of `names`."""
    if len(word) < 6 or sum(map(str.isalpha, word)) < 6:
        return False
    return any(form.fullmatch(word) for form in (_CAMEL, _PASCAL, _SNAKE, _UPPER))


def paths(text: str) -> list[str]:
    """File paths as they are written, in order, repeats included. Addresses of the web and calls are no files."""
    plain = _URL.sub(" ", text)
    found = (match for match in _PATH.finditer(plain) if plain[match.end() : match.end() + 1] != "(")
    return [path for match in found if _is_file(path := match.group().rstrip("."))]


def base_names(text: str) -> list[str]:
    """The base names of the file paths, in order, repeats included."""
    return [path.rsplit("/", 1)[-1] for path in paths(text)]


def _is_file(path: str) -> bool:
    base = path.rsplit("/", 1)[-1]
    stem, _, extension = base.rpartition(".")
    return extension.lower() in FILE_EXTENSIONS and any(map(str.isalnum, stem)) and "@" not in path


def numbers(text: str) -> list[str]:
    """Numbers of three digits or more, and hexadecimal ones of 7 to 40 digits, in order, repeats included."""
    return _NUMBER.findall(text)


def invocations(command: str) -> Iterator[str]:
    """Program and first argument of each simple command of a shell command line, e.g. `go test`, `git -C`.

    Changes of directory, assignments and control words are passed over, here documents are left out, and a first
    argument that is quoted counts as none: nobody looks for a program by a text that it was once given.
    """
    text = _HEREDOC.sub("", command[:LONGEST_COMMAND].replace("\\\n", " "))
    # A quoted text may hold separators; it becomes one opaque word while splitting.
    text = _QUOTED.sub(lambda match: "\x00" if re.search(r"[\s;&|]", match.group()) else match.group()[1:-1], text)
    for simple in _SPLIT.split(text):
        parts = simple.split()
        while parts and (parts[0] in _PREFIXES or _ASSIGNMENT.match(parts[0])):
            parts.pop(0)
        program = parts[0].strip("()`$") if parts else ""
        if program in _NOT_PROGRAMS or not _PROGRAM.fullmatch(program):
            continue
        argument = parts[1] if len(parts) > 1 and "\x00" not in parts[1] else ""
        if re.match(r"\d?>|<", argument):
            argument = ""
        yield f"{program} {argument}".strip()


def contains(text: str, needle: str) -> bool:
    """Whether the needle stands in the text as a whole: no letter, digit or underscore beside it."""
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_joins(before) and _joins(needle[0])) and not (_joins(after) and _joins(needle[-1])):
            return True
        start = text.find(needle, start + 1)
    return False


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"


def share(needed: Iterable[str], present: frozenset[str] | set[str]) -> float:
    """The share of the needed words (each once) that are present; 1 if none is needed."""
    wanted = set(needed)
    return len(wanted & present) / len(wanted) if wanted else 1.0
