import unittest
from datetime import date

from bookshelf.catalog import Book, Catalog
from bookshelf.loans import LoanBook, LoanError
from bookshelf.settings import LoanRules

TODAY = date(2026, 5, 20)
CATALOG = Catalog([Book("B-1", "One", "A", copies=1), Book("B-2", "Two", "B", copies=5), Book("B-3", "Three", "C", 1, True)])


class LoanChecks(unittest.TestCase):
    def setUp(self):
        self.book = LoanBook([], LoanRules())

    def test_a_copy_can_be_lent_once(self):
        self.book.lend(CATALOG, "B-1", "M-1", TODAY)
        with self.assertRaises(LoanError):
            self.book.lend(CATALOG, "B-1", "M-2", TODAY)

    def test_a_member_has_a_limit(self):
        for _ in range(3):
            self.book.lend(CATALOG, "B-2", "M-1", TODAY)
        with self.assertRaisesRegex(LoanError, "3 books"):
            self.book.lend(CATALOG, "B-2", "M-1", TODAY)

    def test_reference_books_stay(self):
        with self.assertRaisesRegex(LoanError, "reference"):
            self.book.lend(CATALOG, "B-3", "M-1", TODAY)

    def test_give_back(self):
        self.book.lend(CATALOG, "B-1", "M-1", TODAY)
        self.book.give_back("B-1", "M-1")
        self.assertEqual(self.book.loans, [])

    def test_renewals_end(self):
        self.book.lend(CATALOG, "B-1", "M-1", TODAY)
        self.book.renew("B-1", "M-1", TODAY)
        self.book.renew("B-1", "M-1", TODAY)
        with self.assertRaises(LoanError):
            self.book.renew("B-1", "M-1", TODAY)
        self.assertEqual(len(self.book.loans), 1)


if __name__ == "__main__":
    unittest.main()
