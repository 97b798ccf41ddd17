"""Summaries by a language model, of any provider that the model layer knows (needs `treering[llm]`)."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from treering.summarizers.asking import Patience, Sleep, Source
from treering.summarizers.base import AskingSummarizer
from treering.summarizers.model_layer import ModelOptions, open_model
from treering.summarizers.prompts import Prompts
from treering.summarizers.redaction import Redactor

if TYPE_CHECKING:
    from pydantic_ai.models import Model


class LLMSummarizer(AskingSummarizer):
    """A summarizer that asks one model; `ChainSummarizer` tries several in order.

    Args:
        model: a name (`anthropic:…`, `openai:…`, `NAME@URL`), options with more to set, or a model of the model layer.
        facts: whether the facts that the narrative misses are put after it.
        prompts: the wording; default: the package's.
        redactor: takes secrets out of what goes to the model and of what comes back; default: the known kinds.
        patience: retries of transient errors.
        sleep: waits between them.
    """

    def __init__(
        self,
        model: str | ModelOptions | Model[Any],
        *,
        facts: bool = True,
        prompts: Prompts | None = None,
        redactor: Redactor | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        super().__init__(facts=facts, prompts=prompts, redactor=redactor, patience=patience, sleep=sleep)
        self._options = ModelOptions(name=model) if isinstance(model, str) else model

    @property
    def name(self) -> str:
        """The model's name."""
        options = self._options
        return options.name if isinstance(options, ModelOptions) else options.model_id

    def _open(self) -> AbstractAsyncContextManager[Source]:
        return open_model(self._options)
