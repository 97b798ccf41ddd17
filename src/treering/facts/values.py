"""Values that changed: a statement of the user that gives a new value to what an earlier one said.

Two statements are about one thing if, their values taken out, they share most of their words. Two that differ in one
other word only, at the same place ("the staging host is …", "the production host is …"), are about two things.
`ORDER` has all that is asked of two statements, with an example each; the first that applies decides.
"""

from __future__ import annotations

from collections.abc import Callable

from treering.facts.pairs import Pair, akin, differing, shared
from treering.facts.statements import Statement, is_negation, is_place, shape_of

_LEAST_SHARE, _MOST_SHARE, _ALIKE = 0.4, 0.5, 0.34
"""How many of the words of the shorter one two statements share: too few, most, and enough to spare one of them."""
_NEAR_LIKENESS, _ANNOUNCED_LIKENESS, _LIKENESS = 0.2, 0.25, 0.4
"""How many of the words of both they share, so that the newer one gives a new value: the fewer, the more says so."""


def supersedes(new: Statement, old: Statement, *, near: bool = False) -> bool:
    """Whether the newer statement gives another value to what the older one is about.

    Args:
        new: the newer one.
        old: the older one.
        near: whether the older one was said in the message before: what is said again in other words is said soon.
    """
    pair = Pair(new, old, near=near)
    return next((outcome for applies, outcome in ORDER if applies(pair)), STAYS)


def overtakes(new: Statement, old: Statement, *, near: bool = False) -> bool:
    """Whether the newer statement may correct the older one, so that the older must not be given without it.

    Weaker than `supersedes`: both may hold, or the older one says more than what is corrected.
    """
    pair = Pair(new, old, near=near)
    if pair.as_old_and_new:
        return False
    if pair.denied:
        return pair.common > 0 and bool(pair.fresh)
    if new.plain == old.plain:
        return new.values != old.values
    return near and pair.common >= 2 and pair.share >= _MOST_SHARE and not (_one_word_differs(pair) or pair.contrasts)


def alike(new: Statement, old: Statement) -> bool:
    """Whether the newer statement says much the same as the older one, which then can be spared first."""
    common = shared(new, old)
    return common >= 2 and common >= _ALIKE * min(len(new.content), len(old.content))


def replaced_values(new: Statement, old: Statement) -> dict[str, str]:
    """Old values with those that took their place: of the same shape, and long enough to be told from others."""
    pairs: dict[str, str] = {}
    for value in sorted(old.values - new.values):
        fresh = next((other for other in sorted(new.values) if shape_of(other) == shape_of(value)), "")
        if fresh and len(value) >= 3 and not (value.isalpha() and value.islower()):
            pairs[value] = fresh
    return pairs


# What decides, in the order in which it is asked. The examples have the older statement first.


def _of_the_old_and_the_new(pair: Pair) -> bool:
    """Both are there, and one of them is the old one.

    "The old office is in Paris." → "The new office is in Lyon, for all of us."
    """
    return pair.as_old_and_new


def _of_two_places(pair: Pair) -> bool:
    """Both tell what to do with a place.

    "Never edit src/a." → "Never edit src/b."
    """
    is_order = not (pair.new.states or pair.old.states or pair.new.updates)
    return is_order and any(map(is_place, pair.fresh | pair.gone))


def _for_two_purposes(pair: Pair) -> bool:
    """One is for this, one for that.

    "Use SQLite 3 for the tests." → "Use Postgres 16 for production."
    """
    if pair.new.updates:
        return False
    here, there = pair.new.purpose, pair.old.purpose
    return bool(here and there) and not akin(here, there)


def _only_values_differ(pair: Pair) -> bool:
    """The same words with another value.

    "The port is 8080." → "The port is 9090."
    """
    differs = bool(pair.fresh or pair.gone) and pair.new.plain == pair.old.plain
    return differs and (min(len(pair.fresh), len(pair.gone)) <= 1 or pair.new.updates)


def _only_the_value_is_new(pair: Pair) -> bool:
    """The same words with another value, and those that say that it is new.

    "The port is 8080." → "The port is now 9090."
    """
    announced = pair.new.updates and pair.new.core == pair.old.core and pair.new.plain != pair.old.plain
    return announced and bool(pair.fresh and pair.gone) and min(len(pair.fresh), len(pair.gone)) == 1


def _same_words(pair: Pair) -> bool:
    """Two values differ, and one is what the other is said of.

    "The port of Redis is 1." → "The port of Nginx is 2."
    """
    return pair.new.plain == pair.old.plain


def _denies_the_value(pair: Pair) -> bool:
    """It gives another value than the one that it denies.

    "The limit is 5." → "The limit is not 5 but 7."
    """
    corrects = bool(pair.denied and pair.fresh - pair.new.denied)
    return corrects and pair.common >= max(1, 0.75 * len(pair.old.content))


def _of_one_moment(pair: Pair) -> bool:
    """What is so now or comes next.

    "The next step is the cellar." → "The next step: paint the roof."
    """
    new, old = pair.new.subject, pair.old.subject
    return bool(new and old) and (new == old or (pair.near and (new <= old or old <= new)))


def _of_two_things(pair: Pair) -> bool:
    """They share too few words.

    "The port is 8080." → "The report is due on Friday."
    """
    new, old = pair.new.heads, pair.old.heads
    # Heads that meet cost less to find than words, and leave few pairs to look at.
    return len(new & old) < _LEAST_SHARE * min(len(new), len(old)) or pair.share < _LEAST_SHARE


def _same_values(pair: Pair) -> bool:
    """Nothing is given anew.

    "The port is 8080." → "Please open port 8080."
    """
    return bool(pair.new.values) and pair.new.values == pair.old.values


def _one_word_differs(pair: Pair) -> bool:
    """One word stands for another where it says of what the value is.

    "Unit tests take 5 s." → "Load tests take 90 s."
    """
    new, old = pair.new, pair.old
    places = differing(new.plain, old.plain)
    if len(places) == 1 and places[0] < 0.6 * len(new.plain):
        return not akin(new.plain[places[0]], old.plain[places[0]])
    mine, other = ([word for word in said.plain if word in said.content] for said in (new, old))
    last = differing(mine, other) == [len(mine) - 1] and not akin(mine[-1], other[-1])
    return last and bool(new.values and old.values)


def _forbids_another_name(pair: Pair) -> bool:
    """Of two names one is forbidden.

    "We asked Ann to plan the fence." → "Do not plan the fence with Ben."
    """
    named = bool(pair.shapes) and all(map(str.isalpha, pair.shapes))
    return named and pair.new.forbids and not pair.old.forbids


def _speaks_of_the_forbidden(pair: Pair) -> bool:
    """What was forbidden is spoken of.

    "Never log the body." → "The body log no longer compiles."
    """
    valued = pair.new.values or pair.old.values
    return not valued and pair.old.forbids and not pair.new.forbids


def _said_again_soon(pair: Pair) -> bool:
    """Other words for it in the next message.

    "The budget is 500 euros." → "Keep the whole budget below 700 euros."
    """
    again = pair.near and pair.share >= _MOST_SHARE and pair.likeness >= _NEAR_LIKENESS
    return again and bool(pair.shapes) and not pair.contrasts


def _shares_one_word(pair: Pair) -> bool:
    """One word is no thing that both are about.

    "The roof is 12 m long." → "The roof needs 40 tiles."
    """
    return pair.common < 2


def _says_that_it_changed(pair: Pair) -> bool:
    """It says that this is new.

    "Use port 8080 for the server." → "Actually the server should use port 9090."
    """
    announced = pair.new.updates and not pair.old.updates
    if not announced or pair.share < _MOST_SHARE or pair.likeness < _ANNOUNCED_LIKENESS:
        return False
    return pair.share >= 0.75 or not pair.new.shapes.isdisjoint(pair.old.shapes)


def _ends_otherwise(pair: Pair) -> bool:
    """No value that can be told by its form.

    "The header should stay dark blue." → "The header should stay dark green."
    """
    new, old = pair.new.core, pair.old.core
    if pair.new.values or pair.old.values or len(new) < 4:
        return False
    # Where the first words differ it is another thing: "Unit tests …", "integration tests …".
    return differing(new, old) == [len(new) - 1] and not any(map(is_negation, new))


def _one_value_differs(pair: Pair) -> bool:
    """A value of the same kind, said in much the same words.

    "The move is at phase 3 of 6." → "Move: phase 4 of 6."
    """
    return pair.likeness >= _LIKENESS and bool(pair.shapes) and not pair.contrasts


GOES, STAYS = True, False
ORDER: tuple[tuple[Callable[[Pair], bool], bool], ...] = (
    (_of_the_old_and_the_new, STAYS),
    (_of_two_places, STAYS),
    (_for_two_purposes, STAYS),
    (_only_values_differ, GOES),
    (_only_the_value_is_new, GOES),
    (_same_words, STAYS),
    (_denies_the_value, GOES),
    (_of_one_moment, GOES),
    (_of_two_things, STAYS),
    (_same_values, STAYS),
    (_one_word_differs, STAYS),
    (_forbids_another_name, STAYS),
    (_speaks_of_the_forbidden, STAYS),
    (_said_again_soon, GOES),
    (_shares_one_word, STAYS),
    (_says_that_it_changed, GOES),
    (_ends_otherwise, GOES),
    (_one_value_differs, GOES),
)
"""What is asked of two statements, and whether the older one goes or stays if it applies. Without any, it stays."""
