"""The context: what the model is sent for a leaf, message by message, each with the id of its entry (SPEC §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from treering.session.entries import MESSAGE_TYPES, Entry
from treering.session.messages import JsonObject, Message, TextBlock, as_object
from treering.session.path import Path
from treering.session.records import treering_details


class ModelInForce(NamedTuple):
    """Which model works at a leaf, and how hard it thinks. None or `off` where nothing is recorded (pi's defaults)."""

    provider: str | None
    model_id: str | None
    thinking_level: str


class ContextMessage(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A message of the context, with the id of the entry that it comes from. Decoded when it is looked at.

    Attributes:
        entry: the entry itself, with the whole of a pruned result.
        pruned: tokens that a prune has cut from it, if one has.
    """

    entry: Entry
    pruned: int | None = None

    @property
    def entry_id(self) -> str:
        """The id of its entry."""
        return self.entry.id

    @property
    def message(self) -> Message:
        """The message as it is sent; of a pruned result the placeholder."""
        message = self.entry.message
        assert message is not None, "only entries that say something become context messages"
        return message if self.pruned is None else pruned_message(message, self.pruned)

    def __repr__(self) -> str:
        return f"ContextMessage({self.entry_id}, {self.message.role})"


class Context:
    """What the model is sent for a leaf.

    Attributes:
        messages: in order; the summary of the compaction in force first.
        path: the part of the path that the context was built from.
    """

    def __init__(
        self, path: Path, messages: tuple[ContextMessage, ...], find_model: Callable[[], ModelInForce]
    ) -> None:
        self.path = path
        self.messages = messages
        self._find_model = find_model

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[ContextMessage]:
        return iter(self.messages)

    @property
    def leaf_id(self) -> str | None:
        """The leaf that this is the context of."""
        return self.path.leaf_id

    @property
    def compaction(self) -> Entry | None:
        """The compaction whose summary the context begins with."""
        return self.path.compaction

    @property
    def kept_count(self) -> int:
        """How many messages, from the first on, were there when the compaction in force was made.

        The summary itself counts; 0 without a compaction. What providers counted for these says nothing now.
        """
        at = self.path.compaction_index
        if at is None:
            return 0
        kept = sum(1 for entry in self.path.entries[self.path.start : at] if renders(entry))
        return kept + 1

    @cached_property
    def model(self) -> ModelInForce:
        """The model and the thinking level in force; looked up behind the compaction only if they are asked for."""
        return self._find_model()


def build_context(path: Path, find_model: Callable[[], ModelInForce] | None = None) -> Context:
    """The context of a path (SPEC §3): summary, kept entries, later entries; prune records applied.

    `find_model` answers which model is in force where the path alone does not tell.
    """
    pruned = path.pruned
    entries = path.entries[path.start :] if path.start else path.entries
    if pruned:
        messages = [ContextMessage(entry, pruned.get(entry.id)) for entry in entries if renders(entry)]
    else:
        messages = [ContextMessage(entry) for entry in entries if renders(entry)]
    if path.compaction is not None:
        messages.insert(0, ContextMessage(path.compaction))
    return Context(path, tuple(messages), find_model or (lambda: model_in_force(path)))


def renders(entry: Entry) -> bool:
    """Whether an entry becomes a message where it stands. A compaction does not: its summary comes first of all."""
    if entry.type == "message":
        return entry.role != "bashExecution" or not _is_excluded(entry)
    return entry.type in MESSAGE_TYPES and entry.message is not None


def _is_excluded(entry: Entry) -> bool:
    message = as_object(entry.body.get("message"))
    return message is not None and message.get("excludeFromContext") is True


def pruned_message(message: Message, tokens: int) -> Message:
    """A tool result with its output replaced by the placeholder; N is what the output cost in tokens (SPEC §6)."""
    text = f"[Output truncated - {tokens} tokens]"
    raw: JsonObject = {**message.raw, "content": [{"type": "text", "text": text}]}
    return Message(message.role, (TextBlock(text),), raw)


def model_in_force(path: Path) -> ModelInForce:
    """The newest model and thinking level on a path; those that our compaction carried forward come last."""
    provider: str | None = None
    model_id: str | None = None
    level: str | None = None
    for entry in reversed(path.entries):
        if level is None and entry.type == "thinking_level_change":
            level = _text(entry.body.get("thinkingLevel"))
        elif model_id is None and entry.type == "model_change":
            provider, model_id = _model_change(entry)
        elif model_id is None and entry.type == "message" and b'"assistant"' in entry.raw:
            message = as_object(entry.body.get("message")) or {}
            if message.get("role") == "assistant":
                provider, model_id = _text(message.get("provider")), _text(message.get("model"))
        elif entry.type == "compaction":
            carried = as_object(treering_details(entry).get("model")) or {}
            if model_id is None:
                provider, model_id = _text(carried.get("provider")), _text(carried.get("modelId"))
            level = level or _text(carried.get("thinkingLevel"))
        if level is not None and model_id is not None:
            break
    return ModelInForce(provider, model_id, level or "off")


def _model_change(entry: Entry) -> tuple[str | None, str | None]:
    model = _text(entry.body.get("model"))  # oh-my-pi writes provider/id in one field
    if model and "/" in model:
        provider, _, model_id = model.partition("/")
        return provider, model_id
    return _text(entry.body.get("provider")), _text(entry.body.get("modelId"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
