"""What a summary keeps, on real sessions: the table and the plot of the documentation.

    python benchmarks/retention.py                 the sessions of ../shared, all summarizers that need no model
    python benchmarks/retention.py FILE…           sessions of one's own
    python benchmarks/retention.py --quick         two budgets, and no rounds

It prints the means over cut points at 50, 70 and 85 %, and what the goals are; then the rounds, then (with --judges)
what the public judges say.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from treering.evaluation.report import Result, Row, mean_rows
from treering.evaluation.rounds import RoundResult, rounds_of_file, stage_rows
from treering.evaluation.run import BUDGETS, Job, evaluate_file, over_files

ROOT = Path(__file__).resolve().parents[1]
SESSIONS = ROOT.parent / "shared/sessions"
GOALS = {
    1100: {"files": 60, "names": 42, "commands": 95, "numbers": 25, "directives": 97, "relations": 32, "bare": 35},
    2000: {"files": 78, "names": 58, "commands": 97, "numbers": 40, "directives": 98, "relations": 42, "bare": 35},
}
MEASURES = ("files", "names", "commands", "numbers", "directives", "relations", "next_steps", "errors", "bare")
JUDGES = ("conformance_kit", "side_constraints", "compactbench_presence", "guard")


def main() -> int:
    arguments = sys.argv[1:]
    options = {argument for argument in arguments if argument.startswith("--")}
    files = [argument for argument in arguments if not argument.startswith("--")]
    files = files or sorted(map(str, SESSIONS.glob("pi/real-*.v3.jsonl")))
    if not files:
        print("no sessions: name some, or put the shared ones beside the checkout")
        return 1
    quick = "--quick" in options
    job = Job(budgets=(1100, 2000) if quick else BUDGETS, exact=True)
    results: list[Result] = []
    for found in over_files(evaluate_file, files, job):
        if found.error:
            print(f"{found.source}: {found.error}", file=sys.stderr)
        results += found.results
    cuts = len({(result.source, result.at) for result in results})
    print(f"{cuts} cut points of {len(files)} sessions, means in percent; tokens by o200k\n")
    print_rows(mean_rows(results))
    if not quick:
        print_rounds(files, Job(budgets=(1100, 2000), exact=True, with_baselines=False))
    if "--judges" in options:
        for judge in JUDGES:
            print(flush=True)
            subprocess.run([sys.executable, ROOT / f"benchmarks/judges/{judge}.py"], check=True)
    return 0


def print_rows(rows: list[Row]) -> None:
    budget = 0
    for row in rows:
        if row.budget != budget:
            budget = row.budget
            print(f"| at {budget} tokens | {' | '.join(name.replace('_', ' ') for name in MEASURES)} | stale | invented"
                  f" | over | tokens | ms |")  # fmt: skip
            print("|---" * (len(MEASURES) + 6) + "|")
        print(f"| {row.summarizer} | {' | '.join(percent(row.rates[name]) for name in MEASURES)} | {row.stale:.2g}"
              f" | {row.invented:.2g} | {row.over_budget} | {row.tokens:.0f} | {row.seconds * 1000:.0f} |")  # fmt: skip
        is_last = row is rows[-1] or rows[rows.index(row) + 1].budget != budget
        if is_last and budget in GOALS:
            goals = GOALS[budget]
            shown = [f"{'≤' if name == 'bare' else '≥'} {goals[name]}" if name in goals else "" for name in MEASURES]
            print(f"| **goal** | {' | '.join(shown)} | 0 | 0 | 0 | ≤ {budget} | |")
        if is_last:
            print()


def print_rounds(files: list[str], job: Job) -> None:
    results: list[RoundResult] = []
    for found in over_files(rounds_of_file, files, job):
        results += found.results
    stages = stage_rows(results)
    print("Five compactions in a row, against all at once where the fifth stands (points; 5 may be lost):\n")
    print(f"| budget | | {' | '.join(name.replace('_', ' ') for name in MEASURES)} |")
    print("|---" * (len(MEASURES) + 2) + "|")
    for once, last in zip(stages["at once"], stages["last"], strict=True):
        for title, row in (("at once", once), ("fifth round", last)):
            print(f"| {row.budget} | {title} | {' | '.join(percent(row.rates[name]) for name in MEASURES)} |")
        lost = [difference(once.rates[name], last.rates[name]) for name in MEASURES]
        print(f"| {once.budget} | difference | {' | '.join(lost)} |")
    print(f"\nAsked twice, {sum(not found.repeatable for found in results)} of {len(results)} summaries differed.")


def percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.0f}"


def difference(before: float | None, after: float | None) -> str:
    return "–" if before is None or after is None else f"{100 * (after - before):+.0f}"


if __name__ == "__main__":
    sys.exit(main())
