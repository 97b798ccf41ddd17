"""compaction-conformance-kit: do rules, facts, tasks and preferences survive five compactions of one's own output?

Run the kit's own benchmark on Treering:

    compaction-kit benchmark --spec benchmarks/judges/conformance_kit.py:Treering --budgets 10%,20%,30% --seeds 1-12

or this file, which runs the kit's corpus as it is, with the literal labels before its statements ("FACT: …") stripped,
and the corpus that it generates anew for each seed, and asks for rules word for word besides.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from compaction_kit.canaries import Canary
from compaction_kit.compacted import CompactedContext
from compaction_kit.corpus import build_random_session
from compaction_kit.generated import build_generated_session
from compaction_kit.runner import run_conformance
from compaction_kit.session import SeededSession, Turn

from benchmarks.judges.common import judged_name, summarise_to

BUDGETS = (0.10, 0.20, 0.30)
SEEDS = range(1, 13)
ROUNDS = 5
LABEL = re.compile(r"\b(?:SAFETY RULE|HARD CONSTRAINT|FACT|GOAL STATE|USER PREFERENCE): ")


class Treering:
    """The kit's protocol of a compactor around a summarizer."""

    name = f"treering {judged_name()}"

    def compact(self, turns: list[Turn], round_num: int = 1, budget_chars: int | None = None) -> CompactedContext:
        """What the turns become. A context that fits already is left alone, as the engine does."""
        whole = "\n".join(turn.text for turn in turns)
        limit = budget_chars if budget_chars is not None else len(whole) // 5
        fits = len(whole) <= limit
        text = whole if fits else summarise_to([(turn.role, turn.text) for turn in turns], limit)
        return CompactedContext(text=text, compactor_name=self.name, round_num=round_num)


def stripped(session: SeededSession, canaries: list[Canary]) -> tuple[SeededSession, list[Canary]]:
    """The session without the labels before its statements."""
    turns = tuple(replace(turn, text=LABEL.sub("", turn.text)) for turn in session.turns)
    plain = [replace(canary, content=LABEL.sub("", canary.content)) for canary in canaries]
    return replace(session, turns=turns), plain


def main() -> None:
    builders = {
        "as it is": build_random_session,
        "labels stripped": lambda seed: stripped(*build_random_session(seed)),
        "generated": build_generated_session,
        "generated, stripped": lambda seed: stripped(*build_generated_session(seed)),
    }
    print(f"compaction-conformance-kit, {Treering.name}: seeds {SEEDS.start}-{SEEDS.stop - 1}, {ROUNDS} rounds")
    print(f"{'corpus':20} {'budget':>6} {'round 1':>8} {'round 5':>8} {'word for word':>14} {'stale':>8} {'within':>7}")
    for name, build in builders.items():
        for budget in BUDGETS:
            first = last = verbatim = total = stale = changed = over = 0
            for seed in SEEDS:
                session, canaries = build(seed)
                run = run_conformance(session, Treering(), rounds=ROUNDS, canaries=canaries, budget_fraction=budget)
                final = run.rounds[-1]
                text = final.context.text.lower()
                total += len(canaries)
                first += sum(run.rounds[0].survived.values())
                last += sum(final.survived.values())
                verbatim += sum(canary.content.lower() in text for canary in canaries)
                over += not all(result.within_budget for result in run.rounds)
                for canary in canaries:
                    if canary.superseded_tokens:
                        changed += 1
                        stale += any(token.lower() in text for token in canary.superseded_tokens)
            print(
                f"{name:20} {budget:6.0%} {first / total:8.1%} {last / total:8.1%} {verbatim / total:14.1%}"
                f" {stale / max(changed, 1):8.1%} {'no' if over else 'yes':>7}"
            )


if __name__ == "__main__":
    main()
