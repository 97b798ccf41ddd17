"""A limit on answers that grow past all reason, before they fill the memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2


class ResponseTooLargeError(httpx2.TransportError):
    """An answer is larger than any summary."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > self._limit:
                raise ResponseTooLargeError(f"the answer is larger than {self._limit} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def bound_responses(client: httpx2.AsyncClient, limit: int) -> None:
    """Let a client end every answer that is larger than `limit` bytes.

    Hooks rather than a transport of our own: with one of those the client would no longer use the proxies that the
    environment names.
    """

    async def ask_plain(request: httpx2.Request) -> None:
        # A compressed answer could unfold to any size after it was measured.
        request.headers["Accept-Encoding"] = "identity"

    async def measure(response: httpx2.Response) -> None:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise ResponseTooLargeError("the answer is compressed although that was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, limit)

    hooks = client.event_hooks
    client.event_hooks = {
        "request": [*hooks.get("request", []), ask_plain],
        "response": [*hooks.get("response", []), measure],
    }
