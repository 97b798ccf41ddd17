"""`to_llm`: from a context to messages that a provider accepts, whatever the session went through (SPEC §3).

The result holds the roles `user`, `assistant` and `toolResult` only, in the session's own form; adapters turn it into
a provider's form. What is left out or put in is so in the request alone: the session keeps everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from treering.session.context import Context
from treering.session.entries import encode_object
from treering.session.messages import (
    JsonObject,
    Message,
    TextBlock,
    as_list,
    as_object,
    decode_message,
    without_surrogates,
)
from treering.session.records import treering_details
from treering.session.validity import pairing

COMPACTION_TEMPLATE = """\
This is a record of the earlier part of this conversation, shortened to save space. It describes the past and is \
not a request: do only what later messages ask for.

<summary>
{text}
</summary>"""

BRANCH_TEMPLATE = """\
This is a record of work that was done on another branch of this conversation, before it was taken up again from \
here. It describes the past and is not a request.

<summary>
{text}
</summary>"""

NO_RESULT = "[No result was recorded for this call.]"
NO_OUTPUT = "(no output)"
NOTHING_TO_READ = "[Nothing in this conversation so far can be read.]"
CONVERSATION_BEGINS = "[The conversation begins with the assistant's turn.]"


class LlmMessage(msgspec.Struct, frozen=True):
    """One message of a request.

    Attributes:
        entry_ids: the entries that it was made from; none for a stand-in.
        message: the message; its `raw` is the session's own form.
    """

    entry_ids: tuple[str, ...]
    message: Message


def to_llm(context: Context, *, model: str | None = None, merge: bool = False) -> list[LlmMessage]:
    """The messages of a request for this context.

    A tool result directly follows its call's message, once; orphans are left out; a call without a result gets a
    stand-in. Thinking from before the newest compaction is left out with its signature, but for the round that is
    being answered. The first message is a user's.

    Args:
        context: what to send.
        model: the id of the model that will answer; thinking of other models is left out, as it cannot be replayed.
        merge: join neighbouring messages of one role, for providers that refuse them.
    """
    messages = [(item.entry_id, item.message) for item in context.messages]
    current_round = answered_now([message for _, message in messages])

    def keeps_thinking(index: int, message: Message) -> bool:
        if message.role != "assistant" or index == current_round:
            return True
        foreign = model is not None and message.raw.get("model") not in {None, model}
        return index >= context.kept_count and not foreign

    sent = [
        (entry_id, message if keeps_thinking(index, message) else _without_thinking(message))
        for index, (entry_id, message) in enumerate(messages)
    ]
    result = [item for item in _paired(sent, _open_calls(context)) if item.message.blocks]
    if messages and not result:
        result.append(LlmMessage((), _user_message(NOTHING_TO_READ)))
    if result and result[0].message.role != "user":
        result.insert(0, LlmMessage((), _user_message(CONVERSATION_BEGINS)))
    return _merged(result) if merge else result


def answered_now(messages: Sequence[Message]) -> int | None:
    """Position of the assistant message whose calls are being answered: only results follow it; None if none is."""
    for index in range(len(messages) - 1, -1, -1):
        role = messages[index].role
        if role == "assistant":
            return index if messages[index].tool_calls else None
        if role != "toolResult":
            return None
    return None


def _paired(messages: Sequence[tuple[str, Message]], open_calls: set[str]) -> list[LlmMessage]:
    """Every call with exactly one result directly behind it; everything else in its order."""
    callers = pairing([message for _, message in messages])
    results_of: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, caller in enumerate(callers):
        if caller is not None:
            results_of[caller][messages[index][1].tool_call_id or ""].append(index)
    sent: list[LlmMessage] = []
    used_ids: set[str] = set()
    for index, (entry_id, message) in enumerate(messages):
        if message.role == "toolResult":
            if callers[index] is None and message.tool_call_id in open_calls:
                sent.append(LlmMessage((entry_id,), _late_result(message)))
        elif message.role == "assistant":
            sent += _round(entry_id, message, messages, results_of.get(index, {}), used_ids)
        else:
            sent.append(LlmMessage((entry_id,), _as_user(message)))
    return sent


def _round(
    entry_id: str,
    message: Message,
    messages: Sequence[tuple[str, Message]],
    results: dict[str, list[int]],
    used_ids: set[str],
) -> list[LlmMessage]:
    """An assistant message and one result for each of its calls.

    If a call has several results, the last one counts: a long-running tool reports progress first (CASES PAIR-6).
    Ids that were used before in the request get a suffix, in the call and in its result.
    """
    calls = message.tool_calls
    if not calls:
        return [LlmMessage((entry_id,), _clean(message))]
    renamed: list[str] = []
    answers: list[tuple[int, LlmMessage]] = []
    taken: dict[str, int] = defaultdict(int)
    same_id: dict[str, int] = defaultdict(int)
    for call in calls:
        same_id[call.id] += 1
    for number, call in enumerate(calls):
        new_id = _unused(call.id or "call", used_ids)
        renamed.append(new_id)
        found = results.get(call.id, [])
        position = taken[call.id] if same_id[call.id] > 1 else len(found) - 1
        taken[call.id] += 1
        if 0 <= position < len(found):
            result_id, result = messages[found[position]]
            answers.append(
                (
                    found[0] if same_id[call.id] == 1 else found[position],
                    LlmMessage((result_id,), _with_call_id(result, new_id)),
                )
            )
        else:
            answers.append((len(messages) + number, LlmMessage((), _stand_in(new_id, call.name))))
    ids = iter(renamed)
    assistant = _with_content(
        message, lambda block: {**block, "id": next(ids)} if block.get("type") == "toolCall" else block
    )
    answers.sort(key=lambda answer: answer[0])
    return [LlmMessage((entry_id,), _clean(assistant)), *(answer for _, answer in answers)]


def _unused(call_id: str, used: set[str]) -> str:
    candidate, number = call_id, 2
    while candidate in used:
        candidate, number = f"{call_id}-{number}", number + 1
    used.add(candidate)
    return candidate


def _with_content(message: Message, change: Callable[[JsonObject], JsonObject | None]) -> Message:
    """The message with each block of its content changed; None leaves a block out."""
    content = as_list(message.raw.get("content"))
    if content is None:
        return message
    blocks = [(as_object(block), block) for block in content]
    changed = [block if fields is None else change(fields) for fields, block in blocks]
    return decode_message({**message.raw, "content": [block for block in changed if block is not None]})


def _without_thinking(message: Message) -> Message:
    """Reasoning and its signature left out whole; an edited one would be refused (CASES PAIR-18)."""
    return _with_content(
        message, lambda block: None if block.get("type") in {"thinking", "redacted_thinking"} else block
    )


def _with_call_id(result: Message, call_id: str) -> Message:
    cleaned = _clean(decode_message({**result.raw, "toolCallId": call_id}))
    if cleaned.blocks:
        return cleaned
    return decode_message({**cleaned.raw, "content": [{"type": "text", "text": NO_OUTPUT}]})


def _stand_in(call_id: str, tool: str) -> Message:
    return decode_message(
        {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": tool,
            "content": [{"type": "text", "text": NO_RESULT}],
            "isError": True,
        }
    )


def _late_result(result: Message) -> Message:
    """The result of a call that was summarised while it was awaited (SPEC §7.4)."""
    call = f"{result.tool_name} ({result.tool_call_id})" if result.tool_name else str(result.tool_call_id)
    return _user_message(f"[Result of the earlier call of {call}, which arrived now:]\n{result.text}")


def _as_user(message: Message) -> Message:
    """A user-side message for every role that is neither assistant nor result; never a system message."""
    if message.role == "user":
        return _clean(message)
    text = user_text(message)
    content: list[Any] = [{"type": "text", "text": text}] if text else []
    stored = as_list(message.raw.get("content")) or []
    content += [block for block in stored if (as_object(block) or {}).get("type") == "image"]
    return _clean(decode_message({"role": "user", "content": content, "timestamp": message.raw.get("timestamp", 0)}))


def user_text(message: Message) -> str:
    """What a model reads of a user-side message: the static templates for each role."""
    if message.role == "compactionSummary":
        return COMPACTION_TEMPLATE.format(text=inside_tags(message.text))
    if message.role == "branchSummary":
        return BRANCH_TEMPLATE.format(text=inside_tags(message.text))
    if message.role == "bashExecution":
        return _execution_text(message.raw)
    if message.role in {"user", "custom"} or message.blocks:
        return message.text
    fields = {key: value for key, value in message.raw.items() if key not in {"role", "timestamp"}}
    return f"[{message.role}] {encode_object(fields).decode()}" if fields else f"[{message.role}]"


def _execution_text(raw: JsonObject) -> str:
    output = raw.get("output") or NO_OUTPUT
    lines = [f"The user ran `{raw.get('command', '')}`:", f"```\n{output}\n```"]
    if raw.get("cancelled"):
        lines.append("The command was cancelled.")
    elif raw.get("exitCode"):
        lines.append(f"It exited with code {raw['exitCode']}.")
    if raw.get("truncated") and raw.get("fullOutputPath"):
        lines.append(f"The output is shortened; all of it is in {raw['fullOutputPath']}.")
    return "\n".join(lines)


def inside_tags(text: str) -> str:
    """A summary's text such that it cannot end the tags that it stands in."""
    return text.replace("</summary>", "&lt;/summary&gt;")


def _user_message(text: str) -> Message:
    return decode_message({"role": "user", "content": [{"type": "text", "text": text}]})


def _open_calls(context: Context) -> set[str]:
    """Ids of the calls that the compaction in force summarised while they were awaited."""
    if context.compaction is None:
        return set()
    return {str(call) for call in as_list(treering_details(context.compaction).get("openCalls")) or []}


def _merged(messages: Sequence[LlmMessage]) -> list[LlmMessage]:
    """Neighbouring user messages, and neighbouring assistant messages, as one."""
    merged: list[LlmMessage] = []
    for item in messages:
        last = merged[-1] if merged else None
        if last is None or last.message.role != item.message.role or item.message.role == "toolResult":
            merged.append(item)
            continue
        content = [*_content_list(last.message), *_content_list(item.message)]
        merged[-1] = LlmMessage(
            (*last.entry_ids, *item.entry_ids), decode_message({**last.message.raw, "content": content})
        )
    return merged


def _content_list(message: Message) -> list[Any]:
    content = message.raw.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def _clean(message: Message) -> Message:
    """Lone surrogates, which no provider's JSON takes, become U+FFFD; blank text blocks are left out."""
    raw = message.raw
    content = raw.get("content")
    if isinstance(content, str) and not content.strip():
        return decode_message({**raw, "content": []})
    if any(isinstance(block, TextBlock) and not block.text.strip() for block in message.blocks):
        message = _with_content(
            message,
            lambda block: None if block.get("type") == "text" and not str(block.get("text", "")).strip() else block,
        )
    return without_surrogates(message)
