"""The extractive summarizer: a summary without a model, made of what the session itself said."""

from __future__ import annotations

from treering.compaction.summarizer import Summary, SummaryRequest, join_split_turn
from treering.facts.lexicon import Lexicon, Term
from treering.facts.select import Candidate, choose, quote_candidates, term_values
from treering.facts.state import FactState
from treering.session.messages import Message, TextBlock, ThinkingBlock, ToolCallBlock
from treering.tokens.estimate import estimate_text

MARGIN = 1.05


class ExtractiveSummarizer:
    """Summarises by quotation."""

    name = "extractive"

    def summarize(self, request: SummaryRequest) -> Summary:
        return Summary(text=Writer(request).text(), short=None, summarizer=self.name)


def message_text(message: Message) -> str:
    out = []
    for b in message.blocks:
        if isinstance(b, (TextBlock, ThinkingBlock)):
            out.append(b.text)
        elif isinstance(b, ToolCallBlock):
            out.extend(v for v in _strings(b.arguments))
    return "\n".join(out)


def _strings(v):
    if isinstance(v, str):
        yield v
    elif isinstance(v, dict):
        for x in v.values():
            yield from _strings(x)
    elif isinstance(v, list):
        for x in v:
            yield from _strings(x)


class Writer:
    def __init__(self, request: SummaryRequest) -> None:
        self.request = request
        self.state: FactState = request.facts
        self.lexicon = Lexicon()
        self.kept_text = "\n".join(message_text(m.message) for m in request.kept)
        self.shown = frozenset(self.lexicon.terms(self.kept_text))

    def text(self) -> str:
        s = self.state
        room = int(self.request.budget / MARGIN) - 60
        count = estimate_text
        rules = [r.text for r in s.rules]
        values = term_values(s, self.shown)
        reqs = list(s.requests)
        # user text
        chosen_reqs = []
        used = 0
        limit = int(room * 0.5)
        order = [reqs[-1]] + [r for r in reversed(reqs[:-1])] if reqs else []
        for r in order:
            c = count(r.text) + 4
            if used + c > limit and chosen_reqs:
                continue
            used += c
            chosen_reqs.append(r)
        rset = {id(r) for r in chosen_reqs}
        usertext = " ".join(r.text for r in chosen_reqs)
        rules = [r for r in rules if r not in usertext]
        for r in rules:
            used += count(r) + 3
        room -= used
        covered: set[Term] = set(self.lexicon.terms(usertext))
        keptcmd = self.kept_text
        cmds = [c for c in s.commands.values()] if isinstance(s.commands, dict) else list(s.commands)
        cmds = [c for c in cmds if c.key not in keptcmd]
        cmds.sort(key=lambda c: (-c.times, -c.at))
        cl = []
        croom = int(self.request.budget * 0.14)
        for c in cmds:
            t = c.text if len(c.text) <= 40 else c.key
            k = count(t) + 2
            if k > croom:
                continue
            croom -= k
            room -= k
            cl.append("`" + t + "`")
        files = sorted(s.files, key=lambda f: (f.operation == "read", -f.at))
        cands = quote_candidates(s, self.lexicon, count, lambda t: False)
        chosen = choose(cands, values, room, covered)
        story: dict[int, list[Candidate]] = {}
        ctx = []
        for c in chosen:
            if c.part == "story":
                story.setdefault(c.turn, []).append(c)
            else:
                ctx.append(c)
        out = ["## Progress"]
        if rules:
            out += ["## Rules"] + ["- " + r for r in rules]
        allturns = {r.turn: r for r in reqs}
        for turn in sorted(set(story) | {r.turn for r in chosen_reqs}):
            r = allturns.get(turn)
            if r and id(r) in rset:
                out.append("- " + r.text)
            for c in sorted(story.get(turn, []), key=lambda c: c.at):
                out.append("  - " + c.text)
        out += ["## Context"]
        out += ["- " + c.text for c in sorted(ctx, key=lambda c: c.at)]
        if cl:
            out.append("- " + " · ".join(cl))
        return "\n".join(out)
