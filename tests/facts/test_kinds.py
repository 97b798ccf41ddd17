"""Each kind of fact: commands and errors, tasks, files, terms, requests."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import answered, called, said

from treering.facts.commands import command_keys
from treering.facts.decisions import is_decision
from treering.facts.fold import FactState, fold
from treering.facts.lexicon import Lexicon, is_prose, sentences
from treering.facts.requests import own_parts, telling_request
from treering.facts.select import Selector
from treering.facts.tasks import Task, open_tasks
from treering.facts.tools import file_touches
from treering.tokens.estimate import estimate_text


def folded(*messages) -> FactState:
    return fold(FactState(), messages, cwd="/w")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("agent.GetSessionDir(x) in src/app/strategy.go:466", ["GetSessionDir", "strategy.go", "466"]),
        ("修复handleTurnEnd函数，在src/app_main.py里", ["handleTurnEnd", "app_main.py", "app_main"]),
        ("commit a1b2c3d of MAX_SIZE, e.g. v1.2", ["a1b2c3d", "MAX_SIZE"]),
        (r'"\nStderr: %s"', []),
        ("toolu_01AMcD2HQAEXGtggpToKNnnR", []),
        ("the README and WARNING words", []),
    ],
)
def test_terms_of_a_line(text: str, terms: list[str]) -> None:
    assert [name for _, name in Lexicon().terms(text)] == terms


def test_sentences_in_several_scripts() -> None:
    assert sentences("All pass. Run lint: `x`. 是的。好！ Yes") == [
        "All pass.",
        "Run lint: `x`.",
        "是的。",
        "好！",
        "Yes",
    ]
    assert sentences("यह ठीक है। फिर चलाओ।") == ["यह ठीक है।", "फिर चलाओ।"]


@pytest.mark.parametrize("line", ["can we add foo", "修复这个函数", "इसे ठीक करो"])
def test_prose(line: str) -> None:
    assert is_prose(line)


@pytest.mark.parametrize("line", ["{a: b}", "| x | y |", "=== Step 3 ===", "foo(bar)", "$ ls -la", ""])
def test_no_prose(line: str) -> None:
    assert not is_prose(line)


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("cd /w && go test ./... 2>&1 | tail -30", ["go test", "tail -30"]),
        ("FOO=1 sudo make build; echo done", ["make build"]),
        ('grep "a|b && c" x.py', ["grep"]),
        ("git commit -m \"$(cat <<'EOF'\nrm -rf x\nEOF\n)\"", ["git commit"]),
        ("wc -l \\\n a.txt", ["wc -l"]),
        ("echo it\\'s; make all; echo it\\'s", ["make all"]),
        ("find . -name x -exec ls {} \\; | sort", ["find .", "sort"]),
    ],
)
def test_program_and_first_argument(command: str, keys: list[str]) -> None:
    assert [key for key, _ in command_keys(command)] == keys


def test_an_error_stands_until_the_same_command_succeeds() -> None:
    failing = [
        called("Bash", {"command": "make test"}, 1),
        answered("x.py:3: error: bad type here\nExit code 2", 1, error=True),
    ]
    assert [error.text for error in folded(*failing).errors] == ["x.py:3: error: bad type here"]
    other = [called("Bash", {"command": "ls -l"}, 2), answered("x.py", 2)]
    assert folded(*failing, *other).errors
    fixed = [called("Bash", {"command": "make test"}, 3), answered("12 passed", 3)]
    state = folded(*failing, *other, *fixed)
    assert not state.errors
    assert state.test is not None
    assert state.test.text == "12 passed"


@pytest.mark.parametrize(
    ("failed", "later", "fixed"),
    [
        ("go test -run TestCut ./cut 2>&1 | head -40", "mise run test", True),
        ("pytest tests/test_cut.py", "pytest -q", True),
        ("npm run build", "npm test", True),
        ("ruff check .", "ruff check . --fix", True),
        ("make test", "make lint", False),
        ("pytest", "pytest -k other", False),
        ("./deploy staging", "./report", False),
        ("make lint", "make format && make lint && make test", True),
        ("make format && make lint", "make lint", True),
        ("pytest", "cat tests/test_cut.py", False),
        ("pytest", "ls tests && git add tests", False),
        ("pytest", "git commit -m 'All tests pass'", False),
        ("pytest", "ruff check src tests", False),
        ("pytest", "pip install pytest", False),
        ("cat notes\npytest -q", "pytest -q", True),
        ("ls lost", "ls lost", True),
    ],
)
def test_an_error_is_fixed_by_a_success_of_the_same_kind(failed: str, later: str, fixed: bool) -> None:
    state = folded(
        called("Bash", {"command": failed}, 1),
        answered("cut.py:3: error: bad type here", 1, error=True),
        called("Bash", {"command": later}, 2),
        answered("all is well", 2),
    )
    assert (not state.errors) is fixed


@pytest.mark.parametrize(
    ("tool", "arguments", "answer", "slip"),
    [
        ("Read", {"file_path": "/w/lost.py"}, "Error: no such file: /w/lost.py", True),
        ("Grep", {"pattern": "x"}, "Error: path does not exist: missing/", True),
        ("Bash", {"command": "cat lost.py | head -3"}, "cat: lost.py: No such file or directory", True),
        ("Bash", {"command": "ls notes 2>/dev/null; cat lost.py"}, "cat: lost.py: No such file or directory", True),
        ("Bash", {"command": "cat notes\npytest -q"}, "error: no such fixture as shop", False),
        ("Bash", {"command": "cat > x.py <<EOF\nimport shop\nEOF\npython x.py"}, "ValueError: invalid price", False),
        ("Bash", {"command": "cat prices > /etc/shop"}, "sh: /etc/shop: permission denied for writing", False),
        ("Bash", {"command": "python -m shop"}, "ValueError: invalid price in shop.toml", False),
        ("deploy", {"to": "staging"}, "Error: staging refused the release", False),
    ],
)
def test_what_was_only_looked_for_blocks_nobody(tool: str, arguments: dict, answer: str, slip: bool) -> None:
    (error,) = folded(called(tool, arguments, 1), answered(answer, 1, error=True)).errors
    assert error.slip is slip


def test_what_stops_somebody_does_so_even_if_it_was_only_looked_for_too() -> None:
    answer = "shop.toml: No such file or directory"
    state = folded(
        called("Bash", {"command": "python -m shop"}, 1),
        answered(answer, 1, error=True),
        called("Bash", {"command": "cat shop.toml"}, 2),
        answered(answer, 2, error=True),
    )
    selector = Selector(state, kept_text="", instructions="", count=estimate_text, budget=600)
    assert [(error.text, error.slip) for error in selector.select(600).errors] == [(answer, False)]


def test_a_request_that_was_broken_off_and_sent_again_stands_once() -> None:
    state = folded(
        said("user", "Are there changes that can be deleted now?a"),
        said("user", "Are there changes that can be deleted now? If so, delete them."),
    )
    assert [request.text for request in state.requests] == [
        "Are there changes that can be deleted now? If so, delete them."
    ]


def test_what_the_user_did_not_allow_is_no_error() -> None:
    answer = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    state = folded(
        said("user", "Finish it."), called("Bash", {"command": "git push"}, 1), answered(answer, 1, error=True)
    )
    assert not state.errors
    assert [request.text for request in state.requests] == ["Finish it."]
    told = f"{answer} To tell you how to proceed, the user said:\nNever push on a Friday."
    state = folded(
        said("user", "Finish it."), called("Bash", {"command": "git push"}, 1), answered(told, 1, error=True)
    )
    assert [request.text for request in state.requests] == ["Finish it.", "Never push on a Friday."]
    assert [rule.text for rule in state.rules] == ["Never push on a Friday."]


def test_an_error_at_a_line_of_a_file_that_was_changed_since_may_be_mended() -> None:
    failing = [
        called("Bash", {"command": "go build ./..."}, 1),
        answered("cut/cut.go:3:7: undefined: plan", 1, error=True),
    ]
    edited = [called("Edit", {"file_path": "/w/cut/cut.go", "new_string": "x"}, 2), answered("ok", 2)]
    other = [called("Edit", {"file_path": "/w/cut/uncut.go", "new_string": "x"}, 2), answered("ok", 2)]
    assert not folded(*failing, *edited).errors
    assert folded(*failing, *other).errors


def test_a_later_line_of_output_takes_the_place_of_the_same_line_with_other_numbers() -> None:
    def run(number: int, text: str):
        return [called("Bash", {"command": "./bench_run"}, number), answered(text, number)]

    state = folded(*run(1, "total of slow_query: 4711 rows read"), *run(2, "total of slow_query: 52 rows read"))
    texts = [quote.text for quote in state.quotes]
    assert "total of slow_query: 52 rows read" in texts
    assert "total of slow_query: 4711 rows read" not in texts


def test_task_lists_of_two_kinds() -> None:
    todos = [{"content": "parse", "status": "completed"}, {"content": "print", "status": "pending"}]
    state = folded(called("TodoWrite", {"todos": todos}, 1))
    assert [(task.text, task.state) for task in state.tasks] == [("parse", "done"), ("print", "open")]
    state = folded(
        called("TaskCreate", {"subject": "parse"}, 1),
        called("TaskCreate", {"subject": "print"}, 2),
        called("TaskUpdate", {"taskId": "1", "status": "completed"}, 3),
    )
    assert [(task.text, task.state) for task in state.tasks] == [("parse", "done"), ("print", "open")]


@pytest.mark.parametrize(
    ("states", "open_"),
    [("oo", [0, 1]), ("odd", [0]), ("oddd", []), ("oddod", [0, 3]), ("dddo", [3]), ("", [])],
)
def test_a_task_before_three_that_are_done_was_forgotten(states: str, open_: list[int]) -> None:
    tasks = [Task(f"t{n}", {"o": "open", "d": "done"}[state], "e") for n, state in enumerate(states)]
    assert open_tasks(tasks) == [tasks[n] for n in open_]


def test_the_pointer_of_an_agent_is_not_what_the_user_wants() -> None:
    note = "<task-notification>\n<status>done</status>\n</task-notification>\nRead the result: /tmp/tasks/b1.output"
    state = folded(said("user", "Make the tests run side by side."), said("user", note))
    assert [request.pasted for request in state.requests] == [False, True]
    wanted = telling_request(state.requests)
    assert wanted
    assert wanted.text == "Make the tests run side by side."


@pytest.mark.parametrize(
    ("sentence", "decision"),
    [
        ("We keep SQLite, because nobody wants to run a server.", True),
        ("The root cause is the cache, it is never emptied.", True),
        ("The root cause is probably the cache.", False),
        ("The fix is complete and all is well.", False),
        ("Let me keep the old name because it is used.", False),
        ("Seguimos con SQLite porque nadie quiere un servidor.", True),
        ("La causa es quizás la caché que nunca se vacía.", False),
        ("我们继续用这个方案，因为没有人想运行服务器。", True),
        ("原因可能是缓存从来没有被清空过，因为没人管。", False),
    ],
)
def test_a_guess_is_no_decision(sentence: str, decision: bool) -> None:
    assert is_decision(sentence) is decision


def test_a_file_keeps_what_was_done_and_why() -> None:
    state = folded(
        said("user", "fix the parser"),
        said("assistant", "The parser drops the last token, so its loop must change."),
        called("Edit", {"file_path": "/w/src/parser.py", "new_string": "x"}, 1),
        called("Read", {"file_path": "/w/src/parser.py"}, 2),
    )
    (file,) = state.files
    assert (file.path, file.operation, file.times) == ("src/parser.py", "edit", 2)
    assert file.why == "The parser drops the last token, so its loop must change."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<task-notification>\n<status>done</status>\n</task-notification>", []),
        ("<command-name>/review</command-name>", ["/review"]),
        ("[Request interrupted by user]", []),
        ("why?\n```\ncode here\n```\nfix it please", ["fix it please"]),
        ("see this:\n2026-01-01 boot failed\n\tat foo(bar)\nwhat is wrong", ["see this:", "what is wrong"]),
        ("yes", ["yes"]),
        ("<a>one</a> go on <b>two <a>and</a> more</b> with it", ["go on", "with it"]),
        ("<br>put a <b> here", ["<br>put a <b> here"]),
        ("'/var/folders/x1/Screenshot 2025-11-21 at 01.27.21.png' looks odd", ["looks odd"]),
        ("/tmp/a.png", []),
        ("please read /srv/notes.md", ["please read /srv/notes.md"]),
        (
            "why is that?\n\n" + "=== step ===\n{}\nBuilding it now\n" * 16 + "\nPlease fix it.",
            ["why is that?", "Please fix it."],
        ),
        ("Building it from /srv\n" + "=== step ===\n{}\nAll of it is built now\n" * 16, ["Building it from /srv", "…"]),
        ("Building it from /srv\n" + "=== step ===\n{}\nAll is built\n" * 16 + "\nWhy twice?", ["Why twice?"]),
        ("it fails:\nGoing up\n" + "[main] a1\n[main] b2\nall went fine\n" * 16, ["it fails:", "Going up"]),
    ],
)
def test_the_users_own_words(text: str, parts: list[str]) -> None:
    assert own_parts(text) == parts


def test_output_without_a_word_on_it_says_nothing_of_what_is_wanted() -> None:
    output = "Building it from /srv\n" + "=== step ===\n{}\nNever mind the second step\n" * 16
    state = folded(said("user", "Find out why it is built twice."), said("user", output))
    last = state.requests[-1]
    assert (last.text, last.pasted) == ("Building it from /srv …", True)
    wanted = telling_request(state.requests)
    assert wanted
    assert wanted.text == "Find out why it is built twice."
    assert FactState.from_json(state.to_json()).requests[-1].pasted


def test_an_open_question_is_closed_by_an_answer() -> None:
    asked = [said("user", "make it faster"), said("assistant", "Two ways are possible. Shall I use the cache?")]
    assert folded(*asked).requests[-1].question == "Shall I use the cache?"
    assert folded(*asked, said("user", "yes, the cache")).requests[-1].question == ""


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    assert [(touch.path, touch.operation) for touch in file_touches("apply_patch", {"input": patch})] == [
        ("a.py", "edit")
    ]
