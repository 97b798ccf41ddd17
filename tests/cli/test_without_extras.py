"""The command line of a plain installation: nothing but the packages that the project itself depends on."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]

GUARDED = """
import sys
from importlib.abc import MetaPathFinder
from treering.cli import run

allowed = set(sys.argv[1].split(","))

class Plain(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in allowed and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Plain())
sys.exit(run(sys.argv[2:]))
"""


def _plain_modules() -> set[str]:
    """The top modules of what `pip install treering` brings, the dependencies of dependencies included."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    left, seen = [Requirement(text) for text in declared], set[str]()
    while left:
        wanted = left.pop()
        if wanted.name in seen or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        seen.add(wanted.name)
        left += [Requirement(text) for text in metadata.requires(wanted.name) or ()]
    provided = metadata.packages_distributions()
    names = {name.lower().replace("_", "-") for name in seen}
    return {top for top, packages in provided.items() if names & {package.lower() for package in packages}}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    file = tmp_path / "session.jsonl"
    file.write_bytes(resources.files("treering.data").joinpath("example-session.v3.jsonl").read_bytes())
    return file


def plain(session: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    allowed = ",".join({"treering", *_plain_modules()})
    command = [sys.executable, "-c", GUARDED, allowed, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=session.parent, env=environment)


@pytest.mark.slow  # twenty processes
@pytest.mark.parametrize(
    "command",
    [
        "show FILE", "context FILE", "context FILE --llm --json", "entry FILE HEAD", "compact FILE --window 64000",
        "prune FILE", "undo FILE", "doctor FILE", "tree FILE", "branch FILE", "checkout FILE HEAD~1 --summarize",
        "fork FILE copy.jsonl", "label FILE", "name FILE", "diff FILE 2494", "vacuum FILE", "pin FILE 3d57",
        "unpin FILE 3d57", "ledger FILE", "eval hindsight FILE --budget 500 --cuts 50%",
    ],
)  # fmt: skip
def test_every_command_works_without_extras(session: Path, command: str) -> None:
    done = plain(session, *(session.name if word == "FILE" else word for word in command.split()))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "what", "extra"),
    [
        ("browse FILE", "treering browse", "tui"),
        ("serve-summaries", "the summary server", "serve"),
        ("compact FILE --summarizer anthropic:some-model", "the summarizer 'anthropic:some-model'", "llm"),
        ("compact FILE --summarizer http://127.0.0.1:1/x", "the summarizer 'http://127.0.0.1:1/x'", "llm"),
        ("checkout FILE HEAD~1 --summarizer some@http://127.0.0.1:1", "the summarizer 'some@http", "llm"),
        ("eval hindsight FILE --exact", "the exact tokenizer", "exact"),
    ],
)
def test_what_needs_an_extra_says_which(session: Path, command: str, what: str, extra: str) -> None:
    before = session.read_bytes()
    done = plain(session, *(session.name if word == "FILE" else word for word in command.split()))
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert what in done.stderr
    assert f"pip install 'treering[{extra}]'" in done.stderr
    assert session.read_bytes() == before


def test_a_name_that_is_no_summarizer_is_wrong_use(session: Path) -> None:
    done = plain(session, "compact", session.name, "--summarizer", "gpt")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: there is no summarizer 'gpt': give `extractive`")
