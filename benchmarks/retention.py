"""What a summary keeps, on real sessions: the tables of the documentation.

    python benchmarks/retention.py                    the sessions of ../shared, all summarizers that need no model
    python benchmarks/retention.py FILE…              sessions of one's own
    python benchmarks/retention.py --quick            two budgets, no rounds
    python benchmarks/retention.py --judges           the public judges too (requirements-bench.txt)
    python benchmarks/retention.py --page             writes docs/retention.md anew: all of it, and whole summaries

Means over cut points at 50, 70 and 85 % of each session; tokens are counted exactly.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from benchmarks.swe_agent import session_file
from treering.evaluation.hindsight import make_cuts, summary_text
from treering.evaluation.plot import plot_svg
from treering.evaluation.report import Result, Row, mean_rows
from treering.evaluation.rounds import RoundResult, rounds_of_file, stage_rows
from treering.evaluation.run import BUDGETS, Job, evaluate_file, over_files
from treering.session.tree import Session
from treering.summarizers.extractive import ExtractiveSummarizer

ROOT = Path(__file__).resolve().parents[1]
SESSIONS = ROOT.parent / "shared/sessions"
PAGE = ROOT / "docs/retention.md"
PLOT = ROOT / "docs/retention.svg"
GOALS = {
    1100: {"files": 60, "names": 42, "commands": 95, "numbers": 25, "directives": 97, "relations": 32, "bare": 35},
    2000: {"files": 78, "names": 58, "commands": 97, "numbers": 40, "directives": 98, "relations": 42, "bare": 35},
}
MEASURES = ("files", "names", "commands", "numbers", "directives", "relations", "next_steps", "errors", "bare")
JUDGES = ("conformance_kit", "side_constraints", "compactbench_presence", "guard")
SHORT = {"keep_tokens": 1000, "least_region": 3000}
"""For sessions of 10 000 tokens or so: with 20 000 kept there would be nothing to summarise."""
SHOWN = (
    ("the example session that comes with Treering, at 85 %, 2000 tokens",
     "src/treering/data/example-session.v3.jsonl", 0.85, 2000, 20_000),
    ("a session in Hindi, at 75 %, 1100 tokens", "tests/data/languages/bookshelf-hi.v3.jsonl", 0.75, 1100, 3000),
    ("a session in Chinese, at 75 %, 1100 tokens", "tests/data/languages/bookshelf-zh.v3.jsonl", 0.75, 1100, 3000),
)  # fmt: skip


def main() -> int:
    arguments = sys.argv[1:]
    options = {argument for argument in arguments if argument.startswith("--")}
    files = [argument for argument in arguments if not argument.startswith("--")]
    if not files and not SESSIONS.is_dir():
        print("no sessions: name some, or put the shared ones beside the checkout")
        return 1
    if "--page" in options:
        text = "".join(f"{line}\n" for line in page())
        PAGE.write_text(text, encoding="utf-8")
        print(text)
        return 0
    quick = "--quick" in options
    for line in tables(files or pi_sessions(), Job(budgets=(1100, 2000) if quick else BUDGETS, exact=True)):
        print(line)
    if not files:
        for line in swe_agent_tables():
            print(line)
    if not quick:
        for line in rounds_table(files or pi_sessions()):
            print(line)
    if "--judges" in options:
        for judge in JUDGES:
            print(judged(judge))
    return 0


def pi_sessions() -> list[str]:
    """The real sessions of ../shared."""
    return sorted(map(str, SESSIONS.glob("pi/real-*.v3.jsonl")))


def tables(files: Sequence[str], job: Job, results: list[Result] | None = None) -> Iterator[str]:
    """The means as Markdown tables, one a budget, with the goal below each; `results` collects what they are of."""
    found = results if results is not None else []
    for outcome in over_files(evaluate_file, files, job):
        if outcome.error:
            print(f"{outcome.source}: {outcome.error}", file=sys.stderr)
        found += outcome.results
    found.sort(key=lambda result: (result.source, result.at))
    rows = mean_rows(found)
    cuts = len({(result.source, result.at) for result in found})
    yield f"{cuts} cut points of {len({result.source for result in found})} sessions, in percent:"
    yield ""
    for budget in dict.fromkeys(row.budget for row in rows):
        yield f"| at {budget} tokens | {heading()} | stale | invented | over | tokens |"
        yield "|---" * (len(MEASURES) + 5) + "|"
        for row in rows:
            if row.budget == budget:
                rest = (f"{row.stale:.2g}", f"{row.invented:.2g}", str(row.over_budget), f"{row.tokens:.0f}")
                yield f"| {row.summarizer} | {cells(row)} | {' | '.join(rest)} |"
        if budget in GOALS:
            goals = GOALS[budget]
            shown = [f"{'≤' if name == 'bare' else '≥'} {goals[name]}" if name in goals else "" for name in MEASURES]
            yield f"| *goal* | {' | '.join(shown)} | 0 | 0 | 0 | ≤ {budget} |"
        yield ""


def swe_agent_tables() -> Iterator[str]:
    """The same on the SWE-agent trajectories, which are short."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(session_file(path, Path(folder))) for path in sorted(SESSIONS.glob("swe-agent/*.traj"))]
        job = Job(budgets=(1100, 2000), exact=True, **SHORT)
        yield "SWE-agent, with 1000 tokens kept (the trajectories are short):"
        yield ""
        yield from tables(files, job)


def rounds_table(files: Sequence[str]) -> Iterator[str]:
    """Five compactions in a row, against all at once where the fifth stands."""
    job = Job(budgets=(1100, 2000), exact=True, with_baselines=False)
    results: list[RoundResult] = []
    for found in over_files(rounds_of_file, files, job):
        results += found.results
    stages = stage_rows(results)
    yield "Five compactions in a row, against one of everything where the fifth stands (5 points may be lost):"
    yield ""
    yield f"| budget | | {heading()} |"
    yield "|---" * (len(MEASURES) + 2) + "|"
    for once, last in zip(stages["at once"], stages["last"], strict=True):
        yield f"| {once.budget} | at once | {cells(once)} |"
        yield f"| {last.budget} | fifth round | {cells(last)} |"
        lost = [difference(once.rates[name], last.rates[name]) for name in MEASURES]
        yield f"| {once.budget} | difference | {' | '.join(lost)} |"
    yield ""
    yield f"Asked twice, {sum(not found.repeatable for found in results)} of {len(results)} summaries differed."
    yield ""


def judged(judge: str) -> str:
    """What a judge prints."""
    command = [sys.executable, str(ROOT / f"benchmarks/judges/{judge}.py")]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def page() -> Iterator[str]:
    """The page of the documentation."""
    yield "# What a summary keeps"
    yield ""
    yield "<!-- made by `python benchmarks/retention.py --page`; do not edit -->"
    yield ""
    yield "The measures are explained in [evaluation.md](evaluation.md). Everything here is made by"
    yield "`python benchmarks/retention.py --page`, on real sessions that are not part of the repository; measure your"
    yield "own with `treering eval hindsight FILE…`."
    yield ""
    yield "## Real coding sessions"
    yield ""
    results: list[Result] = []
    yield from tables(pi_sessions(), Job(exact=True), results)
    PLOT.write_text(plot_svg(mean_rows(results), title="Kept of what was used later, by tokens"), encoding="utf-8")
    yield "![recall against tokens](retention.svg)"
    yield ""
    yield from swe_agent_tables()
    yield "## Rounds"
    yield ""
    yield from rounds_table(pi_sessions())
    yield "## Public judges"
    yield ""
    yield "```text"
    yield "\n".join(judged(judge) for judge in JUDGES).rstrip()
    yield "```"
    yield ""
    yield "## Whole summaries, as they come out"
    for title, file, at, budget, keep in SHOWN:
        yield ""
        yield f"### {title[0].upper()}{title[1:]}"
        yield ""
        yield "````markdown"
        yield shown_summary(ROOT / file, at, budget, keep)
        yield "````"


def shown_summary(file: Path, at: float, budget: int, keep: int) -> str:
    """The text that a compaction of this session would store at this point."""
    with Session.open(file) as session:
        (cut,) = make_cuts(session.path(), at=(at,), keep_tokens=keep, least_region=0, cwd=session.header.cwd)
    return summary_text(cut, ExtractiveSummarizer(), budget)


def heading() -> str:
    return " | ".join(name.replace("_", " ") for name in MEASURES)


def cells(row: Row) -> str:
    return " | ".join("–" if (rate := row.rates[name]) is None else f"{100 * rate:.0f}" for name in MEASURES)


def difference(before: float | None, after: float | None) -> str:
    return "–" if before is None or after is None else f"{100 * (after - before):+.0f}"


if __name__ == "__main__":
    sys.exit(main())
