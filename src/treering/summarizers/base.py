"""What all summarizers that ask somebody have in common: parts, budgets, the check, the retries."""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from treering.compaction.summarizer import SpanMessage, Summarizer, Summary, SummaryRequest, join_split_turn
from treering.compaction.transcript import neutralise
from treering.errors import SummaryError
from treering.summarizers.asking import Asker, Patience, Sleep, Source
from treering.summarizers.beside import replaced_tokens, with_facts, without_facts
from treering.summarizers.folding import fold
from treering.summarizers.prompts import Prompts, load_prompts
from treering.summarizers.redaction import Redactor
from treering.summarizers.wording import Task, request_text, span_pieces
from treering.tokens.estimate import estimate_text

SHORT_TOKENS = 512
"""The most that a short summary may have."""

PREFIX_SHARE = 0.38
"""Of the budget of a split turn, what its prefix gets: 0.5 parts of the reserve beside 0.8 (SPEC §8)."""

_NO_HISTORY = "(nothing before this turn)"


class AskingSummarizer(ABC):
    """A summarizer that asks a `Source`.

    Args:
        prompts: the wording; default: the package's.
        redactor: takes secrets out of what is sent and of what comes back; default: the known kinds.
        facts: whether the facts that the narrative misses are put after it.
        patience: retries of transient errors.
        sleep: waits between them.
    """

    def __init__(
        self,
        *,
        facts: bool = True,
        prompts: Prompts | None = None,
        redactor: Redactor | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._prompts = prompts or load_prompts()
        self._redactor = redactor
        self._facts = facts
        self._patience = patience or Patience()
        self._sleep = sleep

    @property
    @abstractmethod
    def name(self) -> str:
        """Shown to people and kept in the log."""

    @abstractmethod
    def _open(self) -> AbstractAsyncContextManager[Source]:
        """Who is asked, for the time of one request."""

    async def summarize(self, request: SummaryRequest) -> Summary:
        """The summary of a request. Cancelling the task ends the calls at once.

        Raises:
            SummaryError: there was no usable one, in as many tries as errors and answers allow.
            MissingExtraError: optional packages are not installed.
            SettingsError: there is no such model, or its key is missing.
        """
        async with self._open() as source:
            asker = self._asker(source, request, self._prompts)
            # A context puts the summary into an element of ours; a quotation must not close it.
            text = neutralise(await self._text(asker, request))
            refuse_longer(text, request, self.name)
            short = asker.short
            if short is None and request.short:
                short = await self._short(asker, text)
            return Summary(text=text, short=short, summarizer=self.name, redacted=asker.redacted)

    async def answer(self, system: str, prompt: str, request: SummaryRequest) -> Summary:
        """The answer to a prompt that somebody else wrote (see `treering serve-summaries`), checked like any other.

        Args:
            system: the system prompt.
            prompt: the user message, data included.
            request: the budget, and who is told of calls.
        """
        async with self._open() as source:
            asker = self._asker(source, request, msgspec.structs.replace(self._prompts, system=system))
            limit = source.output_limit(request.budget)
            text = await asker.ask("endpoint", asker.clean(prompt), budget=request.budget, max_tokens=limit)
            return Summary(text=text, short=asker.short, summarizer=self.name, redacted=asker.redacted)

    def _asker(self, source: Source, request: SummaryRequest, prompts: Prompts) -> Asker:
        redactor = self._redactor or Redactor()
        return Asker(source, request, prompts=prompts, redactor=redactor, patience=self._patience, sleep=self._sleep)

    async def _text(self, asker: Asker, request: SummaryRequest) -> str:
        previous = without_facts(request.previous_summary or "") or None
        if not request.turn_prefix:
            task = self._task(request, request.budget)
            return self._beside(await self._part(asker, task, request.history, previous), request, asker)
        frame = estimate_text(join_split_turn(_NO_HISTORY, ""))
        if not request.history:
            text = previous or _NO_HISTORY
            prefix = await self._prefix(asker, request, max(request.budget - frame - estimate_text(text), 64))
        else:
            budget = int((request.budget - frame) * PREFIX_SHARE)
            task = self._task(request, request.budget - frame - budget)
            try:
                async with asyncio.TaskGroup() as group:
                    first = group.create_task(self._part(asker, task, request.history, previous))
                    second = group.create_task(self._prefix(asker, request, budget))
            except BaseExceptionGroup as failures:
                raise failures.exceptions[0] from None
            text, prefix = first.result(), second.result()
        text = self._beside(text, request, asker, taken=frame + estimate_text(prefix))
        return join_split_turn(text, prefix)

    def _beside(self, narrative: str, request: SummaryRequest, asker: Asker, *, taken: int = 0) -> str:
        return asker.clean(with_facts(narrative, request, taken=taken)) if self._facts else narrative

    async def _part(self, asker: Asker, task: Task, messages: Sequence[SpanMessage], previous: str | None) -> str:
        return await fold(asker, task, span_pieces(messages, asker.clean), previous)

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
                "short", prompt, budget=SHORT_TOKENS, max_tokens=asker.source.output_limit(SHORT_TOKENS)
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
    replaced = replaced_tokens(request)
    if (size := estimate_text(text)) >= replaced:
        raise SummaryError(f"{name}: its summary has about {size} tokens, and what it replaces only {replaced}")


async def ask_any(summarizer: Summarizer, request: SummaryRequest) -> Summary:
    """The summary of any summarizer, plain (in a thread) or asynchronous."""
    if inspect.iscoroutinefunction(summarizer.summarize):
        return await summarizer.summarize(request)
    made = await asyncio.to_thread(summarizer.summarize, request)
    return await made if inspect.isawaitable(made) else made
