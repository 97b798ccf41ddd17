"""Secrets are taken out of text before it goes to a model or an endpoint, and out of what comes back.

What is a secret is told by its form (keys of known services, tokens, private keys) or by the name beside it
(`password = "…"`), as the package detect-secrets knows them, and by the user's own patterns. That a text looks random
is never enough: commit hashes, ids and checksums are facts that a summary needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from treering.errors import MissingExtraError, SettingsError


class Redacted(NamedTuple):
    """A text without its secrets, and how many were replaced."""

    text: str
    replaced: int


# Whole blocks, which a detector of single lines would leave in place but for their first line.
_BLOCK = re.compile(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:.*?-----END (?P=kind)-----|(?:\s+[A-Za-z0-9+/=:,. -]{1,120}$)*)",
    re.DOTALL | re.MULTILINE,
)
_BEARER = re.compile(
    r"(?i)\b(?:authorization|x-api-key|api-key)\b[\"']?\s*[:=]\s*[\"']?(?:bearer |basic |token )?(\S{8,})"
)
_VARIABLE = re.compile(
    # API_TOKEN=…, also without quotes, as in environment files and shell commands.
    r"\b[A-Z][A-Z0-9_]{0,60}?(?:API_?KEY|ACCESS_?KEY|SECRET|TOKEN|PASSWORD|PASSWD)[A-Z0-9_]{0,30}\s?[=:]\s?[\"']?([^\s\"'`,;]{8,})"
    r"|\b(?:API_?KEY|SECRET|TOKEN|PASSWORD|PASSWD)\s?=\s?[\"']?([^\s\"'`,;]{8,})"
)
_ALONE = re.compile(
    # An argument of a tool call or a line of YAML: a name that tells it, and one word that is more than letters.
    r"^[ \t-]*[\"']?\w{0,60}?(?:api_?key|access_?key|secret|token|password|passwd)[\"']?\s*[:=]\s*"
    r"[\"']?((?=\S*[A-Za-z])(?=\S*[\d\W_])[^\s\"',]{8,})[\"']?,?$",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN_END = re.compile(r"[\w=+/-]*")
_KEYWORDS = re.compile(r"key|pass|pwd|secret|contrase", re.IGNORECASE)
_ASSIGNED = re.compile(r"[\"'`].*[:=(]|[:=(].*[\"'`]", re.DOTALL)
_BEFORE, _BEHIND = 60, 240
_NO_SECRET = re.compile(
    # A reference, a placeholder or a word of a schema in the place of a value.
    r"^(?:[$%{<\[(*].*|.*[(){}].*|(.)\1*|string|password|secret|required|optional|changeme|example|undefined|"
    r"placeholder|your[-_ ].*|process\.env.*|os\.environ.*|xxx+.*)$",
    re.IGNORECASE,
)


class Redactor:
    """Replaces secrets by a note of their kind. It never refuses a text.

    Args:
        patterns: regular expressions of one's own secrets; of a pattern with groups only the groups are replaced.
        detect: whether known secrets are looked for (needs `treering[llm]`); off, only `patterns` count.

    Raises:
        SettingsError: a pattern is no regular expression.
        MissingExtraError: the detector is not installed.
    """

    def __init__(self, patterns: Iterable[str] = (), *, detect: bool = True) -> None:
        self._own: list[re.Pattern[str]] = []
        for pattern in patterns:
            try:
                self._own.append(re.compile(pattern))
            except re.error as error:
                raise SettingsError(f"the redaction pattern {pattern!r} is no regular expression: {error}") from error
        self._detectors = _detectors() if detect else None

    def redact(self, text: str) -> Redacted:
        """The text without its secrets."""
        spans = sorted(self._found(text))
        if not spans:
            return Redacted(text, 0)
        parts: list[str] = []
        at = count = 0
        for start, end, kind in spans:
            if start < at:
                continue
            parts += (text[at:start], f"[redacted {kind}]")
            at = end
            count += 1
        return Redacted("".join(parts) + text[at:], count)

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        for pattern in self._own:
            for match in pattern.finditer(text):
                yield from _groups(match, "text")
        if self._detectors is None:
            return
        for match in _BLOCK.finditer(text):
            yield match.start(), match.end(), "private key"
        for pattern in (_BEARER, _VARIABLE, _ALONE):
            for match in pattern.finditer(text):
                for start, end, kind in _groups(match, "secret"):
                    if _may_be_secret(text[start:end]):
                        yield start, end, kind
        for kind, pattern in self._detectors.forms:
            for match in pattern.finditer(text):
                yield *_whole(match), kind
        yield from self._beside_names(text)

    def _beside_names(self, text: str) -> Iterator[tuple[int, int, str]]:
        detectors = self._detectors
        assert detectors is not None
        start = 0
        for line in text.split("\n"):
            at = 0
            # Values stand near their names, and the detector's expressions are slow on long lines.
            while name := _KEYWORDS.search(line, at):
                begin = max(at, name.start() - _BEFORE)
                at = name.end() + _BEHIND
                window = line[begin:at]
                if _ASSIGNED.search(window):
                    for value in detectors.keyword.analyze_string(window):
                        place = window.find(value)
                        if place >= 0 and _may_be_secret(value):
                            yield start + begin + place, start + begin + place + len(value), "secret"
            start += len(line) + 1


class _Detectors(NamedTuple):
    forms: tuple[tuple[str, re.Pattern[str]], ...]
    keyword: Any


# Random-looking strings are no secrets by that alone, and addresses are none; keys are found as whole blocks above.
_LEFT_OUT = {"HexHighEntropyString", "Base64HighEntropyString", "IPPublicDetector", "PrivateKeyDetector"}


@lru_cache(maxsize=1)
def _detectors() -> _Detectors:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
        from detect_secrets.plugins.keyword import KeywordDetector
    except ImportError as error:
        raise MissingExtraError("redaction", "llm") from error
    forms: list[tuple[str, re.Pattern[str]]] = []
    for kind, plugin in get_mapping_from_secret_type_to_class().items():
        if issubclass(plugin, RegexBasedDetector) and plugin.__name__ not in _LEFT_OUT:
            patterns = cast("Iterable[re.Pattern[str]]", plugin.denylist)
            forms += [(kind, pattern) for pattern in patterns]
    return _Detectors(tuple(forms), KeywordDetector())


def _groups(match: re.Match[str], kind: str) -> Iterator[tuple[int, int, str]]:
    """The parts of a match that are the secret: its groups if it has any, else the whole."""
    found = False
    for index in range(1, (match.re.groups or 0) + 1):
        if match.group(index):
            found = True
            yield match.start(index), match.end(index), kind
    if not found and match.end() > match.start():
        yield match.start(), match.end(), kind


def _whole(match: re.Match[str]) -> tuple[int, int]:
    """What of a detector's match is the secret.

    Its group, where that reaches to the match's end (but for a quote or an @); else the whole match, since some have
    groups for a prefix only, up to the end of the token that it stands in.
    """
    for index in range(1, (match.re.groups or 0) + 1):
        if match.group(index) and match.end() - match.end(index) <= 2:
            return match.span(index)
    end = _TOKEN_END.match(match.string, match.end())
    return match.start(), end.end() if end else match.end()


def _may_be_secret(value: str) -> bool:
    return len(value) >= 6 and not any(char.isspace() for char in value) and _NO_SECRET.match(value) is None
