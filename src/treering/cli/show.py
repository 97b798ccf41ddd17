"""`show`, `context` and `entry`: what a session is, what its model is sent, and any entry whole."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import click
import msgspec

from treering.cli.bars import Part, bar, legend
from treering.cli.common import (
    emit_json,
    entry_at,
    file_argument,
    for_terminal,
    json_option,
    number,
    open_session,
    plural,
    progress,
    terminal_width,
    warnings_of,
    window_option,
)
from treering.operations.measure import measure
from treering.session.context import Context
from treering.session.entries import Entry
from treering.session.llm import to_llm
from treering.session.messages import Message, TextBlock, ThinkingBlock, ToolCallBlock
from treering.session.rows import one_line
from treering.session.tree import Session
from treering.settings import DEFAULT_WINDOW
from treering.tokens.estimate import estimate_message, estimate_text
from treering.tokens.sizes import entry_tokens

LISTED = 12
"""Messages that are listed at the beginning and, twice as many, at the end of a long context."""


@click.command()
@file_argument
@window_option
@json_option
def show(file: str, window: int | None, as_json: bool) -> None:
    """Tell what a session FILE is: entries, branches, tokens, compactions."""
    with open_session(file) as session, progress("reading"):
        data = _describe(session, window or DEFAULT_WINDOW)
    if as_json:
        emit_json(data)
        return
    tokens, limit = data["tokens"], data["window"]
    width = terminal_width()
    roles = ", ".join(plural(count, role) for role, count in data["roles"].items())
    name = data["name"] or os.path.basename(file)
    click.echo(f"{click.style(name, bold=True)}  {data['format']}, {_size(data['bytes'])}")
    click.echo(f"  session      {data['id']}, begun {data['timestamp'][:16].replace('T', ' ')}")
    click.echo(f"  directory    {data['cwd'] or '(not recorded)'}")
    click.echo(f"  entries      {number(data['entries'])}: {roles or 'no messages'}")
    click.echo(f"  branches     {plural(data['branches'], 'end')}, leaf {data['leaf'] or '(before the first entry)'}")
    click.echo(f"  compactions  {_compactions(data)}")
    click.echo(f"  model        {data['model'] or '(not recorded)'}, thinking {data['thinking_level']}")
    state = f"{tokens / limit:.0%} of a window of {number(limit)}"
    click.echo(f"  context      {number(tokens)} tokens, {state}")
    click.echo(f"  [{bar([Part('context', tokens, 'red' if tokens > limit else 'green')], limit, width - 4)}]")
    if tokens > limit:
        click.echo(f"  It is over: `treering compact {file}` makes it fit.")


def _describe(session: Session, window: int) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    parents: set[str] = set()
    seen: dict[str, None] = {}
    name = ""
    for entry in session.store.scan():
        if entry.id in seen:
            continue
        seen[entry.id] = None
        kinds[entry.type] += 1
        if entry.parent_id:
            parents.add(entry.parent_id)
        if entry.type == "message":
            roles[_role(entry)] += 1
        if entry.type == "session_info":
            name = str(entry.body.get("name") or "").strip()
    context = session.context()
    header = session.header
    path = getattr(session.store, "path", None)
    return {
        "file": str(path) if path else None,
        "format": f"pi session, version {header.version}",
        "bytes": os.path.getsize(path) if path else None,
        "id": header.id,
        "version": header.version,
        "timestamp": header.timestamp,
        "cwd": header.cwd,
        "parent_session": header.parent_session,
        "name": name or None,
        "entries": sum(kinds.values()),
        "types": dict(kinds),
        "roles": dict(roles),
        "branches": sum(1 for entry_id in seen if entry_id not in parents),
        "compactions": kinds["compaction"],
        "compaction": context.compaction.id if context.compaction else None,
        "leaf": session.leaf_id,
        "model": "/".join(filter(None, context.model[:2])) or None,
        "thinking_level": context.model.thinking_level,
        "tokens": measure(context).tokens,
        "messages": len(context),
        "window": window,
        "warnings": warnings_of(session),
    }


class _Role(msgspec.Struct):
    role: str = "unknown"


class _RoleOfMessage(msgspec.Struct):
    message: _Role


_decode_role = msgspec.json.Decoder(_RoleOfMessage).decode


def _role(entry: Entry) -> str:
    """The role of a message, without decoding the rest of it."""
    try:
        return _decode_role(entry.raw).message.role
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return entry.message.role if entry.message else "unknown"


def _compactions(data: dict[str, Any]) -> str:
    if not data["compactions"]:
        return "none"
    force = f", {data['compaction']} is in force" if data["compaction"] else ", none is in force at the leaf"
    return f"{number(data['compactions'])}{force}"


def _size(count: int | None) -> str:
    if count is None:
        return "in memory"
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


@click.command()
@file_argument
@click.option("--leaf", metavar="ID", help="Of this entry instead of the leaf.")
@click.option("--llm", is_flag=True, help="As a provider is sent it: pairs whole, our own roles as user messages.")
@click.option("--all", "everything", is_flag=True, help="List every message.")
@window_option
@json_option
def context(file: str, leaf: str | None, llm: bool, everything: bool, window: int | None, as_json: bool) -> None:
    """Show what the model is sent at the leaf of FILE, and what fills it."""
    with open_session(file) as session, progress("reading"):
        entry_id = entry_at(session, leaf).id if leaf else None
        found = session.context(entry_id)
        size = measure(found)
        messages = _messages(found, llm=llm)
        parts = what_fills(found)
        outside = size.tokens - sum(part.tokens for part in parts)
        if outside > 0:  # what the provider counted beyond the messages
            parts.append(Part("system prompt, tools", outside))
    if as_json:
        listed = [
            {"entry_id": entry_id, "role": message.role, "tokens": estimate_message(message), "message": message.raw}
            for entry_id, message in messages
        ]
        emit_json({"tokens": size.tokens, "leaf": found.leaf_id, "messages": listed})
        return
    limit = window or DEFAULT_WINDOW
    width = terminal_width()
    share = f"{size.tokens / limit:.0%} of {number(limit)}"
    click.echo(f"{plural(len(messages), 'message')}, {number(size.tokens)} tokens, {share}")
    click.echo(f"[{bar(parts, max(limit, size.tokens), width - 2)}]")
    for line in legend(parts, max(10, width - 50)):
        click.echo(line)
    click.echo()
    skip = range(LISTED, len(messages) - 2 * LISTED) if not everything else range(0)
    for index, (entry_id, message) in enumerate(messages):
        if index in skip:
            if index == skip.start:
                click.echo(f"  … {plural(len(skip), 'message')} more (--all) …")
            continue
        tokens = number(estimate_message(message))
        head = f"{(entry_id or '–')[:16]:<16} {message.role:<17.17} {tokens:>7}  "
        click.echo(head + one_line(glimpse(message), width - len(head)))


def _messages(found: Context, *, llm: bool) -> list[tuple[str | None, Message]]:
    if not llm:
        return [(item.entry_id, item.message) for item in found]
    return [(item.entry_ids[0] if item.entry_ids else None, item.message) for item in to_llm(found)]


def what_fills(found: Context) -> list[Part]:
    """The parts of a context: summaries, user, assistant, thinking, calls, and output by tool, largest first."""
    tokens: Counter[str] = Counter()
    for item in found:
        message = item.message
        whole = estimate_message(message)
        if message.role == "assistant":
            thinking = sum(estimate_text(block.text) for block in message.blocks if isinstance(block, ThinkingBlock))
            text = sum(estimate_text(block.text) for block in message.blocks if isinstance(block, TextBlock))
            tokens["thinking"] += thinking
            tokens["assistant"] += text
            tokens["tool calls"] += max(0, whole - thinking - text)
        elif message.role == "toolResult":
            tokens[f"output of {message.tool_name or 'a tool'}"] += whole
        else:
            names = {"compactionSummary": "summary", "branchSummary": "branch summary", "bashExecution": "user's shell"}
            tokens[names.get(message.role, message.role)] += whole
    first = ("summary", "branch summary", "user", "assistant", "thinking", "tool calls")
    outputs = sorted((name for name in tokens if name not in first), key=lambda name: -tokens[name])
    if len(outputs) > 8:
        tokens["everything else"] = sum(tokens[name] for name in outputs[7:])
        outputs = [*outputs[:7], "everything else"]
    colors = {
        "summary": "magenta",
        "branch summary": "magenta",
        "user": "green",
        "assistant": "blue",
        "thinking": "cyan",
    }
    return [Part(name, tokens[name], colors.get(name, "yellow")) for name in (*first, *outputs) if tokens[name]]


def glimpse(message: Message) -> str:
    """A message in a few words: its text, else its calls."""
    text = message.text.strip()
    calls = "; ".join(f"{call.name} {_first_argument(call)}" for call in message.tool_calls)
    if text and calls:
        return f"{text[:200]} → {calls}"
    return text or (f"→ {calls}" if calls else "(thinking)" if message.role == "assistant" else "(empty)")


def _first_argument(call: ToolCallBlock) -> str:
    return next((value for value in call.arguments.values() if isinstance(value, str)), "")


@click.command()
@file_argument
@click.argument("entry_id", metavar="ID")
@json_option
def entry(file: str, entry_id: str, as_json: bool) -> None:
    """Print one entry of FILE whole, also one that was pruned or compacted. ID may also be
    its beginning, a label, HEAD, or HEAD~2 (two turns back)."""
    with open_session(file) as session:
        found = entry_at(session, entry_id)
        state = _state(session, found)
    if as_json:
        emit_json({"id": found.id, "state": state, "tokens": entry_tokens(found), "entry": found.body})
        return
    message = found.message
    role = f" ({message.role})" if message else ""
    click.echo(f"{click.style(found.id, bold=True)}  {found.type}{role}, {found.timestamp}, {state}")
    click.echo(f"parent {found.parent_id or '–'}, {plural(entry_tokens(found), 'token')}\n")
    click.echo(for_terminal(whole_text(found)))


def _state(session: Session, found: Entry) -> str:
    """Where an entry stands: `sent`, `pruned`, `compacted`, `metadata`, or `on another branch`."""
    path = session.path()
    position = path.index_of(found.id)
    if position is None:
        return "on another branch"
    if found.message is None or (found.type == "compaction" and found is not path.compaction):
        return "metadata" if found.type != "compaction" else "superseded"
    if found.type != "compaction" and position < path.start:
        return "compacted"
    return "pruned" if found.id in path.pruned else "sent"


def whole_text(found: Entry) -> str:
    """All that an entry says, for people; the JSON of one that says nothing."""
    message = found.message
    if message is None:
        import json

        return json.dumps(found.body, indent=2, ensure_ascii=False)
    parts: list[str] = []
    for block in message.blocks:
        if isinstance(block, TextBlock):
            parts.append(block.text)
        elif isinstance(block, ThinkingBlock):
            parts.append(f"[thinking]\n{block.text}")
        elif isinstance(block, ToolCallBlock):
            arguments = "\n".join(f"  {key}: {value}" for key, value in block.arguments.items())
            parts.append(f"[call {block.id}] {block.name}\n{arguments}")
        else:
            parts.append(f"[{type(block).__name__.removesuffix('Block').lower()}]")
    return "\n\n".join(parts)
