"""The extractive summarizer: a summary without a model, made of what the session itself said.

Everything but headings and a few words of glue is a quotation, so nothing is invented. What goes in is chosen from
the facts (`treering.facts.select`) by how likely it is needed again; the text is then laid out for a person who takes
over: what is wanted, what must be kept to, what was done request by request, what is next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treering.compaction.files import strip_file_tags
from treering.compaction.summarizer import SpanMessage, Summary, SummaryRequest
from treering.compaction.transcript import neutralise
from treering.facts.commands import command_keys
from treering.facts.fold import fold
from treering.facts.lexicon import sentences
from treering.facts.requests import telling_request
from treering.facts.select import Selector
from treering.facts.state import FactState
from treering.facts.tools import command_of
from treering.session.messages import decode_message, whole_text
from treering.summarizers.layout import essentials, lay_out
from treering.summarizers.sections import headings_for
from treering.tokens.estimate import estimate_text

MARGIN = 1.08
"""The estimator may be a few percent low, so a budget is filled to the estimate times this."""

ESSENTIALS_BELOW = 256
"""Below so many tokens only the last request, the rules and the open question are given."""

FRAMED_FROM = 512
"""Below so many tokens the sections have no headings: the room is for what is told."""

_FRAME = 60
_ROUNDS = 7
_SHORT_CHARS = 200


class ExtractiveSummarizer:
    """Summarises by quotation, without a model; the default, and the last resort of every chain."""

    name = "extractive"

    def summarize(self, request: SummaryRequest) -> Summary:
        """The summary of the request's facts. The same request gives the same bytes.

        The text fits the budget by the estimator times `MARGIN`.
        """
        state = _with_foreign_summary(request)
        limit = int(request.budget / MARGIN)
        small = request.budget < ESSENTIALS_BELOW
        text = essentials(state, limit, _count) if small else _fill(request, state, limit)
        return Summary(text=text, short=short_summary(state), summarizer=self.name)


def _fill(request: SummaryRequest, state: FactState, limit: int) -> str:
    selector = Selector(
        state,
        kept_text="\n".join(whole_text(span.message) for span in request.kept),
        kept_commands=commands_of(request.kept),
        instructions=request.instructions or "",
        count=_count,
        budget=request.budget,
    )
    words, framed = headings_for(state.language), request.budget >= FRAMED_FROM
    # The size of the frame depends on what is chosen: a few rounds find the room that fills the budget.
    room, low, high, best = limit - _FRAME, 0, 2 * limit, ""
    for _ in range(_ROUNDS):
        chosen = selector.select(room)
        tried = neutralise(lay_out(chosen, state, words, split_turn=bool(request.turn_prefix), framed=framed))
        spare = limit - _count(tried)
        if spare >= 0:
            low, best = room, tried
            if spare < _FRAME // 5:
                break
        else:
            high = room
        room = min(max(room + spare, low + 1), high - 1)
        if room <= low:
            break
    return best or essentials(state, limit, _count)


def short_summary(state: FactState) -> str | None:
    """Two or three sentences for people: what was asked last, what came of it, what was asked first."""
    if not state.requests:
        return None
    last = state.requests[-1]
    wanted = telling_request(state.requests) or last
    parts = [_first_sentence(wanted.parts[0])]
    if last.question:
        parts.append(last.question)
    elif last.outcome:
        parts.append(_first_sentence(last.outcome))
    first = _first_sentence(state.requests[0].parts[0])
    if len(state.requests) > 1 and first not in parts:
        parts.insert(0, first)
    return neutralise(" ".join(part if part[-1] in ".?!。？！।…" else f"{part}." for part in parts if part))


def commands_of(messages: Iterable[SpanMessage]) -> frozenset[str]:
    """Program and first argument of all commands in the messages."""
    return frozenset(
        key
        for span in messages
        for call in span.message.tool_calls
        for key, _ in command_keys(command_of(call.name, call.arguments))
    )


def _with_foreign_summary(request: SummaryRequest) -> FactState:
    """The facts; if they begin with this span though something was summarised before it, with that summary's facts."""
    span = (*request.history, *request.turn_prefix)
    if not request.previous_summary or request.facts.messages != len(span):
        return request.facts
    text = strip_file_tags(request.previous_summary)
    message = decode_message({"role": "compactionSummary", "summary": text})
    return fold(fold(FactState(), [SpanMessage("", message)], cwd=request.cwd), span, cwd=request.cwd)


def _first_sentence(text: str) -> str:
    first = next(iter(sentences(text)), text)
    return first if len(first) <= _SHORT_CHARS else first[:_SHORT_CHARS].rsplit(" ", 1)[0] + " …"


_count: Callable[[str], int] = estimate_text
