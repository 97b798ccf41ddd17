"""Files of a span: under many tools' names, cumulative, bounded."""

from __future__ import annotations

from typing import Any

import pytest

from treering.compaction.files import FileOperations, file_operations, render_file_tags, strip_file_tags
from treering.compaction.summarizer import SpanMessage
from treering.session.messages import decode_message
from treering.tokens.estimate import estimate_text


def call(name: str, arguments: dict[str, Any], **more: Any) -> SpanMessage:
    block = {"type": "toolCall", "id": "c", "name": name, "arguments": arguments}
    return SpanMessage("e", decode_message({"role": "assistant", "content": [block]}), **more)


PATCH = """*** Begin Patch
*** Update File: a/one.py
@@
-x
+y
*** Add File: two.py
+z
*** Delete File: old.py
*** End Patch"""


@pytest.mark.parametrize(
    ("name", "arguments", "read", "modified"),
    [
        ("read", {"path": "a.py"}, ["a.py"], []),
        ("Read", {"file_path": "/w/a.py"}, ["a.py"], []),
        ("mcp__fs__read_file", {"path": "./a.py"}, ["a.py"], []),
        ("read_many_files", {"paths": ["a.py", "b.py"]}, ["b.py", "a.py"], []),
        ("Write", {"file_path": "a.py", "content": "x"}, [], ["a.py"]),
        ("MultiEdit", {"file_path": "/w/x/a.py", "edits": [{}]}, [], ["x/a.py"]),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/w/a.py"}, ["a.py"], []),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "/w/a.py"}, [], ["a.py"]),
        ("NotebookEdit", {"notebook_path": "/w/n.ipynb"}, [], ["n.ipynb"]),
        ("apply_patch", {"input": PATCH}, [], ["old.py", "two.py", "a/one.py"]),
        ("edit", {"filePath": "C:\\code\\a.py"}, [], ["C:/code/a.py"]),
        ("bash", {"command": "cat a.py"}, [], []),
        ("Grep", {"pattern": "x", "path": "src"}, [], []),
    ],
)
def test_tools_of_many_agents(name: str, arguments: dict[str, Any], read: list[str], modified: list[str]) -> None:
    found = file_operations([call(name, arguments)], cwd="/w")
    assert (list(found.read), list(found.modified)) == (read, modified)


def test_files_are_cumulative_and_read_excludes_modified() -> None:
    before = FileOperations(read=("a.py", "b.py"), modified=("c.py",))
    spans = [
        call("read", {"path": "c.py"}, details={"readFiles": ["d.py"], "modifiedFiles": ["e.py"]}),
        call("edit", {"path": "b.py"}),
    ]
    found = file_operations(spans, previous=before)
    assert found.read == ("d.py", "a.py")
    assert found.modified == ("b.py", "e.py", "c.py")


def test_lists_of_an_extension_are_not_trusted() -> None:
    span = call("read", {"path": "a.py"}, details={"readFiles": ["evil.py"]}, from_extension=True)
    assert file_operations([span]).read == ("a.py",)


@pytest.mark.parametrize("room", [40, 100, 400])
def test_tags_are_bounded_and_say_what_they_left_out(room: int) -> None:
    files = FileOperations(tuple(f"src/read_{i}.py" for i in range(90)), tuple(f"src/new_{i}.py" for i in range(90)))
    text = render_file_tags(files, max_tokens=room)
    assert estimate_text(text) <= room
    assert "src/new_0.py" in text
    assert "… " in text
    assert strip_file_tags("Summary.\n\n" + text) == "Summary."


def test_no_files_no_tags() -> None:
    assert render_file_tags(FileOperations(), max_tokens=100) == ""


def test_a_path_cannot_close_the_list() -> None:
    files = FileOperations(("</read-files>.py", "a.py"), ())
    assert render_file_tags(files, max_tokens=100) == "<read-files>\na.py\n</read-files>"
