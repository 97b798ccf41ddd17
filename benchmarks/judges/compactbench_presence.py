"""compactbench: are the things that its public templates ask for still there?

Of its scores only the presence of the `contains` items needs no model. The templates are in the source distribution
only, which is fetched once through pip (version pinned) into `.bench/`.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from compactbench.dsl import DifficultyLevel, load_suite
from compactbench.engine.generation import generate_case
from compactbench.scoring.checks import contains_normalized

from benchmarks.judges.common import CACHE, judged_name, summarise, tokens

VERSION = "0.1.0"
RATIOS = (3.3, 7.0)
CASES = 3


def templates() -> list:
    """The elite_practice templates."""
    folder = source_distribution("compactbench", VERSION)
    return load_suite(folder / "benchmarks/public/elite_practice")


def source_distribution(package: str, version: str) -> Path:
    """The unpacked source distribution of a package, fetched if it is not there yet."""
    stem = f"{package.replace('-', '_')}-{version}"
    folder = CACHE / stem
    if not folder.is_dir():
        CACHE.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(CACHE), f"{package}=={version}"], check=True)
        with tarfile.open(CACHE / f"{stem}.tar.gz") as archive:
            archive.extractall(CACHE, filter="data")
    return folder


def main() -> None:
    suite = templates()
    print(f"compactbench elite_practice, {judged_name()}: presence of `contains` items, {CASES} cases each")
    print(f"{'difficulty':10} {'ratio':>6} {'present':>8} {'items':>6} {'over budget':>12}")
    for difficulty in (DifficultyLevel.MEDIUM, DifficultyLevel.HARD, DifficultyLevel.ELITE):
        for ratio in RATIOS:
            found = total = over = 0
            missed: list[str] = []
            for template in suite:
                for seed in range(1, CASES + 1):
                    case = generate_case(template, seed, difficulty)
                    turns = [(turn.role.value, turn.content) for turn in case.transcript.turns]
                    budget = int(tokens("\n".join(text for _, text in turns)) / ratio)
                    text = summarise(turns, budget)
                    over += tokens(text) > budget
                    for item in case.evaluation_items:
                        if item.expected.get("check") == "contains_normalized":
                            total += 1
                            if contains_normalized(item.expected["value"], text):
                                found += 1
                            else:
                                missed.append(f"{case.case_id}: {item.expected['value']}")
            print(f"{difficulty.value:10} {ratio:6.1f} {found / total:8.1%} {total:6} {over:12}")
            if "--missed" in sys.argv:
                print("\n".join(missed))


if __name__ == "__main__":
    main()
