"""A prompt that somebody else wrote, read back as a request: for `treering serve-summaries` without a model.

Agents that have a summary endpoint send the conversation as text, in our form (`treering.compaction.transcript`) or
with a label in brackets before each message, `[User]: …`, `[Assistant]: …`, `[Tool result]: …`. What follows neither
form is one text of the user's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from treering.compaction.summarizer import SpanMessage, SummaryRequest
from treering.facts.fold import FactState, fold
from treering.session.messages import decode_message

_ELEMENT = r"<{name}>\n?(.*?)\n?</{name}>"
_CONVERSATION = re.compile(_ELEMENT.format(name="conversation"), re.DOTALL)
_PREVIOUS = re.compile(_ELEMENT.format(name="previous-summary"), re.DOTALL)
_LABELS = re.compile(r"^\[(User|Assistant|Assistant thinking|Assistant tool calls|Tool result)\]: ?", re.MULTILINE)
_HEADINGS = re.compile(
    r"^(User|Assistant|The assistant thought|The assistant used the tool (?P<call>.+?)|"
    r"The tool (?P<tool>.+?) (?P<outcome>answered|reported an error)|The user ran a command|"
    r"Its output(?: \(exit code (?P<code>.+?)\))?|Message of .+?|Message \(.+?\)|"
    r"Summary of (?:a branch that was left|earlier work))(?: \(continued\))?:$",
    re.MULTILINE,
)
_CALL = re.compile(r"(\w[\w.-]*)\((.*?)\)(?=; \w[\w.-]*\(|\s*\Z)", re.DOTALL)
_ARGUMENT = re.compile(r"(\w+)=")


def parse_prompt(prompt: str, *, budget: int) -> SummaryRequest:
    """The request that a prompt amounts to: its conversation, the summary before it, the facts of both.

    Args:
        prompt: the user message that came.
        budget: tokens that the summary may have.
    """
    found = _CONVERSATION.search(prompt)
    previous = _PREVIOUS.search(prompt)
    messages = tuple(
        SpanMessage(f"m{number}", decode_message(raw))
        for number, raw in enumerate(_messages(found.group(1) if found else prompt))
    )
    facts = FactState()
    if previous:
        # Its text is all that is left of what came before.
        earlier = decode_message({"role": "assistant", "content": previous.group(1)})
        facts = fold(facts, (SpanMessage("p", earlier),))
    return SummaryRequest(
        history=messages,
        facts=fold(facts, messages),
        previous_summary=previous.group(1) if previous else None,
        budget=budget,
    )


def _messages(text: str) -> Iterator[dict[str, Any]]:
    if _LABELS.search(text):
        yield from _labelled(text)
    elif _HEADINGS.search(text):
        yield from _headed(text)
    elif text.strip():
        yield {"role": "user", "content": text.strip()}


def _labelled(text: str) -> Iterator[dict[str, Any]]:
    labels = list(_LABELS.finditer(text))
    for label, after in zip(labels, [*labels[1:], None], strict=True):
        body = text[label.end() : after.start() if after else len(text)].strip()
        match label.group(1):
            case "User":
                yield {"role": "user", "content": body}
            case "Assistant":
                yield _assistant({"type": "text", "text": body})
            case "Assistant thinking":
                yield _assistant({"type": "thinking", "thinking": body})
            case "Assistant tool calls":
                for number, call in enumerate(_CALL.finditer(body)):
                    yield _call(f"c{label.start()}-{number}", call.group(1), _arguments(call.group(2)))
            case _:
                yield _result("", "", body)


def _headed(text: str) -> Iterator[dict[str, Any]]:
    headings = list(_HEADINGS.finditer(text))
    command = ""
    for heading, after in zip(headings, [*headings[1:], None], strict=True):
        lines = text[heading.end() : after.start() if after else len(text)].strip("\n").split("\n")
        body = "\n".join(line.removeprefix("  ") for line in lines).strip()
        title = heading.group(1)
        if heading["call"]:
            yield _call(f"c{heading.start()}", heading["call"], _named(body))
        elif heading["tool"]:
            yield _result("", heading["tool"], body, failed=heading["outcome"] != "answered")
        elif title == "Assistant":
            yield _assistant({"type": "text", "text": body})
        elif title == "The assistant thought":
            yield _assistant({"type": "thinking", "thinking": body})
        elif title == "The user ran a command":
            command = body
        elif title.startswith("Its output"):
            code = heading["code"]
            failed = int(code) if code and code.lstrip("-").isdigit() else 0
            yield {"role": "bashExecution", "command": command, "output": body, "exitCode": failed}
        elif title.startswith("Summary of"):
            yield {"role": "branchSummary", "summary": body}
        else:
            yield {"role": "user", "content": body}


def _assistant(block: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [block]}


def _call(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return _assistant({"type": "toolCall", "id": call_id, "name": name, "arguments": arguments})


def _result(call_id: str, name: str, body: str, *, failed: bool = False) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": name, "content": body, "isError": failed}


def _arguments(text: str) -> dict[str, Any]:
    """`path="a.py", limit=20`: names with JSON values; what is no JSON goes up to the next comma."""
    found: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    at = 0
    while name := _ARGUMENT.search(text, at):
        try:
            found[name.group(1)], at = decoder.raw_decode(text, name.end())
        except (ValueError, RecursionError):
            comma = text.find(",", name.end())
            at = len(text) if comma < 0 else comma
            found[name.group(1)] = text[name.end() : at].strip()
    return found


def _named(text: str) -> dict[str, Any]:
    """One argument a line (`path: a.py`), longer ones indented under their name."""
    found: dict[str, Any] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("  ") and name:
            found[name] = f"{found[name]}\n{line[2:]}".lstrip("\n")
            continue
        name, colon, value = line.partition(":")
        if not colon:
            name = "input"
        found[name] = value.strip() if colon else line
    return found
