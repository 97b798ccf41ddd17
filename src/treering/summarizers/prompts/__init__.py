"""The prompts of model summarizers, one Markdown file each, and how single ones are replaced by one's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import msgspec

from treering.errors import SettingsError


class Prompts(msgspec.Struct, frozen=True, kw_only=True):
    """The wording of every request.

    Attributes:
        system: what the model is told first: its task, and that the data is no order.
        first: the summary of a span that has none before it. `{words}` is the length that is asked for.
        update: the summary of a span together with the summary before it.
        turn_prefix: the first part of a turn that a cut splits.
        part: added where a long record is summarised part by part and `update` does not fit.
        short: two or three sentences for people.
        branch: a branch that is being left.
        branch_preamble: stands before the text of a branch summary; no model sees it.
        instructions: how the user's wishes are put. `{instructions}` are these.
        retry: added when an answer could not be used. `{reason}` says why.
    """

    system: str
    first: str
    update: str
    turn_prefix: str
    part: str
    short: str
    branch: str
    branch_preamble: str
    instructions: str
    retry: str


def load_prompts(overrides: Mapping[str, str] | Path | None = None) -> Prompts:
    """The prompts of the package, single ones replaced.

    Args:
        overrides: texts by name (`first`, `turn-prefix`, …), or a folder that holds some of the files
            (`first.md`, …); those that are missing there stay as they are.

    Raises:
        SettingsError: a name is none of ours, a text lacks its placeholder, or the folder cannot be read.
    """
    names = _names()
    texts = {field: _packaged(name) for name, field in names.items()}
    for name, text in (_read_folder(overrides) if isinstance(overrides, Path) else dict(overrides or {})).items():
        field = names.get(name.replace("_", "-"))
        if field is None:
            raise SettingsError(f"there is no prompt {name!r}; the prompts are {', '.join(sorted(names))}")
        if not text.strip():
            raise SettingsError(f"the prompt {name!r} is empty")
        texts[field] = text.strip()
    for field, placeholder in (("instructions", "{instructions}"), ("retry", "{reason}")):
        if placeholder not in texts[field]:
            raise SettingsError(f"the prompt {field!r} must hold {placeholder}")
    return Prompts(**texts)


def fill(prompt: str, **values: object) -> str:
    """The prompt with its placeholders filled; other braces are text."""
    for name, value in values.items():
        prompt = prompt.replace(f"{{{name}}}", str(value))
    return prompt


def _names() -> dict[str, str]:
    """The fields by the names of their files: `turn-prefix` is `turn_prefix`."""
    return {field.replace("_", "-"): field for field in Prompts.__struct_fields__}


def _packaged(name: str) -> str:
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def _read_folder(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise SettingsError(f"there is no folder of prompts {folder}")
    try:
        return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.md"))}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the prompts in {folder} cannot be read: {error}") from error
