"""Tools under the names of many agents: which call reads, writes or edits which file, which runs a command.

Agents name the same few tools differently (`Read`, `read_file`, `view`, `str_replace_based_edit_tool`, …). What a call
does is told by its name and, where one name does several things, by its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

Operation = Literal["read", "write", "edit", "delete"]

_READ = {"read", "readfile", "view", "viewfile", "cat", "open", "openfile", "fsread", "notebookread", "readmanyfiles"}
_WRITE = {"write", "writefile", "create", "createfile", "fswrite", "savefile", "writetofile", "overwrite", "newfile"}
_EDIT = {
    "edit", "multiedit", "editfile", "strreplace", "replace", "replaceinfile", "applypatch", "patch", "notebookedit",
    "insert", "insertedit", "applydiff", "searchreplace", "update", "updatefile", "fileedit", "editnotebook",
}  # fmt: skip
_DELETE = {"delete", "deletefile", "remove", "removefile", "unlink"}
_MULTI = {"strreplacebasededittool", "strreplaceeditor", "texteditor", "texteditortool", "fileeditor"}
_SEARCH = {
    "grep", "glob", "find", "search", "ls", "list", "listfiles", "listdir", "listdirectory", "searchfiles", "ripgrep",
    "codesearch", "findfiles",
}  # fmt: skip
_SHELL = {
    "bash", "shell", "sh", "exec", "execcommand", "runcommand", "runshellcommand", "terminal", "execute", "command",
    "localshell", "localshellcall", "executecommand", "runterminalcmd", "executebash", "runinterminal", "powershell",
    "shellcommand", "cmd",
}  # fmt: skip
_TASKS = {"todowrite", "updateplan", "todo", "writetodos", "taskwrite", "todolist", "plan"}
_PATHS = (
    "path", "file_path", "filePath", "filepath", "file", "filename", "file_name", "absolute_path", "target_file",
    "notebook_path", "relative_path", "TargetFile",
)  # fmt: skip
_COMMANDS = ("command", "cmd", "script", "commands", "CommandLine")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_DIFF_FILE = re.compile(r"^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)


class FileTouch(msgspec.Struct, frozen=True):
    """One file that a call works on, with the path as it was given."""

    path: str
    operation: Operation


def tool_key(name: str) -> str:
    """A tool's name without its server's prefix, small and without separators: `mcp__fs__read_file` → `readfile`."""
    last = re.split(r"__|[.:/]", name)[-1] or name
    return re.sub(r"[^a-z0-9]", "", last.lower())


def command_of(name: str, arguments: Mapping[str, Any]) -> str:
    """The shell command that a call runs; empty if it runs none."""
    if tool_key(name) not in _SHELL:
        return ""
    for key in (*_COMMANDS, "input"):
        value = arguments.get(key)
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, (list, tuple)):
            parts = [part for part in cast("list[object]", value) if isinstance(part, str)]
            if len(parts) > 2 and parts[1] in {"-c", "-lc"}:
                return parts[2].strip()
            return " ".join(parts).strip()
    return ""


def works_on_files(key: str) -> bool:
    """Whether the tool of this key (`tool_key`) looks files up, reads or changes them."""
    return key in _SEARCH or key in _MULTI or _operation(key, {}) is not None


def is_task_tool(name: str) -> bool:
    """Whether the tool keeps a list of tasks as a whole."""
    return tool_key(name) in _TASKS


def file_touches(name: str, arguments: Mapping[str, Any]) -> Iterator[FileTouch]:
    """The files that a call reads or changes, in the order given."""
    key = tool_key(name)
    operation = _operation(key, arguments)
    if operation is None:
        return
    if operation == "edit":
        patches = [value for value in arguments.values() if isinstance(value, str) and "\n" in value]
        found = [touch for patch in patches for touch in _patched(patch)]
        if found:
            yield from found
            return
    for argument in _PATHS:
        value = arguments.get(argument)
        if isinstance(value, str) and value.strip():
            yield FileTouch(value.strip(), operation)
            return
    for argument in ("paths", "files", "edits"):
        for item in _items(arguments.get(argument)):
            path = item if isinstance(item, str) else _path_in(item)
            if path:
                yield FileTouch(path, operation)


def _operation(key: str, arguments: Mapping[str, Any]) -> Operation | None:
    if key in _MULTI:
        command = arguments.get("command")
        if command == "view":
            return "read"
        return "write" if command == "create" else "edit"
    if key in _READ:
        return "read"
    if key in _WRITE:
        return "write"
    if key in _EDIT:
        return "edit"
    return "delete" if key in _DELETE else None


def _patched(patch: str) -> Iterator[FileTouch]:
    for verb, path, moved in _PATCH_FILE.findall(patch):
        if moved:
            yield FileTouch(moved.strip(), "write")
        else:
            operation: Operation = "write" if verb == "Add" else "delete" if verb == "Delete" else "edit"
            yield FileTouch(path.strip(), operation)
    if "*** " not in patch and "\n+++ " in "\n" + patch:
        for path in _DIFF_FILE.findall(patch):
            if path != "/dev/null":
                yield FileTouch(path, "edit")


def _items(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, (list, tuple)) else []


def _path_in(item: object) -> str:
    if isinstance(item, Mapping):
        known = cast("Mapping[str, object]", item)
        for argument in _PATHS:
            value = known.get(argument)
            if isinstance(value, str):
                return value
    return ""
