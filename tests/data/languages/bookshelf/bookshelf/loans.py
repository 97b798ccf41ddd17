"""Loans: who has which book since when."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from bookshelf.catalog import Catalog
from bookshelf.settings import LoanRules


class LoanError(Exception):
    """A loan is not possible; the text says why."""


@dataclass(frozen=True)
class Loan:
    """A copy of a book in the hands of a member."""

    book_code: str
    member_id: str
    lent_on: date
    due_on: date
    renewals: int = 0


class LoanBook:
    """All open loans."""

    def __init__(self, loans: list[Loan], rules: LoanRules) -> None:
        self.loans = list(loans)
        self.rules = rules

    def lend(self, catalog: Catalog, book_code: str, member_id: str, today: date) -> Loan:
        """Lend a copy. Refused if none is left, if the member has too many, or if the book stays in the house."""
        book = catalog.find(book_code)
        if book.reference_only:
            raise LoanError(f"{book.title} is for reference only")
        if sum(loan.book_code == book_code for loan in self.loans) >= book.copies:
            raise LoanError(f"all copies of {book.title} are lent")
        if len(self.of_member(member_id)) >= self.rules.max_loans:
            raise LoanError(f"{member_id} has {self.rules.max_loans} books already")
        loan = Loan(book_code, member_id, today, today + timedelta(days=self.rules.loan_days))
        self.loans.append(loan)
        return loan

    def give_back(self, book_code: str, member_id: str) -> Loan:
        """Close a loan, and say which one it was."""
        for loan in self.loans:
            if (loan.book_code, loan.member_id) == (book_code, member_id):
                self.loans.remove(loan)
                return loan
        raise LoanError(f"{member_id} does not have {book_code}")

    def renew(self, book_code: str, member_id: str, today: date) -> Loan:
        """Make a loan longer, from today on."""
        loan = self.give_back(book_code, member_id)
        if loan.renewals >= self.rules.renewals_allowed:
            self.loans.append(loan)
            raise LoanError(f"{book_code} was renewed {loan.renewals} times already")
        due_on = today + timedelta(days=self.rules.loan_days)
        renewed = replace(loan, due_on=due_on, renewals=loan.renewals + 1)
        self.loans.append(renewed)
        return renewed

    def of_member(self, member_id: str) -> list[Loan]:
        """The open loans of a member."""
        return [loan for loan in self.loans if loan.member_id == member_id]

    def overdue(self, today: date) -> list[Loan]:
        """Loans that are late, the latest first."""
        late = [loan for loan in self.loans if loan.due_on < today]
        return sorted(late, key=lambda loan: loan.due_on)


def load_loans(path: Path, rules: LoanRules) -> LoanBook:
    """Read the loans from a JSON file."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    loans = [
        Loan(
            entry["book_code"],
            entry["member_id"],
            date.fromisoformat(entry["lent_on"]),
            date.fromisoformat(entry["due_on"]),
            entry.get("renewals", 0),
        )
        for entry in entries
    ]
    return LoanBook(loans, rules)


def save_loans(book: LoanBook, path: Path) -> None:
    """Write the loans to a JSON file."""
    entries = [{key: str(value) if isinstance(value, date) else value for key, value in asdict(loan).items()}
               for loan in book.loans]
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
