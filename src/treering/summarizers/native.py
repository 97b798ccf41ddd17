"""A provider's own compaction beside a readable summary (needs `treering[llm]`).

OpenAI and Anthropic can compact a conversation themselves, into an item that only they can read or that they signed.
It is kept in the entry's `preserveData` and sent in the place of the summary, but only while the same provider is in
force; the readable summary stands beside it for everybody else, and stays if the provider's part fails.

What is sent and understood is tested against answers in the documented form; no live service was asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from treering.compaction.summarizer import ModelCall, SpanMessage, Summarizer, Summary, SummaryRequest
from treering.compaction.transcript import render_messages, transcript
from treering.errors import SummaryError
from treering.session.messages import JsonObject, Message, TextBlock, as_object
from treering.summarizers.base import ask_any
from treering.summarizers.model_layer import ModelOptions, OpenModel, explain, known_usage, open_model, price_of
from treering.summarizers.redaction import Redactor

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponsePart
    from pydantic_ai.models import Model

PRESERVE_KEY = "treering.native"
"""Where the provider's item is in `preserveData`."""

VERSION = 1
MAX_BYTES = 2_000_000
"""A larger item is left out: the session is read more often than it is of use."""


class NativeSummarizer:
    """The readable summary of another summarizer, and the provider's own compaction beside it, made at the same time.

    Args:
        model: whose provider compacts: OpenAI's Responses models and newer Claude models can.
        readable: makes the summary that everybody can read.
        redactor: takes secrets out of what is sent.
    """

    def __init__(
        self, model: str | ModelOptions | Model[Any], *, readable: Summarizer, redactor: Redactor | None = None
    ) -> None:
        self._options = ModelOptions(name=model) if isinstance(model, str) else model
        self._readable = readable
        self._redactor = redactor

    @property
    def name(self) -> str:
        """The readable summarizer's name."""
        return self._readable.name

    async def summarize(self, request: SummaryRequest) -> Summary:
        """The readable summary, with `preserve_data` if the provider gave an item.

        Raises:
            SummaryError: the readable summary failed; the provider's part alone is never enough.
        """
        import msgspec

        try:
            async with asyncio.TaskGroup() as group:
                readable = group.create_task(ask_any(self._readable, request))
                item = group.create_task(self._item(request))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        if item.result() is None:
            return readable.result()
        preserved = {**(readable.result().preserve_data or {}), PRESERVE_KEY: item.result()}
        return msgspec.structs.replace(readable.result(), preserve_data=preserved)

    async def _item(self, request: SummaryRequest) -> JsonObject | None:
        """The provider's item, or None if it gave none; a failure is told and passed over."""

        def tell(text: str) -> None:
            if request.on_progress is not None:
                request.on_progress(text)

        redactor = self._redactor or Redactor()
        try:
            async with open_model(self._options) as model:
                messages = to_model_messages(request, clean=lambda text: redactor.redact(text).text)
                response = await _compact(model, messages, request)
                return _preserved(response, model)
        except SummaryError as error:
            tell(f"no compaction of the provider's own: {error}")
            return None


async def _compact(model: OpenModel, messages: list[ModelMessage], request: SummaryRequest) -> ModelResponse:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    begin = time.monotonic()
    call: dict[str, Any] = {"model": model.name, "purpose": "native", "outcome": "cancelled"}
    context = ModelRequestContext(
        model=model.model,
        messages=messages,
        model_settings=ModelSettings(max_retries=0, max_tokens=model.output_limit(request.budget)),
        model_request_parameters=ModelRequestParameters(),
    )
    try:
        async with asyncio.timeout(model.options.timeout):
            response = await model.model.compact_messages(context, instructions=request.instructions)
        counts = known_usage(response)
        call |= {"outcome": "answered", "price": price_of(response)} | (
            {"input_tokens": counts[0], "output_tokens": counts[1]} if counts else {}
        )
        return response
    except (NotImplementedError, UserError) as error:
        call |= {"outcome": "failed", "cause": str(error)}
        raise SummaryError(f"{model.name}: its provider compacts nothing itself: {error}") from error
    except TimeoutError as error:
        call |= {"outcome": "failed", "cause": "timed out"}
        raise SummaryError(f"{model.name}: no answer within {model.options.timeout:g} seconds") from error
    except Exception as error:
        call |= {"outcome": "failed", "cause": str(error)[:500]}
        raise explain(error, model.name) from error
    finally:
        if request.on_call is not None:
            request.on_call(ModelCall(**call, seconds=round(time.monotonic() - begin, 3)))


def _preserved(response: ModelResponse, model: OpenModel) -> JsonObject:
    from pydantic_ai.messages import CompactionPart, ModelMessagesTypeAdapter

    if not any(isinstance(part, CompactionPart) for part in response.parts):
        raise SummaryError(f"{model.name}: the provider's answer holds no compaction")
    raw = ModelMessagesTypeAdapter.dump_json([response])
    if len(raw) > MAX_BYTES:
        raise SummaryError(f"{model.name}: the provider's item has {len(raw)} bytes, which is too much to keep")
    (stored,) = ModelMessagesTypeAdapter.dump_python([response], mode="json")
    return {"version": VERSION, "provider": model.model.system, "model": model.model.model_name, "response": stored}


def native_message(preserve_data: JsonObject | None, model: Model[Any]) -> ModelResponse | None:
    """The message that stands for what a compaction replaced, if this model's provider made one; else None.

    Send it before the kept messages, in the place of the readable summary.

    Args:
        preserve_data: of the compaction in force.
        model: the model that is about to be asked.
    """
    from pydantic import ValidationError
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

    stored = as_object((preserve_data or {}).get(PRESERVE_KEY))
    if stored is None or stored.get("version") != VERSION or stored.get("provider") != model.system:
        return None
    try:
        (message,) = ModelMessagesTypeAdapter.validate_python([stored.get("response")])
    except (ValidationError, ValueError):
        return None
    return message if isinstance(message, ModelResponse) else None


def to_model_messages(request: SummaryRequest, *, clean: Callable[[str], str]) -> list[ModelMessage]:
    """The span as messages of the model layer: texts, calls with their results, everything else as the user's text.

    Calls without a result in the span and results without a call are left out, and so is reasoning, whose signatures
    hold for their own place only. The summary before comes first, as a record.
    """
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    span = (*request.history, *request.turn_prefix)
    paired = _paired(span)
    messages: list[ModelMessage] = []

    def say(part: ModelRequestPart) -> None:
        if messages and isinstance(messages[-1], ModelRequest):
            messages[-1].parts = [*messages[-1].parts, part]
        else:
            messages.append(ModelRequest(parts=[part]))

    if request.previous_summary:
        say(UserPromptPart(f"Summary of earlier work:\n{clean(request.previous_summary)}"))
    for number, item in enumerate(span):
        message = item.message
        if message.role == "assistant":
            parts: list[ModelResponsePart] = [
                TextPart(clean(block.text)) for block in message.blocks if isinstance(block, TextBlock) and block.text
            ]
            for call in message.tool_calls:
                if (number, call.id) in paired:
                    parts.append(ToolCallPart(call.name, _cleaned(call.arguments, clean), tool_call_id=call.id))
            if parts:
                messages.append(ModelResponse(parts=parts))
        elif message.role == "toolResult":
            if (number, message.tool_call_id) in paired:
                say(ToolReturnPart(message.tool_name, clean(message.text), tool_call_id=message.tool_call_id or ""))
        elif text := _as_text(message, clean):
            say(UserPromptPart(text))
    return messages


def _paired(span: Sequence[SpanMessage]) -> set[tuple[int, str | None]]:
    """Places of calls and results that belong together: each result to the nearest call before it."""
    open_calls: dict[str, int] = {}
    paired: set[tuple[int, str | None]] = set()
    for number, item in enumerate(span):
        open_calls.update({call.id: number for call in item.message.tool_calls})
        answered = item.message.tool_call_id
        if answered is not None and answered in open_calls:
            paired |= {(open_calls.pop(answered), answered), (number, answered)}
    return paired


def _as_text(message: Message, clean: Callable[[str], str]) -> str:
    if message.role == "user":
        return clean(message.text)
    return transcript(render_messages([message], clean=clean))


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _cleaned(item, clean) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_cleaned(item, clean) for item in cast("list[Any]", value)]
    return value
