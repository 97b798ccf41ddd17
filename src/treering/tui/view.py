"""The browser: a session's tree on the left, the entry on the right, and keys for everything one can do with it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import ClassVar

import msgspec
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Footer, Static

from treering.cancel import CancelToken
from treering.cli.common import number
from treering.compaction.summarizer import Summarizer
from treering.errors import TreeringError
from treering.hooks import Hooks
from treering.operations.ends import BranchEnds
from treering.session.outline import Outline, read_outline
from treering.session.path import Path as SessionPath
from treering.session.rows import Row, one_line, printable
from treering.session.tree import Session
from treering.settings import Settings
from treering.tokens.sizes import entry_tokens
from treering.tui.lines import Line, TreeLines, search
from treering.tui.screens import AskScreen, HelpScreen, ReplacedScreen
from treering.tui.widgets import EntryView, TreeView

SWITCH_SECONDS = 0.0005

LARGE = 20_000
"""Entries of a session that is large."""

FIRST_ENTRIES = 400
"""Newest entries of the leaf's path that are shown at once, while the whole tree is read."""


class BrowserOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What operations of the browser work with; as for `compact` and `navigate_tree`."""

    settings: Settings = Settings()
    summarizer: Summarizer | None = None
    window: int | None = None
    hooks: Hooks | None = None


class BrowserView(App[None]):
    """The panes, and all that only looks; `treering.tui.app.Browser` adds what changes the session."""

    TITLE = "treering"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    #title, #status { height: 1; padding: 0 1; }
    #title { background: $primary-background; text-style: bold; }
    #status { color: $text-muted; }
    #panes { height: 1fr; }
    #tree { width: 58%; height: 1fr; }
    #entry { width: 42%; height: 1fr; border-left: solid $primary-background; }
    ModalScreen { align: center middle; }
    #dialog { width: 90%; height: 95%; border: round $primary; background: $surface; padding: 0 1; }
    #ask { width: 76; max-width: 95%; height: auto; border: round $primary; background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("slash", "search", "find", key_display="/"),
        Binding("f", "filter", "filter"),
        Binding("c", "checkout(False)", "checkout"),
        Binding("C", "checkout(True)", "+summary"),
        Binding("l", "label", "label"),
        Binding("K", "compact", "compact"),
        Binding("u", "undo", "undo"),
        Binding("q", "quit", "quit"),
        Binding("o", "replaced", "replaced", show=False),
        Binding("right,enter,space", "unfold", "unfold", show=False),
        Binding("left", "fold", "fold", show=False),
        Binding("n", "next(1)", "next", show=False),
        Binding("N", "next(-1)", "previous", show=False),
        Binding("g", "leaf", "to the leaf", show=False),
        Binding("F", "fork", "fork", show=False),
        Binding("d", "delete", "delete", show=False),
        Binding("escape", "cancel", "cancel", show=False),
    ]

    def __init__(self, path: Path, options: BrowserOptions | None = None) -> None:
        super().__init__()
        self.path = path
        self.options = options or BrowserOptions()
        self.session = Session.open(path)
        self.model = TreeLines(newest_entries(self.session))
        self.complete = False
        self.found: list[int] = []
        self.wanted = ""
        self._generation = 0
        """Counts the readings, so that an older one in its thread notices that it is out of date."""
        self.running: CancelToken | None = None
        """Set while an operation runs."""

    def compose(self) -> ComposeResult:
        """Title, two panes, status, keys."""
        yield Static("", id="title", markup=False)
        with Horizontal(id="panes"):
            yield TreeView(self.model.outline, self.model.lines, id="tree")
            yield EntryView(id="entry")
        yield Static("reading …", id="status", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the newest entries at once, and read the whole tree behind them."""
        # The thread that reads would hold up every key by the default 5 ms several times over.
        sys.setswitchinterval(SWITCH_SECONDS)
        self.tree_view.focus()
        self.tree_view.go_to(self.model.index_of(self.model.outline.position()))
        self.say_title()
        self.read_all()

    def on_unmount(self) -> None:
        """Close the file."""
        self.session.close()

    @property
    def tree_view(self) -> TreeView:
        """The pane with the tree."""
        return self.screen_stack[0].query_one("#tree", TreeView)

    @property
    def node(self) -> int:
        """The node under the cursor; -1 if there is none."""
        line = self.tree_view.line
        return -1 if line is None else line.row.first

    def say(self, text: str) -> None:
        """Tell something in the status line."""
        self.screen_stack[0].query_one("#status", Static).update(printable(text))

    def say_title(self) -> None:
        """Tell which session this is, and where its leaf stands."""
        outline = self.model.outline
        position = outline.position()
        name = outline.name or self.path.name
        where = outline.entries[position].id[:8] if position >= 0 else "before the first entry"
        size = self.tree_view.sizes.get(position)
        tokens = f", {'' if size[1] else '~'}{number(size[0])} tokens" if size else ""
        count = f"{number(len(outline))} entries" if self.complete else "reading …"
        shown = "" if self.model.filter == "all" else f"  [{self.model.filter}]"
        title = f"{one_line(name, max(12, self.size.width - 52))}  {count}  leaf {where}{tokens}{shown}"
        self.screen_stack[0].query_one("#title", Static).update(title)

    # Reading

    @work(thread=True, group="reading", exclusive=True)
    def read_all(self, then: Callable[[], None] | None = None) -> None:
        """Read the whole tree, then measure the ends of its branches; with a store of its own, in a thread."""
        self._generation += 1
        mine = self._generation
        leaf = self.session.leaf_id
        try:
            with Session.open(self.path) as session:
                outline = Outline(session.store.scan(), leaf)
        except TreeringError as error:
            self.call_from_thread(self.say, str(error))
            return
        model = TreeLines(outline)
        if self._generation != mine:
            return
        self.call_from_thread(self._take, model, then)
        ends = BranchEnds(outline)
        position = outline.position()
        tips = [line.row.last for line in model.lines if line.row.tip]
        for number_, node in enumerate([position, *reversed(tips)]):
            if self._generation != mine:
                return
            if node >= 0:
                self.tree_view.sizes[node] = ends.tokens(node)
            if number_ == 0:
                self.call_from_thread(self.say_title)
        self.call_from_thread(self.tree_view.refresh)

    def _take(self, model: TreeLines, then: Callable[[], None] | None) -> None:
        """Show another outline of the same session, with the cursor where it was."""
        line = self.tree_view.line
        entry_id = self.model.outline.entries[line.row.first].id if line else None
        model.take_over(self.model)
        self.model = model
        self.complete = True
        if len(model.outline) > LARGE:
            gc.freeze()  # a collection that looks at all entries again and again would hold up keys
        self.found = []
        self.tree_view.sizes = {}
        self.tree_view.show(model.outline, model.lines)
        node = find_node(model.outline, entry_id)
        self.tree_view.go_to(model.index_of(node if node >= 0 else model.outline.position()))
        self.say_title()
        if then is None:
            self.say("? tells all keys")
        else:
            then()

    def reload(self, said: str, entry_id: str | None = None) -> None:
        """Read again after a change, and say what was done."""

        def then() -> None:
            model = self.model
            node = model.outline.position()
            self.show_line(
                model.index_of(node) if entry_id is None else model.reveal(find_node(model.outline, entry_id))
            )
            self.say(said)

        self.read_all(then)

    def on_tree_view_moved(self) -> None:
        """Show the entry of the cursor."""
        if len(self.screen_stack) > 1:
            return
        node = self.node
        outline = self.model.outline
        entry = outline.entries[node] if node >= 0 else None
        facts = f"{number(entry_tokens(entry))} tokens" if entry and len(entry.raw) < 200_000 else ""
        if node in outline.labels:
            facts += f"  [{outline.labels[node]}]"
        self.screen_stack[0].query_one("#entry", EntryView).show(entry, printable(facts))

    # Moving and finding

    def show_line(self, index: int) -> None:
        """Show the lines as they are now, with the cursor on one."""
        self.tree_view.show(self.model.outline, self.model.lines)
        self.tree_view.go_to(index)

    def action_unfold(self) -> None:
        """Show more at the cursor."""
        index = None if self.tree_view.line is None else self.model.unfold(self.tree_view.cursor)
        if index is not None:
            self.show_line(index)
            self.say_title()

    def action_fold(self) -> None:
        """Show less at the cursor."""
        if self.tree_view.line is not None:
            self.show_line(self.model.fold(self.tree_view.cursor))

    def action_filter(self) -> None:
        """Show by the next filter."""
        node = self.node
        self.model.next_filter()
        self.show_line(self.model.index_of(node) if node >= 0 else 0)
        self.say_title()

    def action_leaf(self) -> None:
        """Go to where work goes on."""
        self.show_line(self.model.index_of(self.model.outline.position()))

    @work
    async def action_search(self) -> None:
        """Ask what to look for."""
        query = await self.push_screen_wait(AskScreen("Search in all texts", self.wanted))
        if query:
            self.wanted = query
            self.say(f"searching for {query!r} …")
            self.find(query)

    @work(thread=True, group="search", exclusive=True)
    def find(self, query: str) -> None:
        """Look through all entries in a thread."""
        outline = self.model.outline

        def stopped() -> bool:
            return self.wanted != query or outline is not self.model.outline

        found = search(outline, query, stopped)
        if not stopped():
            self.call_from_thread(self._found, outline, found)

    def _found(self, outline: Outline, found: list[int]) -> None:
        if outline is self.model.outline:
            self.found = found
            self.action_next(1, here=True)

    def action_next(self, step: int, here: bool = False) -> None:
        """Go to the next place that was found."""
        if not self.found:
            self.say(f"{self.wanted!r} is nowhere" if self.wanted else "nothing was searched for: press /")
            return
        node = self.node
        if here and node in self.found:
            index = self.found.index(node)
        elif step > 0:
            index = next((i for i, other in enumerate(self.found) if other > node), 0)
        else:
            before = [i for i, other in enumerate(self.found) if other < node]
            index = before[-1] if before else len(self.found) - 1
        self.show_line(self.model.reveal(self.found[index]))
        self.say(f"{self.wanted!r}: {index + 1} of {len(self.found)}")

    # Looking

    def action_help(self) -> None:
        """Tell all keys."""
        self.push_screen(HelpScreen())

    @work
    async def action_replaced(self) -> None:
        """Show what the compaction under the cursor, or else the one in force, replaced."""
        outline = self.model.outline
        node = self.node
        if node < 0 or outline.kinds[node] != "compaction":
            in_force = self.session.path(whole=False).compaction
            node = find_node(outline, in_force.id) if in_force else -1
        if node < 0:
            self.say("no compaction here, and none is in force")
            return
        nodes = replaced_nodes(outline, node)
        lines = [Line(Row(kind="entry", first=other, last=other, on_path=True)) for other in nodes]
        title = f"{len(nodes)} entries that {outline.entries[node].id[:8]} replaced"
        chosen = await self.push_screen_wait(ReplacedScreen(outline, title, lines))
        if chosen:
            self.show_line(self.model.reveal(find_node(self.model.outline, chosen)))


def replaced_nodes(outline: Outline, compaction: int) -> list[int]:
    """The nodes whose place a compaction's summary took: what the context held before, up to its first kept entry."""
    nodes: list[int] = []
    node = outline.parents[compaction]
    while node >= 0 and len(nodes) <= len(outline):
        nodes.append(node)
        node = outline.parents[node]
    nodes.reverse()
    path = SessionPath(outline.entries[other] for other in nodes)
    first_kept = outline.entries[compaction].first_kept_id
    cut = path.index_of(first_kept) if first_kept else None
    kept_from = len(nodes) if cut is None else cut
    before = [path.compaction_index] if path.compaction_index is not None else []
    span = [index for index in range(path.start, kept_from) if index not in before]
    return [nodes[index] for index in (*before, *span) if outline.substantial(nodes[index])]


def newest_entries(session: Session) -> Outline:
    """The newest entries of the leaf's path, as a tree of their own."""
    leaf = session.leaf_id
    if leaf is None:
        return read_outline(session)
    entries = list(islice(session.store.walk(leaf), FIRST_ENTRIES))
    return Outline(entries[::-1], leaf)


def find_node(outline: Outline, entry_id: str | None) -> int:
    """The node of an entry, or -1."""
    found = None if entry_id is None else outline.find(entry_id)
    return -1 if found is None else found
