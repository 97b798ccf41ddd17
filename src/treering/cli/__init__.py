"""The command line `treering`: one module a command group, loaded when its command runs.

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong use, 3 damage that is left, 130 interrupted.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from importlib import import_module
from typing import Any

import click

from treering.errors import EntryNotFoundError, SettingsError, TreeringError

COMMANDS: dict[str, str] = {
    "show": "treering.cli.show:show",
    "context": "treering.cli.show:context",
    "entry": "treering.cli.show:entry",
    "compact": "treering.cli.compact:compact",
    "prune": "treering.cli.compact:prune",
    "undo": "treering.cli.compact:undo",
    "doctor": "treering.cli.doctor:doctor",
    "tree": "treering.cli.tree:tree",
    "browse": "treering.cli.browse:browse",
    "branch": "treering.cli.branches:branch",
    "checkout": "treering.cli.branches:checkout",
    "fork": "treering.cli.branches:fork",
    "label": "treering.cli.branches:label",
    "name": "treering.cli.branches:name",
    "diff": "treering.cli.branches:diff",
    "vacuum": "treering.cli.branches:vacuum",
    "pin": "treering.cli.pins:pin",
    "unpin": "treering.cli.pins:unpin",
    "ledger": "treering.cli.ledger:ledger",
    "demo": "treering.cli.demo:demo",
    "serve-summaries": "treering.cli.serve:serve_summaries",
    "eval": "treering.cli.eval:eval_group",
}
"""Command → where it lives, as module:name. Their modules are imported only to run them or to show help."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, so that each starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All commands, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="treering")
def treering() -> None:
    """Keep long LLM-agent sessions usable: see what fills them, compact, prune, undo. Nothing is ever lost."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(arguments))


def _complain(message: str) -> None:
    from treering.cli.common import echo

    echo(message, err=True)


class _Warnings(logging.Handler):
    """Says on standard error what the library logs."""

    def emit(self, record: logging.LogRecord) -> None:
        _complain(f"{record.levelname.capitalize()}: {record.getMessage()}")


def _say_warnings() -> None:
    logger = logging.getLogger("treering")
    if not any(isinstance(handler, _Warnings) for handler in logger.handlers):
        logger.addHandler(_Warnings(logging.WARNING))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    color = False if "NO_COLOR" in os.environ else None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # sessions hold characters that a terminal may not take
    _say_warnings()
    try:
        result: Any = treering.main(args=arguments, standalone_mode=False, color=color)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return 130
    except (EntryNotFoundError, SettingsError) as error:
        _complain(f"Error: {error}")
        return 2
    except TreeringError as error:
        _complain(f"Error: {error}")
        return 1
    except (BrokenPipeError, SystemExit):  # click exits by itself when the pipe is closed
        # The reader has gone: be silent, also when Python flushes what is left at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0
