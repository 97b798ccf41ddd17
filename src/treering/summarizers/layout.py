"""How chosen facts are laid out as Markdown, for a person who takes over the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treering.compaction.summarizer import join_split_turn
from treering.compaction.transcript import neutralise
from treering.facts.lexicon import sentences
from treering.facts.requests import shortened
from treering.facts.roles import ASSISTANT, THINKING, USER
from treering.facts.select import Selection, command_text
from treering.facts.state import FactState, Quote
from treering.summarizers.sections import Headings


def lay_out(chosen: Selection, state: FactState, words: Headings, *, split_turn: bool) -> str:
    """The chosen facts as a summary with sections.

    Args:
        chosen: what goes in.
        state: where it was chosen from.
        words: headings.
        split_turn: whether the cut split the last turn; what belongs to it is then a part of its own.
    """
    story, code = _by_turn(chosen.quotes)
    last = chosen.requests[-1] if chosen.requests else None
    now = state.turn
    done: list[str] = []
    requests = {request.turn: request for request in chosen.requests if request is not last}
    for turn in sorted({*story, *requests} - {now}):
        if turn in requests:
            done.append(f"- {requests[turn].text}")
        done.extend(f"  - {quote.text}" for quote in story.get(turn, ()))
    in_progress = [f"- {quote.text}" for quote in story.get(now, ())]
    steps = [f"- {text}" for text in (chosen.question, *(task.text for task in chosen.tasks)) if text]
    blocked = [f"- {error.text}" for error in chosen.errors]
    out: list[str] = []
    _section(out, f"## {words.goal}", [f"- {last.text}"] if last else [])
    _section(out, f"## {words.constraints}", [f"- {rule.text}" for rule in chosen.rules])
    progress: list[str] = []
    _section(progress, f"### {words.done}", done)
    if not split_turn:
        _section(progress, f"### {words.in_progress}", in_progress)
    _section(progress, f"### {words.blocked}", blocked)
    if progress:
        out.extend(["", f"## {words.progress}", *progress])
    _section(out, f"## {words.decisions}", [f"- {quote.text}" for quote in chosen.decisions])
    if not split_turn:
        _section(out, f"## {words.next_steps}", steps)
    _section(out, f"## {words.context}", [*_code_map(code, chosen.names), *_commands(chosen, words)])
    if chosen.left_out > 0:
        out.extend(["", words.left_out.format(count=chosen.left_out)])
    text = "\n".join(out).strip()
    if split_turn and (in_progress or steps):
        prefix: list[str] = []
        _section(prefix, f"### {words.in_progress}", in_progress)
        _section(prefix, f"### {words.next_steps}", steps)
        return join_split_turn(text, "\n".join(prefix))
    return text


def essentials(state: FactState, limit: int, count: Callable[[str], int]) -> str:
    """The last request, as many rules as fit, and the open question, without any frame."""
    last = state.requests[-1] if state.requests else None
    lines = [f"- {last.question}"] if last and last.question else []
    if last:
        lines.insert(0, f"- {shortened(sentences(last.text), max(80, 2 * limit))}")
    lines = [neutralise(line) for line in lines]
    while lines and count("\n".join(lines)) > limit:
        lines.pop()
    for rule in sorted(state.rules, key=lambda rule: (len(rule.text), -rule.at)):
        line = neutralise(f"- {rule.text}")
        if line not in lines and count("\n".join((*lines, line))) <= limit:
            lines.append(line)
    return "\n".join(lines)


def _by_turn(quotes: Iterable[Quote]) -> tuple[dict[int, list[Quote]], dict[str, list[Quote]]]:
    story: dict[int, list[Quote]] = {}
    code: dict[str, list[Quote]] = {}
    for quote in quotes:
        if quote.source & (USER | ASSISTANT | THINKING) and not quote.home:
            story.setdefault(quote.turn, []).append(quote)
        else:
            code.setdefault(quote.home.rsplit("/", 1)[-1], []).append(quote)
    return story, code


def _code_map(code: dict[str, list[Quote]], names: dict[str, list[str]]) -> list[str]:
    """Names and lines of code under the file that they stand in, as a block of code."""
    out: list[str] = []
    for home in sorted({*code, *names} - {""}):
        out.append(f"{home}: {', '.join(names[home])}" if home in names else f"{home}:")
        out.extend(f" {quote.text}" for quote in code.get(home, ()))
    out.extend(quote.text for quote in code.get("", ()))
    if "" in names:
        out.append(", ".join(names[""]))
    return ["```", *out, "```"] if out else []


def _commands(chosen: Selection, words: Headings) -> list[str]:
    out: list[str] = []
    if chosen.commands:
        out.append(f"{words.commands}: " + " · ".join(command_text(command) for command in chosen.commands))
    if chosen.test:
        out.append(f"{words.test}: {chosen.test.text}")
    return out


def _section(out: list[str], heading: str, lines: list[str]) -> None:
    if lines:
        out.extend(["", heading, *lines])
