"""Asking a model until it gives a usable answer: retries with backoff, the check, and the report of every call."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from treering.compaction.summarizer import ModelCall, SummaryRequest
from treering.errors import SummaryError
from treering.summarizers.answers import Answer, Unusable, check_answer
from treering.summarizers.extractive import MARGIN
from treering.summarizers.prompts import Prompts, fill
from treering.summarizers.redaction import Redactor
from treering.tokens.estimate import estimate_text

logger = logging.getLogger("treering")

Sleep = Callable[[float], Awaitable[None]]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with what it cost.

    Attributes:
        answer: what was said.
        input_tokens: as the provider counted them; None if it did not say.
        output_tokens: likewise.
        price: US dollars; None if the price data does not know the model.
        short: a short summary that came with it unasked.
    """

    answer: Answer
    input_tokens: int | None = None
    output_tokens: int | None = None
    price: float | None = None
    short: str | None = None


class OverflowedError(SummaryError):
    """What was sent is too long for whoever was to summarise it. `window`: the limit in tokens, if that was said."""

    def __init__(self, message: str, window: int | None) -> None:
        super().__init__(message)
        self.window = window


class Source(Protocol):
    """Somebody who answers prompts: a model, or an endpoint that has one."""

    name: str
    """Shown to people and kept in the ledger."""
    window: int | None
    """Its context window in tokens; None if nobody knows it. A smaller one that is learnt is written here."""

    @property
    def reasons(self) -> bool:
        """Whether it may spend output tokens on reasoning."""
        ...

    def output_limit(self, tokens: int) -> int:
        """The output limit to ask with for a text of that many tokens."""
        ...

    async def ask(self, system: str, prompt: str, max_tokens: int) -> Reply:
        """One request, without retries.

        Raises:
            OverflowedError: the request is too long.
            SummaryError: anything else went wrong; `transient` tells whether the same may work later.
        """
        ...


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long a failing model is borne with.

    Attributes:
        tries: how often one request is sent while its errors are transient.
        first_wait: seconds before the second try; each further wait is twice as long.
        longest_wait: seconds; a provider that asks for more is given up for the next candidate.
    """

    tries: int = 4
    first_wait: float = 1.0
    longest_wait: float = 60.0


class Asker:
    """Asks one source on behalf of one summary request."""

    def __init__(
        self,
        source: Source,
        request: SummaryRequest,
        *,
        prompts: Prompts,
        redactor: Redactor,
        patience: Patience,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.source = source
        self.prompts = prompts
        self.redacted = 0
        """Secrets that were replaced."""
        self.short: str | None = None
        """The short summary that came with the newest answer."""
        self._request = request
        self._redactor = redactor
        self._patience = patience
        self._sleep = sleep
        self._last_message = next(
            (item.message.text for item in reversed(request.history) if item.message.role == "assistant"), None
        )

    def clean(self, text: str) -> str:
        """The text without secrets, which are counted."""
        cleaned = self._redactor.redact(text)
        self.redacted += cleaned.replaced
        return cleaned.text

    def tell(self, progress: str) -> None:
        """Say what is being done."""
        logger.debug("%s: %s", self.source.name, progress)
        if self._request.on_progress is not None:
            self._request.on_progress(progress)

    async def ask(self, purpose: str, prompt: str, *, budget: int, max_tokens: int) -> str:
        """A usable answer.

        Args:
            purpose: for the ledger.
            prompt: the user message.
            budget: tokens that the answer may have.
            max_tokens: the output limit.

        Raises:
            OverflowedError: the request is too long for the model.
            SummaryError: there was no usable answer, in the second attempt either.
        """
        answer = await self._send(purpose, prompt, max_tokens, retry=0)
        text = self._usable(answer, budget)
        if isinstance(text, Unusable):
            self.tell(f"the answer could not be used: {text.reason}; asking once more")
            if answer.finish == "length":
                # Reasoning may have taken what it had, or its tokens are smaller than ours in this language; whether
                # the text is too long is judged by our own count.
                max_tokens = max(max_tokens, self.source.output_limit(int(2.5 * budget) + 32))
            again = f"{prompt}\n\n{fill(self.prompts.retry, reason=text.reason)}"
            text = self._usable(await self._send(purpose, again, max_tokens, retry=1), budget)
        if isinstance(text, Unusable):
            raise SummaryError(f"{self.source.name}: the answer could not be used: {text.reason}")
        return self.clean(text)

    def _usable(self, answer: Answer, budget: int) -> str | Unusable:
        text = check_answer(answer, last_message=self._last_message)
        if isinstance(text, str) and (tokens := estimate_text(text)) * MARGIN > budget:
            return Unusable(f"it has about {tokens} tokens where {budget} were the limit")
        return text

    async def _send(self, purpose: str, prompt: str, max_tokens: int, *, retry: int) -> Answer:
        """One request, sent again while its errors are transient."""
        wait = self._patience.first_wait
        for attempt in range(self._patience.tries):
            try:
                reply = await self._recorded(purpose, prompt, max_tokens, retry=retry + attempt)
            except SummaryError as error:
                pause = wait if error.retry_after is None else max(error.retry_after, 0.0)
                last = attempt + 1 == self._patience.tries
                if not error.transient or last or pause > self._patience.longest_wait:
                    raise
                self.tell(f"{error}; trying again in {pause:g} s")
                await self._sleep(pause)
                wait *= 2
            else:
                self._refuse_silent_cut(reply, prompt)
                self.short = reply.short
                return reply.answer
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _recorded(self, purpose: str, prompt: str, max_tokens: int, *, retry: int) -> Reply:
        begin = time.monotonic()
        call = ModelCall(model=self.source.name, purpose=purpose, outcome="cancelled", retry=retry)
        try:
            reply = await self.source.ask(self.prompts.system, prompt, max_tokens)
            call = msgspec.structs.replace(
                call,
                outcome="answered",
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                price=reply.price,
            )
        except SummaryError as error:
            call = msgspec.structs.replace(call, outcome="failed", cause=str(error))
            raise
        finally:
            if self._request.on_call is not None:
                seconds = round(time.monotonic() - begin, 3)
                self._request.on_call(msgspec.structs.replace(call, seconds=seconds))
        return reply

    def _refuse_silent_cut(self, reply: Reply, prompt: str) -> None:
        """Some servers cut a long request without a word; then they count far fewer tokens than were sent."""
        sent = estimate_text(prompt)
        if sent > 1500 and reply.input_tokens is not None and 0 < reply.input_tokens < 0.4 * sent:
            raise OverflowedError(f"{self.source.name}: it read {reply.input_tokens} of about {sent} tokens", None)
