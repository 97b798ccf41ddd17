"""The browser, driven by its keys."""

from __future__ import annotations

import subprocess
import sys

import pytest

from drawn import bodies
from treering.hooks import Cancel, Hooks
from treering.session.entries import encode_object
from treering.session.outline import read_outline
from treering.session.tree import Session, new_header

pytest.importorskip("textual")

from textual.widgets import Static

from treering.tui.app import Browser
from treering.tui.screens import HelpScreen, ReplacedScreen
from treering.tui.view import BrowserOptions
from treering.tui.widgets import EntryView, TreeView

DRAWING = """
    U1(Read both files) → A1(read a.py) → R1 → A2 → U3(try regular expressions) → A3(edit lexer.py) → R3
    A2 → U4(please make a parser) → A4(edit parser.py) → R4 → C5(Goal: a parser.; k=U4) → U6(and now?) → A6
"""


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "session.jsonl", DRAWING)


def write(target, drawing):
    lines = [new_header(cwd="/srv/demo", session_id="source"), *bodies(drawing)]
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


class Driven:
    """A browser that is being driven."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self):
        """Wait until all workers have ended and their messages are through."""
        for _ in range(50):
            await self.pilot.pause()
            reading = [worker for worker in self.app.workers if worker.group != "default" and not worker.is_finished]
            asking = len(self.app.screen_stack) > 1
            if not reading and (asking or all(worker.is_finished for worker in self.app.workers)):
                await self.pilot.pause()
                return
            await self.pilot.pause(0.02)

    @property
    def at(self):
        return self.app.model.outline.entries[self.app.node].id

    @property
    def entry(self):
        return str(self.app.query_one(EntryView).query_one(Static).render())

    @property
    def status(self):
        return str(self.app.query_one("#status", Static).render())

    @property
    def title(self):
        return str(self.app.query_one("#title", Static).render())

    @property
    def screen(self):
        tree = self.app.tree_view
        return [tree.render_line(y).text.rstrip() for y in range(tree.size.height)]


@pytest.fixture
def drive(path):
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def drive(file=path, size=(80, 24), **options):
        app = Browser(file, BrowserOptions(**options))
        async with app.run_test(size=size) as pilot:
            driven = Driven(app, pilot)
            await driven.settle()
            yield driven

    return drive


async def test_the_tree_on_the_left_and_the_entry_on_the_right(drive):
    async with drive() as browser:
        assert browser.at == "U6"
        assert browser.title.startswith("session.jsonl  13 entries  leaf A6, ")
        assert "and now?" in browser.entry
        assert browser.screen[0].startswith("● U1 Read both files")
        assert browser.screen[1].startswith("├─○ U3 try regular")
        assert browser.screen[3].startswith("◆ C5 compaction: Goal: a parser.")
        await browser.press("home")
        assert browser.at == "U1"
        assert "Read both files" in browser.entry
        await browser.press("right", "down")
        assert browser.at == "A1"
        assert "[call A1-0] read" in browser.entry
        await browser.press("left")
        assert browser.at == "U1"


async def test_help_tells_all_keys(drive):
    async with drive() as browser:
        await browser.press("question_mark")
        assert isinstance(browser.app.screen, HelpScreen)
        await browser.press("escape")
        assert not isinstance(browser.app.screen, HelpScreen)


async def test_search_and_filter(drive):
    async with drive() as browser:
        await browser.press("slash", *"lexer", "enter")
        assert browser.at == "A3"
        assert browser.status == "'lexer': 1 of 1"
        await browser.press("slash", *["backspace"] * 5, *"answer", "enter")
        first = browser.at
        await browser.press("n")
        assert browser.at != first
        await browser.press("N")
        assert browser.at == first
        await browser.press("f")
        assert [line.split()[1] for line in browser.screen if line] == ["U1", "U3", "U4", "U6"]
        await browser.press("slash", *["backspace"] * 6, *"nowhere", "enter")
        assert browser.status == "'nowhere' is nowhere"


async def test_check_out_of_a_user_message(drive, path):
    async with drive() as browser:
        await browser.press("up", "up", "c")
        assert browser.at == "U4"
        assert "to be edited" in browser.status
        assert browser.app.clipboard == "please make a parser"
        assert browser.title.split("leaf ")[1].startswith("A2")
    with Session.open(path) as session:
        assert session.get(session.leaf_id).parent_id == "A2"


async def test_check_out_with_a_summary(drive, path):
    async with drive() as browser:
        await browser.press("home", "down", "right", "down", "C", *"only files", "enter")
        assert "with a summary by extractive" in browser.status
    with Session.open(path) as session:
        entry = session.get(session.leaf_id)
        assert (entry.type, entry.parent_id, entry.body["fromId"]) == ("branch_summary", "A3", "A6")
        assert entry.details["modifiedFiles"] == ["parser.py"]


async def test_thinking_better_of_it_changes_nothing(drive, path):
    before = path.read_bytes()
    async with drive() as browser:
        await browser.press("home", "C", "escape", "l", "escape", "F", "escape", "d", "n", "K", "escape")
    assert path.read_bytes() == before


async def test_a_hook_that_says_no_is_heard(drive, path):
    hooks = Hooks()
    hooks.on("before_tree")(lambda event: Cancel("not now"))
    before = path.read_bytes()
    async with drive(hooks=hooks) as browser:
        await browser.press("home", "c")
        assert "not now" in browser.status
    assert path.read_bytes() == before


async def test_labels(drive, path):
    async with drive() as browser:
        await browser.press("home", "l", *"start", "enter")
        assert "[start]" in browser.screen[0]
        await browser.press("f", "f")
        assert len([line for line in browser.screen if line]) == 1
    with Session.open(path) as session:
        assert session.labels() == {"U1": "start"}


async def test_fork(drive, path):
    async with drive() as browser:
        await browser.press("home", "down", "F", "enter")
        assert browser.status.startswith("written: ")
    with Session.open(path.with_name("session-U3.jsonl")) as session:
        assert session.leaf_id == "U3"


async def test_a_branch_is_deleted(drive, path):
    async with drive() as browser:
        await browser.press("home", "down", "d", "y")
        assert [line.split()[1] for line in browser.screen if line] == ["U1", "U4", "C5", "U6"]
        await browser.press("home", "d", "y")
        assert "check out another branch first" in browser.status
    with Session.open(path) as session:
        assert read_outline(session).lost_branches() == []


async def test_compact_and_undo(drive, tmp_path):
    long = " → ".join(f"U{n}({'word ' * 900}) → A{n}({'answer ' * 900})" for n in range(30))
    path = write(tmp_path / "long.jsonl", long)
    async with drive(path) as browser:
        await browser.press("K", "enter")
        assert browser.status.startswith("compacted: ")
        assert "◆" in "".join(browser.screen)
        await browser.press("u")
        assert browser.status.startswith("undone: ")
    with Session.open(path) as session:
        assert session.context().compaction is None


async def test_what_a_compaction_replaced(drive):
    async with drive() as browser:
        await browser.press("up", "o")
        assert isinstance(browser.app.screen, ReplacedScreen)
        replaced = browser.app.screen.query_one(TreeView)
        assert [replaced.outline.entries[line.row.first].id for line in replaced.lines] == ["U1", "A1", "R1", "A2"]
        await browser.press("down", "enter")
        assert browser.at == "A1"


async def test_without_a_compaction_nothing_was_replaced(drive, tmp_path):
    async with drive(write(tmp_path / "short.jsonl", "U1 → A1")) as browser:
        await browser.press("o")
        assert browser.status == "no compaction here, and none is in force"
        await browser.press("u")
        assert browser.status.startswith("nothing to undo")


async def test_an_empty_session(drive, tmp_path):
    target = tmp_path / "empty.jsonl"
    Session.create(target).close()
    async with drive(target) as browser:
        await browser.press("up", "down", "right", "left", "c", "f", "g", "n", "o")
        assert "before the first entry" in browser.title


async def test_what_a_session_says_cannot_steer_the_terminal(drive, tmp_path):
    path = tmp_path / "nasty.jsonl"
    with Session.create(path) as session:
        session.append_message({"role": "user", "content": "a\x1b[2Jb [bold]c[/bold]\x07"})
    async with drive(path) as browser:
        assert "a[2Jb [bold]c[/bold]" in browser.entry
        assert "\x1b" not in browser.entry
        assert "\x1b" not in "".join(browser.screen)


async def test_a_long_entry_is_shown_up_to_a_length(drive, tmp_path):
    path = write(tmp_path / "long.jsonl", f"U1({'long ' * 20_000}) → A1")
    async with drive(path) as browser:
        assert "more characters: treering entry FILE U1" in browser.entry


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (200, 60)])
async def test_any_size_of_terminal(drive, size):
    async with drive(size=size) as browser:
        await browser.press("home", "end", "question_mark", "escape", "tab", "down", "tab")
        assert browser.at == "U6"


@pytest.mark.slow
async def test_every_shared_session_can_be_browsed(drive, shared):
    for path in sorted((shared / "sessions/pi").glob("*.jsonl"), key=lambda path: path.stat().st_size)[:8]:
        async with drive(path) as browser:
            await browser.press("home", "right", "down", "end", "f", "f")
            assert browser.app.complete


def test_without_textual_the_command_says_what_to_install(path):
    program = (
        "import sys; sys.modules['textual'] = None\n"
        f"from treering.cli import run; sys.exit(run(['browse', {str(path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "treering[tui]" in done.stderr
