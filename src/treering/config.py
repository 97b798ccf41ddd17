"""Settings from files, the environment and code, in rising order (SPEC §14). Used by the command line and by programs
that want the same; library functions take a `Settings` and read nothing.

    # ~/.config/treering/config.toml
    [compaction]
    keep_recent_tokens = 30000

    [summary]
    summarizers = ["anthropic:claude-haiku-4-5", "qwen3@http://127.0.0.1:8080/v1"]

The same as variables: `TREERING_COMPACTION_KEEP_RECENT_TOKENS=30000`, `TREERING_SUMMARY_SUMMARIZERS=a,b`. A file
`treering.toml` in the working directory belongs to the project: it may set numbers, but not whom a conversation is
sent to.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast, get_type_hints

import msgspec

from treering.errors import SettingsError
from treering.settings import Settings

logger = logging.getLogger("treering")

PROJECT_FILE = "treering.toml"
"""A project's settings, in its directory."""

USERS_OWN = {
    ("compaction", "remote_endpoint"),
    ("compaction", "remote_token"),
    ("hooks",),
    ("redaction",),
    ("summary", "summarizers"),
    ("summary", "api_key"),
    ("summary", "prompts"),
}
"""What only the user may set: where a conversation goes, with which words, whether secrets go along, and what code is
run."""

_NO_SETTINGS = {"TREERING_CONFIG", "TREERING_SERVE_TOKEN"}
# Variables that are no settings: where the file is, and what callers of our server must send.

_Path = tuple[str, ...]


def user_file(environ: Mapping[str, str] | None = None) -> Path:
    """Where the user's settings are: `TREERING_CONFIG`, or `treering/config.toml` in the place of the system."""
    environ = os.environ if environ is None else environ
    if named := environ.get("TREERING_CONFIG"):
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = environ.get("APPDATA") or "~/AppData/Roaming"
    else:
        base = environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "treering" / "config.toml"


def load_settings(
    overrides: Mapping[str, Any] | None = None,
    *,
    file: Path | None = None,
    project: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings: the project's file, the user's file, the environment, the overrides; the later ones win.

    Args:
        overrides: as in a file: `{"compaction": {"keep_recent_tokens": 5000}}`. None as a value sets nothing.
        file: the user's file; default: where `user_file` says. One that is named must exist.
        project: the project's directory; default: the working directory.
        environ: default: the process's environment.

    Raises:
        SettingsError: an unknown key or variable, or an impossible value; it names both the place and the key.
    """
    environ = os.environ if environ is None else environ
    named = file is not None or "TREERING_CONFIG" in environ
    own = file or user_file(environ)
    merged: dict[str, Any] = {}
    theirs = (project or Path()) / PROJECT_FILE
    sources = (
        (str(theirs), _only_harmless(_read(theirs, must_exist=False), str(theirs))),
        (str(own), _read(own, must_exist=named)),
        ("the environment", _from_environment(environ)),
        ("the given settings", _given(overrides or {})),
    )
    for place, found in sources:
        values = _snake(found, place)
        _convert(values, place)  # each place by itself first, so that an error names it
        _merge(merged, values)
    return _convert(merged, "the settings together")


def _read(file: Path, *, must_exist: bool) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if must_exist:
            raise SettingsError(f"there is no settings file {file}") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings file {file} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the settings file {file} is no TOML: {error}") from error


def _only_harmless(found: dict[str, Any], place: str) -> dict[str, Any]:
    values = _snake(found, place)
    for path in USERS_OWN:
        holder = values if len(path) == 1 else values.get(path[0])
        if isinstance(holder, dict) and path[-1] in holder:
            cast("dict[str, Any]", holder).pop(path[-1])
            logger.warning("%s: %s is ignored there: set it in your own settings", place, ".".join(path))
    return values


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    known = {f"TREERING_{'_'.join(path)}".upper(): (path, kind) for path, kind in _fields(Settings)}
    values: dict[str, Any] = {}
    for name, text in environ.items():
        if not name.startswith("TREERING_") or name in _NO_SETTINGS:
            continue
        if name not in known:
            raise SettingsError(f"the variable {name} is no setting{_suggestion(name, known)}")
        path, kind = known[name]
        holder = values
        for part in path[:-1]:
            holder = holder.setdefault(part, {})
        holder[path[-1]] = _parse(name, text, kind)
    return values


def _parse(name: str, text: str, kind: Any) -> Any:
    """A variable's text as a value of the field's type; lists are separated by commas."""
    value: Any = text
    if "tuple" in str(kind):
        value = [part.strip() for part in text.split(",") if part.strip()]
    elif "None" in str(kind) and not text.strip():
        value = None
    elif kind is bool:
        value = {"1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}.get(text.lower(), text)
    try:
        return msgspec.to_builtins(msgspec.convert(value, kind, strict=False))
    except msgspec.ValidationError as error:
        raise SettingsError(f"the variable {name} is {text!r}: {error}") from error


def _fields(kind: type[msgspec.Struct], path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    hints = get_type_hints(kind)
    for name in kind.__struct_fields__:
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield from _fields(hint, (*path, name))
        else:
            yield (*path, name), hint


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides without those that set nothing."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            kept[name] = _given(cast("Mapping[str, Any]", value))
        elif value is not None:
            kept[name] = list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
    return kept


def _snake(values: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The keys as Python writes them; `keepRecentTokens` is `keep_recent_tokens`."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        key = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
        if key in result:
            raise SettingsError(f"{place}: {key} is set twice, under two spellings")
        result[key] = _snake(cast("Mapping[str, Any]", value), place) if isinstance(value, Mapping) else value
    return result


def _convert(values: dict[str, Any], place: str) -> Settings:
    for path in _paths(values):
        known = {".".join(known_path) for known_path, _ in _fields(Settings)}
        tables = {name.rpartition(".")[0] for name in known} - {""}
        if (name := ".".join(path)) not in known | tables:
            raise SettingsError(f"{place}: there is no setting {name}{_suggestion(name, known)}")
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        message = re.sub(r" - at `\$\.?(.*)`$", r" (\1)", str(error))
        raise SettingsError(f"{place}: {message}") from error
    except SettingsError as error:
        raise SettingsError(f"{place}: {error}") from error


def _paths(values: Mapping[str, Any], path: _Path = ()) -> Iterator[_Path]:
    for name, value in values.items():
        yield (*path, name)
        if isinstance(value, Mapping):
            yield from _paths(cast("Mapping[str, Any]", value), (*path, name))


def _merge(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, Mapping):
            _merge(target.setdefault(name, {}), cast("Mapping[str, Any]", value))
        else:
            target[name] = value


def _suggestion(name: str, known: Mapping[str, object] | set[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
