"""`show`, `context` and `entry`: what a session is, what its model is sent, and any entry whole."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections import Counter
from typing import Any

import click
import msgspec

from treering.cli.bars import Part, bar, legend
from treering.cli.common import (
    echo,
    echo_whole,
    emit_json,
    entry_at,
    file_argument,
    json_option,
    number,
    open_session,
    percent,
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


@click.command(short_help="Tell what a session is: entries, branches, tokens.")
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
    name = one_line(data["name"] or os.path.basename(file), 200)
    echo(f"{click.style(name, bold=True)}  {data['format']}, {_size(data['bytes'])}")
    echo(f"  session      {data['id']}, begun {data['timestamp'][:16].replace('T', ' ')}")
    echo(f"  directory    {one_line(data['cwd'], 4096) or '(not recorded)'}")
    echo(textwrap.fill(f"  entries      {_entries(data)}", width, subsequent_indent=" " * 15))
    echo(f"  branches     {plural(data['branches'], 'end')}, leaf {data['leaf'] or '(before the first entry)'}")
    echo(f"  compactions  {_compactions(data)}")
    echo(f"  model        {one_line(data['model'] or '(not recorded)', 200)}, thinking {data['thinking_level']}")
    state = f"{percent(tokens, limit)} of a window of {number(limit)}"
    echo(f"  context      {number(tokens)} tokens, {state}")
    echo(f"  [{bar([Part('context', tokens, 'red' if tokens > limit else 'green')], limit, width - 4)}]")
    if tokens > limit:
        option = f" --window {window}" if window else ""  # without it, another window would be meant
        echo(f"  It is over: `treering compact {shlex.quote(file)}{option}` makes it fit.")


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


_NOUNS = {
    "user": "user message",
    "assistant": "answer",
    "toolResult": "tool result",
    "bashExecution": "shell command",
    "custom": "custom message",
}


def _entries(data: dict[str, Any]) -> str:
    """`404: 23 user messages, 106 answers, 268 tool results, 1 shell command, 6 others`."""
    roles: dict[str, int] = data["roles"]
    parts = [plural(count, _NOUNS.get(role, one_line(role, 40))) for role, count in roles.items()]
    others = data["entries"] - sum(roles.values())
    if others and parts:
        parts.append(plural(others, "other"))
    return f"{number(data['entries'])}: {', '.join(parts) or 'no messages'}"


def _compactions(data: dict[str, Any]) -> str:
    if not data["compactions"]:
        return "none"
    force = f", {data['compaction']} is in force" if data["compaction"] else ", none is in force at the leaf"
    return f"{number(data['compactions'])}{force}"


def _size(count: int | None) -> str:
    if count is None:
        return "in memory"
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


@click.command(short_help="Show what the model is sent, and what fills it.")
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
    share = f"{percent(size.tokens, limit)} of {number(limit)}"
    echo(f"{plural(len(messages), 'message')}, {number(size.tokens)} tokens, {share}")
    echo(f"[{bar(parts, max(limit, size.tokens), width - 2)}]")
    for line in legend(parts, max(10, width - 50)):
        echo(line)
    if messages:
        echo()
    skip = range(LISTED, len(messages) - 2 * LISTED) if not everything else range(0)
    for index, (entry_id, message) in enumerate(messages):
        if index in skip:
            if index == skip.start:
                echo(f"  … {plural(len(skip), 'message')} more (--all) …")
            continue
        tokens = number(estimate_message(message))
        head = f"{(entry_id or '–')[:16]:<16} {one_line(message.role, 17):<17} {tokens:>7}  "
        echo(head + one_line(glimpse(message), width - len(head)))


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
            tokens[f"output of {one_line(message.tool_name or 'a tool', 24)}"] += whole
        else:
            names = {"compactionSummary": "summary", "branchSummary": "branch summary", "bashExecution": "user's shell"}
            tokens[names.get(message.role, one_line(message.role, 24))] += whole
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


@click.command(short_help="Print any entry whole, also a compacted or pruned one.")
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
    echo(f"{click.style(found.id, bold=True)}  {found.type}{role}, {found.timestamp}, {state}")
    echo(f"parent {found.parent_id or '–'}, {plural(entry_tokens(found), 'token')}\n")
    echo_whole(whole_text(found))


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
