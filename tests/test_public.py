"""The public names, and what importing them costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import treering

PUBLIC = {
    "Session", "Entry", "Context", "Settings", "to_llm", "plan_compaction", "compact", "compact_sync", "navigate_tree",
    "prune", "undo", "fit", "estimate_tokens", "Summarizer", "CompactionResult", "TreeringError",
}  # fmt: skip


def test_every_public_name_can_be_had_again_and_again() -> None:
    for _ in range(2):
        for name in PUBLIC:
            assert callable(getattr(treering, name)), name
    assert set(dir(treering)) >= PUBLIC


def test_type_checkers_are_told_the_same_names() -> None:
    tree = ast.parse(Path(treering.__file__).read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    told: set[str | None] = set()
    for node in block.body:
        if isinstance(node, ast.ImportFrom):
            told |= {alias.asname for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            told.add(node.targets[0].id)
    assert told - {"_estimate"} == set(vars(treering)["_PLACE_OF"])


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys, treering; assert not [m for m in sys.modules if m.startswith(('treering.', 'msgspec', 'click'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_command_line_starts_without_what_it_does_not_need() -> None:
    code = (
        "import sys\n"
        "from treering.cli import run\n"
        "run(['show', '--help'])\n"
        "heavy = {'asyncio', 'rich', 'textual', 'pydantic', 'httpx', 'hypothesis'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
