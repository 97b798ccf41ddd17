"""The command line of the desk."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from bookshelf.catalog import CatalogError, load_catalog
from bookshelf.loans import LoanError, load_loans, save_loans
from bookshelf.report import overdue_report
from bookshelf.settings import load_settings


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 if it went well."""
    parser = argparse.ArgumentParser(prog="bookshelf")
    parser.add_argument("--today", type=date.fromisoformat, default=date(2026, 5, 20))
    parser.add_argument("--data", type=Path, default=Path("data"))
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="all books")
    for name in ("lend", "give-back", "renew"):
        command = commands.add_parser(name)
        command.add_argument("book_code")
        command.add_argument("member_id")
    commands.add_parser("overdue", help="loans that are late")
    options = parser.parse_args(arguments)
    settings = load_settings(Path("settings.toml"))
    catalog = load_catalog(options.data / "catalog.json")
    book = load_loans(options.data / "loans.json", settings.loans)
    try:
        if options.command == "list":
            for found in catalog.search(""):
                print(f"{found.code}  {found.title} ({found.author})")
        elif options.command == "overdue":
            print(overdue_report(book, catalog, settings, options.today))
        elif options.command == "lend":
            print(book.lend(catalog, options.book_code, options.member_id, options.today))
        elif options.command == "give-back":
            print(book.give_back(options.book_code, options.member_id))
        else:
            print(book.renew(options.book_code, options.member_id, options.today))
    except (CatalogError, LoanError) as error:
        print(f"bookshelf: {error}", file=sys.stderr)
        return 1
    if options.command in {"lend", "give-back", "renew"}:
        save_loans(book, options.data / "loans.json")
    return 0
