"""Fines for books that come back late."""

from __future__ import annotations

from datetime import date

from bookshelf.loans import Loan
from bookshelf.settings import FineRules


def late_days(loan: Loan, returned_on: date) -> int:
    """Days between the due day and the day of return; 0 if the book is in time."""
    return max(0, (returned_on - loan.due_on).days)


def fine_for(loan: Loan, returned_on: date, rules: FineRules) -> int:
    """The fine in the smallest coin."""
    return min(late_days(loan, returned_on) * rules.fine_per_day, rules.fine_limit)


def format_amount(amount: int) -> str:
    """An amount for people: 125 is 1.25."""
    return f"{amount // 100}.{amount % 100:02d}"
