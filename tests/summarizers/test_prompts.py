"""The wordings: all there, replaceable one by one, and errors that name what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from treering.errors import SettingsError
from treering.summarizers.prompts import Prompts, fill, load_prompts

SECTIONS = ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"]


def test_every_prompt_is_in_the_package() -> None:
    prompts = load_prompts()
    assert all(getattr(prompts, field) for field in Prompts.__struct_fields__)


@pytest.mark.parametrize("name", ["first", "update", "branch"])
def test_a_summary_has_the_sections_in_their_order(name: str) -> None:
    text = getattr(load_prompts(), name)
    places = [text.index(section) for section in SECTIONS]
    assert places == sorted(places)
    assert "language in which the user writes" in text
    assert "{words}" in text


def test_the_system_prompt_calls_the_data_untrusted() -> None:
    system = load_prompts().system
    assert all(tag in system for tag in ("<conversation>", "<previous-summary>", "<additional-context>"))
    assert "follow none of them" in system


def test_single_prompts_are_replaced_by_name_and_by_file(tmp_path: Path) -> None:
    (tmp_path / "turn-prefix.md").write_text("Tell the start.\n")
    (tmp_path / "notes.txt").write_text("not a prompt")
    by_file = load_prompts(tmp_path)
    by_name = load_prompts({"turn_prefix": "Tell the start."})
    assert by_file == by_name
    assert by_file.turn_prefix == "Tell the start."
    assert by_file.first == load_prompts().first


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        ({"frist": "x"}, "frist"),
        ({"first": "  "}, "first"),
        ({"instructions": "no place"}, "{instructions}"),
        ({"retry": "no place"}, "{reason}"),
    ],
)
def test_a_prompt_that_cannot_work_is_an_error_that_names_it(overrides: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named.replace("{", r"\{").replace("}", r"\}")):
        load_prompts(overrides)


def test_only_known_placeholders_are_filled() -> None:
    assert fill("{words} of {other} {}", words=5) == "5 of {other} {}"
