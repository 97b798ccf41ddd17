"""What counts as a summary: the check of every answer before it may replace anything (SPEC §8).

A model that fails seldom says so. It sends nothing, its thoughts only, a tool call, half a text, the text of an error,
or the answer to a conversation that it should have described. None of these may become the memory of a session.
"""

from __future__ import annotations

import re

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a model or an endpoint answered.

    Attributes:
        text: its text, without reasoning.
        thinking: whether it reasoned.
        tool_calls: names of tools that it wants called.
        finish: why it ended: `stop`, `length`, `content_filter`, `tool_call`, `error`; None if it did not say.
    """

    text: str
    thinking: bool = False
    tool_calls: tuple[str, ...] = ()
    finish: str | None = None


class Unusable(msgspec.Struct, frozen=True):
    """Why an answer is no summary, in words that end a sentence."""

    reason: str


MAX_CHARS = 400_000
"""No summary is longer; what is, is not looked into."""

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_WRAPPED = re.compile(r"\A\s*<summary>(.*)</summary>\s*\Z", re.IGNORECASE | re.DOTALL)
_FENCED = re.compile(r"\A\s*```(?:markdown|md)?[ \t]*\n(.*)\n```\s*\Z", re.DOTALL)
_OPEN_SUMMARY = re.compile(r"<summary>", re.IGNORECASE)
_CLOSE_SUMMARY = re.compile(r"</summary>", re.IGNORECASE)
_FILE_TAGS = re.compile(r"<(read-files|modified-files)>.*?(?:</\1>|\Z)\s*", re.IGNORECASE | re.DOTALL)
_ERROR = re.compile(
    # Only the openings of errors and refusals: a summary may well begin with "Error handling was reworked".
    r"\A\W{0,3}(?:"
    r"(?:api |internal |server |http )*error\s*"
    r"(?:[:(\d\[{]|-\s|generating\b|while\b|during\b|creating\b|occurred\b|\Z)"
    r"|an? (?:\w+ )?error (?:occurred|happened)\b"
    r"|(?:failed|unable) to (?:(?:generate|create|produce|write|make)\b.{0,20}\bsummary|summari[sz]e)\b"
    r"|(?:i'?m sorry|i am sorry|sorry)\b.{0,80}\b(?:can(?:no|')?t|unable|not able)\b"
    r"|i (?:can(?:no|')t|am unable to|'m unable to|am not able to) (?:help|assist|summari[sz]e|do|comply|continue)"
    r"|rate limit (?:reached|exceeded)\b"
    r"|(?:too many requests|service unavailable|internal server error|bad gateway)\W*"
    r"(?:$|[:(\d])"
    r"|traceback \(most recent call last\)"
    r"|<!doctype html|<html\b"
    r"|\{\s*\"(?:error|errors|detail)\"\s*:"
    r")",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_CALL_AS_TEXT = re.compile(
    r"\A\s*(?:<(?:tool_call|function_call|invoke|antml:\w+)\b|\[(?:tool_call|TOOL_CALLS)\]"
    r"|\{\s*\"(?:name|tool|function)\"\s*:\s*\"[^\"]*\"\s*,\s*\"(?:arguments|parameters|args|input)\"\s*:)",
    re.IGNORECASE,
)


def check_answer(answer: Answer, *, last_message: str | None = None) -> str | Unusable:
    """The summary in an answer, or why there is none.

    Reasoning that stands in the text, a wrapper (`<summary>`, one code fence around all) and lists of files, which
    are made from the session itself, are taken off.

    Args:
        answer: what came.
        last_message: the last text of the conversation; a model that gives it back described nothing.
    """
    if answer.tool_calls:
        return Unusable(f"it called the tool {answer.tool_calls[0]} where a summary was asked for")
    if answer.finish == "length":
        return Unusable("it was cut off at the limit of output tokens")
    if answer.finish == "content_filter":
        return Unusable("it was stopped by the provider's content filter")
    if answer.finish in {"error", "tool_call"}:
        return Unusable(f"it ended with the reason {answer.finish}")
    if len(answer.text) > MAX_CHARS:
        return Unusable(f"it has {len(answer.text)} characters")
    text = _without_thoughts(answer.text)
    if text is None:
        return Unusable("it ended inside its own reasoning")
    if not text.strip():
        thought = answer.thinking or bool(answer.text.strip())
        return Unusable("it held reasoning only" if thought else "it was empty")
    for wrapper in (_WRAPPED, _FENCED, _WRAPPED):
        if match := wrapper.match(text):
            text = match.group(1)
    if len(_OPEN_SUMMARY.findall(text)) != len(_CLOSE_SUMMARY.findall(text)):
        return Unusable("it has a <summary> tag without its counterpart")
    text = _FILE_TAGS.sub("", text).strip()
    if not text:
        return Unusable("it was empty")
    if not any(char.isalnum() for char in text):
        return Unusable("it held no words")
    if _CALL_AS_TEXT.match(text):
        return Unusable("it wrote a tool call as text")
    if _ERROR.match(text) and "\n## " not in text:
        return Unusable("it is the text of an error or a refusal")
    if last_message and text == last_message.strip():
        return Unusable("it repeats the last message of the conversation")
    return text


def _without_thoughts(text: str) -> str | None:
    """The text without reasoning that stands in it in tags; None if a tag is not closed."""
    parts: list[str] = []
    at = 0
    while opened := _THOUGHTS.search(text, at):
        closed = re.compile(rf"</{opened.group(1)}>", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            return None
        parts.append(text[at : opened.start()])
        at = closed.end()
    return "".join(parts) + text[at:].lstrip() if at else text
