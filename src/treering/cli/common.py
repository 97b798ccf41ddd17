"""What the commands share: options, opening a session, JSON and numbers for people."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treering.errors import EntryNotFoundError
from treering.session.entries import Entry, encode_object
from treering.session.rows import printable
from treering.session.tree import Session
from treering.settings import Settings

if TYPE_CHECKING:
    from treering.hooks import Hooks

F = TypeVar("F", bound=Callable[..., Any])

SCHEMA = 1
"""Version of all `--json` output; it changes when a field is renamed, removed or means something else."""

file_argument = click.argument("file", type=click.Path(dir_okay=False))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
window_option = click.option(
    "--window", type=click.IntRange(min=1), metavar="N", help="The model's context window in tokens.  [default: 200000]"
)

_ACTING = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")
"""What a terminal would act on, but for colours."""


@contextmanager
def open_session(file: str) -> Generator[Session]:
    """Open a session file for a command; says on standard error what is odd about it."""
    with Session.open(file) as session:
        for warning in warnings_of(session):
            echo(f"Warning: {warning}", err=True)
        yield session


def warnings_of(session: Session) -> list[str]:
    """What a user should know of a file that can be read all the same."""
    unfinished = getattr(session.store, "unfinished", 0)
    if not unfinished:
        return []
    return [
        f"{getattr(session.store, 'path', 'the session')}: the last line is unfinished ({unfinished} bytes) and is "
        "skipped; the next append keeps it on a line of its own"
    ]


def emit_json(data: Mapping[str, Any]) -> None:
    """Print an object on standard output, with the schema's version first."""
    echo(encode_object({"schema": SCHEMA, **data}).decode("utf-8"))


def number(value: int | None) -> str:
    """A count for people: 12 345."""
    return "–" if value is None else f"{value:,}".replace(",", " ")


def percent(part: int, whole: int) -> str:
    """A share for people: something that is there is never 0 %."""
    return "<1%" if 0 < part * 200 < whole else f"{part / whole:.0%}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 entry`, `2 entries`."""
    if count == 1:
        return f"1 {noun}"
    return f"{number(count)} {many or noun + 's'}"


def entry_at(session: Session, address: str) -> Entry:
    """The entry that an address means (see `treering.session.address`).

    Raises:
        EntryNotFoundError: nothing or several entries are meant, or `@root`, which is none.
    """
    from treering.session.address import resolve

    found = resolve(session, address)
    if found is None:
        raise EntryNotFoundError(f"{address} is before the first entry: give the address of an entry")
    return session.get(found)


def echo(text: str = "", *, err: bool = False) -> None:
    """Print a line. On a terminal, what names and ids in a session would make it do is left out; colours stay."""
    stream = sys.stderr if err else sys.stdout
    click.echo(_ACTING.sub("", text) if stream.isatty() else text, err=err)


def echo_whole(text: str, *, err: bool = False) -> None:
    """Print a text of a session: every byte of it into files and pipes, no control character on a terminal."""
    stream = sys.stderr if err else sys.stdout
    click.echo(printable(text) if stream.isatty() else text, err=err, color=True)  # click would take escapes out


def terminal_width(most: int = 110) -> int:
    """Columns to write in."""
    import shutil

    return min(most, max(40, shutil.get_terminal_size((100, 24)).columns))


def user_hooks(settings: Settings) -> Hooks:
    """The hooks of the user. What goes wrong with one is logged, and so said on standard error."""
    from treering.plugins import load_hooks

    return load_hooks(settings.hooks)


@contextmanager
def progress(what: str) -> Generator[Callable[[str], None]]:
    """Tell on a terminal what is being done, once it takes more than a second. Yields a function that says more."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    import threading

    from rich.console import Console
    from rich.status import Status

    status = Status(what, console=Console(stderr=True))
    timer = threading.Timer(1.0, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda text: status.update(f"{what}: {text}")
    finally:
        timer.cancel()
        status.stop()
