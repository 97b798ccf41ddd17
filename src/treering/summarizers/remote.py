"""Summaries by an endpoint: POST `{systemPrompt, prompt}`, and at least `{summary}` back (needs `treering[llm]`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import msgspec

from treering.agent.overflow import Verdict, classify_error, learnt_window
from treering.errors import MissingExtraError, SettingsError, SummaryError
from treering.session.messages import as_object
from treering.summarizers.answers import Answer
from treering.summarizers.asking import OverflowedError, Patience, Reply, Sleep, Source
from treering.summarizers.base import AskingSummarizer
from treering.summarizers.prompts import Prompts
from treering.summarizers.redaction import Redactor

if TYPE_CHECKING:
    import httpx

MAX_RESPONSE_BYTES = 2_000_000
"""What an answer may weigh; a summary is some kilobytes."""


class RemoteSummarizer(AskingSummarizer):
    """A summarizer behind a URL (`compaction.remote_endpoint`). What it answers is checked like a model's answer.

    Args:
        url: where to POST.
        token: sent as a bearer token.
        window: tokens that the endpoint takes; a longer conversation goes part by part. None: as the model window
            that nobody knows; an overflow that it reports is learnt from.
        timeout: seconds that one answer may take.
        facts: whether the facts that the narrative misses are put after it.
        prompts: the wording; default: the package's.
        redactor: takes secrets out of what is sent and of what comes back; default: the known kinds.
        patience: retries of transient errors.
        sleep: waits between them.

    Raises:
        SettingsError: the URL is none of http or https.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        window: int | None = None,
        timeout: float = 300.0,
        facts: bool = True,
        prompts: Prompts | None = None,
        redactor: Redactor | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        super().__init__(facts=facts, prompts=prompts, redactor=redactor, patience=patience, sleep=sleep)
        if not url.startswith(("http://", "https://")):
            raise SettingsError(f"the summary endpoint {url!r} must begin with http:// or https://")
        self._url = url
        self._token = token
        self._window = window
        self._timeout = timeout

    @property
    def name(self) -> str:
        """The URL, without a password that may stand in it."""
        scheme, _, rest = self._url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    def _open(self) -> AbstractAsyncContextManager[Source]:
        return self._endpoint()

    @asynccontextmanager
    async def _endpoint(self) -> AsyncGenerator[Source]:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("a summary by an endpoint", "llm") from error
        headers = {"Accept-Encoding": "identity"}  # a compressed answer could unfold to any size
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        async with httpx.AsyncClient(headers=headers, timeout=self._timeout, follow_redirects=False) as client:
            yield _Endpoint(self.name, self._url, client, self._window, self._timeout)


class _Endpoint:
    reasons = False

    def __init__(self, name: str, url: str, client: httpx.AsyncClient, window: int | None, timeout: float) -> None:
        self.name = name
        self.window = window
        self._url = url
        self._client = client
        self._timeout = timeout

    def output_limit(self, tokens: int) -> int:
        """As asked."""
        return tokens

    async def ask(self, system: str, prompt: str, max_tokens: int) -> Reply:
        """One POST. The endpoint knows its model, so no output limit is sent."""
        del max_tokens
        import httpx

        try:
            async with asyncio.timeout(self._timeout):
                status, headers, body = await self._post({"systemPrompt": system, "prompt": prompt})
        except TimeoutError as error:
            raise SummaryError(f"{self.name}: no answer within {self._timeout:g} seconds") from error
        except httpx.TimeoutException as error:
            raise SummaryError(f"{self.name}: no answer within {self._timeout:g} seconds") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            transient = isinstance(error, httpx.TransportError)
            raise SummaryError(f"{self.name}: {error or type(error).__name__}", transient=transient) from error
        if status != 200:
            raise self._refused(status, headers, body)
        return self._reply(body)

    async def _post(self, payload: dict[str, str]) -> tuple[int, httpx.Headers, bytes]:
        async with self._client.stream("POST", self._url, json=payload) as response:
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise SummaryError(f"{self.name}: the answer is compressed although that was not asked for")
            parts: list[bytes] = []
            size = 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > MAX_RESPONSE_BYTES:
                    raise SummaryError(f"{self.name}: the answer is larger than {MAX_RESPONSE_BYTES} bytes")
                parts.append(part)
            return response.status_code, response.headers, b"".join(parts)

    def _refused(self, status: int, headers: httpx.Headers, body: bytes) -> SummaryError:
        text = " ".join(body.decode("utf-8", "replace").split())
        message = f"{self.name}: status {status}: {text[:300] or 'without a text'}"
        if 300 <= status < 400:
            return SummaryError(f"{message}; it points to {headers.get('Location')}: set that URL if it is right")
        error = {"status_code": status, "message": text}
        if classify_error(error) in {Verdict.OVERFLOW, Verdict.PAYLOAD}:
            return OverflowedError(message, learnt_window(text))
        transient = status in {408, 409, 425, 429} or status >= 500
        return SummaryError(message, transient=transient, retry_after=_retry_after(headers.get("Retry-After")))

    def _reply(self, body: bytes) -> Reply:
        try:
            answer = as_object(msgspec.json.decode(body))
        except (msgspec.DecodeError, RecursionError) as error:
            shown = body[:80].decode("utf-8", "replace")
            raise SummaryError(f"{self.name}: the answer is no JSON object: {shown!r}") from error
        if answer is None:
            raise SummaryError(f"{self.name}: the answer is JSON, but no object")
        if not isinstance(summary := answer.get("summary"), str):
            if "error" in answer:
                raise SummaryError(f"{self.name}: {str(answer['error'])[:300]}")
            raise SummaryError(f"{self.name}: the answer has no text under `summary`; it has {sorted(answer)[:8]}")
        short = answer.get("shortSummary")
        return Reply(answer=Answer(text=summary), short=short if isinstance(short, str) and short.strip() else None)


def _retry_after(value: str | None) -> float | None:
    """Seconds, from a number or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    now = datetime.now(UTC)
    return max(0.0, ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds())
