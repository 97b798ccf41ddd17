"""What counts as kept: every measure on parts small enough to be counted by hand."""

from __future__ import annotations

import pytest
from evaluation_parts import assistant, call, result, span, user

from treering.evaluation.measures import Score, score
from treering.evaluation.words import invocations


def measure(region, kept, future, summary: str, budget: int | None = None) -> Score:
    return score(
        span(*region), span(*kept), span(*future), summary, tokens=lambda text: len(text.split()), budget=budget
    )


def test_a_file_counts_if_the_region_and_the_future_have_it_and_the_kept_part_does_not():
    region = [assistant("see src/app/alpha.py and src/beta.py and gamma.py")]
    kept = [assistant("src/beta.py is fine")]
    future = [assistant("open /srv/app/alpha.py, beta.py")]
    found = measure(region, kept, future, "We changed lib/alpha.py.")
    assert (found.files.hit, found.files.total) == (1, 1)
    assert measure(region, kept, future, "nothing").files.missed == ("alpha.py",)


def test_names_need_a_form_and_six_letters_and_stand_whole():
    text = "loadUser parseIt HTTPServer Question MAX_RETRIES user_id ParseCheckpoint ACTIVE"
    found = measure([assistant(text)], [], [assistant(text)], "calls loadUser and MAX_RETRIES_2")
    assert set(found.names.missed) == {"parseIt", "HTTPServer", "MAX_RETRIES", "user_id", "ParseCheckpoint"}
    assert found.names.hit == 1


def test_names_in_escapes_are_no_names_and_line_numbers_are_no_numbers():
    region = [
        assistant(
            "", call("1", "Edit", path="a.py", text="one\nnewName = 1\n\tsome_value"), call("2", "Read", path="b.py")
        ),
        result("2", "Read", "   123→first_line\n   124→second"),
    ]
    future = [assistant("nnewName newName some_value tsome_value 123 124 first_line")]
    found = measure(region, [], future, "")
    assert set(found.names.missed) == {"newName", "some_value", "first_line"}
    assert found.numbers.total == 0


def test_commands_are_program_and_first_argument_of_what_is_run_again():
    region = [assistant("", call("1", "exec_command", cmd=["bash", "-lc", "cd /x && FOO=1 go test ./... | tail -5"]))]
    future = [assistant("go vet", call("2", "Bash", command="go test ./pkg; git status"))]
    assert measure(region, [], future, "ran go  test in pkg").commands.rate == 1.0
    assert measure(region, [], future, "ran go tests").commands.missed == ("go test",)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cd /x && make -j2 test", ["make -j2"]),
        ("gh api replies \\\n  -f body='a; b && c'", ["gh api"]),
        ("# Stage the files\ngit add a.py | tee log", ["git add", "tee log"]),
        ("python - <<'EOF'\nimport os; os.remove('x')\nEOF\nls -la", ["python -", "ls -la"]),
        ("FOO=1 sudo ./run.sh --keep 2>&1", ["./run.sh --keep"]),
        ("for f in *.py; do wc -l $f; done", ["wc -l"]),
        ("(cd a && true) || false", []),
    ],
)
def test_invocations_of_a_command_line(command: str, found: list[str]):
    assert list(invocations(command)) == found


def test_numbers_of_tool_output_do_not_count():
    region = [
        user("port 8443, commit 3fa9c1d"),
        assistant("", call("1", "bash", command="sleep 450")),
        result("1", "bash", "took 999"),
    ]
    future = [assistant("8443 3fa9c1d 450 999 12")]
    found = measure(region, [], future, "port 8443")
    assert (found.numbers.hit, set(found.numbers.missed)) == (1, {"3fa9c1d", "450"})


def test_a_directive_is_there_if_most_of_its_words_are():
    region = [user("Never push to the release branch without asking. The weather is nice.")]
    assert measure(region, [], [], "Never push to release branch").directives.rate == 1.0
    assert measure(region, [], [], "the release").directives.missed == (
        "Never push to the release branch without asking.",
    )


def test_directives_are_found_in_many_languages():
    for sentence in (
        "कभी भी main शाखा में सीधे push मत करो, पहले पूछो।",
        "हमेशा pytest से जाँच चलाओ।",
        "No uses nunca print para los registros.",
        "Prefiero que los mensajes estén en español.",
        "不要修改配置文件里的端口。",
        "所有提交信息必须用中文写。",
        "Bitte niemals direkt auf main pushen.",
        "テストは必ず実行してください。",
    ):
        found = measure([user(sentence)], [], [], sentence)
        assert (found.directives.hit, found.directives.total) == (1, 1), sentence


def test_what_programs_put_into_user_messages_is_no_directive():
    note = "<task-notification>\n<summary>You must always read this</summary>\n</task-notification>"
    assert measure([user(note)], [], [], "").directives.total == 0


def test_a_relation_needs_characteristic_words_on_a_quoted_line_or_a_sentence_with_few_names():
    region = [
        assistant("The retryBudget limits how often a failed upload is repeated."),
        assistant(
            "So retryBudget repeated upload counts stay small.\nother words about weather\nmore lines of text here"
        ),
    ]
    future = [assistant("retryBudget")]
    assert (
        measure(region, [], future, "The retryBudget limits how often a failed upload is repeated.").relations.rate
        == 1.0
    )
    assert (
        measure(region, [], future, "- retryBudget: upload is repeated only as long as the limit allows").relations.rate
        == 1.0
    )
    assert measure(region, [], future, "retryBudget").relations.rate == 0.0
    assert measure(region, [], future, "upload retryBudget repeated").relations.rate == 0.0


def test_lists_of_names_and_word_bags_are_bare_and_quotations_are_not():
    region = [assistant("Error: cannot open socket\nplain text of the source")]
    found = measure(
        region, [], [], "alphaBeta, gammaDelta\nsocket open plain\n- plain text of the source\n# Heading here"
    )
    assert (found.bare.hit, found.bare.total) == (5, 11)


def test_errors_stand_until_the_same_command_succeeds():
    def run(number: str, command: str, text: str, error: bool):
        return [assistant("", call(number, "bash", command=command)), result(number, "bash", text, error=error)]

    broken = run("1", "make test", "Error: port 8080 refused connection\nlog line", True)
    other = run("2", "make lint", "lint failed with unused variable", True)
    fixed = run("3", "make test", "all good", False)
    found = measure([*broken, *other, *fixed], [], [], "")
    assert found.errors.missed == ("lint failed with unused variable",)
    assert measure(broken, [], [], "Still: Error: port 9 refused connection").errors.rate == 1.0
    assert measure(broken, fixed, [], "").errors.total == 0


def test_an_old_value_without_the_new_is_stale():
    region = [
        assistant("", call("1", "bash", command="pytest")), result("1", "bash", "12 tests passed here"),
        assistant("", call("2", "bash", command="pytest")), result("2", "bash", "15 tests passed here"),
        user("set the upload timeout to 30"), user("set the upload timeout to 45"),
    ]  # fmt: skip
    assert measure(region, [], [], "12 tests passed here\nset the upload timeout to 30").stale.hit == 2
    assert measure(region, [], [], "15 tests passed here\nset the upload timeout to 45").stale.hit == 0
    assert measure(region, [], [], "12 tests passed here, then 15 tests passed here").stale.hit == 0


def test_a_value_that_the_user_denied_later_is_stale_in_any_language():
    for old, new in (
        ("Set the loan limit to 4.", "No, sorry: the loan limit is 6, not 4."),
        ("A partir de ahora pon el límite en 4.", "No, perdona: el límite es 6, no 4."),
        ("सदस्यों की सीमा 4 कर दो।", "नहीं, माफ़ करना: सीमा 6 है, 4 नहीं।"),
        ("把会员的上限设为 4。", "不对，抱歉：上限是 6，不是 4。"),
    ):
        region = [user(old), assistant("ok"), user(new)]
        assert measure(region, [], [], f"- {old}").stale.hit == 1, old
        assert measure(region, [], [], f"- {old}\n- {new}").stale.hit == 0, old
        assert measure(region, [], [], f"- {new}").stale.hit == 0, old


def test_invented_paths_and_names_are_reported():
    found = measure([assistant("see src/app.py and loadUser")], [], [], "src/app.py src/other.py loadUser saveUser")
    assert found.invented == ("src/other.py", "saveUser")
    escaped = [result("1", "bash", '{"output": "one\\\\nreadMe.md\\\\tloadUser"}')]
    assert measure(escaped, [], [], "readMe.md loadUser").invented == ()


def test_next_steps_are_the_request_in_hand_and_the_open_tasks():
    todos = [
        {"content": "write the migration", "status": "completed"},
        {"content": "update the handbook", "status": "pending"},
    ]
    region = [
        user("please move the database to sqlite"),
        assistant("", call("1", "TodoWrite", todos=todos)),
        result("1", "TodoWrite", "ok"),
    ]
    kept = [assistant("working on it")]
    found = measure(region, kept, [], "move database sqlite")
    assert (found.next_steps.hit, found.next_steps.missed) == (1, ("update the handbook",))
    assert measure(region, [user("next thing")], [], "").next_steps.missed == ("update the handbook",)


def test_the_budget_is_compared_with_the_size():
    assert measure([], [], [], "one two three", budget=2).over_budget
    assert not measure([], [], [], "one two three", budget=3).over_budget
