"""The catalogue: which books there are, and how many copies of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


class CatalogError(Exception):
    """A book is unknown, or the catalogue cannot be read."""


@dataclass(frozen=True)
class Book:
    """One title. `copies` is the number that the library owns."""

    code: str
    title: str
    author: str
    copies: int = 1
    reference_only: bool = False


class Catalog:
    """Books by their code."""

    def __init__(self, books: list[Book]) -> None:
        self._books = {book.code: book for book in books}
        if len(self._books) != len(books):
            raise CatalogError("a book code occurs twice")

    def find(self, code: str) -> Book:
        """The book with this code."""
        try:
            return self._books[code]
        except KeyError:
            raise CatalogError(f"no book {code} in the catalogue") from None

    def search(self, words: str) -> list[Book]:
        """Books whose title or author holds all the words."""
        wanted = words.lower().split()
        return [
            book
            for book in self._books.values()
            if all(word in f"{book.title} {book.author}".lower() for word in wanted)
        ]

    def __len__(self) -> int:
        return len(self._books)


def load_catalog(path: Path) -> Catalog:
    """Read a catalogue from a JSON file."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CatalogError(f"{path} cannot be read: {error}") from error
    return Catalog([Book(**entry) for entry in entries])
