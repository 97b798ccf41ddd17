"""What is wrong with the options of an operation, said before any work is done."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from treering.errors import SettingsError


def check_options(options: Mapping[str, object], known: type) -> None:
    """Refuse names that mean nothing, and sizes that are no positive numbers.

    Args:
        options: as they were given.
        known: the TypedDict that names them.

    Raises:
        SettingsError: the message names the option.
    """
    names = known.__annotations__
    for name in options.keys() - names.keys():
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise SettingsError(f"there is no option {name!r}; {hint}")
    for name in ("window", "budget"):
        value = options.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise SettingsError(f"{name} is {value!r}: give a whole number of tokens, 1 or more")
