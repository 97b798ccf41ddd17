"""Hooks from the user's file and from installed packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from drawn import bodies
from treering.cli import run
from treering.config import load_settings
from treering.errors import SettingsError
from treering.operations.branch import navigate_tree_sync
from treering.plugins import load_hooks
from treering.session.entries import encode_object
from treering.session.tree import Session, new_header
from treering.settings import HooksSettings

GUARD = """
from treering.hooks import Cancel

def before_tree(event):
    if event.plan.target_id == "U1":
        return Cancel("the first message stays")

async def before_compact(event):
    return {"cancel": True, "reason": "not today"}
"""


@pytest.fixture
def guard(tmp_path: Path) -> str:
    file = tmp_path / "guard.py"
    file.write_text(GUARD)
    return str(file)


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    lines = [new_header(cwd="/srv/demo", session_id="s"), *bodies("U1 → A1 → U2 → A2")]
    target = tmp_path / "session.jsonl"
    target.write_bytes(b"".join(encode_object(line) + b"\n" for line in lines))
    return target


def install(folder: Path, name: str, code: str, target: str = "") -> None:
    """A package with an entry point, as an installer leaves it."""
    (folder / f"{name}_plugin.py").write_text(code)
    info = folder / f"{name}_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[treering.hooks]\n{name} = {target or name + '_plugin'}\n")


def test_a_file_of_the_user(guard: str, session_file: Path) -> None:
    hooks = load_hooks(HooksSettings(file=guard))
    with Session.open(session_file) as session:
        result = navigate_tree_sync(session, "U1", hooks=hooks)
        assert result.cause == f"hook {guard}.before_tree said no. the first message stays"
        assert navigate_tree_sync(session, "U2", hooks=hooks).outcome == "applied"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (None, "there is no such file"),
        ("raise ValueError('oops')", "it raised ValueError: oops"),
        ("def before_compat(event): ...", "has no hook"),
        ("syntax error", "it raised SyntaxError"),
    ],
)
def test_a_file_that_is_wrong_is_named(tmp_path: Path, code: str | None, message: str) -> None:
    file = tmp_path / "hooks.py"
    if code is not None:
        file.write_text(code)
    with pytest.raises(SettingsError, match=message) as error:
        load_hooks(HooksSettings(file=str(file), plugins=False))
    assert str(file) in str(error.value)


def test_a_file_is_never_looked_for_in_the_working_directory(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(guard).parent)
    with pytest.raises(SettingsError, match="give the whole path"):
        load_hooks(HooksSettings(file="guard.py"))


def test_a_project_cannot_name_hooks(tmp_path: Path, guard: str) -> None:
    (tmp_path / "treering.toml").write_text(f'[hooks]\nfile = "{guard}"\ntimeout = 1.0\n')
    (tmp_path / "own.toml").write_text("")
    settings = load_settings(file=tmp_path / "own.toml", project=tmp_path, environ={})
    assert settings.hooks == HooksSettings()
    (tmp_path / "own.toml").write_text(f'[hooks]\nfile = "{guard}"\ntimeout = 2\n')
    settings = load_settings(file=tmp_path / "own.toml", project=tmp_path, environ={})
    assert settings.hooks == HooksSettings(file=guard, timeout=2.0)


def test_plugins_come_after_the_file_and_by_name(tmp_path: Path, guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    install(folder, "zebra", "def before_tree(event): ...\n")
    install(folder, "ant", "class Ant:\n    def before_tree(self, event): ...\n", "ant_plugin:Ant")
    install(folder, "broken", "raise ImportError('gone')\n")
    install(folder, "empty", "nothing = 1\n")
    monkeypatch.syspath_prepend(folder)
    hooks = load_hooks(HooksSettings(file=guard))
    names = [hook.name for hook in hooks._hooks["before_tree"]]
    assert names == [f"{guard}.before_tree", "ant.before_tree", "zebra.before_tree"]
    assert [(problem.hook, problem.kind) for problem in hooks.problems] == [
        ("broken", "unavailable"),
        ("empty", "unavailable"),
    ]
    assert not load_hooks(HooksSettings(plugins=False))


def test_the_command_line_asks_the_users_hooks(
    guard: str, session_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("TREERING_HOOKS_FILE", guard)
    before = session_file.read_bytes()
    assert run(["checkout", str(session_file), "U1"]) == 130
    assert "the first message stays" in capsys.readouterr().err
    assert session_file.read_bytes() == before
    assert run(["checkout", str(session_file), "U2"]) == 0


def test_the_command_line_says_once_what_is_wrong_with_a_hook(tmp_path: Path, session_file: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def before_tree(event):\n    raise ValueError('oops')\n")
    done = subprocess.run(
        [sys.executable, "-m", "treering", "checkout", str(session_file), "U1"],
        env={"TREERING_HOOKS_FILE": str(file), "PYTHONPATH": "src", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count("ValueError: oops") == 1
    assert done.stderr.startswith("Warning: hook ")
