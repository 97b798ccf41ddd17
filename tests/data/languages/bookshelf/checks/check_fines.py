import unittest
from datetime import date

from bookshelf.fines import fine_for, format_amount, late_days
from bookshelf.loans import Loan
from bookshelf.settings import FineRules

LOAN = Loan("B-1042", "M-0007", date(2026, 4, 20), date(2026, 5, 11))


class FineChecks(unittest.TestCase):
    def test_in_time_costs_nothing(self):
        self.assertEqual(fine_for(LOAN, date(2026, 5, 11), FineRules()), 0)

    def test_each_late_day_counts(self):
        self.assertEqual(late_days(LOAN, date(2026, 5, 14)), 3)
        self.assertEqual(fine_for(LOAN, date(2026, 5, 14), FineRules()), 75)

    def test_there_is_a_limit(self):
        self.assertEqual(fine_for(LOAN, date(2027, 5, 11), FineRules()), 1200)

    def test_amounts_for_people(self):
        self.assertEqual(format_amount(1205), "12.05")


if __name__ == "__main__":
    unittest.main()
