"""`browse`: the tree of a session in a terminal application."""

from __future__ import annotations

from pathlib import Path

import click

from treering.cli.common import file_argument, user_hooks, window_option
from treering.config import load_settings
from treering.errors import MissingExtraError
from treering.summarizers.choose import choose_summarizer


@click.command()
@file_argument
@window_option
def browse(file: str, window: int | None) -> None:
    """Look at a session FILE and work on its tree. ? tells all keys."""
    try:
        from treering.tui.app import Browser
        from treering.tui.view import BrowserOptions
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "textual":
            raise
        raise MissingExtraError(
            "`treering browse`", "tui", otherwise="`treering tree` draws the tree without them"
        ) from error

    settings = load_settings()
    options = BrowserOptions(
        settings=settings, summarizer=choose_summarizer(settings), window=window, hooks=user_hooks(settings)
    )
    Browser(Path(file), options).run()
