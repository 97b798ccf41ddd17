"""The story: who speaks, by the key of the text, and which tools are run. The same in every language."""

from __future__ import annotations

from typing import Any, NamedTuple

Call = tuple[str, dict[str, Any]]


class Step(NamedTuple):
    """The user or the assistant."""

    who: str
    text: str = ""
    calls: tuple[Call, ...] = ()


def user(text: str) -> Step:
    return Step("user", text)


def agent(text: str, *calls: Call) -> Step:
    return Step("assistant", text, calls)


def bash(command: str) -> Call:
    return "bash", {"command": command}


def read(path: str) -> Call:
    return "read", {"path": path}


def edit(path: str, old: str, new: str) -> Call:
    return "edit", {"path": path, "old": old, "new": new}


def write(path: str, content: str) -> Call:
    return "write", {"path": path, "content": content}


CHECKS = bash("python -m unittest discover -q -s checks -t . -p 'check_*.py'")

LATE_DAYS = """    return max(0, (returned_on - loan.due_on).days)
"""
OPEN_DAYS = """    days = (loan.due_on + timedelta(days=n) for n in range(1, (returned_on - loan.due_on).days + 1))
    return sum(day.weekday() not in closed_weekdays for day in days)
"""
REMINDERS = '''"""{{doc_reminders}}"""

from __future__ import annotations

from datetime import date, timedelta

from bookshelf.loans import Loan, LoanBook

REMINDER_DAYS = 3


def due_soon(book: LoanBook, today: date, days: int = REMINDER_DAYS) -> list[Loan]:
    """Loans that are due within so many days from today on."""
    last = today + timedelta(days=days)
    return [loan for loan in book.loans if today <= loan.due_on <= last]


def reminder_text(loan: Loan, title: str) -> str:
    """{{doc_reminder_text}}"""
    return f"{loan.member_id}: {title} ({loan.due_on.isoformat()})"
'''
CHECK_REMINDERS = """import unittest
from datetime import date

from bookshelf.loans import Loan, LoanBook
from bookshelf.reminders import due_soon, reminder_text
from bookshelf.settings import LoanRules

TODAY = date(2026, 5, 20)
LOAN = Loan("B-1090", "M-0007", date(2026, 5, 2), date(2026, 5, 23))


class ReminderChecks(unittest.TestCase):
    def test_within_three_days(self):
        self.assertEqual(due_soon(LoanBook([LOAN], LoanRules()), TODAY), [LOAN])
        self.assertEqual(due_soon(LoanBook([LOAN], LoanRules()), date(2026, 5, 24)), [])

    def test_text(self):
        self.assertIn("M-0007", reminder_text(LOAN, "Night Trains"))
"""
EXPORT = '''"""{{doc_export}}"""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

from bookshelf.catalog import Catalog
from bookshelf.fines import fine_for
from bookshelf.loans import LoanBook
from bookshelf.settings import DeskSettings

EXPORT_COLUMNS = ("member_id", "book_code", "title", "due_on", "fine_cents")


def export_overdue(book: LoanBook, catalog: Catalog, settings: DeskSettings, today: date, target: Path) -> int:
    """Write the late loans as CSV; returns how many."""
    closed = settings.desk.closed_weekdays
    late = book.overdue(today)
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(EXPORT_COLUMNS)
        for loan in late:
            title = catalog.find(loan.book_code).title
            fine_cents = fine_for(loan, today, settings.fines, closed)
            writer.writerow([loan.member_id, loan.book_code, title, loan.due_on.isoformat(), fine_cents])
    return len(late)
'''

STORY = (
    user("u_start"),
    agent("a_look", bash("ls -R . | head -40"), read("README.md"), read("settings.toml")),
    agent("", bash("git log --oneline"), read("bookshelf/loans.py"), read("bookshelf/fines.py")),
    agent("a_checks", CHECKS),
    agent("a_overview"),
    user("u_sunday"),
    agent(
        "a_sunday_look",
        bash("python -m bookshelf overdue"),
        bash("grep -rn 'late_days\\|closed_weekdays' bookshelf checks"),
    ),
    agent("a_sunday_cause", read("bookshelf/settings.py"), read("checks/check_fines.py"), read("bookshelf/report.py")),
    agent("a_sunday_fix", edit("bookshelf/fines.py", LATE_DAYS, OPEN_DAYS)),
    agent(
        "",
        edit("bookshelf/fines.py", "from datetime import date\n", "from datetime import date, timedelta\n"),
        edit(
            "bookshelf/fines.py",
            "def late_days(loan: Loan, returned_on: date) -> int:",
            "def late_days(loan: Loan, returned_on: date, closed_weekdays: tuple[int, ...] = ()) -> int:",
        ),
        edit(
            "bookshelf/fines.py",
            "def fine_for(loan: Loan, returned_on: date, rules: FineRules) -> int:",
            "def fine_for(loan: Loan, returned_on: date, rules: FineRules, "
            "closed_weekdays: tuple[int, ...] = ()) -> int:",
        ),
        edit("bookshelf/fines.py", "late_days(loan, returned_on) *", "late_days(loan, returned_on, closed_weekdays) *"),
        CHECKS,
    ),
    agent(
        "a_sunday_report",
        edit("bookshelf/report.py", "settings.fines))", "settings.fines, settings.desk.closed_weekdays))"),
        bash("python -m bookshelf overdue"),
        bash("git diff --stat"),
    ),
    agent("a_sunday_done"),
    user("u_limit"),
    agent("a_limit", edit("settings.toml", "max_loans = 3", "max_loans = 4"), bash("git diff settings.toml"), CHECKS),
    agent("a_limit_done"),
    user("u_limit_correct"),
    agent(
        "a_limit_again",
        edit("settings.toml", "max_loans = 4", "max_loans = 6"),
        bash("grep -n max_loans settings.toml"),
    ),
    agent("a_limit_six"),
    user("u_commit"),
    agent("a_commit", CHECKS, bash("git add -A && git commit -q -m '{{commit_sunday}}' && git log --oneline -3")),
    agent("a_commit_done"),
    user("u_types"),
    agent("a_types", bash("python -m mypyc_not_here bookshelf"), bash("cat .editorconfig")),
    agent("a_types_missing"),
    user("u_reminders"),
    agent("a_reminders_look", read("bookshelf/catalog.py"), read("bookshelf/cli.py"), read("data/loans.json")),
    agent(
        "a_reminders_write",
        write("bookshelf/reminders.py", REMINDERS),
        write("checks/check_reminders.py", CHECK_REMINDERS),
    ),
    agent("", CHECKS),
    agent("a_reminders_question"),
    user("u_reminders_answer"),
    agent(
        "a_reminders_cli",
        edit(
            "bookshelf/cli.py",
            '    commands.add_parser("overdue", help="loans that are late")\n',
            '    commands.add_parser("overdue", help="loans that are late")\n'
            '    commands.add_parser("remind", help="loans that are due soon")\n',
        ),
        edit(
            "bookshelf/cli.py",
            '        elif options.command == "lend":\n',
            '        elif options.command == "remind":\n'
            "            for loan in due_soon(book, options.today):\n"
            "                print(reminder_text(loan, catalog.find(loan.book_code).title))\n"
            '        elif options.command == "lend":\n',
        ),
        bash("python -m bookshelf remind"),
    ),
    agent(
        "a_reminders_import",
        edit(
            "bookshelf/cli.py",
            "from bookshelf.report import overdue_report\n",
            "from bookshelf.reminders import due_soon, reminder_text\nfrom bookshelf.report import overdue_report\n",
        ),
        bash("python -m bookshelf remind"),
        CHECKS,
    ),
    agent("a_reminders_done"),
    user("u_header"),
    agent(
        "a_header",
        bash("grep -rn report_header bookshelf checks"),
        edit(
            "bookshelf/report.py",
            'return f"Report of {today.isoformat()}"',
            'return f"[{settings.desk.branch_code}] Report of {today.isoformat()}"',
        ),
        bash("python -m bookshelf overdue"),
    ),
    agent("a_header_done"),
    user("u_rename"),
    agent(
        "a_rename",
        bash("grep -rn give_back bookshelf checks"),
        bash("sed -i 's/\\bgive_back\\b/return_copy/g' bookshelf/*.py checks/*.py"),
        CHECKS,
        bash("git diff --stat && grep -rn return_copy bookshelf checks"),
    ),
    agent("a_rename_done"),
    user("u_export"),
    agent("a_export_plan", read("bookshelf/report.py"), read("bookshelf/fines.py")),
    agent("a_export_write", write("bookshelf/export.py", EXPORT)),
    agent(
        "",
        bash(
            "python - <<'EOF'\n"
            "from datetime import date\n"
            "from pathlib import Path\n"
            "from bookshelf.catalog import load_catalog\n"
            "from bookshelf.export import export_overdue\n"
            "from bookshelf.loans import load_loans\n"
            "from bookshelf.settings import load_settings\n"
            "settings = load_settings(Path('settings.toml'))\n"
            "book = load_loans(Path('data/loans.json'), settings.loans)\n"
            "catalog = load_catalog(Path('data/catalog.json'))\n"
            "print(export_overdue(book, catalog, settings, date(2026, 5, 20), Path('/tmp/late.csv')))\n"
            "EOF\n"
            "cat /tmp/late.csv"
        ),
        CHECKS,
    ),
    agent("a_export_done"),
    user("u_separator"),
    agent(
        "a_separator",
        bash("grep -n delimiter bookshelf/export.py"),
        edit("bookshelf/export.py", 'delimiter=";"', 'delimiter=","'),
    ),
    agent("", CHECKS, bash("git add -A && git commit -q -m '{{commit_export}}' && git log --oneline -3")),
    agent("a_separator_done"),
    user("u_withdraw"),
    agent("a_withdraw"),
    user("u_renew"),
    agent(
        "a_renew_look",
        bash("grep -n 'renew' -r bookshelf checks"),
        read("bookshelf/loans.py"),
        read("checks/check_loans.py"),
    ),
    agent(
        "a_renew_fix",
        edit(
            "bookshelf/loans.py",
            "        loan = self.return_copy(book_code, member_id)\n",
            "        if any(late.member_id == member_id for late in self.overdue(today)):\n"
            '            raise LoanError(f"{member_id} has late books")\n'
            "        loan = self.return_copy(book_code, member_id)\n",
        ),
        CHECKS,
        bash("python -m bookshelf renew B-1131 M-0031"),
    ),
    agent("a_renew_done"),
    user("u_status"),
    agent(
        "a_status",
        bash("git status --short"),
        bash("git diff bookshelf/loans.py"),
        read("settings.toml"),
        read("bookshelf/export.py"),
    ),
    agent("a_status_commit", CHECKS, bash("git add -A && git commit -q -m '{{commit_renew}}' && git log --oneline")),
    agent("a_end"),
    user("u_next"),
    agent(
        "a_next_look",
        read("bookshelf/reminders.py"),
        read("bookshelf/cli.py"),
        bash("python -m bookshelf overdue"),
        bash("python -m bookshelf remind"),
    ),
    agent("a_next_tests", bash("grep -rn 'due_soon\\|reminder_text\\|REMINDER_DAYS' bookshelf checks"), CHECKS),
    agent("a_next_done"),
)
