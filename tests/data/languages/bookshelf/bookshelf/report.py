"""Reports for the desk, as plain text."""

from __future__ import annotations

from datetime import date

from bookshelf.catalog import Catalog
from bookshelf.fines import fine_for, format_amount
from bookshelf.loans import LoanBook
from bookshelf.settings import DeskSettings


def report_header(settings: DeskSettings, today: date) -> str:
    """The first line of every report."""
    return f"Report of {today.isoformat()}"


def overdue_report(book: LoanBook, catalog: Catalog, settings: DeskSettings, today: date) -> str:
    """One line for each late loan: member, title, due day, fine until today."""
    lines = [report_header(settings, today)]
    for loan in book.overdue(today):
        fine = format_amount(fine_for(loan, today, settings.fines))
        title = catalog.find(loan.book_code).title
        lines.append(f"{loan.member_id}  {title:<32} due {loan.due_on}  fine {fine}")
    lines.append(f"{len(lines) - 1} late")
    return "\n".join(lines)
