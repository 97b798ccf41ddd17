"""How chosen facts are laid out as Markdown, for a person who takes over the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from treering.compaction.summarizer import join_split_turn
from treering.compaction.transcript import neutralise
from treering.facts.requests import Request
from treering.facts.roles import ASSISTANT, USER
from treering.facts.said import UserWords
from treering.facts.select import Selection, command_text, is_story, shown_under
from treering.facts.state import FactState, Quote
from treering.summarizers.sections import Headings

SCARCE = 80
"""Below so many tokens the last request leaves no room for anything else, and is weighed like the rest."""


def lay_out(chosen: Selection, state: FactState, words: Headings, *, split_turn: bool, framed: bool) -> str:
    """The chosen facts as a summary with sections.

    Args:
        chosen: what goes in.
        state: where it was chosen from.
        words: headings.
        split_turn: whether the cut split the last turn; what belongs to it is then a part of its own.
        framed: whether sections have headings; else a blank line parts them.
    """
    section = _section if framed else _paragraph
    goal = _goal(chosen.requests)
    story, notes, code = _by_kind(chosen, state)
    in_progress = [f"- {text}" for text in story.pop(state.turn, ())]

    def asked(requests: Iterable[Request]) -> list[str]:
        return [
            line
            for request in requests
            for line in (f"- {request.shown}", *(f"  - {text}" for text in story.get(request.turn, ())))
        ]

    done = asked(chosen.requests[: len(chosen.requests) - len(goal)])
    steps = [f"- {text}" for text in (chosen.question, *(task.text for task in chosen.tasks)) if text]
    blocked = [f"- {error.text}" for error in chosen.errors if not error.slip]
    notes.extend(f"- {error.text}" for error in chosen.errors if error.slip)
    out: list[str] = []
    section(out, f"## {words.goal}", asked(goal))
    section(out, f"## {words.constraints}", [f"- {rule.text}" for rule in chosen.rules])
    progress: list[str] = []
    in_parts = framed and bool(blocked or (in_progress and not split_turn))
    if done and not in_parts:
        progress.extend(done)
    else:
        section(progress, f"### {words.asked}", done)
    if not split_turn:
        section(progress, f"### {words.in_progress}", in_progress)
    section(progress, f"### {words.blocked}", blocked)
    section(out, f"## {words.progress}", progress)
    section(out, f"## {words.decisions}", [f"- {quote.text}" for quote in chosen.decisions])
    if not split_turn:
        section(out, f"## {words.next_steps}", steps)
    section(out, f"## {words.context}", [*notes, *_code_map(code, chosen.names), *_commands(chosen, words)])
    if chosen.left_out > 0:
        out.extend(["", words.left_out.format(count=chosen.left_out)])
    text = "\n".join(out).strip()
    if split_turn and (in_progress or steps):
        prefix: list[str] = []
        section(prefix, f"### {words.in_progress}", in_progress)
        section(prefix, f"### {words.next_steps}", steps)
        return join_split_turn(text, "\n".join(prefix))
    return text


def essentials(state: FactState, limit: int, count: Callable[[str], int]) -> str:
    """The last request, the rules, the open question, and what else the user laid down if there is room. No frame."""
    room, scarce = limit * 3 // 2, limit < SCARCE
    bullet = "" if scarce else "- "
    words = UserWords(state, count)
    while True:
        said = words.choose(room, scarce=scarce)
        last = said.requests[-1:] if said.has_last else []
        texts = [request.shown for request in last] + ([said.question] if said.question else [])
        texts += [rule.text for rule in said.rules] + [
            request.shown for request in said.requests[: -1 if last else None]
        ]
        lines = [neutralise(f"{bullet}{text}") for text in texts]
        if count("\n".join(lines)) <= limit:
            return "\n".join(lines)
        if room <= 0:
            break
        room = min(room - 1, room * 15 // 16)
    # Not even the last request fits: as much of it as does.
    text = lines[0] if lines else ""
    while text and count(text) > limit:
        text = text[: len(text) * 3 // 4].rstrip()
    return text


def _goal(requests: Sequence[Request]) -> Sequence[Request]:
    """The request in hand, and if it says only yes or is mere output, those before it, back to one that says what."""
    start = len(requests) - 1
    while start > 0 and not requests[start].tells:
        start -= 1
    return requests[max(start, 0) :]


def _by_kind(chosen: Selection, state: FactState) -> tuple[dict[int, list[str]], list[str], dict[str, list[Quote]]]:
    """What is told at its turn, what was noted on the way, and code by its file.

    Of a turn that is over only its outcome is told where it happened, of the one at work what was said, too: what was
    thought may have been refuted since.
    """
    shown = {request.turn for request in chosen.requests}
    outcomes = {request.outcome for request in state.requests}
    story: dict[int, list[str]] = {}
    notes: list[str] = []
    code: dict[str, list[Quote]] = {}
    for quote in chosen.quotes:
        at_work = quote.turn == state.turn and quote.source & (USER | ASSISTANT)
        if not is_story(quote):
            code.setdefault(shown_under(quote), []).append(quote)
        elif at_work or (quote.text in outcomes and quote.turn in shown):
            story.setdefault(quote.turn, []).append(quote.text)
        else:
            notes.append(f"- {quote.text}")
    return story, notes, code


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


def _paragraph(out: list[str], _heading: str, lines: list[str]) -> None:
    if lines:
        out.extend(["", *lines] if lines[0] else lines)
