"""Lines of a summary: quotations, sentences and bare lists; and the relations that lines keep."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from treering.evaluation.directives import split_sentences
from treering.evaluation.words import base_names, contains, content_words, is_name, names, paths, words

NEIGHBOURS = 6
"""Characteristic neighbour words of a name."""
NEEDED_NEIGHBOURS = 2
MOST_TERMS = 3
"""A line that holds more names than this is a list, and tells no relation."""

_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+(?:\[[ xX~>-]\]\s+)?|\d+[.)]\s+|>\s+|\|\s*)+")
_SPACE = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"\s*(?:…|\.{3})\s*")
_EDGE = "`'\"“”‘’«»*_()[]{}<>|,;:.!?。，；：！？।- \t"
_SENTENCE_TAIL = re.compile(r"[.!?。！？।:؟]['\"”’»)`*]*$")


class Source(msgspec.Struct, frozen=True, dict=True):
    """The lines that a summary may quote, normalised and joined, so that finding one is one search."""

    text: str

    def quotes(self, line: str) -> bool:
        """Whether the line is a quotation: a run of the source's own characters, blanks apart.

        The mark of a list or quotation before it, quotation marks around it and a label before a colon or an arrow
        ("user: …", "→ …") may be added; where the quotation says that it leaves something out (…), each piece must be
        found.
        """
        core = normal(_MARK.sub("", line)).strip(_EDGE)
        return bool(core) and any(self._has(candidate) for candidate in _without_label(core))

    def _has(self, text: str) -> bool:
        pieces = [piece for piece in _ELLIPSIS.split(text) if piece.strip(_EDGE)]
        return bool(pieces) and all(piece.strip(_EDGE) in self.text for piece in pieces)


def source_of(texts: Iterable[str]) -> Source:
    """The source made of these texts. A quotation may not run over the end of a line."""
    return Source("\n".join(normal(line) for text in texts for line in text.split("\n")))


def normal(line: str) -> str:
    """A line with its blanks made single."""
    return _SPACE.sub(" ", line).strip()


def _without_label(core: str) -> Iterable[str]:
    yield core
    for separator in (": ", " — ", " → ", " - "):
        head, found, tail = core.partition(separator)
        if found and len(words(head)) <= 6 and len(words(tail)) >= 3:
            yield tail.strip(_EDGE)


def is_sentence(line: str) -> bool:
    """Whether a person would read the line as a sentence: words in their order, not only names and numbers.

    It has at least four plain words (Chinese and Japanese: six characters), they are more than half of it, and it is
    no enumeration: not more than half of its gaps are commas.
    """
    text = _MARK.sub("", line).strip()
    plain, odd = word_kinds(text)
    if plain < 4 or plain <= odd:
        return False
    if any(_SENTENCE_TAIL.search(sentence) for sentence in split_sentences(text)):
        return True
    return text.count(",") + text.count("、") + text.count(";") <= (plain + odd) / 2


def word_kinds(line: str) -> tuple[int, int]:
    """How many of the line's words are plain, and how many are names, paths, numbers or code."""
    plain = odd = 0
    for token in line.split():
        core = token.strip(_EDGE)
        if not core:
            continue
        if is_name(core) or paths(core) or any(map(str.isdigit, core)) or re.search(r"[/\\=(){}\[\]<>_$@:.]", core):
            odd += 1
        else:
            inside = len(words(core))
            plain += inside
            odd += not inside
    return plain, odd


def bare_words(summary: str, source: Source) -> tuple[int, int]:
    """How many words of the summary stand in bare lists, and how many it has.

    A line is bare if it holds names only, or if it was never a line of the source and is no sentence. Headings and
    ruled lines are neither counted as bare nor as text: they are the frame.
    """
    bare = total = 0
    for line in summary.split("\n"):
        if not line.strip() or line.lstrip().startswith("#") or not any(map(str.isalnum, line)):
            continue
        size = len(line.split())
        total += size
        if is_bare(line, source):
            bare += size
    return bare, total


def is_bare(line: str, source: Source) -> bool:
    """Whether the line is a bare list in the sense of `bare_words`."""
    plain, _ = word_kinds(_MARK.sub("", line))
    return plain == 0 or not (source.quotes(line) or is_sentence(line))


def terms_of(line: str) -> set[str]:
    """The files (by base name) and names of a line."""
    return {*base_names(line), *names(line)}


def neighbours(lines: Sequence[str], terms: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """For each term, the words that are most characteristic of the lines that it stands on.

    Words of meaning that are neither the term nor part of it, ranked by how much more often they stand beside the term
    than elsewhere (counts on its lines times the logarithm of the rarity over all lines).
    """
    wanted = set(terms)
    spread: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for line in dict.fromkeys(lines):
        around = set(content_words(line))
        spread.update(around)
        for term in wanted & terms_of(line):
            beside[term].update(around - set(content_words(term)))
    total = len(lines) + 1
    return {
        term: tuple(
            sorted(counts, key=lambda word: (-counts[word] * math.log(total / spread[word]), word))[:NEIGHBOURS]
        )
        for term, counts in beside.items()
    }


def related(
    summary: str, source: Source, known: Mapping[str, tuple[str, ...]], *, all_names_count: bool = True
) -> set[str]:
    """The terms that stand on a line which tells something of them.

    Such a line has at least two of the term's neighbour words, is a quotation or a sentence, and holds at most three
    names; with `all_names_count` any names, else three of those that are asked for.
    """
    found: set[str] = set()
    for line in summary.split("\n"):
        terms = terms_of(line)
        asked = terms & known.keys()
        if not asked or len(terms if all_names_count else asked) > MOST_TERMS:
            continue
        if not (source.quotes(line) or is_sentence(line)):
            continue
        here = set(content_words(line))
        for term in asked:
            if len(here & set(known[term])) >= NEEDED_NEIGHBOURS:
                found.add(term)
    return found


def invented(summary: str, region_text: str) -> list[str]:
    """Paths and names of the summary that are nowhere in the region, each once."""
    found = dict.fromkeys([*(path.removeprefix("./") for path in paths(summary)), *names(summary)])
    return [term for term in found if not _is_there(term, region_text)]


def _is_there(term: str, text: str) -> bool:
    # In text that was escaped once more than its reader knows, a name may follow the letter of an escape.
    return contains(text, term) or any(f"\\{letter}{term}" in text for letter in "nrt")
