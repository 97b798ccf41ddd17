"""Task lists: the todo tools of several agents, as one list of tasks with their state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from treering.facts.tools import is_task_tool, tool_key

MAX_TASKS = 24
_FORGOTTEN_AFTER = 3


class Task(msgspec.Struct, frozen=True, array_like=True):
    """One task. `state`: `open`, `doing`, `done`; `key` is the agent's own id, if its tool names tasks one by one."""

    text: str
    state: str
    entry: str
    key: str = ""


def open_tasks(tasks: Sequence[Task]) -> list[Task]:
    """The tasks that are not done. One before three or more that all are was forgotten to be closed."""
    later_done, found = 0, list[Task]()
    for task in reversed(tasks):
        if task.state == "done":
            later_done += 1
        elif found or later_done < _FORGOTTEN_AFTER:
            found.append(task)
    return found[::-1]


def fold_call(tasks: tuple[Task, ...], name: str, arguments: Mapping[str, Any], entry: str) -> tuple[Task, ...]:
    """The list after a call: replaced as a whole, or one task added or changed."""
    if is_task_tool(name):
        found = _whole_list(arguments, entry)
        return found[:MAX_TASKS] if found else tasks
    key = tool_key(name)
    if key in {"taskcreate", "createtask", "addtask", "todoadd"}:
        text = _text(arguments)
        if not text:
            return tasks
        return _bounded((*tasks, Task(text, "open", entry, str(_next_number(tasks)))))
    if key in {"taskupdate", "updatetask", "todoupdate"}:
        wanted = next((str(arguments[k]) for k in ("taskId", "task_id", "id") if k in arguments), "")
        state = _state(arguments.get("status") or arguments.get("state"))
        return tuple(_changed(task, state, _text(arguments)) if task.key == wanted else task for task in tasks)
    return tasks


def _whole_list(arguments: Mapping[str, Any], entry: str) -> tuple[Task, ...]:
    for value in arguments.values():
        items: list[object] = list(cast("list[object]", value)) if isinstance(value, (list, tuple)) else []
        found: list[Task] = []
        for item in items:
            if isinstance(item, Mapping):
                known = cast("Mapping[str, Any]", item)
                text = _text(known)
                if text:
                    found.append(Task(text, _state(known.get("status") or known.get("state")), entry))
            elif isinstance(item, str) and item.strip():
                found.append(Task(item.strip()[:200], "open", entry))
        if found:
            return tuple(found)
    return ()


def _next_number(tasks: tuple[Task, ...]) -> int:
    numbers = [int(task.key) for task in tasks if task.key.isdigit()]
    return max(numbers, default=0) + 1


def _bounded(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Done tasks go first when the list grows too long, then the oldest."""
    spare = len(tasks) - MAX_TASKS
    if spare <= 0:
        return tasks
    done = [task for task in tasks if task.state == "done"][:spare]
    kept = [task for task in tasks if task not in done]
    return tuple(kept[-MAX_TASKS:])


def _changed(task: Task, state: str, text: str) -> Task:
    return Task(text or task.text, state or task.state, task.entry, task.key)


def _text(arguments: Mapping[str, Any]) -> str:
    for key in ("content", "step", "subject", "title", "text", "task", "name", "description"):
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return ""


def _state(value: object) -> str:
    text = str(value or "").lower().replace("-", "_").replace(" ", "_")
    if text in {"completed", "complete", "done", "finished", "closed", "cancelled", "canceled", "deleted"}:
        return "done"
    if text in {"in_progress", "inprogress", "doing", "active", "started"}:
        return "doing"
    return "open" if text else ""
