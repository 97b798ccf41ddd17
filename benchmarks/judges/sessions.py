"""Histories of real sessions as lists of role and text, for judges that bring none of their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from treering.compaction.summarizer import SpanMessage
from treering.evaluation.hindsight import whole_history
from treering.evaluation.texts import read_part, strip_line_numbers
from treering.session.tree import Session

SESSIONS = Path(__file__).resolve().parents[3] / "shared/sessions/pi"
ROLES = {"user": "user", "assistant": "assistant", "toolResult": "tool", "bashExecution": "user"}


@cache
def histories(pattern: str = "real-*.v3.jsonl") -> list[tuple[str, list[tuple[str, str]]]]:
    """Name and turns of each session, smallest file first."""
    files = sorted(SESSIONS.glob(pattern), key=lambda file: file.stat().st_size)
    return [(file.name, _turns(file)) for file in files]


def _turns(file: Path) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    with Session.open(file) as session:
        for entry in whole_history(session.path()):
            if entry.message is not None:
                text = read_part([SpanMessage(entry.id, entry.message)]).text
                turns.append((ROLES.get(entry.message.role, "user"), strip_line_numbers(text)))
    return turns
