"""What stands before the lines of a listing is taken off, and tells their file."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import answered, called

from treering.facts.commands import file_shown
from treering.facts.fold import FactState, fold
from treering.facts.listing import listed_lines
from treering.facts.roles import RESULT


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("src/a.py:12:def parse(text):", [("def parse(text):", "src/a.py")]),
        ("src/a.py-13-    return text", [("return text", "src/a.py")]),
        ("src/a.py:12:5:def parse(text):", [("def parse(text):", "src/a.py")]),
        ("C:\\work\\a.py:12:def parse(text):", [("def parse(text):", "C:\\work\\a.py")]),
        ("/repo/cmd/my-tool.go:7:func main() {", [("func main() {", "/repo/cmd/my-tool.go")]),
        ("33:func main() {", [("func main() {", "home.go")]),
        ("34-\treturn nil", [("return nil", "home.go")]),
        ("   12→\tfunc main() {", [("func main() {", "home.go")]),
        (
            "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def top():\n keep = 1\n"
            "-old = 2\n+++ counter\n\ncommit abc",
            [
                ("diff --git a/x.py b/x.py", "home.go"),
                ("def top():", "x.py"),
                ("keep = 1", "x.py"),
                ("-old = 2", "x.py"),
                ("++ counter", "x.py"),
                ("commit abc", "home.go"),
            ],
        ),
        ("--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone = 2\nls", [("-gone = 2", "x.py"), ("ls", "home.go")]),
        (
            "--- a/b c.py\t2024\n+++ b/b c.py\t2024\n@@ -1 +1 @@\n+new = 2\n-x = 1",
            [("new = 2", "b c.py"), ("-x = 1", "b c.py")],
        ),
        ("--- PASS: TestA (0.00s)", [("--- PASS: TestA (0.00s)", "home.go")]),
        ("+++ title\ntext", [("+++ title", "home.go"), ("text", "home.go")]),
        ("src/a.ts:10:5 - error TS2322", [("- error TS2322", "src/a.ts")]),
        ("app.log-20240501-1.gz", [("app.log-20240501-1.gz", "home.go")]),
        # No listings: a time, a range, a version, a host and port, a plain list.
        ("10:30:12 started", [("10:30:12 started", "home.go")]),
        ("3-way merge of 12-15 files", [("3-way merge of 12-15 files", "home.go")]),
        ("localhost:8080:up", [("localhost:8080:up", "home.go")]),
        ("- one\n\n- two", [("- one", "home.go"), ("- two", "home.go")]),
    ],
)
def test_lines_and_their_files(text: str, lines: list[tuple[str, str]]) -> None:
    assert list(listed_lines(text, "home.go")) == lines


def test_numbers_in_text_that_is_written_are_its_own() -> None:
    text = '404: "not found",\n2024: year\na.py:12:x'
    assert [line for line, _ in listed_lines(text, "", numbered=False)] == text.split("\n")


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("sed -n 1,40p src/a.py", "src/a.py"),
        ("cd /repo && cat src/a.py | head -20", "src/a.py"),
        ('grep -n "def x" src/a.py', "src/a.py"),
        ("cat src/a.py src/b.py", ""),
        ("go test ./cmd/a_test.go", ""),
        ("git status", ""),
        ("", ""),
    ],
)
def test_the_file_that_a_command_prints(command: str, path: str) -> None:
    assert file_shown(command) == path


def test_a_line_is_the_same_however_it_was_found() -> None:
    line = "def handle_turn_end(session_state):"
    messages = [
        called("read", {"path": "/repo/src/turns.py"}, 1),
        answered(f"  1→{line}\n", 1),
        called("bash", {"command": "grep -rn handle_turn_end /repo/src"}, 2),
        answered(f"src/turns.py:1:{line}\nsrc/turns.py-2-    finish_turn(session_state)\n", 2),
        called("bash", {"command": "sed -n 1,2p src/turns.py"}, 3),
        answered(f"{line}\n    finish_turn(session_state)\n", 3),
    ]
    state = fold(FactState(), messages, cwd="/repo")
    quotes = {quote.text: quote.home for quote in state.quotes if quote.source == RESULT}
    assert quotes == {line: "src/turns.py", "finish_turn(session_state)": "src/turns.py"}
    assert {term.home for term in state.terms if term.kind == "n"} == {"src/turns.py"}


def test_a_path_alone_is_no_quotation() -> None:
    messages = [
        called("bash", {"command": "git status --short"}, 1),
        answered(" M src/treering/some_module.py\nsrc/treering/other_module.py\n", 1),
    ]
    state = fold(FactState(), messages)
    assert not state.quotes
    assert {term.name for term in state.terms if term.kind == "f"} == {"some_module.py", "other_module.py"}
