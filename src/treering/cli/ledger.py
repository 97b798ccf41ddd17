"""`ledger`: what summaries cost, attempt by attempt."""

from __future__ import annotations

import click
import msgspec

from treering.cli.common import echo, emit_json, file_argument, json_option, number, open_session, plural
from treering.operations.ledger import Attempt, Totals, attempts, totals
from treering.session.rows import one_line

LONGEST_CAUSE = 600
"""Characters of a cause that are shown: why something failed is not cut at the edge of a terminal."""


@click.command(short_help="List what summaries cost, and why some failed.")
@file_argument
@click.option("--calls", "show_calls", is_flag=True, help="Show every call of a model.")
@json_option
def ledger(file: str, show_calls: bool, as_json: bool) -> None:
    """List every attempt to summarise FILE that called a model or failed: tokens, price, time, and why it failed."""
    with open_session(file) as session:
        found = list(attempts(session.store.scan()))
    together = totals(found)
    if as_json:
        emit_json({"attempts": msgspec.to_builtins(found), "totals": msgspec.to_builtins(together)})
        return
    if not found:
        echo("no attempt called a model or failed")
        return
    for attempt in found:
        _show(attempt, show_calls=show_calls)
    _show_totals(together)


def _show(attempt: Attempt, *, show_calls: bool) -> None:
    colour = {"applied": "green", "failed": "red"}.get(attempt.outcome, "yellow")
    when = attempt.start[:16].replace("T", " ")
    tokens = f"{number(attempt.input_tokens)} in, {number(attempt.output_tokens)} out"
    echo(
        f"{attempt.entry_id}  {when}  {click.style(f'{attempt.outcome:<9}', fg=colour)} {attempt.reason:<9} "
        f"{attempt.model or '–'}  {tokens}  {price(attempt.price)}  {attempt.seconds:.1f} s"
        + (f"  {plural(attempt.retries, 'retry', 'retries')}" if attempt.retries else "")
    )
    if attempt.cause:
        echo(f"    {one_line(attempt.cause, LONGEST_CAUSE)}")
    for call in attempt.calls if show_calls else ():
        tokens = f"{number(call.input_tokens)} in, {number(call.output_tokens)} out"
        again = f", retry {call.retry}" if call.retry else ""
        echo(
            f"    {call.purpose} by {call.model}: {call.outcome}{again}, {tokens}, {price(call.price)}, "
            f"{call.seconds:.1f} s"
        )
        if call.cause:
            echo(f"      {one_line(call.cause, LONGEST_CAUSE)}")


def _show_totals(together: Totals) -> None:
    unpriced = f" and {plural(together.unpriced, 'call')} of unknown price" if together.unpriced else ""
    echo(
        f"{plural(together.attempts, 'attempt')}, {number(together.applied)} applied; "
        f"{plural(together.calls, 'call')}, {plural(together.retries, 'retry', 'retries')}; "
        f"{number(together.input_tokens)} tokens in, {number(together.output_tokens)} out; "
        f"{price(together.price)}{unpriced}; {together.seconds:.1f} s"
    )


def price(dollars: float | None) -> str:
    """US dollars for people; a price that nobody knows is no zero."""
    if dollars is None:
        return "price unknown"
    return f"${dollars:.4f}" if dollars < 1 else f"${dollars:.2f}"
