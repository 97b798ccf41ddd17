"""What the estimator looks at: pairs of neighbouring characters' classes, and the scripts beyond ASCII.

Everything here is linear in the text and runs in C (`translate`, big integers, `Counter`), because every message of a
session passes through it. The weights that turn these features into tokens are in `weights.py`.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from functools import lru_cache

CLASS_NAMES = (
    "start or another script", "space", "line break", "tab", "digit", "upper case", "vowel", "n r s t", "l m c d h",
    "f g p y", "j q x z é", "quote, opening bracket", "_ -", "b v w k", "closing bracket , ; : .", "other",
)  # fmt: skip
"""The sixteen classes of characters, by number. A letter's class tells how well it joins its neighbours in a token."""

_MEMBERS = (
    "", " ", "\n\r", "\t\x0b\x0c", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "aeiou", "nrst", "lmcdh",
    "fgpy", "jqxz", "\"'`([{<", "_-", "bvwk", ")]}>,;:.",
)  # fmt: skip
_RARE_LETTER = 10
_OTHER = 15

SCRIPTS = (
    (0x80, "control"), (0xA0, "latin sign"), (0xC0, "latin"), (0x100, "latin extended"), (0x250, "phonetic"),
    (0x300, "combining"), (0x370, "greek"), (0x400, "cyrillic"), (0x450, "cyrillic extended"), (0x530, "armenian"),
    (0x590, "hebrew"), (0x600, "arabic"), (0x64B, "arabic mark"), (0x660, "arabic"), (0x671, "arabic extended"),
    (0x700, "rare"), (0x900, "devanagari"), (0x94D, "virama"), (0x94E, "devanagari"), (0x980, "bengali"),
    (0xA00, "gurmukhi"), (0xA80, "gujarati"), (0xB00, "rare indic"), (0xB80, "tamil"), (0xC00, "telugu"),
    (0xC80, "kannada"), (0xD00, "malayalam"), (0xD80, "sinhala"), (0xE00, "thai"), (0xE80, "lao"), (0xF00, "rare"),
    (0x1000, "myanmar"), (0x10A0, "georgian"), (0x1100, "rare"), (0x1200, "ethiopic"), (0x13A0, "rare"),
    (0x1780, "khmer"), (0x1800, "rare"), (0x1E00, "vietnamese"), (0x1F00, "rare"), (0x2000, "punctuation"),
    (0x2070, "symbol"), (0x2500, "box"), (0x25A0, "symbol"), (0x2C00, "rare"), (0x3000, "cjk punctuation"),
    (0x3040, "hiragana"), (0x30A0, "katakana"), (0x3100, "rare"), (0x4E00, "han"), (0xA000, "rare"),
    (0xAC00, "hangul"), (0xD7B0, "rare"), (0xFF00, "fullwidth"), (0xFFF0, "rare"), (0x10000, "astral"),
    (0x1F000, "emoji"), (0x1FB00, "astral"),
)  # fmt: skip
"""Where each script's characters begin. A script may stand more than once; `han` is divided further in `script_of`."""

WORD_SCRIPTS = {
    "greek": "greek", "cyrillic": "cyrillic", "cyrillic extended": "cyrillic", "armenian": "armenian",
    "hebrew": "hebrew", "arabic": "arabic", "arabic extended": "arabic", "devanagari": "devanagari",
    "bengali": "bengali", "gurmukhi": "gurmukhi", "gujarati": "gujarati", "tamil": "tamil", "telugu": "telugu",
    "kannada": "kannada", "malayalam": "malayalam", "sinhala": "sinhala", "georgian": "georgian",
    "ethiopic": "ethiopic", "hangul": "hangul",
}  # fmt: skip
"""Scripts that part their words by spaces, where a word's start costs something of its own."""

_STARTS = [start for start, _ in SCRIPTS]
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")


def _class_of(code: int) -> int:
    for number, members in enumerate(_MEMBERS):
        if chr(code) in members:
            return number
    if code < 0x80 and chr(code) != "?":
        return _OTHER
    return _RARE_LETTER if code >= 0xC0 and code not in {0xD7, 0xF7} else 0


_CLASSES = bytes(_class_of(code) for code in range(256))


def pair_codes(text: str) -> tuple[bytes, bytes]:
    """For each character: 16 times the class of the character before it, plus its own class; and the same with the
    character before that one.

    Latin-1 letters count as rare letters. Every other character beyond ASCII is of class 0, as are the places before
    the first character. Appending text never changes the codes before it.
    """
    # '?' is what `encode` puts for a character that is not in Latin-1, so a real one has to look different.
    classes = text.replace("?", "!").encode("latin-1", "replace").translate(_CLASSES)
    # As one little-endian number, "shift left by a byte and add" pairs every character with its neighbour at once.
    size = len(classes)
    number = int.from_bytes(classes, "little")
    adjacent = (number | number << 12).to_bytes(size + 2, "little")[:size]
    apart = (number | number << 20).to_bytes(size + 3, "little")[:size]
    return adjacent, apart


def script_counts(text: str) -> tuple[Counter[str], Counter[str]]:
    """The characters beyond ASCII, and those of them that begin a run of such characters, with their numbers."""
    runs = _BEYOND_ASCII.findall(text)
    return Counter("".join(runs)), Counter([run[0] for run in runs])


@lru_cache(maxsize=65536)
def script_of(character: str) -> str:
    """The name of a character's script, as far as it matters for its price in tokens.

    Han characters are `han` if GB 2312 counts them among its 3755 common ones (its first level, which ends before
    the lead byte 0xD8), else `han rare` (second level) or `han traditional` (not in GB 2312).
    """
    name = SCRIPTS[bisect.bisect_right(_STARTS, ord(character)) - 1][1]
    if name != "han":
        return name
    try:
        lead = character.encode("gb2312")[0]
    except UnicodeError:
        return "han traditional"
    return "han" if lead < 0xD8 else "han rare"
