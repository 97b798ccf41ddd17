"""Summaries by a language model, of any provider that the model layer knows (needs `treering[llm]`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treering.compaction.summarizer import SpanMessage, Summary, SummaryRequest, join_split_turn
from treering.compaction.transcript import neutralise
from treering.errors import SummaryError
from treering.summarizers.asking import Asker, Patience, Sleep
from treering.summarizers.folding import fold
from treering.summarizers.model_layer import ModelOptions, open_model
from treering.summarizers.prompts import Prompts, load_prompts
from treering.summarizers.redaction import Redactor
from treering.summarizers.wording import Task, request_text, span_pieces
from treering.tokens.estimate import estimate_message, estimate_text

if TYPE_CHECKING:
    from pydantic_ai.models import Model

SHORT_TOKENS = 512
"""The most that a short summary may have."""

PREFIX_SHARE = 0.38
"""Of the budget of a split turn, what its prefix gets: 0.5 parts of the reserve beside 0.8 (SPEC §8)."""

_NO_HISTORY = "(nothing before this turn)"


class LLMSummarizer:
    """A summarizer that asks one model; `ChainSummarizer` tries several in order.

    Args:
        model: a name (`anthropic:…`, `openai:…`, `NAME@URL`), options with more to set, or a model of the model layer.
        prompts: the wording; default: the package's.
        redactor: takes secrets out of what goes to the model and of what comes back; default: the known kinds.
        patience: retries of transient errors.
        sleep: waits between them.
    """

    def __init__(
        self,
        model: str | ModelOptions | Model[Any],
        *,
        prompts: Prompts | None = None,
        redactor: Redactor | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._options = ModelOptions(name=model) if isinstance(model, str) else model
        self._prompts = prompts or load_prompts()
        self._redactor = redactor
        self._patience = patience or Patience()
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The model's name."""
        options = self._options
        return options.name if isinstance(options, ModelOptions) else options.model_id

    async def summarize(self, request: SummaryRequest) -> Summary:
        """The summary of a request. Cancelling the task ends the calls at once.

        Raises:
            SummaryError: the model gave no usable one, in as many tries as its errors and its answers allow.
            MissingExtraError: the model layer is not installed.
            SettingsError: there is no such model, or its key is missing.
        """
        async with open_model(self._options) as model:
            asker = Asker(
                model,
                request,
                prompts=self._prompts,
                redactor=self._redactor or Redactor(),
                patience=self._patience,
                sleep=self._sleep,
            )
            text = await self._text(asker, request)
            refuse_longer(text, request, self.name)
            short = await self._short(asker, text) if request.short else None
            return Summary(text=text, short=short, summarizer=self.name, redacted=asker.redacted)

    async def _text(self, asker: Asker, request: SummaryRequest) -> str:
        if not request.turn_prefix:
            return await self._part(asker, self._task(request, request.budget), request.history, request)
        frame = estimate_text(join_split_turn(_NO_HISTORY, ""))
        if not request.history:
            text = request.previous_summary or _NO_HISTORY
            budget = request.budget - frame - estimate_text(text)
            return join_split_turn(text, await self._prefix(asker, request, max(budget, 64)))
        budget = int((request.budget - frame) * PREFIX_SHARE)
        task = self._task(request, request.budget - frame - budget)
        try:
            async with asyncio.TaskGroup() as group:
                history = group.create_task(self._part(asker, task, request.history, request))
                prefix = group.create_task(self._prefix(asker, request, budget))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return join_split_turn(history.result(), prefix.result())

    async def _part(self, asker: Asker, task: Task, messages: Sequence[SpanMessage], request: SummaryRequest) -> str:
        pieces = span_pieces(messages, asker.clean)
        return await fold(asker, task, pieces, request.previous_summary)

    async def _prefix(self, asker: Asker, request: SummaryRequest, budget: int) -> str:
        wording = self._prompts.turn_prefix
        task = Task(
            purpose="turn-prefix",
            prompt=wording,
            update=f"{self._prompts.part}\n\n{wording}",
            budget=budget,
            instructions=request.instructions,
            context_lines=request.context_lines,
        )
        return await fold(asker, task, span_pieces(request.turn_prefix, asker.clean), None)

    def _task(self, request: SummaryRequest, budget: int) -> Task:
        prompts = self._prompts
        instructions = request.instructions
        if request.purpose == "branch":
            # What the user asks of a branch takes the place of our wording (SPEC §8).
            wording = request.prompt or neutralise(instructions or "") or prompts.branch
            update, instructions = f"{prompts.part}\n\n{wording}", None
        elif request.prompt:
            wording, update = request.prompt, f"{prompts.part}\n\n{request.prompt}"
        else:
            wording, update = prompts.first, prompts.update
        return Task(
            purpose="branch" if request.purpose == "branch" else "first",
            prompt=wording,
            update=update,
            budget=budget,
            instructions=instructions,
            context_lines=request.context_lines,
        )

    async def _short(self, asker: Asker, text: str) -> str | None:
        task = Task(purpose="short", prompt=self._prompts.short, update=self._prompts.short, budget=SHORT_TOKENS)
        prompt = request_text(task, self._prompts, conversation=None, previous=text, clean=asker.clean)
        try:
            return await asker.ask(
                "short", prompt, budget=SHORT_TOKENS, max_tokens=asker.model.output_limit(SHORT_TOKENS)
            )
        except SummaryError as error:
            # For people only: the summary itself stands without it.
            asker.tell(f"no short summary: {error}")
            return None


def refuse_longer(text: str, request: SummaryRequest, name: str) -> None:
    """Refuse a summary that is not shorter than what it replaces.

    Raises:
        SummaryError: with both sizes.
    """
    replaced = sum(estimate_message(item.message) for item in (*request.history, *request.turn_prefix))
    replaced += estimate_text(request.previous_summary or "")
    if (size := estimate_text(text)) >= replaced:
        raise SummaryError(f"{name}: its summary has about {size} tokens, and what it replaces only {replaced}")
