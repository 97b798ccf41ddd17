"""compaction-guard: does it find every constraint of its own examples preserved, none dropped, weakened or changed?

Its corpus is in its source distribution. Each constraint stands in two kinds of history: the few messages that the
corpus has around it, and one of our real sessions, at its top.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from compaction_guard import Guard

from benchmarks.judges.common import judged_name, summarise
from benchmarks.judges.compactbench_presence import source_distribution
from benchmarks.judges.sessions import histories

VERSION = "0.1.0"
BUDGET = 2000
SMALL_BUDGET = 256


def main() -> None:
    corpus = source_distribution("compaction-guard", VERSION) / "evidence/corpus.jsonl"
    cases = [json.loads(line) for line in corpus.read_text(encoding="utf-8").split("\n") if line]
    constraints = {case["invariant"]: case["before"] for case in cases if case["label"] == "preserved"}
    print(f"compaction-guard, {judged_name()}: {len(constraints)} constraints")
    own = Counter()
    for constraint, before in constraints.items():
        text = summarise([(message["role"], message["content"]) for message in before], SMALL_BUDGET)
        own[verdict(constraint, text)] += 1
    print(f"{'own messages':24} {dict(own)}")
    for name, turns in histories()[:2]:
        found = Counter()
        for constraint in constraints:
            text = summarise([("user", f"Standing instruction: {constraint}"), *turns], BUDGET)
            found[verdict(constraint, text)] += 1
        print(f"{name:24} {dict(found)}")


def verdict(constraint: str, summary: str) -> str:
    """What the guard says of one constraint."""
    report = Guard([constraint]).check(summary)
    return report.findings[0].kind.value


if __name__ == "__main__":
    main()
