"""`branch`, `checkout`, `fork`, `label`, `name`, `diff`, `vacuum`: work on the tree of a session."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from treering.cli.common import (
    echo,
    echo_whole,
    emit_json,
    entry_at,
    file_argument,
    json_option,
    number,
    open_session,
    plural,
    progress,
    terminal_width,
    user_hooks,
    window_option,
)
from treering.cli.drawing import LABEL_WIDTH, short_length
from treering.config import load_settings
from treering.operations.branches import (
    BranchSide,
    clone,
    compare_branches,
    delete_branch,
    restore_branch,
    set_name,
)
from treering.operations.branches import fork as write_fork
from treering.operations.ends import BranchEnds
from treering.session.address import resolve
from treering.session.outline import Outline, read_outline
from treering.session.rows import one_line, preview
from treering.session.tree import Session
from treering.summarizers.choose import choose_summarizer


@click.command(short_help="List branches, delete one, or bring one back.")
@file_argument
@click.option("--delete", "-d", metavar="ADDRESS", help="Delete the branch that this entry lies in. Nothing is erased.")
@click.option("--restore", metavar="ADDRESS", help="Bring a deleted branch back.")
@click.option("--deleted", is_flag=True, help="List deleted branches too.")
@json_option
def branch(file: str, delete: str | None, restore: str | None, deleted: bool, as_json: bool) -> None:
    """List the branches of a session FILE, delete one, or bring one back."""
    with open_session(file) as session, progress("reading"):
        changed: dict[str, Any] = {}
        if delete is not None:
            changed["deleted"] = delete_branch(session, entry_at(session, delete).id)
        if restore is not None:
            changed["restored"] = restore_branch(session, entry_at(session, restore).id)
        outline = read_outline(session)
        listed = _branches(outline, deleted)
    if as_json:
        emit_json({**changed, "branches": listed})
        return
    for what, ids in changed.items():
        echo(f"{what} {ids if isinstance(ids, str) else ', '.join(ids)}")
    if changed:
        return
    if not listed:
        echo("no branches: the session has no entry yet")
    width, length = terminal_width(most=160), short_length(outline)
    for item in listed:
        mark = click.style("*", fg="green", bold=True) if item["current"] else " "
        size = f"{'' if item['tokens_counted'] else '~'}{number(item['tokens'])} tokens"
        facts = [plural(item["turns"], "turn"), size]
        facts += [f"parts at {item['ancestor'][:length]}"] if item["ancestor"] else []
        facts += [f"[{one_line(label, LABEL_WIDTH)}]" for label in item["labels"]]
        facts += ["deleted"] if item["deleted"] else []
        line = f"{item['id'][:length]}  {', '.join(facts)}  "
        echo(f"{mark} {line}{click.style(one_line(item['text'], max(20, width - len(line) - 2)), dim=True)}")


def _branches(outline: Outline, deleted: bool) -> list[dict[str, Any]]:
    ends = BranchEnds(outline)
    listed: list[dict[str, Any]] = []
    position = outline.position()
    if position >= 0:
        listed.append(_describe(outline, ends, position, current=True, ancestor=None, gone=False))
    for lost in outline.lost_branches(deleted=deleted):
        tip = outline.index_of(lost.tip_id)
        listed.append(
            {
                **_describe(outline, ends, tip, current=False, ancestor=lost.ancestor_id, gone=lost.deleted),
                "first": lost.root_id,
                "turns": lost.turns,
                "entries": lost.entries,
            }
        )
    return listed


def _describe(
    outline: Outline, ends: BranchEnds, tip: int, *, current: bool, ancestor: str | None, gone: bool
) -> dict[str, Any]:
    path = [node for node in outline.on_path if outline.substantial(node)] if current else []
    tokens, counted = ends.tokens(tip)
    return {
        "id": outline.entries[tip].id,
        "current": current,
        "first": None,
        "ancestor": ancestor,
        "turns": sum(outline.kinds[node] in {"user", "bash", "custom", "branch_summary"} for node in path),
        "entries": len(path),
        "tokens": tokens,
        "tokens_counted": counted,
        "labels": [outline.labels[tip]] if tip in outline.labels else [],
        "text": preview(outline.entries[tip], 200),
        "deleted": gone,
    }


@click.command()
@file_argument
@click.argument("address")
@click.argument("instructions", nargs=-1)
@click.option("--summarize/--no-summarize", default=None, help="Take a summary of what is left along.")
@click.option("--as-is", is_flag=True, help="Go behind a user message too, instead of before it to edit it.")
@window_option
@click.option(
    "--summarizer",
    "summarizers",
    multiple=True,
    metavar="NAME",
    help="Who makes the summary, as for `compact`.  [default: by the settings, else extractive]",
)
@json_option
def checkout(
    file: str,
    address: str,
    instructions: tuple[str, ...],
    summarize: bool | None,
    as_is: bool,
    window: int | None,
    summarizers: tuple[str, ...],
    as_json: bool,
) -> None:
    """Go on elsewhere in the tree of a session FILE.

    ADDRESS is an id or its beginning, a label, HEAD, HEAD~2 (two turns back), or @root. A user message is gone before,
    and printed to be edited. INSTRUCTIONS say what the summary should look at, and ask for one.
    """
    from treering.operations.branch import navigate_tree_sync

    settings = load_settings()
    wanted = True if summarize is None and (instructions or summarizers) else summarize
    summarizer = choose_summarizer(settings, summarizers)
    with open_session(file) as session, progress("summarising") as tell:
        target = resolve(session, address)
        result = navigate_tree_sync(
            session,
            target,
            summarize=wanted,
            instructions=" ".join(instructions) or None,
            edit=not as_is,
            summarizer=summarizer,
            settings=settings,
            window=window or settings.summary.window,
            hooks=user_hooks(settings),
            on_progress=tell,
        )
        messages = len(session.context())
    if as_json:
        fields = msgspec.structs.asdict(result)
        summary = result.summary
        emit_json({**fields, "summary": summary.body if summary else None, "messages": messages})
    else:
        if result.outcome == "applied":
            where = f"at {result.target_id}" if result.target_id else "before the first entry"
            echo(f"now {where}; {plural(result.abandoned, 'entry', 'entries')} left behind", err=True)
            if result.summary:
                echo(f"summary {result.summary.id} by {result.summarizer}:\n", err=True)
                echo_whole(result.summary.summary, err=True)
        else:
            echo(f"{result.outcome}: {result.cause}", err=True)
        if result.text is not None:
            echo_whole(result.text)
    if result.outcome == "failed":
        raise click.exceptions.Exit(1)
    if result.outcome == "cancelled":
        raise click.exceptions.Exit(130)


@click.command(short_help="Write one path of FILE as a session of its own.")
@file_argument
@click.argument("destination", type=click.Path(dir_okay=False))
@click.argument("address", default="HEAD")
@click.option("--whole", is_flag=True, help="All branches, not only the path to ADDRESS.")
@json_option
def fork(file: str, destination: str, address: str, whole: bool, as_json: bool) -> None:
    """Write the path to ADDRESS as a session of its own, with a link back to FILE."""
    with open_session(file) as session, progress("writing"):
        written = (
            clone(session, destination) if whole else write_fork(session, destination, entry_at(session, address).id)
        )
    with Session.open(written) as copy:
        data = {"file": str(written), "id": copy.header.id, "parent_session": copy.header.parent_session}
    if as_json:
        emit_json(data)
    else:
        echo(f"{data['file']}  session {data['id']}")


@click.command()
@file_argument
@click.argument("address", required=False)
@click.argument("label_text", metavar="LABEL", required=False)
@click.option("--remove", is_flag=True, help="Take the label away.")
@json_option
def label(file: str, address: str | None, label_text: str | None, remove: bool, as_json: bool) -> None:
    """Label an entry of FILE, or list all labels. Labels are addresses."""
    if address is not None and bool(label_text) == remove:
        raise click.UsageError("give either a LABEL or --remove")
    with open_session(file) as session:
        if address is not None:
            session.set_label(entry_at(session, address).id, None if remove else label_text)
        labels = session.labels()
        texts = {entry_id: preview(entry, 200) for entry_id in labels if (entry := session.store.get(entry_id))}
    if as_json:
        emit_json({"labels": labels})
        return
    width = terminal_width()
    if not labels:
        echo("no labels: `treering label FILE ADDRESS LABEL` sets one")
    for entry_id, text in labels.items():
        left = width - len(one_line(text, 60)) - len(entry_id) - 4
        note = click.style(one_line(texts.get(entry_id, "(not in this file)"), max(20, left)), dim=True)
        echo(f"{click.style(one_line(text, 60), fg='blue', bold=True)}  {entry_id}  {note}")


@click.command()
@file_argument
@click.argument("new_name", metavar="NAME", required=False)
@json_option
def name(file: str, new_name: str | None, as_json: bool) -> None:
    """Name a session FILE, or tell its name."""
    with open_session(file) as session:
        if new_name is not None:
            set_name(session, new_name)
        found = read_outline(session).name
    if as_json:
        emit_json({"name": found})
    else:
        echo(one_line(found, 200) if found else "(no name)")


@click.command(short_help="Compare two branches of FILE.")
@file_argument
@click.argument("left")
@click.argument("right", default="HEAD")
@json_option
def diff(file: str, left: str, right: str, as_json: bool) -> None:
    """Compare two branches of FILE: where they part, and what each did to which files."""
    with open_session(file) as session, progress("reading"):
        found = compare_branches(session, entry_at(session, left).id, entry_at(session, right).id)
        ancestor = session.get(found.ancestor_id) if found.ancestor_id else None
    if as_json:
        emit_json({**msgspec.to_builtins(found), "modified_by_both": list(found.modified_by_both)})
        return
    width = terminal_width()
    parting = f"{ancestor.id}  {preview(ancestor, width - 30)}" if ancestor else "nowhere: they share no entry"
    echo(f"part at  {parting}")
    _echo_side(left, found.left, width)
    _echo_side(right, found.right, width)
    if found.modified_by_both:
        echo(f"\n{click.style('changed by both', fg='red', bold=True)}")
        for path in found.modified_by_both:
            echo(f"  {path}")


def _echo_side(address: str, side: BranchSide, width: int) -> None:
    size = f"{plural(side.turns, 'turn')}, {plural(side.messages, 'message')}, {plural(side.tokens, 'token')}"
    echo(f"\n{click.style(address, bold=True)}  {side.tip_id}, {size}")
    for request in side.requests[:10]:
        echo(f"  > {one_line(request, width - 4)}")
    if len(side.requests) > 10:
        echo(f"  > … {len(side.requests) - 10} more")
    for path in side.files.modified:
        echo(click.style(f"  M {path}", fg="yellow"))
    for path in side.files.read:
        echo(f"  R {path}")


@click.command()
@file_argument
@json_option
def vacuum(file: str, as_json: bool) -> None:
    """Erase the deleted branches of FILE for good. The old file stays beside it as a backup."""
    from treering.operations.vacuum import vacuum as erase

    result = erase(file)
    if as_json:
        emit_json({**msgspec.structs.asdict(result), "backup": str(result.backup) if result.backup else None})
    elif result.backup is None:
        echo("nothing to erase: no branch is deleted (`treering branch FILE --delete ADDRESS`)")
    else:
        saved = number(result.bytes_before - result.bytes_after)
        echo(f"erased {plural(result.erased, 'entry', 'entries')}, {saved} bytes; before: {result.backup}")
