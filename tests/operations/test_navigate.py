"""Moving in the tree, with and without a summary of what is left, in files and in memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import bodies, drawn
from treering.cancel import CancelToken
from treering.compaction.summarizer import ModelCall, Summary
from treering.errors import EntryNotFoundError, StorageError, SummaryError
from treering.hooks import BranchSummaryAnswer, Cancel, Hooks
from treering.operations.branch import navigate_tree, navigate_tree_sync
from treering.session import records
from treering.session.entries import encode_object
from treering.session.tree import Session, new_header
from treering.settings import BranchSummarySettings, Settings
from treering.summarizers.prompts import load_prompts
from treering.testing.trees import session_trees
from treering.tokens.estimate import estimate_text

FORK = """
    U1(start here) → A1 → U2 → A2(read a.py; edit b.py) → R2 → A3
    A1 → U4(try it with a parser) → A4(edit lexer.py; read grammar.txt) → R4 → A5(the parser works)
"""


class Plain:
    """A summarizer that keeps what it was asked, and answers at once."""

    name = "plain"

    def __init__(self, text="what was tried", during=lambda: None):
        self.text, self.during, self.requests = text, during, []

    def summarize(self, request):
        self.requests.append(request)
        self.during()
        return Summary(text=self.text, summarizer=self.name)


class Async(Plain):
    """The same, asynchronous."""

    name = "async"

    async def summarize(self, request):
        await asyncio.sleep(0)
        return super().summarize(request)


class Failing:
    name = "failing"

    def summarize(self, request):
        raise SummaryError("the model said no")


def navigate(way, session, target, **options):
    if way == "sync":
        return navigate_tree_sync(session, target, **options)
    return asyncio.run(navigate_tree(session, target, **options))


def contents(session):
    return [entry.raw for entry in session.store.scan()], session.leaf_id


ways = pytest.mark.parametrize("way", ["sync", "async"])


@ways
@pytest.mark.parametrize("summarizer", [Plain, Async])
def test_the_summary_hangs_at_the_new_position_and_names_the_leaf_that_was_left(way, summarizer):
    session = drawn(FORK)
    result = navigate(way, session, "A3", summarize=True, summarizer=summarizer())
    assert result.outcome == "applied"
    assert (result.old_leaf_id, result.target_id, result.text) == ("A5", "A3", None)
    entry = session.get(session.leaf_id)
    assert entry == result.summary
    assert entry.type == "branch_summary"
    assert (entry.parent_id, entry.body["fromId"]) == ("A3", "A5")
    assert entry.details["readFiles"] == ["grammar.txt"]
    assert entry.details["modifiedFiles"] == ["lexer.py"]
    assert entry.summary == "\n\n".join(
        [
            load_prompts().branch_preamble,
            "what was tried",
            "<read-files>\ngrammar.txt\n</read-files>\n<modified-files>\nlexer.py\n</modified-files>",
        ]
    )
    assert not entry.from_extension
    assert [m.entry_id for m in session.context()] == ["U1", "A1", "U2", "A2", "R2", "A3", entry.id]


@ways
def test_without_a_summary_only_the_move_is_recorded(way):
    session = drawn(FORK)
    before, _ = contents(session)
    result = navigate(way, session, "U2")
    after, leaf = contents(session)
    assert (result.outcome, result.text, result.target_id, result.summary) == ("applied", "please do U2", "A1", None)
    assert after[:-1] == before
    entry = session.get(leaf)
    assert records.record_data(entry, records.LEAF)["left"] == "A5"
    assert entry.parent_id == "A1"
    assert [m.entry_id for m in session.context()] == ["U1", "A1"]


def test_the_setting_decides_if_nobody_says():
    settings = Settings(branch_summary=BranchSummarySettings(enabled=True))
    assert navigate_tree_sync(drawn(FORK), "A3", settings=settings, summarizer=Plain()).summary
    assert not navigate_tree_sync(drawn(FORK), "A3", settings=settings, summarize=False).summary
    assert not navigate_tree_sync(drawn(FORK), "A3").summary


def test_the_summarizer_is_told_what_is_left_and_what_is_wanted():
    summarizer = Plain()
    navigate_tree_sync(drawn(FORK), "U2", summarize=True, instructions="only the parser", summarizer=summarizer)
    (request,) = summarizer.requests
    assert request.purpose == "branch"
    assert [span.entry_id for span in request.history] == ["U4", "A4", "R4", "A5"]
    assert request.instructions == "only the parser"
    assert request.budget < 2048
    assert request.cwd == "/srv/demo"


def test_files_are_those_of_all_entries_even_if_the_messages_do_not_fit():
    chain = " → ".join(f"U{n} → A{n}(edit f{n}.py; {'word ' * 800})" for n in range(30))
    session = drawn(f"U → A \n A → {chain} \n A → B99(read=old.txt,f3.py; modified=older.py) → {_renamed(chain)}")
    summarizer = Plain()
    result = navigate_tree_sync(session, "A", summarize=True, summarizer=summarizer, window=24_384)
    files = result.summary.details
    assert files["modifiedFiles"][:3] == ["g29.py", "g28.py", "g27.py"]
    assert {"older.py", *(f"g{n}.py" for n in range(30))} == set(files["modifiedFiles"])
    assert files["readFiles"] == ["f3.py", "old.txt"] or set(files["readFiles"]) == {"f3.py", "old.txt"}
    ids = [span.entry_id for span in summarizer.requests[0].history]
    assert ids[-1] == "A129"
    assert 3 < len(ids) < 30
    assert estimate_text(result.summary.summary) <= 2048 * 1.05


def _renamed(chain):
    for n in reversed(range(30)):
        chain = (
            chain.replace(f"U{n} ", f"U{n + 100} ").replace(f"A{n}(", f"A{n + 100}(").replace(f"f{n}.py", f"g{n}.py")
        )
    return chain


def test_lists_of_an_extension_are_not_trusted():
    session = drawn("U1 → A1 → B2(read=a.py; modified=b.py; ext) → C3(modified=c.py; ext) → C4(modified=d.py) → U5")
    details = navigate_tree_sync(session, "A1", summarize=True, summarizer=Plain()).summary.details
    assert (details["readFiles"], details["modifiedFiles"]) == ([], ["d.py"])


def test_a_summary_of_a_branch_that_began_with_a_summary():
    session = drawn("U1 → A1 → U2 → A2(edit a.py) \n A1 → U3 → A3")
    first = navigate_tree_sync(session, "A2", summarize=True, summarizer=Plain("first"))
    session.append_message({"role": "user", "content": "go on"})
    summarizer = Plain("second")
    second = navigate_tree_sync(session, "A3", summarize=True, summarizer=summarizer)
    kinds = [span.message.role for span in summarizer.requests[0].history]
    assert kinds == ["user", "assistant", "branchSummary", "user"]
    assert second.summary.details["modifiedFiles"] == ["a.py"]
    assert first.summary.id in [span.entry_id for span in summarizer.requests[0].history]


def test_below_the_leaf_there_is_a_move_only():
    session = drawn("U1 → A1 → U2 → A2")
    session.checkout("A1")
    summarizer = Plain()
    result = navigate_tree_sync(session, "A2", summarize=True, summarizer=summarizer)
    assert (result.outcome, result.summary, summarizer.requests) == ("applied", None, [])
    assert session.get(session.leaf_id).parent_id == "A2"


def test_where_the_leaf_is_already_nothing_is_written():
    session = drawn(FORK)
    before = contents(session)
    assert navigate_tree_sync(session, "A5", summarize=True).outcome == "skipped"
    assert contents(session) == before
    navigate_tree_sync(session, "A1")
    before = contents(session)
    result = navigate_tree_sync(session, "U4")
    assert (result.outcome, result.text) == ("skipped", "try it with a parser")
    assert contents(session) == before


def test_before_the_first_entry():
    session = drawn(FORK)
    result = navigate_tree_sync(session, "U1", summarize=True, summarizer=Plain())
    assert (result.target_id, result.text) == (None, "start here")
    assert result.summary.parent_id is None
    assert [m.entry_id for m in session.context()] == [result.summary.id]


def test_an_unknown_target_is_an_error():
    with pytest.raises(EntryNotFoundError):
        navigate_tree_sync(drawn(FORK), "nowhere")


def test_what_a_model_cost_is_recorded_behind_the_summary():
    class Costly(Plain):
        def summarize(self, request):
            request.on_call(ModelCall(model="some-model", purpose="branch", outcome="answered", price=0.25))
            return super().summarize(request)

    session = drawn(FORK)
    before = len(list(session.store.scan()))
    result = navigate_tree_sync(session, "A3", summarize=True, summarizer=Costly())
    entries = list(session.store.scan())[before:]
    assert [entry.type for entry in entries] == ["branch_summary", "custom"]
    assert result.summary == entries[0]
    assert (result.leaf_id, entries[1].parent_id) == (entries[1].id, entries[0].id)
    data = records.record_data(entries[1], records.ATTEMPT)
    assert (data["reason"], data["outcome"], data["price"]) == ("tree", "applied", 0.25)


# What does not work out leaves all as it was


@ways
@pytest.mark.parametrize(
    ("summarizer", "code"), [(Failing(), "summarizer"), (Plain(" \n"), "empty_summary"), (Async(""), "empty_summary")]
)
def test_a_failed_summary_leaves_all_as_it_was(way, summarizer, code):
    session = drawn(FORK)
    before = contents(session)
    result = navigate(way, session, "U2", summarize=True, summarizer=summarizer)
    assert (result.outcome, result.cause_code, result.text) == ("failed", code, None)
    assert contents(session) == before
    assert navigate(way, session, "U2", summarize=True, summarizer=Plain()).outcome == "applied"


@ways
@pytest.mark.parametrize("kind", [Plain, Async])
def test_cancelling_leaves_all_as_it_was(way, kind):
    session, token = drawn(FORK), CancelToken()
    before = contents(session)
    result = navigate(way, session, "U2", summarize=True, summarizer=kind(during=token.cancel), cancel=token)
    assert (result.outcome, result.cause_code) == ("cancelled", "cancelled")
    assert contents(session) == before


def test_cancelling_does_not_wait_for_a_summarizer_that_hangs():
    session, token, release = drawn(FORK), CancelToken(), threading.Event()

    def hang():
        token.cancel()
        release.wait(30)

    before = contents(session)
    result = asyncio.run(navigate_tree(session, "U2", summarize=True, summarizer=Plain(during=hang), cancel=token))
    assert result.outcome == "cancelled"
    release.set()
    assert contents(session) == before


async def test_a_cancelled_task_leaves_all_as_it_was():
    session = drawn(FORK)
    before = contents(session)
    begun = asyncio.Event()

    class Hanging:
        name = "hanging"

        async def summarize(self, request):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(navigate_tree(session, "U2", summarize=True, summarizer=Hanging()))
    await begun.wait()
    assert (await navigate_tree(session, "A3")).cause_code == "busy"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert contents(session) == before
    assert (await navigate_tree(session, "A3")).outcome == "applied"


def test_a_leaf_that_moves_meanwhile_makes_the_summary_void():  # CASES CONC-1
    session = drawn(FORK)
    summarizer = Plain(during=lambda: session.checkout("A3"))
    result = navigate_tree_sync(session, "U2", summarize=True, summarizer=summarizer)
    assert (result.outcome, result.cause_code) == ("failed", "leaf_moved")
    assert session.get(session.leaf_id).parent_id == "A3"


def test_records_that_come_meanwhile_do_not_make_the_summary_void():
    session = drawn(FORK)
    summarizer = Plain(during=lambda: session.set_label("A1", "base"))
    result = navigate_tree_sync(session, "U2", summarize=True, summarizer=summarizer)
    assert result.outcome == "applied"
    assert session.get(result.summary.body["fromId"]).type == "label"


def test_what_is_said_meanwhile_makes_the_summary_void_and_stays():  # CASES CONC-6
    session = drawn(FORK)
    said = {"role": "user", "content": "one more thing"}
    summarizer = Plain(during=lambda: session.append_message(said))
    result = navigate_tree_sync(session, "U2", summarize=True, summarizer=summarizer)
    assert (result.outcome, result.cause_code) == ("failed", "leaf_moved")
    assert session.context().messages[-1].message.text == "one more thing"


def test_a_disk_that_is_full_leaves_all_as_it_was(monkeypatch):
    session = drawn(FORK)
    before = contents(session)

    def full(*_, **__):
        raise StorageError("no space left")

    monkeypatch.setattr(session.store, "append", full)
    with pytest.raises(StorageError):
        navigate_tree_sync(session, "U2", summarize=True, summarizer=Plain())
    assert contents(session) == before


# Hooks


@ways
def test_hooks_around_a_move(way):
    told = []
    hooks = Hooks()
    hooks.on("before_tree")(lambda event: told.append((event.plan.target_id, event.summarize, event.instructions)))
    hooks.on("after_tree")(lambda event: told.append((event.old_leaf_id, event.new_leaf_id, event.summary)))
    session = drawn(FORK)
    navigate(way, session, "A3", hooks=hooks, instructions="short")
    assert told == [("A3", False, "short"), ("A5", session.leaf_id, None)]


@ways
def test_a_hook_cancels(way):
    hooks = Hooks()
    hooks.on("before_tree", name="guard")(lambda event: Cancel("stay here"))
    session = drawn(FORK)
    before = contents(session)
    result = navigate(way, session, "A3", hooks=hooks)
    assert (result.outcome, result.cause_code) == ("cancelled", "hook")
    assert "guard" in result.cause
    assert "stay here" in result.cause
    assert contents(session) == before


@ways
@pytest.mark.parametrize("wanted", [True, False])
def test_a_hook_gives_the_summary_if_one_was_asked_for(way, wanted):
    hooks, summarizer = Hooks(), Plain()
    answer = BranchSummaryAnswer(summary="mine", details={"readFiles": ["a"], "modifiedFiles": [], "extra": 1})
    hooks.on("before_tree")(lambda event: answer)
    result = navigate(way, drawn(FORK), "A3", summarize=wanted, hooks=hooks, summarizer=summarizer)
    assert result.outcome == "applied"
    assert summarizer.requests == []
    if wanted:
        assert result.summary.summary == "mine"
        assert result.summary.details["extra"] == 1
        assert result.summary.from_extension
        assert result.summary.body["fromHook"] is True
    else:
        assert result.summary is None


def test_a_broken_hook_is_reported_and_the_move_goes_on():
    hooks = Hooks()

    @hooks.on("before_tree", name="broken")
    def broken(event):
        raise ValueError("oops")

    @hooks.on("after_tree", name="late")
    def late(event):
        raise ValueError("too late")

    result = navigate_tree_sync(drawn(FORK), "A3", hooks=hooks)
    assert result.outcome == "applied"
    assert [("oops" in text, "too late" in text) for text in result.problems] == [(True, False), (False, True)]


# Files


@pytest.fixture
def path(tmp_path):
    lines = [new_header(cwd="/srv/demo", session_id="s"), *bodies(FORK)]
    target = tmp_path / "session.jsonl"
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


def test_the_leaf_stands_there_when_the_file_is_opened_again(path):
    before = path.read_bytes()
    with Session.open(path) as session:
        navigate_tree_sync(session, "U2", summarize=True, summarizer=Plain())
        leaf = session.leaf_id
    assert path.read_bytes().startswith(before)
    with Session.open(path) as session:
        assert session.leaf_id == leaf
        navigate_tree_sync(session, "A5")
    with Session.open(path) as session:
        assert [m.entry_id for m in session.context()] == ["U1", "A1", "U4", "A4", "R4", "A5"]


def test_what_another_process_added_meanwhile_is_not_lost(path):
    with Session.open(path) as session, Session.open(path) as other:

        def meanwhile():
            other.append_message({"role": "user", "content": "from elsewhere"})

        result = navigate_tree_sync(session, "U2", summarize=True, summarizer=Plain(during=meanwhile))
        assert result.outcome == "applied"
    with Session.open(path) as session:
        assert session.leaf_id == result.leaf_id
        assert "from elsewhere" in [e.message.text for e in session.store.scan() if e.message]


def test_a_plain_summarizer_needs_no_event_loop():
    program = """
import sys
from treering.operations.branch import navigate_tree_sync
from treering.session.tree import Session
session = Session.in_memory()
first = session.append_message({"role": "user", "content": "use tabs"}).id
session.append_message({"role": "assistant", "content": [{"type": "text", "text": "done"}]})
assert navigate_tree_sync(session, first, summarize=True).summary
assert "asyncio" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@given(session_trees(), st.data())
def test_any_tree_and_any_target(tree, data):
    session = tree.open()
    target = data.draw(st.sampled_from([None, *session.store.scan()]))
    summarize = data.draw(st.booleans())
    before = list(session.store.scan())
    old = session.leaf_id
    result = navigate_tree_sync(session, target.id if target else None, summarize=summarize)
    after = list(session.store.scan())
    assert after[: len(before)] == before
    if result.outcome == "skipped":
        assert (after, session.leaf_id) == (before, old)
        return
    assert result.outcome == "applied"
    assert len(after) == len(before) + 1
    assert after[-1].id == session.leaf_id
    assert after[-1].parent_id == result.target_id
    if result.summary:
        assert result.summary.body["fromId"] == old
        assert estimate_text(result.summary.summary) <= 2048 * 1.05
    assert Session(session.store).leaf_id == session.leaf_id
    session.context()
