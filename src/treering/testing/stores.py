"""The conformance suite: what every store must do for a session on top of it to lose nothing.

    from treering.testing.stores import CHECKS, check_store

    def test_my_store():
        check_store(make=MyStore.create, again=lambda store: MyStore.open(store.name))

`make` makes an empty store from a header; `again` opens the same session once more, as another process would (a store
that can be shared may return itself). Each check gets stores of its own. `CHECKS` holds them by name, for those who
want one test each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treering.errors import EntryNotFoundError
from treering.session.entries import Entry, encode_object, parse_line
from treering.session.messages import JsonObject
from treering.session.store import Store
from treering.session.tree import Session, new_header

Make = Callable[[JsonObject], Store]
Again = Callable[[Store], Store]
Check = Callable[[Make, Again], None]


def check_store(make: Make, again: Again) -> None:
    """Run every check.

    Raises:
        AssertionError: the store does something else than the protocol asks for; the message says what.
    """
    for check in CHECKS.values():
        check(make, again)


def _expect(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def _entry(entry_id: str, parent_id: str | None, **fields: object) -> Entry:
    head = {"type": "custom", "id": entry_id, "parentId": parent_id, "timestamp": "2026-01-02T03:04:05.000Z"}
    return parse_line(encode_object({**head, "customType": "check", **fields}))[0]


def _chain(*ids: str) -> list[Entry]:
    return [_entry(entry_id, parent) for parent, entry_id in zip((None, *ids), ids, strict=False)]


def _filled(make: Make, entries: Sequence[Entry]) -> Store:
    store = make(new_header(session_id="check"))
    _expect(store.append(entries, store.end(), sync=False), "append() to a store that nobody else uses gave False")
    return store


def _ids(entries: Sequence[Entry]) -> list[str]:
    return [entry.id for entry in entries]


def _empty(make: Make, again: Again) -> None:
    header = new_header(session_id="check", cwd="/srv/demo", parent_session="other")
    store = make({**header, "future": [1, {"x": None}]})
    for each in (store, again(store)):
        _expect(each.header.id == "check" and each.header.cwd == "/srv/demo", "the header is not what was given")
        _expect(each.header.raw.get("future") == [1, {"x": None}], "an unknown field of the header was lost")
        _expect(each.last() is None, "last() of an empty store is not None")
        _expect(list(each.scan()) == [], "scan() of an empty store gives entries")
        _expect(each.get("a") is None, "get() of an empty store is not None")
        try:
            next(iter(each.walk("a")))
        except EntryNotFoundError:
            continue
        raise AssertionError("walk() from an unknown entry must raise EntryNotFoundError")


def _order_and_bytes(make: Make, again: Again) -> None:
    entries = [
        _entry("a", None, data="\u2028 \u0085 \x00 \ud800 नमस्ते"),
        parse_line(
            b'{"type":"custom","id":"b","parentId":"a","timestamp":"","data":' + b"[" * 9000 + b"]" * 9000 + b"}"
        )[0],
        parse_line(b'{"type":"custom","id":"c","parentId":"b","timestamp":"","data":NaN, "z" : 1.50}')[0],
        _entry("d", "c", type="a_type_of_tomorrow", data="x" * 3_000_000),
    ]
    store = _filled(make, entries[:2])
    _expect(store.append(entries[2:], store.end(), sync=True), "a second append() gave False")
    for each in (store, again(store)):
        _expect(_ids(list(each.scan())) == ["a", "b", "c", "d"], "scan() does not give the order of appending")
        last = each.last()
        _expect(last is not None and last.id == "d", "last() is not the newest entry")
        for entry in entries:
            found = each.get(entry.id)
            _expect(found is not None and found.raw == entry.raw, f"the bytes of entry {entry.id} have changed")
            assert found is not None
            head = (found.id, found.parent_id, found.type, found.timestamp)
            _expect(head == (entry.id, entry.parent_id, entry.type, entry.timestamp), f"the head of {entry.id} changed")


def _walking(make: Make, again: Again) -> None:
    branch = [_entry("x", "b"), _entry("y", "x"), _entry("lost", "nowhere"), _entry("self", "self")]
    cycle = [_entry("p", "q"), _entry("q", "p")]
    store = _filled(make, [*_chain("a", "b", "c"), *branch, *cycle])
    for each in (store, again(store)):
        _expect(_ids(list(each.walk("c"))) == ["c", "b", "a"], "walk() does not go from an entry to its root")
        _expect(_ids(list(each.walk("y"))) == ["y", "x", "b", "a"], "walk() does not follow the branch")
        _expect(_ids(list(each.walk("lost"))) == ["lost"], "walk() does not end at a missing parent")
        _expect(_ids(list(each.walk("self"))) == ["self"], "walk() does not end at an entry that is its own parent")
        _expect(_ids(list(each.walk("p"))) == ["p", "q"], "walk() does not end when it comes to an entry again")
        half = each.walk("c")
        _expect(next(half).id == "c" and next(each.walk("y")).id == "y", "two walks at once disturb each other")
        _expect(next(half).id == "b", "two walks at once disturb each other")


def _first_wins(make: Make, again: Again) -> None:
    store = _filled(make, [*_chain("a", "b"), _entry("a", "b", data="the second one")])
    for each in (store, again(store)):
        found = each.get("a")
        _expect(found is not None and "data" not in found.body, "of two entries with one id, get() must give the first")
        _expect(_ids(list(each.scan())) == ["a", "b", "a"], "scan() must give both entries that have one id")


def _ends(make: Make, again: Again) -> None:
    store = _filled(make, _chain("a"))
    first = store.end()
    hash(first)
    list(store.scan())
    store.get("nowhere")
    _expect(store.end() == first, "end() was changed by reading")
    _expect(store.since(first) == [], "since(end()) gives entries that are known")
    _expect(store.append([_entry("b", "a"), _entry("c", "b")], first, sync=False), "append() at the end gave False")
    _expect(store.end() != first, "end() is the same after an append")
    _expect(_ids(store.since(first)) == ["b", "c"], "since() an older end must give all that came behind it")
    _expect(not store.append([_entry("d", "c")], first, sync=False), "append() behind an older end must give False")
    _expect(_ids(list(again(store).scan())) == ["a", "b", "c"], "a refused append() has written something")


def _two_users(make: Make, again: Again) -> None:
    mine = _filled(make, _chain("a"))
    known = mine.end()
    theirs = again(mine)
    _expect(theirs.append([_entry("b", "a"), _entry("c", "b")], theirs.end(), sync=False), "append() gave False")
    _expect(not mine.append([_entry("d", "a")], known, sync=True), "append() did not see what another user appended")
    _expect(_ids(mine.since(known)) == ["b", "c"], "since() does not give what another user appended")
    found = mine.get("c")
    _expect(found is not None and found.parent_id == "b", "an entry that since() gave is not known to get()")
    _expect(mine.append([_entry("d", "a")], mine.end(), sync=True), "append() after since() gave False")
    for each in (mine, again(mine)):
        _expect(_ids(list(each.scan())) == ["a", "b", "c", "d"], "an entry of one of two users was lost")


def _sessions(make: Make, again: Again) -> None:
    mine = Session(make(new_header(session_id="check")))
    mine.append_message({"role": "user", "content": "one"})
    theirs = Session(again(mine.store))
    _expect(theirs.leaf_id == mine.leaf_id, "a session that is opened again has another leaf")
    theirs.append({"type": "label", "targetId": mine.leaf_id, "label": "here"})
    added = mine.append_message({"role": "user", "content": "two"})
    _expect(len(added.adopted) == 1 and not added.branched, "a label of another user was not adopted")
    late = theirs.append_message({"role": "user", "content": "three"})
    _expect(late.branched, "an append to a leaf that another user continued did not say that it is a branch")
    mine.refresh()
    _expect(mine.leaf_id == added.id, "the leaf followed another user's branch")
    mine.checkout(late.id)
    texts = [each.message.text for each in Session(again(mine.store)).context()]
    _expect(texts == ["one", "three"], f"the context of the branch holds {texts}")


def _closing(make: Make, again: Again) -> None:
    store = _filled(make, _chain("a"))
    other = again(store)
    store.close()
    store.close()
    if other is not store:
        _expect(_ids(list(other.scan())) == ["a"], "closing one store closed the other")
        other.close()


CHECKS: dict[str, Check] = {
    "an empty store": _empty,
    "order and bytes": _order_and_bytes,
    "walking to the root": _walking,
    "of two entries with one id the first wins": _first_wins,
    "ends": _ends,
    "two users": _two_users,
    "sessions on top": _sessions,
    "closing": _closing,
}
"""Every check by its name; each is called with `make` and `again`."""
