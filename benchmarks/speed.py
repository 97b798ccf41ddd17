"""How fast Treering is, as ratios to pi and others in the same run.

    python benchmarks/speed.py                  1e3, 1e4, 1e5 and 1e6 entries
    python benchmarks/speed.py --largest 1e5    no further than that
    python benchmarks/speed.py --only append    rows whose name holds this word

Absolute times are of this machine and this moment; what counts are the ratios, and that the first row is as quick for
any number of entries. Files are made in `.bench/`, and kept for the next run. pi is measured where it is installed
(`make setup`), openai-agents where it can be imported.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from generate import generate  # noqa: E402 - found through the line above

from treering.compaction.plan import plan_compaction  # noqa: E402
from treering.operations.compact import compact_sync  # noqa: E402
from treering.session.context import build_context  # noqa: E402
from treering.session.tree import Session  # noqa: E402
from treering.tokens.estimate import estimate_text  # noqa: E402

PI = ROOT / "tests/pi/node_modules/@mariozechner/pi-coding-agent"
FILES = ROOT / ".bench"
MESSAGE = {
    "role": "assistant",
    "content": [{"type": "text", "text": "some words of an answer " * 25}],
    "api": "anthropic-messages",
    "provider": "anthropic",
    "model": "some-model",
    "usage": {"input": 900, "output": 90, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 990},
    "stopReason": "stop",
    "timestamp": 1_767_323_045_000,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=float, default=1e6, help="entries of the largest file")
    parser.add_argument("--only", default="", help="a word of the rows to measure")
    options = parser.parse_args()
    FILES.mkdir(exist_ok=True)
    print(f"{'what':<46}{'Treering':>12}{'other':>12}  {'ratio':>8}  must be")
    with _pi() as pi:
        bench = Bench(pi, options.only, int(options.largest))
        bench.opening()
        bench.scanning()
        bench.appending()
        bench.syncing()
        bench.context_in_memory()
        bench.planning()
        bench.estimating()
        bench.compacting()
        bench.starting()
    if pi is None:
        print("\npi is not installed here (`make setup` does it): its columns are empty")
    print(f"\n{bench.missed} of the goals missed" if bench.missed else "\nall goals reached")
    return 0


class Bench:
    """The rows of the table, printed as they are measured."""

    def __init__(self, pi: Pi | None, only: str, largest: int) -> None:
        self.pi = pi
        self.only = only
        self.largest = largest
        self.missed = 0

    def opening(self) -> None:
        """Open a file and build the context of its leaf: the same for any length of history."""
        if not self._wanted("open + context"):
            return
        first = 0.0
        for entries in (10**3, 10**4, 10**5, 10**6):
            for branches in (False, True):
                if entries > self.largest or (branches and entries != 10**5):
                    continue
                file = self._file(entries, branches=branches)
                ours = best(lambda file=file: self._open_and_context(file), 40)
                name = f"open + context, {entries:.0e} entries{', branches' if branches else ''}"
                first = first or ours
                if entries < 10**6 and self.pi:
                    theirs = best(lambda file=file: self.pi("open", file=str(file)), 3, own=False)
                    theirs += best(lambda: self.pi("context"), 3, own=False)
                    memory = self.pi("memory")
                    goal = 1 / 1000 if entries == 10**5 else None
                    self._row(name, ours, theirs, "pi", goal, most=3.0)
                    print(f"{'':<46}{_own_memory():>9.0f} MB{memory:>9.0f} MB  of memory, so far")
                else:
                    self._row(name, ours, None, "", None, most=3.0)
                self._row("  against 1e3 entries", ours, first, "itself", 2.0)
        if self.pi:
            self.pi("forget")

    def scanning(self) -> None:
        """Ids, parents and types of all entries."""
        if not self._wanted("full scan"):
            return
        for entries in (10**4, 10**5):
            file = self._file(entries)
            ours = best(lambda file=file: self._scan(file), 3)
            if self.pi:
                theirs = best(lambda file=file: self.pi("open", file=str(file)), 3, own=False)
                goal = 0.2 if entries == 10**5 else None
                self._row(f"full scan, {entries:.0e} entries", ours, theirs, "pi", goal)
            loop = best(lambda file=file: [json.loads(line) for line in file.open("rb")], 1)
            self._row(f"full scan, {entries:.0e} entries", ours, loop, "json.loads")

    def appending(self) -> None:
        """A flushed append: a kill of the process does not lose it. In turns, so that both see the same machine."""
        if not self._wanted("append, flushed"):
            return
        times = 500
        with tempfile.TemporaryDirectory(dir=FILES) as folder, Session.create(f"{folder}/s.jsonl") as session:
            session.append_message(MESSAGE)
            body = {"type": "message", "message": MESSAGE}

            def append() -> None:
                for _ in range(times):
                    session.append(body)

            ours, theirs = [], []
            for _ in range(30):
                ours.append(best(append, 1) / times)
                if self.pi:
                    theirs.append(self.pi("append", folder=folder, message=MESSAGE, times=times) / times)
            self._row("append, flushed", min(ours), min(theirs, default=None), "pi", 1.0)
            agents = _openai_agents(folder)
            if agents:
                self._row("append, flushed", min(ours), best(agents, 200), "openai-agents")

    def syncing(self) -> None:
        """A synced append, against the least that it can take."""
        if not self._wanted("append, synced"):
            return
        with tempfile.TemporaryDirectory(dir=FILES) as folder:
            with Session.create(f"{folder}/s.jsonl", sync="all") as session:
                session.append_message(MESSAGE)
                raw = session.get(session.leaf_id or "").raw + b"\n"
                body = {"type": "message", "message": MESSAGE}
                bare = os.open(f"{folder}/bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

                def write() -> None:
                    os.write(bare, raw)
                    os.fsync(bare)

                ours, theirs = [], []
                for _ in range(300):
                    ours.append(best(lambda: session.append(body), 1))
                    theirs.append(best(write, 1))
                os.close(bare)
            self._row("append, synced", statistics.median(ours), statistics.median(theirs), "write+fsync", 1.1)

    def context_in_memory(self) -> None:
        """The context of a path of 1e5 entries without a compaction."""
        if not self._wanted("context of a path"):
            return
        file = self._file(10**5, compactions=False)
        with Session.open(file) as session:
            path = session.path()
            ours = best(lambda: build_context(type(path)(path.entries)), 5)
        theirs = None
        if self.pi:
            self.pi("open", file=str(file))
            theirs = best(lambda: self.pi("context"), 3, own=False)
            self.pi("forget")
        self._row("context of a path in memory, 1e5 entries", ours, theirs, "pi", None, most=30.0)

    def planning(self) -> None:
        """A plan on the path of a long session; sizes are counted anew each time."""
        if not self._wanted("plan"):
            return
        file = self._file(10**5)
        with Session.open(file) as session:
            entries = session.path().entries

            def plan() -> float:
                from treering.session.path import Path as SessionPath

                path = SessionPath(entries)
                return best(lambda: plan_compaction(path), 1)

            ours = min(plan() for _ in range(7))
        theirs = None
        if self.pi:
            self.pi("open", file=str(file))
            theirs = best(lambda: self.pi("plan"), 7, own=False)
            self.pi("forget")
        self._row("plan a compaction, path of 1e5 entries", ours, theirs, "pi", 0.25)

    def estimating(self) -> None:
        """Tokens of a megabyte of text."""
        if not self._wanted("estimate"):
            return
        text = self._file(10**4).read_text("utf-8")[: 1 << 20]
        ours = best(lambda: estimate_text(text), 3)
        self._row(f"estimate 1 MB of text ({1000 / ours:.0f} MB/s)", ours, None, "", None, most=100.0)

    def compacting(self) -> None:
        """An extractive compaction of 400k tokens, written to a copy."""
        if not self._wanted("compact"):
            return
        source = self._file(1400, compactions=False)
        taken = []
        for _ in range(3):
            with tempfile.TemporaryDirectory(dir=FILES) as folder:
                copy = Path(shutil.copy(source, folder))
                with Session.open(copy) as session:
                    taken.append(best(lambda session=session: compact_sync(session), 1))
                    tokens = sum(estimate_text(entry.raw.decode()) for entry in session.store.scan())
        self._row(f"compact {tokens // 1000}k tokens, extractive", min(taken), None, "", None, most=1000.0)

    def starting(self) -> None:
        """The command line: CPU time of `treering show tiny --json` against an empty click command."""
        if not self._wanted("start"):
            return
        tiny = generate(FILES / "tiny.jsonl", 5)
        show = [sys.executable, "-m", "treering", "show", str(tiny), "--json"]
        code = "import click\n@click.command()\ndef empty(): click.echo('{}')\nempty()"
        ours = min(_cpu_time(show) for _ in range(5))
        theirs = min(_cpu_time([sys.executable, "-c", code]) for _ in range(5))
        self._row("start: treering show tiny --json (CPU)", ours, theirs, "empty click", 2.0)

    def _open_and_context(self, file: Path) -> int:
        with Session.open(file) as session:
            return len(session.context())

    def _scan(self, file: Path) -> int:
        with Session.open(file) as session:
            return sum(1 for entry in session.store.scan() if entry.id)

    def _file(self, entries: int, *, compactions: bool = True, branches: bool = False) -> Path:
        size = 400 if entries >= 10**6 else 1000  # so that the largest one does not fill the disk
        path = FILES / f"{entries}{'' if compactions else '-flat'}{'-branches' if branches else ''}.jsonl"
        if not path.exists():
            generate(path.with_suffix(".part"), entries, size=size, compactions=compactions, branches=branches)
            path.with_suffix(".part").rename(path)
        return path

    def _wanted(self, name: str) -> bool:
        return self.only in name

    def _row(
        self,
        name: str,
        ours: float,
        theirs: float | None,
        who: str,
        goal: float | None = None,
        *,
        most: float | None = None,
    ) -> None:
        ratio = ours / theirs if theirs else None
        missed = (goal is not None and ratio is not None and ratio > goal) or (most is not None and ours > most)
        self.missed += missed
        goals = [
            f"≤ {goal:g} × {who}" if goal else f"({who})" if who and theirs else "",
            f"≤ {most:g} ms" if most else "",
        ]
        said = ", ".join(filter(None, goals)) + ("  MISSED" if missed else "")
        print(f"{name:<46}{_ms(ours):>12}{_ms(theirs):>12}  {_ratio(ratio):>8}  {said}", flush=True)


class Pi:
    """pi in a process of its own; each call gives the milliseconds that it took, or what was asked for."""

    def __init__(self, node: str) -> None:
        command = [node, "--max-old-space-size=4096", str(ROOT / "benchmarks/pi_speed.mjs"), str(PI)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, task: str, **parameters: Any) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"task": task, **parameters}) + "\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline()))

    def stop(self) -> None:
        self._process.communicate()


@contextmanager
def _pi() -> Iterator[Pi | None]:
    node = shutil.which("node")
    if node is None or not PI.is_dir():
        yield None
        return
    pi = Pi(node)
    yield pi
    pi.stop()


def best(work: Callable[[], Any], times: int, *, own: bool = True) -> float:
    """The least milliseconds of so many runs: what it takes when nothing else is in the way.

    With `own=False` the work gives its own time.
    """
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        said = work()
        taken.append(float(said) if not own else (time.perf_counter() - start) * 1000)
    return min(taken)


def _openai_agents(folder: str) -> Callable[[], Any] | None:
    try:
        from agents.memory import SQLiteSession
    except ImportError:
        return None
    import asyncio

    session = SQLiteSession("bench", f"{folder}/agents.db")
    loop = asyncio.new_event_loop()
    return lambda: loop.run_until_complete(session.add_items([{"role": "assistant", "content": "x" * 600}]))


def _cpu_time(command: list[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its modules compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def _own_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _ms(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value * 1000:.1f} µs" if value < 0.1 else f"{value:.2f} ms" if value < 100 else f"{value:,.0f} ms"


def _ratio(value: float | None) -> str:
    if value is None:
        return "–"
    return f"1/{1 / value:,.0f}" if value < 0.02 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())
