"""Terms and the quotes that tell about them: the part of the facts that grows with the text, and how it is bounded."""

from __future__ import annotations

import re

from treering.facts.expect import history_score
from treering.facts.lexicon import NUMBER, WORD, Lexicon, Term, is_narration
from treering.facts.state import ARGUMENT, ASSISTANT, EDIT, RESULT, THINKING, USER, FactState, Quote, TermFact

BYTES_HIGH, BYTES_LOW = 74_000, 63_000
"""Above the first the least expected terms are forgotten, down to the second (bytes of names and quotes)."""

MIN_QUOTE, MIN_CODE, MAX_QUOTE = 12, 20, 220
_TERM_BYTES, _QUOTE_BYTES = 60, 45
_DEFINITION = re.compile(
    r"^(?:(?:export|public|private|protected|static|async|abstract|pub|final|default)\s+)*"
    r"(?:func|def|class|type|interface|struct|enum|trait|impl|fn|function|const|var|let|module|CREATE)\b"
)
_ONLY_PATH = re.compile(r"^(?:[A-Z?]{1,2}\s+)?[\w./~@+-]+$")
"""A path, with or without what git says of it: it tells nothing that the name alone does not."""
_COMMENT = re.compile(r"^(?://|#|/\*\*?|--|;|\"\"\")\s*\w+(?: \S+){3}")
_SOURCE_QUALITY = {USER: 30, ASSISTANT: 30, THINKING: 18, EDIT: 12}
_PROSE_STAYS = 8
_DIGITS = re.compile(r"(?<![A-Za-z_\d])\d+")
"""Numbers; the digits of a name tell it from others."""


class _Record:
    """One term's history while messages are added. `prose`, `code` and `dense` are texts of quotes."""

    __slots__ = ("code", "dense", "density", "home", "last", "last_turn", "messages", "prose", "roles", "turns")

    def __init__(self) -> None:
        self.messages = self.turns = self.last = self.roles = self.density = 0
        self.last_turn = -1
        self.home = ""
        self.prose: str | None = None
        self.code: str | None = None
        self.dense: str | None = None


class TermTable:
    """The terms of a session with their best quotes, within a bound of bytes.

    Each term has up to three quotes: the sentence and the line of code that read best, and the line that tells most
    terms in the fewest words. Which of them is used is decided when a summary is written.
    """

    def __init__(self, state: FactState) -> None:
        self._lexicon = Lexicon()
        self._quotes: dict[str, Quote] = {}
        self._refs: dict[str, int] = {}
        self._frames: dict[str, str] = {}
        self._terms: dict[Term, _Record] = {}
        self._size = 0
        texts: list[str | None] = [quote.text for quote in state.quotes]
        texts.append(None)
        for quote in state.quotes:
            self._quotes[quote.text] = quote
            self._remember_frame(quote)
        for term in state.terms:
            record = _Record()
            record.messages, record.turns, record.roles = term.messages, term.turns, term.roles
            record.last, record.last_turn, record.home = term.last, term.last_turn, term.home
            record.prose, record.code, record.dense = texts[term.prose], texts[term.code], texts[term.dense]
            record.density = term.density
            self._terms[(term.kind, term.name)] = record
        self._recount()
        self.entry, self._at, self._turn = "", 0, 0
        self.home = ""  # the file that the lines are of
        self._seen: set[Term] = set()

    def frozen(self) -> tuple[tuple[TermFact, ...], tuple[Quote, ...]]:
        """Terms and quotes as values."""
        used: dict[str, int] = {}
        terms: list[TermFact] = []
        for (kind, name), record in self._terms.items():
            prose, code, dense = (
                -1 if text is None else used.setdefault(text, len(used))
                for text in (record.prose, record.code, record.dense)
            )
            terms.append(
                TermFact(
                    kind, name, record.messages, record.turns, record.last, record.last_turn, record.roles,
                    record.home, prose, code, dense, record.density,
                )
            )  # fmt: skip
        return tuple(terms), tuple(self._quotes[text] for text in used)

    def begin(self, entry: str, at: int, turn: int) -> None:
        """What follows stands in this entry."""
        self.entry, self._at, self._turn = entry, at, turn
        self._seen.clear()

    def end(self) -> None:
        """The message is complete: keep the bound."""
        if self._size > BYTES_HIGH:
            self._trim()

    def in_file(self, path: str) -> None:
        """What follows is text of this file; empty if of none."""
        self.home = path

    def mention(self, text: str, source: int) -> None:
        """Count the terms of a text that is no line to quote."""
        for term in dict.fromkeys(self._lexicon.terms(text)):
            if term[0] != NUMBER:
                self._saw(term, source)

    def line(self, line: str, source: int, *, prose: bool) -> None:
        """Count the terms of a line, and keep it as a quote of those that it tells more about than what is kept."""
        terms = self._lexicon.terms(line)
        if not terms:
            return
        distinct = dict.fromkeys(terms)
        quotable = (MIN_QUOTE if prose else MIN_CODE) <= len(line) <= MAX_QUOTE and not _ONLY_PATH.match(line)
        if not prose and source & (RESULT | USER) and quotable:
            self._supersede(line, source)
        quote: Quote | None = None
        density = 0
        for term in distinct:
            if term[0] == NUMBER and source & (RESULT | EDIT | ARGUMENT):
                # A number is a fact if a person, the assistant or a command wrote it; elsewhere it is only seen again.
                if term in self._terms:
                    self._saw(term, source)
                continue
            record = self._saw(term, source)
            if not quotable:
                continue
            if quote is None:
                quote = self._quote(line, source, len(distinct), prose)
                density = self._density(line, distinct)
            if prose:
                if record.prose is None or quote.quality >= self._quotes[record.prose].quality - _PROSE_STAYS:
                    self._keep(quote, record.prose)
                    record.prose = line
            elif record.code is None or quote.quality >= self._quotes[record.code].quality:
                self._keep(quote, record.code)
                record.code = line
            if density > record.density:
                self._keep(quote, record.dense)
                record.dense, record.density = line, density

    def _saw(self, term: Term, source: int) -> _Record:
        record = self._terms.get(term)
        if record is None:
            record = self._terms[term] = _Record()
            self._size += _TERM_BYTES
        if term not in self._seen:
            self._seen.add(term)
            record.messages += 1
            record.last = self._at
            if record.last_turn != self._turn:
                record.turns += 1
                record.last_turn = self._turn
        record.roles |= source
        if self.home and source & (RESULT | EDIT):
            record.home = self.home
        return record

    def _quote(self, line: str, source: int, terms: int, prose: bool) -> Quote:
        known = self._quotes.get(line)
        if known is not None:
            quality = min(100, known.quality + 3)
            return Quote(line, known.entry, self._at, known.turn, known.source, known.home, quality)
        count = len(WORD.findall(line))
        quality = 3 * min(count, 12) + (15 if terms <= 3 else -10) + (8 if len(line) <= 160 else 0)
        if prose:
            quality += _SOURCE_QUALITY.get(source, 0) - (20 if is_narration(line) else 0)
        elif is_telling_code(line):
            quality += 15
        home = self.home if source & (RESULT | EDIT) else ""
        return Quote(line, self.entry, self._at, self._turn, source, home, max(0, quality))

    def _density(self, line: str, terms: dict[Term, None]) -> int:
        if sum(1 for term in terms if term[0] != NUMBER) > 3:
            return 0
        return int(1000 * len(terms) ** 2 / (len(line) + 20))

    def _keep(self, quote: Quote, instead_of: str | None) -> None:
        text = quote.text
        if instead_of != text:
            if text not in self._refs:
                self._refs[text] = 0
                self._size += _QUOTE_BYTES + _bytes(text)
            self._refs[text] += 1
            if instead_of is not None:
                self._refs[instead_of] -= 1
                if not self._refs[instead_of]:
                    self._forget(instead_of)
        self._quotes[text] = quote
        self._remember_frame(quote)

    def _forget(self, text: str) -> None:
        del self._refs[text], self._quotes[text]
        self._size -= _QUOTE_BYTES + _bytes(text)
        frame = _frame(text)
        if self._frames.get(frame) == text:
            del self._frames[frame]

    def _remember_frame(self, quote: Quote) -> None:
        if quote.source & (RESULT | USER) and _DIGITS.search(quote.text):
            self._frames[_frame(quote.text)] = quote.text

    def _supersede(self, line: str, source: int) -> None:
        """A line of output that differs from a kept one in its numbers only takes its place: old values are stale."""
        old = self._frames.get(_frame(line)) if _DIGITS.search(line) else None
        quote = self._quotes[old] if old is not None and old != line else None
        if old is None or quote is None or quote.entry == self.entry:
            return  # one output may have many lines of a kind
        fresh = Quote(line, self.entry, self._at, self._turn, source, self.home, quote.quality)
        for term in dict.fromkeys(self._lexicon.terms(old)):
            record = self._terms.get(term)
            for slot in ("prose", "code", "dense"):
                if record is not None and getattr(record, slot) == old:
                    self._keep(fresh, old)
                    setattr(record, slot, line)

    def _trim(self) -> None:
        """Forget the terms that are least expected to be used again, and quotes that no term needs."""
        scored = sorted(
            self._terms.items(),
            key=lambda item: (-history_score(item[0][0], item[0][1], item[1], self._at), item[0]),
        )
        kept: dict[Term, _Record] = {}
        quotes: dict[str, Quote] = {}
        size = 0
        for term, record in scored:
            texts = {t for t in (record.prose, record.code, record.dense) if t is not None and t not in quotes}
            size += _TERM_BYTES + sum(_QUOTE_BYTES + _bytes(text) for text in texts)
            if size > BYTES_LOW:
                break
            kept[term] = record
            for text in texts:
                quotes[text] = self._quotes[text]
        self._terms, self._quotes = kept, quotes
        self._recount()

    def _recount(self) -> None:
        self._refs = {}
        for record in self._terms.values():
            for text in (record.prose, record.code, record.dense):
                if text is not None:
                    self._refs[text] = self._refs.get(text, 0) + 1
        self._size = len(self._terms) * _TERM_BYTES + sum(_QUOTE_BYTES + _bytes(text) for text in self._quotes)
        self._frames = {frame: text for frame, text in self._frames.items() if text in self._quotes}


def is_telling_code(line: str) -> bool:
    """Whether a line of code tells something by itself: a definition, or a comment that is a sentence."""
    return bool(_DEFINITION.match(line) or _COMMENT.match(line))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _frame(text: str) -> str:
    return _DIGITS.sub("#", text)
