"""The choice of quotations that cover the most expected use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treering.facts.cover import Candidate, choose
from treering.facts.lexicon import FILE, NAME, Term
from treering.facts.state import Quote

A, B, C = (NAME, "alphaName"), (NAME, "betaName"), (NAME, "gammaName")
HOME = (FILE, "home.py")


def candidate(
    text: str, terms: tuple[Term, ...], cost: int, *, base: float = 0.0, telling: float = 1.0, home: Term | None = None
) -> Candidate:
    quote = Quote(text, "e1", 0, 0, 32, "", 50)
    return Candidate(quote, terms, (telling,) * len(terms), base, cost, home, 3 if home else 0)


def texts(candidates: list[Candidate]) -> set[str]:
    return {item.quote.text for item in candidates}


def test_a_line_that_says_what_others_said_is_left_out() -> None:
    both = candidate("both", (A, B), 10)
    chosen, covered = choose([both, candidate("one", (A,), 9)], {A: 1.0, B: 1.0}, 30)
    assert texts(chosen) == {"both"}
    assert covered == {A, B}


def test_the_name_of_a_file_is_paid_once_and_counts_as_shown() -> None:
    lines = [candidate("first", (A,), 7, home=HOME), candidate("second", (B,), 7, home=HOME)]
    values = {A: 1.0, B: 0.9, HOME: 2.0}
    chosen, covered = choose(lines, values, 17)
    assert texts(chosen) == {"first", "second"}
    assert HOME in covered
    chosen, _ = choose(lines, values, 16)
    assert texts(chosen) == {"first"}


def test_a_line_gets_cheaper_when_its_file_is_there() -> None:
    # Alone, the second line of the file is worth less a token than the other; beside the first it is worth more.
    lines = [
        candidate("first", (A,), 5, base=9.0, home=HOME),
        candidate("second", (B,), 5, base=1.6, home=HOME),
        candidate("other", (C,), 6, base=1.5),
    ]
    chosen, _ = choose(lines, {A: 0.1, B: 0.1, C: 0.1}, 13)
    assert texts(chosen) == {"first", "second"}


@given(
    st.lists(
        st.builds(
            lambda number, terms, cost, base, home: candidate(f"q{number}", terms, cost, base=base, home=home),
            st.integers(),
            st.lists(st.sampled_from((A, B, C)), unique=True, max_size=3).map(tuple),
            st.integers(1, 30),
            st.floats(-1, 3),
            st.sampled_from((None, HOME, (FILE, "other.py"))),
        ),
        max_size=12,
    ),
    st.integers(0, 80),
)
def test_never_over_the_room_and_nothing_worthless(candidates: list[Candidate], room: int) -> None:
    values = {A: 1.0, B: 0.5, HOME: 0.7}
    chosen, covered = choose(candidates, values, room)
    homes = {item.home: item.home_cost for item in chosen if item.home}
    assert sum(item.cost for item in chosen) + sum(homes.values()) <= room
    assert covered == {term for item in chosen for term in item.terms} | set(homes)
    assert all(item.base > 0 or set(item.terms) & values.keys() or item.home in values for item in chosen)
