"""Terms and the quotes that tell about them: the part of the facts that grows with the text, and how it is bounded."""

from __future__ import annotations

import re

from treering.facts.expect import expectation
from treering.facts.lexicon import NUMBER, WORD, Lexicon, Term
from treering.facts.state import ASSISTANT, EDIT, RESULT, THINKING, USER, FactState, Quote, TermFact

import os
BYTES_HIGH, BYTES_LOW = int(os.environ.get("BH",21000)), int(os.environ.get("BL",16000))
MIN_QUOTE, MAX_QUOTE = 12, 220
_TERM_BYTES = 30
_DEFINITION = re.compile(
    r"^(?:(?:export|public|private|protected|static|async|abstract|pub|final|default)\s+)*"
    r"(?:func|def|class|type|interface|struct|enum|trait|impl|fn|function|const|var|let|module|CREATE)\b"
)
_SOURCE_QUALITY = {USER: 30, ASSISTANT: 30, THINKING: 18, EDIT: 12}


class _Record:
    """One term's history while messages are added."""

    __slots__ = ("code", "last", "last_turn", "messages", "prose", "roles", "turns")

    def __init__(self) -> None:
        self.messages = self.turns = self.last = self.roles = 0
        self.last_turn = -1
        self.prose: str | None = None
        self.code: str | None = None


class TermTable:
    """The terms of a session with their best quotes, within a bound of bytes."""

    def __init__(self, state: FactState) -> None:
        self._lexicon = Lexicon()
        self._quotes: dict[str, Quote] = {quote.text: quote for quote in state.quotes}
        self._refs: dict[str, int] = {}
        texts = list(self._quotes)
        self._terms: dict[Term, _Record] = {}
        for term in state.terms:
            record = _Record()
            record.messages, record.turns, record.roles = term.messages, term.turns, term.roles
            record.last, record.last_turn = term.last, term.last_turn
            record.prose = texts[term.prose] if term.prose >= 0 else None
            record.code = texts[term.code] if term.code >= 0 else None
            self._terms[(term.kind, term.name)] = record
            for text in (record.prose, record.code):
                if text is not None:
                    self._refs[text] = self._refs.get(text, 0) + 1
        self._entry, self._at, self._turn = "", 0, 0
        self._seen: set[Term] = set()
        self._clock = state.clock

    def frozen(self) -> tuple[tuple[TermFact, ...], tuple[Quote, ...]]:
        """Terms and quotes as values."""
        used: dict[str, int] = {}
        terms: list[TermFact] = []
        for (kind, name), record in self._terms.items():
            indices = [-1 if text is None else used.setdefault(text, len(used)) for text in (record.prose, record.code)]
            terms.append(
                TermFact(
                    kind, name, record.messages, record.turns, record.last, record.last_turn, record.roles, *indices
                )
            )
        return tuple(terms), tuple(self._quotes[text] for text in used)

    def begin(self, entry: str, at: int, turn: int) -> None:
        """What follows stands in this entry."""
        self._entry, self._at, self._turn = entry, at, turn
        self._seen.clear()

    def end(self) -> None:
        """The message is complete: keep the bound."""
        if self._bytes() > BYTES_HIGH:
            self._trim()

    def line(self, line: str, source: int, *, prose: bool) -> None:
        """Count the terms of a line, and keep it as a quote of those that it tells more about than what is kept."""
        terms = self._lexicon.terms(line)
        if not terms:
            return
        distinct = dict.fromkeys(terms)
        quotable = MIN_QUOTE <= len(line) <= MAX_QUOTE
        quote: Quote | None = None
        for term in distinct:
            if term[0] == NUMBER and source & (RESULT | EDIT):
                if term in self._terms:
                    self._saw(term, source)
                continue
            record = self._saw(term, source)
            if not quotable:
                continue
            if quote is None:
                quote = self._quote(line, source, len(distinct), prose)
            kept = record.prose if prose else record.code
            if kept is None or quote.quality >= self._quotes[kept].quality - (8 if prose else 0):
                if kept != line:
                    self._refs[line] = self._refs.get(line, 0) + 1
                    self._release(kept)
                self._quotes[line] = quote
                if prose:
                    record.prose = line
                else:
                    record.code = line

    def _saw(self, term: Term, source: int) -> _Record:
        record = self._terms.get(term)
        if record is None:
            record = self._terms[term] = _Record()
        if term not in self._seen:
            self._seen.add(term)
            record.messages += 1
            record.last = self._at
            if record.last_turn != self._turn:
                record.turns += 1
                record.last_turn = self._turn
        record.roles |= source
        return record

    def _release(self, text: str | None) -> None:
        """A term no longer needs a quote; one that no term needs is forgotten."""
        if text is None:
            return
        self._refs[text] -= 1
        if not self._refs[text]:
            del self._refs[text], self._quotes[text]

    def _quote(self, line: str, source: int, terms: int, prose: bool) -> Quote:
        known = self._quotes.get(line)
        if known is not None:
            quality = min(100, known.quality + 3)
            return Quote(line, known.entry, self._at, known.turn, known.source, quality)
        count = len(WORD.findall(line))
        quality = 3 * min(count, 12) + (15 if terms <= 3 else -10) + (8 if len(line) <= 160 else 0)
        if prose:
            quality += _SOURCE_QUALITY.get(source, 0)
        elif _DEFINITION.match(line):
            quality += 15
        return Quote(line, self._entry, self._at, self._turn, source, max(0, quality))

    def _bytes(self) -> int:
        return len(self._terms) * 42 + len(self._quotes) * 130

    def _trim(self) -> None:
        """Forget the terms that are least expected to be used again, and quotes that no term needs."""
        scored = sorted(
            self._terms.items(),
            key=lambda item: (-expectation(item[0][0], item[1], self._at, self._turn), item[0]),
        )
        kept: dict[Term, _Record] = {}
        quotes: dict[str, Quote] = {}
        size = 0
        for term, record in scored:
            texts = [t for t in (record.prose, record.code) if t is not None and t not in quotes]
            size += _TERM_BYTES + len(term[1].encode()) + sum(40 + len(t.encode()) for t in texts)
            if size > BYTES_LOW:
                break
            kept[term] = record
            for text in texts:
                quotes[text] = self._quotes[text]
        self._terms, self._quotes = kept, quotes
        self._refs = {}
        for record in kept.values():
            for text in (record.prose, record.code):
                if text is not None:
                    self._refs[text] = self._refs.get(text, 0) + 1

