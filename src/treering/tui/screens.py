"""What the browser puts over itself: help, questions, and what a compaction replaced."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from treering.session.outline import Outline
from treering.tui.lines import Line
from treering.tui.widgets import TreeView

HELP = (
    ("Move", ""),
    ("↑ ↓ PgUp PgDn Home End", "through the tree (j and k too)"),
    ("→ Enter Space, ←", "unfold a turn or a branch; fold it"),
    ("g", "to the leaf, where work goes on"),
    ("Tab", "to the entry on the right, and back"),
    ("Find", ""),
    ("/, n, N", "search in all texts; next, previous"),
    ("f", "show all, the user's turns, labels"),
    ("o", "what a compaction replaced"),
    ("Change", ""),
    ("c", "check out: go on from here"),
    ("", "(a user message: before it, to edit it)"),
    ("C", "the same, with a summary of what is left"),
    ("l", "label; an empty one takes it away"),
    ("F", "fork: the path to here as a new file"),
    ("d", "delete this side branch (nothing is lost)"),
    ("K, u", "compact at the leaf; take it back"),
    ("Escape", "cancel what is running"),
    ("q", "quit"),
)


class HelpScreen(ModalScreen[None]):
    """All keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        """A table of keys."""
        text = Text()
        for keys, what in HELP:
            if what:
                text.append(f"  {keys:<23}", style="bold yellow")
                text.append(f"{what}\n")
            else:
                text.append(f"{keys}\n", style="bold")
        with VerticalScroll(id="dialog"):
            yield Static(text, markup=False)


class AskScreen(ModalScreen[str | None]):
    """One line of text; None if the user thinks better of it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "cancel")]

    def __init__(self, question: str, value: str = "") -> None:
        super().__init__()
        self._question = question
        self._value = value

    def compose(self) -> ComposeResult:
        """A question and a line."""
        with Vertical(id="ask"):
            yield Label(self._question, markup=False)
            yield Input(self._value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer."""
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Do not answer."""
        self.dismiss(None)


class ConfirmScreen(ModalScreen[bool]):
    """Yes or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "answer(True)", "yes"),
        Binding("n,escape,q", "answer(False)", "no"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """A question."""
        with Vertical(id="ask"):
            yield Label(f"{self._question}\n\ny: yes   n: no", markup=False)

    def action_answer(self, answer: bool) -> None:
        """Answer."""
        self.dismiss(answer)


class ReplacedScreen(ModalScreen[str | None]):
    """The entries that a compaction replaced; the id of one to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,o", "close", "close"),
        Binding("enter", "choose", "go there"),
    ]

    def __init__(self, outline: Outline, title: str, lines: list[Line]) -> None:
        super().__init__()
        self._outline = outline
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """A title and a tree of one branch."""
        with Vertical(id="dialog"):
            yield Label(f"{self._title}   (Enter: go there, Escape: close)", markup=False)
            yield TreeView(self._outline, self._lines, id="replaced")

    def action_close(self) -> None:
        """Go nowhere."""
        self.dismiss(None)

    def action_choose(self) -> None:
        """Go to the entry of the cursor."""
        line = self.query_one(TreeView).line
        self.dismiss(self._outline.entries[line.row.first].id if line else None)
