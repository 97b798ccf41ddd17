"""Standing rules of the user: found in several languages, withdrawn, changed."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import said

from treering.facts.fold import FactState, fold
from treering.facts.rules import is_rule
from treering.facts.statements import statement_of
from treering.facts.values import supersedes


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "please don't touch the generated files",
        "Only Python 3.11.",
        "Always run the linter before you commit.",
        "I prefer tabs.",
        "Nunca subas a main.",
        "Usa siempre comillas dobles.",
        "कभी भी main पर push मत करो।",
        "हमेशा हिंदी में जवाब दो।",
        "不要修改配置文件。",
        "提交前必须运行测试。",
        "You need to always run the formatter.",
        "No new dependencies.",
        "We don't use globals here.",
        "Using eval is out, and avoid exec too.",
    ],
)
def test_rules_are_found(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Should we never push?",
        "the tests pass",
        "¿siempre?",
        "可以不要吗？",
        "look at it",
        "This causes the counter to always return 0.",
        "Using UTC would be more consistent with the other stamps and avoid trouble with time zones.",
        "A change of the marker will require new tests in two places.",
        "I don't think that this is the cause.",
        "No, that was the other file.",
        "Let me look, then we should be good to go.",
        "The error is returned as it is, while others are wrapped (open it / ensure the folder).",
        "Please have a look at this project.",
        "Stop, I interrupted that.",
        "I like that you measured it.",
    ],
)
def test_what_is_no_rule(sentence: str) -> None:
    assert not is_rule(sentence)


def rules_after(*texts: str) -> list[str]:
    state = fold(FactState(), [said("user", text, number) for number, text in enumerate(texts)])
    return [rule.text for rule in state.rules]


def test_a_rule_is_kept_word_for_word_until_it_is_withdrawn() -> None:
    rule = "Never change files in the vendor folder."
    assert rules_after(rule, "ok, next the parser please") == [rule]
    assert rules_after(rule, "You can now change files in the vendor folder.") == []
    assert rules_after(rule, "Forget the rule about the vendor folder files.") == []


def test_a_rule_said_twice_stands_once() -> None:
    assert rules_after("Always use tabs.", "fine", "Always use tabs.") == ["Always use tabs."]


def test_scratch_that_takes_back_what_was_said_last() -> None:
    state = fold(
        FactState(),
        [
            said("user", "Let's store dates as strings."),
            said("user", "Actually, scratch that. Use integers for dates."),
        ],
    )
    assert [request.text for request in state.requests] == ["Actually, scratch that. Use integers for dates."]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("The port is 8080.", "The port is 9090.", True),
        ("Use port 8080 for the server.", "Actually use port 9090 for the server.", True),
        ("The weekly report is due on Monday.", "The weekly report is due on Friday.", True),
        ("The platform migration is at phase 3 of 6.", "Migration progress: phase 4 of 6.", True),
        ("User wants answers in Pwkev style.", "The user's preferred answer style is Ouiqr.", True),
        ("सर्वर का पोर्ट 8080 है।", "अब सर्वर का पोर्ट 9090 है।", True),
        ("The staging database is at db-1.", "The production database is at db-2.", False),
        ("Run unit tests with pytest.", "Run integration tests with make.", False),
        ("The port is 8080.", "Is the port 9090?", False),
    ],
)
def test_a_later_value_takes_the_place_of_the_earlier_one(old: str, new: str, changed: bool) -> None:
    before, after = statement_of(old), statement_of(new)
    assert bool(before and after and supersedes(after, before)) is changed


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("The budget is 500 euros.", "Keep the whole budget below 700 euros.", True),
        ("El puerto del servidor es 8080.", "El servidor usa el puerto 9090.", True),
        ("सर्वर का पोर्ट 8080 है।", "सर्वर पोर्ट 9090 पर चलता है।", True),
        ("The next step is the cellar.", "Next: the roof.", True),
        ("All reports go out in the zone Europe/Riga.", "Report in the zone Asia/Tokyo.", True),
        ("The gateway lives at https://a.example/v1.", "Use https://b.example/v1 for the gateway.", True),
        ("The staging API base is https://a.example.", "Use https://b.example as the production API base.", False),
        ("The access code is QX-11.", "The contact code is RT-22.", False),
        ("The user wants tea on Monday.", "The user wants the report on Friday.", False),
        ("El puerto de la web es 8080.", "El puerto del panel es 9090.", False),
        ("No peanuts at the counter, ever.", "No sesame at the counter, ever.", False),
        ("Never send health data outside.", "Do not send payroll data outside.", False),
        ("测试数据库在 db-1。", "生产数据库在 db-2。", False),
        ("We asked Chen. He plans the fence and the gate.", "Do not plan the fence and the gate with Noor.", False),
    ],
)
def test_a_value_said_again_in_the_next_message_in_other_words(old: str, new: str, changed: bool) -> None:
    assert (old not in said_after(old, new)) is changed
    assert new in said_after(old, new)


def said_after(*texts: str) -> list[str]:
    state = fold(FactState(), [said("user", text, number) for number, text in enumerate(texts)])
    return [part for request in state.requests for part in request.parts]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The port of Redis is 6379.", "The port of Postgres is 5432."),
        ("The staging API base URL is https://a.example.", "The production API base URL is https://b.example."),
        ("Room 3 seats 6.", "Room 2 seats 7."),
    ],
)
def test_the_same_said_of_another_thing_changes_nothing(old: str, new: str) -> None:
    assert said_after(old, "fine", new) == [old, "fine", new]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The old endpoint is /v1.", "The new endpoint is /v2 for admins."),
        ("The old office is in Paris.", "The new office is in Lyon."),
        ("The new office has room for 40 desks.", "The old office had room for 12 desks."),
        ("The old hall seats 80 people.", "By the way, the new hall seats 120 people on two floors."),
        ("The previous key is QX-11.", "The new key is RT-22 for the gate."),
        ("El antiguo local está en la calle Mayor 3.", "El nuevo local está en la calle Sol 9."),
        ("La oficina vieja está en la planta 3.", "La oficina nueva está en la planta 7, para todos."),
        ("पुराना दफ़्तर कमरा 12 में है।", "नया दफ़्तर कमरा 40 में है, सबके लिए।"),
        ("旧接口是 /v1。", "新接口是 /v2，供管理员使用。"),
        ("Das alte Büro ist in Raum 12.", "Das neue Büro ist in Raum 40 für alle."),
    ],
)
@pytest.mark.parametrize("between", [[], ["fine"]])
def test_the_old_one_and_the_new_one_are_two_things(one: str, other: str, between: list[str]) -> None:
    assert said_after(one, *between, other) == [one, *between, other]
    assert said_after(other, *between, one) == [other, *between, one]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The endpoint is /v1.", "The endpoint is now /v2."),
        ("The endpoint is /v1.", "The new endpoint is /v2."),
        ("The new endpoint is /v1.", "The new endpoint is /v2."),
        ("The old endpoint is /v1.", "The old endpoint is /v0, not /v1."),
        ("The deadline is Friday.", "The deadline is now Monday."),
        ("El puerto es 8080.", "El nuevo puerto es 9090."),
        ("El puerto es 8080.", "El puerto ahora es 9090."),
        ("दफ़्तर कमरा 12 में है।", "नया दफ़्तर कमरा 40 में है।"),
        ("接口是 /v1。", "新接口是 /v2。"),
        ("接口是 /v1。", "接口现在是 /v2。"),
    ],
)
@pytest.mark.parametrize("between", [[], ["fine"]])
def test_what_is_said_to_be_new_or_so_now_takes_the_place(old: str, new: str, between: list[str]) -> None:
    assert said_after(old, *between, new) == [*between, new]


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("Die Frist für den Bericht ist Freitag.", {"Freitag"}),
        ("Wir brauchen die Liste der Gäste für die Feier.", set()),
        ("Bitte keine Namen in den Berichten.", set()),
        ("Schreibe Tests für alle Module und die neue Übersicht.", set()),
        ("Die Übergabe der Schlüssel ist am Montag im Rathaus.", {"Montag", "Rathaus"}),
        ("Der Ansprechpartner für den Druck ist Farida. Frag auch die Leiterin im Büro.", {"Farida"}),
        ("Der Server läuft auf Port 8080 im Keller.", {"8080"}),
        ("Our contact at the printer's is Farida, she is in Zürich.", {"Farida", "Zürich"}),
        ("Nos vemos con José en Málaga.", {"José", "Málaga"}),
        ("La fecha límite del informe es el viernes.", set()),
        ("रिपोर्ट की समय सीमा शुक्रवार है।", set()),
        ("报告的截止日期是周五。", set()),
    ],
)
def test_names_are_values_and_ordinary_nouns_are_not(sentence: str, values: set[str]) -> None:
    statement = statement_of(sentence)
    assert statement
    assert statement.values == values


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("Die Frist für den Bericht ist Freitag.", "Der Termin für das Treffen ist Montag.", False),
        ("Schreibe die Tests für den Leser.", "Schreibe die Doku für den Leser.", False),
        ("Bitte keine Namen in den Berichten.", "Bitte keine Adressen in den Berichten.", False),
        ("Die Kosten für den Umzug trägt die Firma.", "Die Kosten für die Reise trägt der Verein.", False),
        ("Die Frist ist Freitag.", "Die Frist ist jetzt Montag.", True),
        ("Der Termin ist am Freitag.", "Der Termin ist am Montag, nicht am Freitag.", True),
        ("Der Port ist 8080.", "Der neue Port ist 9090.", True),
        ("Die Sitzung findet im Rathaus statt.", "Die Sitzung findet jetzt im Pfarrhaus statt.", True),
        ("La fecha límite del informe es el viernes.", "La fecha de la reunión es el lunes.", False),
        ("La fecha límite es el viernes.", "La fecha límite ahora es el lunes.", True),
        ("रिपोर्ट की समय सीमा शुक्रवार है।", "बैठक का समय सोमवार है।", False),
        ("समय सीमा शुक्रवार है।", "समय सीमा अब सोमवार है।", True),
        ("报告的截止日期是周五。", "会议的日期是周一。", False),
        ("截止日期是周五。", "截止日期现在是周一。", True),
        ("The deadline for the report is Friday.", "The date of the meeting is Monday.", False),
    ],
)
@pytest.mark.parametrize("between", [[], ["fine"]])
def test_a_date_that_changed_and_two_dates(old: str, new: str, changed: bool, between: list[str]) -> None:
    assert said_after(old, *between, new) == [*([] if changed else [old]), *between, new]


@pytest.mark.parametrize(
    "over",
    [
        "Forget everything we said so far.",
        "Scratch all of this.",
        "Olvida todo lo anterior.",
        "Perdona, olvida todo lo anterior.",
        "之前说的全部作废。",
    ],
)
def test_who_starts_over_takes_back_the_plans_but_not_the_rules(over: str) -> None:
    plan, rule = "Let's store dates as strings.", "Never push to main."
    assert said_after(plan, rule, "thanks", over) == [rule, "thanks", over]


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        ("Last time someone changed the settings by hand on a Friday evening.", "Let's not do that again."),
        ("La última vez alguien cambió la configuración a mano un viernes.", "Nunca hagas eso."),
        ("पिछली बार किसी ने सेटिंग्स को हाथ से बदल दिया था।", "ऐसा कभी मत करना।"),
        ("上次有人在周五晚上直接改了配置。", "不要这样做。"),
        (
            "The setup now writes the hooks of the wrapper into the settings file.",
            "This should not be changed, only the local flag should write the version with the wrapper script.",
        ),
    ],
)
def test_a_rule_stands_with_the_sentence_that_it_speaks_of(before: str, rule: str) -> None:
    assert rules_after(f"{before}\n{rule}") == [f"{before} {rule}"]
    alone = "Never change the settings of the server by hand."
    assert rules_after(f"{before}\n{alone}") == [alone]


def test_a_superseded_value_is_in_no_fact() -> None:
    state = fold(FactState(), [said("user", "The budget cap is $500."), said("user", "The budget cap is $700.")])
    assert [request.text for request in state.requests] == ["The budget cap is $700."]
    assert dict(state.superseded) == {"$500": "$700"}


def test_a_rule_that_speaks_of_the_sentence_before_it_is_there_once() -> None:
    state = fold(FactState(), [said("user", "Suspect readings must not count.\nKeep it simple.")])
    assert [rule.text for rule in state.rules] == ["Suspect readings must not count. Keep it simple."]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Never edit dist/ by hand.", "Does git ignore the dist folder?"),
        ("Never edit dist/ by hand.", "Please ignore the earlier warnings in the log."),
        ("Release goes out on Friday at 14:00.", "The linter should ignore the generated folder."),
        ("Release goes out on Friday at 14:00.", "Write a changelog entry and don't forget it this time."),
        ("Always run make lint before pushing.", "You forget that the cache is shared."),
        ("Use only the standard library.", "Never mind, the tests pass."),
        ("Use only the standard library.", "Never mind the progress bar."),
        ("发布时间是周五 14:00。", "算了一下，总共 12 个文件"),
        ("不要使用第三方库。", "预算了解一下，看看 README。"),
        ("रिलीज़ शुक्रवार 14 मार्च को है।", "पासवर्ड भूल जाने पर लिंक भेजो।"),
        ("La versión sale el viernes a las 14:00.", "Mejor no uses axios, usa fetch."),
        ("La versión sale el viernes 14 de marzo.", "El usuario olvida lo que escribió antes."),
        ("We decided to use Redis for sessions.", "The script should ignore everything before line 10."),
        ("We will use Redis for sessions.", "Drop everything before the first header line in the parser."),
        ("Use SQLite 3.45 for the tests.", "Use PostgreSQL 16.2 for production."),
        ("In the tests use the key test_key_1.", "In production use the key live_key_9."),
        ("Never edit files in src/legacy.", "Never edit files in src/vendor."),
        ("Nunca edites archivos en src/legacy.", "Nunca edites archivos en src/vendor."),
        ("Never touch migrations/0001_initial.py.", "Never touch migrations/0002_users.py."),
        ("Fix issue 412 in the parser.", "Fix issue 415 in the parser."),
        ("Please review PR 88.", "Please review PR 91."),
        ("Never log the request body.", "The request body log no longer compiles."),
    ],
)
def test_talk_about_the_work_takes_nothing_back(earlier: str, later: str) -> None:
    assert said_after("Please look at the project.", earlier, later)[1:] == [earlier, later]
    assert set(rules_after(earlier)) <= set(rules_after(earlier, later))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The retry limit is 5.", "The retry limit is not 5 but 7."),
        ("The retry limit is 5.", "Oh wait, scratch that. The retry limit stays open."),
        ("We will use Redis for sessions.", "Scratch all of that, we start again with files."),
        ("We will use Redis for sessions.", "Sorry, never mind that, files will do."),
        ("We will use Redis for sessions.", "Hmm, actually, never mind."),
    ],
)
def test_what_is_denied_or_taken_back_is_gone(old: str, new: str) -> None:
    assert said_after("Please look at the project.", old, new)[1:] == [new]


def test_a_rule_is_withdrawn_by_the_one_word_that_it_is_about() -> None:
    assert not rules_after("Always use tabs.", "Forget what I said about tabs.")


def test_the_items_of_a_list_of_rules_are_rules() -> None:
    rules = "House rules, they hold for everything:\n- Standard library only.\n- A bug gets a test first."
    text = f"{rules}\n\nNow fix it:\n- the cap"
    assert rules_after(text) == ["Standard library only.", "A bug gets a test first."]


def test_what_is_so_for_the_moment_is_no_rule() -> None:
    assert not rules_after("No changes yet.", "Never mind, the tests pass.")


def test_a_rule_hides_nothing_beside_it() -> None:
    text = "The bug is in parse_header_line of src/http_core.py.\nWe decided to keep the wire_format stable.\n"
    state = fold(FactState(), [said("user", f"{text}Never touch settings_prod.py.")])
    assert {"parse_header_line", "http_core.py", "wire_format"} <= {term.name for term in state.terms}
    assert "We decided to keep the wire_format stable." in [decision.text for decision in state.decisions]


def test_a_rule_beside_a_request_that_was_overtaken_stands() -> None:
    first, second = "Never touch the generated files. Please do step 0.", "Please do step 1 of the plan."
    assert said_after(first, second) == ["Never touch the generated files.", second]
    assert "Never touch the generated files." in rules_after(first, second)
