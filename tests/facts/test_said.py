"""The user's words in a room of tokens: what stands with what, what comes first, what is left out."""

from __future__ import annotations

import pytest
from tests.facts.fact_parts import said

from treering.facts.fold import FactState, fold
from treering.facts.said import UserWords
from treering.tokens.estimate import estimate_text

TALK = [
    "Yesterday the weather was quite nice over here.",
    "Do you happen to read many novels?",
    "My brother came by in the afternoon with his dog.",
    "The train home was rather full again.",
]


def told(texts: list[str], room: int, *, scarce: bool = False) -> str:
    turns = [said(role, text, 2 * n) for n, text in enumerate(texts) for role, text in [("user", text)]]
    chosen = UserWords(fold(FactState(), turns), estimate_text).choose(room, scarce=scarce)
    return "\n".join([*(rule.text for rule in chosen.rules), *(request.text for request in chosen.requests)])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "From now on members may take more books, set the limit to 4.",
            "Sorry, I asked around: the limit is 6, not 4.",
        ),
        (
            "Desde hoy los socios llevan más libros, pon el límite en 4.",
            "Perdona, he preguntado: el límite es 6, no 4.",
        ),
        ("अब से सदस्य ज़्यादा किताबें ले सकता है, सीमा 4 कर दो।", "माफ़ करना, मैंने पूछा: सीमा 6 है, 4 नहीं।"),
        ("从现在起会员可以多借书，上限改成 4。", "抱歉，我问了同事：上限是 6，不是 4。"),
        ("The port of Redis is 6379.", "The port of Redis is 6380, instead of 6379."),
        (
            "For the summer fair, let's rent the hall.",
            "Final answer: let's meet in the park behind the old church, where the benches and the trees are.",
        ),
        (
            "Para la fiesta vamos a alquilar la sala.",
            "Decisión final: vamos a quedar en el parque detrás de la iglesia vieja, donde están los bancos.",
        ),
        ("夏天的活动我们就租大厅。", "我改主意了，我们就去老教堂后面有长椅和大树的那个公园里见面吧。"),
    ],
)
def test_what_was_corrected_is_never_given_without_its_correction(old: str, new: str) -> None:
    texts = ["Please make the shop ready.", old, TALK[0], new, *TALK[2:], "Now write the report."]
    rooms = [told(texts, room, scarce=room < 50) for room in range(10, 160, 4)]
    assert new in rooms[-1]
    assert all(new in text for text in rooms if old in text)


@pytest.mark.parametrize(
    ("fact", "texts"),
    [
        ("The contact code of the warehouse is QX-7712.", TALK),
        ("El código del almacén es QX-7712.", ["Ayer hizo buen tiempo por aquí.", "¿Te gusta leer novelas?"]),
        ("गोदाम का कोड QX-7712 है।", ["कल मौसम बहुत अच्छा था यहाँ।", "क्या तुम उपन्यास पढ़ते हो?"]),
        ("仓库的代码是 QX-7712。", ["昨天这里天气真的很好。", "你平时喜欢看小说吗？"]),
        ("Whether we ship on paper is still undecided.", TALK),
        ("Could you add the totals to the list?", TALK),
        ("We're going to print the labels instead.", TALK),
        ("Our contact at the printer's is Farida.", TALK),
        ("El contacto de la imprenta es Farida.", ["Ayer hizo buen tiempo por aquí.", "¿Te gusta leer novelas?"]),
    ],
)
def test_what_says_something_comes_before_talk(fact: str, texts: list[str]) -> None:
    room = estimate_text(fact) + 24
    assert fact in told([texts[0], fact, *texts[1:], "And now?"], room)


def test_what_is_said_word_for_word_again_does_not_take_the_room_of_a_rule() -> None:
    again = "The builders come in twice a day and look at the roof."
    rule = "Never send the letters before noon."
    room = estimate_text(rule) + 6
    assert told([again, rule, again], room) == rule
    assert again in told([again, rule, again], 60)
    assert "look at the cellar" in told([again, rule, "look at the cellar"], room)


def test_of_what_does_not_fit_whole_the_sentence_that_counts_is_given() -> None:
    long = "I thought about it for a while and asked a friend. We'll use port 8123 for the gateway. So much for that."
    text = told([long, *TALK, "go on"], 24)
    assert "We'll use port 8123 for the gateway." in text
    assert "So much" not in text


def test_an_ellipsis_stands_between_sentences_where_others_were_left_out() -> None:
    long = "We'll use port 8123 for the gateway. My brother came by with his dog. The gateway answers at 10.0.0.7."
    text = told([long, *TALK, "paint the roof"], 40)
    assert text.startswith("We'll use port 8123 for the gateway. … The gateway answers at 10.0.0.7."), text


def test_where_room_is_scarce_a_rule_comes_before_the_last_request() -> None:
    rule = "Never assume that the clock of the server runs in UTC."
    last = "Given all of that, please propose a next step for us."
    assert told([rule, *TALK, last], estimate_text(rule) + 6, scarce=True) == rule
    assert last in told([rule, *TALK, last], 60)


def test_where_room_is_scarce_one_long_fact_comes_before_short_talk() -> None:
    fact = "For the new house: Chen does the kitchen and the bath, Noor does the garden and the fence."
    assert fact in told([fact, *TALK, "Who does what?"], estimate_text(fact) + 6, scarce=True)


def test_all_rules_that_fit_are_there_beside_a_long_request() -> None:
    rules = [f"Never open the {name} door." for name in ("red", "blue", "green", "white")]
    request = " ".join(["Look at the plan of the house and tell me what you think of it."] * 4)
    text = told([*rules, request], 70)
    assert all(rule in text for rule in rules)
    assert "Look at the plan" in text


def test_of_two_rules_about_much_the_same_the_newer_is_given_if_only_one_fits() -> None:
    old, new = "Never keep nuts near the counter.", "Do not keep any opened tins near the counter after six."
    assert told([old, new, TALK[0], "go on"], estimate_text(new) + 12) == f"{new}\ngo on"
    assert old in told([old, new, TALK[0], "go on"], 60)


def test_whole_rules_come_before_parts_of_rules() -> None:
    long = "The gate is locked at night and must stay so. The next thing is that somebody paints the fence behind it."
    short = "Never leave the key in the lock of the shed by the lake."
    assert told([long, short, "go on"], estimate_text(short) + 12) == f"{short}\ngo on"
    assert "must stay so." in told([long, short, "go on"], estimate_text(short) + 30)


def test_the_open_question_is_there_where_room_is_scarce() -> None:
    question = "Shall I paint it red or blue?"
    messages = [said("user", "Paint the fence behind the house, and then the gate.", 1), said("assistant", question, 2)]
    chosen = UserWords(fold(FactState(), messages), estimate_text).choose(24, scarce=True)
    assert chosen.question == question


def test_the_open_question_is_there_even_if_the_last_request_is_no_news() -> None:
    question = "Shall I paint the gate red or blue as well?"
    messages = [said("user", "Run it.", 1), said("user", "Run it.", 2), said("assistant", question, 3)]
    words = UserWords(fold(FactState(), messages), estimate_text)
    assert words.choose(100).question == question
    small = words.choose(6)
    assert not small.question, "it does not fit"
    assert small.cost <= 6


def test_the_same_answer_to_two_questions_is_given_with_both() -> None:
    messages = [said("user", "Clear out the shed behind the house.", 1)]
    for number, thing in enumerate(("ladder", "bicycle"), 1):
        messages.append(said("assistant", f"Done.\nShall I keep the {thing}?", 2 * number))
        messages.append(said("user", "yes", 2 * number + 1))
    messages.append(said("user", "Then paint the door of the shed.", 9))
    chosen = UserWords(fold(FactState(), messages), estimate_text).choose(200).requests
    assert [request.shown for request in chosen[1:3]] == [
        "Shall I keep the ladder? → yes",
        "Shall I keep the bicycle? → yes",
    ]


def test_plans_that_go_back_and_forth_end_with_the_last_one() -> None:
    hall, park = "Let's rent the hall instead.", "Actually, let's meet in the park."
    texts = [hall, park, hall, *TALK]
    rooms = [told(texts, room, scarce=scarce) for room in range(8, 90, 4) for scarce in (True, False)]
    assert hall in rooms[-1]
    assert all(hall in text for text in rooms if park in text)


def test_several_facts_are_worth_more_than_one_and_a_name_more_than_none() -> None:
    words = UserWords(FactState(), estimate_text)
    one = "He takes care of the kitchen."
    assert words.weight(f"{one} She takes care of the garden. The keys hang in the shed.") > words.weight(one)
    assert words.weight("Here is Chen for the kitchen.") > words.weight("Here is somebody for the kitchen.") + 0.7


def test_a_long_request_is_whole_where_it_fits() -> None:
    task = " ".join(f"Step {n}: look at drawer {n} of the old desk and list what is in it." for n in range(1, 13))
    assert told([*TALK, task], estimate_text(task) + 8) == task
    assert "…" in told([*TALK, task], estimate_text(task) // 2)
