"""Loading hooks: from the file that the user's settings name, and from installed packages (SPEC §12).

Library functions load nothing; programs that want what the command line does call `load_hooks`.

A package offers hooks under the entry point group `treering.hooks`: a module, an object or a class with functions named
like the events.

    [project.entry-points."treering.hooks"]
    my-plugin = "my_plugin.hooks"
"""

from __future__ import annotations

import inspect
import logging
from pathlib import Path
from types import ModuleType

from treering.compaction.hooks import HookProblem
from treering.errors import SettingsError
from treering.hooks import Hooks
from treering.settings import HooksSettings

logger = logging.getLogger("treering")

GROUP = "treering.hooks"
"""The entry point group of plugins."""


def load_hooks(settings: HooksSettings = HooksSettings()) -> Hooks:
    """The hooks of the user: those of the file first, then those of plugins, by name.

    A plugin that cannot be loaded is logged, stands in `Hooks.problems`, and is left out.

    Raises:
        SettingsError: the file is missing, cannot be run, or has no hook.
    """
    hooks = Hooks(timeout=settings.timeout)
    if settings.file:
        hooks.add(_load_file(settings.file), name=settings.file)
    if settings.plugins:
        _add_plugins(hooks)
    return hooks


def _load_file(name: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(name).expanduser()
    if not path.is_absolute():
        # From the working directory it would be the project's code that runs.
        raise SettingsError(f"hooks.file is {name}: give the whole path, beginning with / or ~")
    if not path.is_file():
        raise SettingsError(f"hooks.file is {name}: there is no such file")
    spec = spec_from_file_location("treering_user_hooks", path)
    if spec is None or spec.loader is None:
        raise SettingsError(f"hooks.file is {name}: give a Python file (….py)")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise SettingsError(f"hooks.file is {name}: it raised {type(error).__name__}: {error}") from error
    return module


def _add_plugins(hooks: Hooks) -> None:
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            provider = point.load()
            hooks.add(provider() if inspect.isclass(provider) else provider, name=point.name)
        except (Exception, SystemExit) as error:  # a plugin that is broken must not stop the work
            message = f"it cannot be loaded: {type(error).__name__}: {error}"
            problem = HookProblem(event="loading", hook=point.name, kind="unavailable", message=message)
            logger.warning("%s", problem)
            hooks.problems.append(problem)
