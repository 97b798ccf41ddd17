"""The two panes of the browser: the tree, of which only what is visible is drawn, and the entry beside it."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from treering.cli.drawing import draw_row, short_length
from treering.session.entries import Entry
from treering.session.outline import Outline
from treering.session.rows import printable
from treering.tui.lines import Line

SHOWN_CHARACTERS = 20_000
"""Of one entry; laying out more would make keys wait."""

_STYLES = {
    "rails": Style(dim=True),
    "mark": Style(color="green"),
    "id": Style(color="yellow"),
    "id aside": Style(color="yellow", dim=True),
    "aside": Style(dim=True),
    "compaction": Style(color="magenta"),
    "summary": Style(color="cyan"),
    "label": Style(color="bright_blue", bold=True),
    "leaf": Style(bold=True, color="bright_green"),
    "note": Style(dim=True),
}


class TreeView(ScrollView, can_focus=True):
    """Lines of a session's tree with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "end(0)", "first", show=False),
        Binding("end", "end(1)", "last", show=False),
    ]

    DEFAULT_CSS = """
    TreeView { scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1; }
    """

    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor stands on another line."""

    def __init__(self, outline: Outline, lines: list[Line], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.sizes: dict[int, tuple[int, bool]] = {}
        self.outline = outline
        self.lines = lines
        self._id_length = short_length(outline)

    def show(self, outline: Outline, lines: list[Line]) -> None:
        """Show other lines."""
        if outline is not self.outline:
            self.outline = outline
            self._id_length = short_length(outline)
        self.lines = lines
        self._resize()
        self.cursor = min(self.cursor, max(0, len(lines) - 1))
        self.refresh()

    @property
    def line(self) -> Line | None:
        """The line of the cursor."""
        return self.lines[self.cursor] if self.cursor < len(self.lines) else None

    def go_to(self, index: int) -> None:
        """Put the cursor on a line and scroll there."""
        self.cursor = max(0, min(index, len(self.lines) - 1))
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.post_message(self.Moved())

    def action_move(self, step: int) -> None:
        """Move by lines."""
        self.go_to(self.cursor + step)

    def action_page(self, step: int) -> None:
        """Move by a screen."""
        self.go_to(self.cursor + step * max(1, self.size.height - 1))

    def action_end(self, last: int) -> None:
        """Move to the first or the last line."""
        self.go_to((len(self.lines) - 1) * last)

    def watch_cursor(self) -> None:
        """Draw the cursor anew."""
        self.refresh()

    def on_resize(self) -> None:
        """Lines are as wide as the pane."""
        self._resize()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where it was clicked."""
        index = event.y + self.scroll_offset.y
        if index < len(self.lines):
            self.go_to(index)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        index = y + self.scroll_offset.y
        base = self.rich_style
        width = self.scrollable_content_region.width
        if index >= len(self.lines):
            return Strip.blank(width, base)
        line = self.lines[index]
        segments: list[Segment] = []
        if line.inner:
            segments.append(Segment("  ", base))
        for text, name in draw_row(self.outline, line.row, self.sizes, width - 2 * line.inner, self._id_length):
            segments.append(Segment(text, base + _STYLES.get(name, Style())))
        if line.hidden:
            segments.append(Segment(f"  (+{line.hidden})", base + Style(bold=True)))
        strip = Strip(segments).crop_extend(0, width, base)
        if index == self.cursor:
            highlight = Style(reverse=True) if self.has_focus else Style(underline=True)
            strip = strip.apply_style(highlight)
        return strip

    def _resize(self) -> None:
        self.virtual_size = Size(max(1, self.scrollable_content_region.width), len(self.lines))


class EntryView(VerticalScroll):
    """One entry, whole up to a length."""

    DEFAULT_CSS = """
    EntryView { padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        """A text."""
        yield Static(id="entry-text", markup=False)

    def show(self, entry: Entry | None, facts: str = "") -> None:
        """Show an entry, with some facts about it above."""
        text = Text() if entry is None else entry_text(entry, facts)
        self.query_one("#entry-text", Static).update(text)
        self.scroll_home(animate=False)


def entry_text(entry: Entry, facts: str) -> Text:
    """An entry as text that is safe to show."""
    from treering.cli.show import whole_text

    text = Text()
    text.append(entry.id, style="bold yellow")
    role = f" ({entry.message.role})" if entry.message else ""
    text.append(f"  {printable(entry.type)}{printable(role)}\n", style="bold")
    text.append(f"{printable(entry.timestamp[:19].replace('T', ' '))}  {facts}\n\n", style="dim")
    body = printable(whole_text(entry))
    text.append(body[:SHOWN_CHARACTERS])
    if len(body) > SHOWN_CHARACTERS:
        rest = len(body) - SHOWN_CHARACTERS
        text.append(f"\n\n… {rest:,} more characters: treering entry FILE {entry.id}", style="bold")
    return text
