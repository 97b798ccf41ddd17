"""A small server for summaries: POST `{systemPrompt, prompt}`, and `{summary}` back (needs `treering[serve]`).

Agents in other languages point their `compaction.remoteEndpoint` at it. It keeps nothing, and logs no text.
"""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import secrets
from typing import TYPE_CHECKING

import msgspec

from treering.compaction.summarizer import Summarizer, Summary
from treering.errors import MissingExtraError, SettingsError, SummaryError, TreeringError
from treering.session.messages import as_object
from treering.summarizers.asking import OverflowedError
from treering.summarizers.base import AskingSummarizer, ask_any
from treering.summarizers.chain import ChainSummarizer
from treering.summarizers.parsing import parse_prompt

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MAX_BODY_BYTES = 32_000_000
"""What a request may weigh: some millions of tokens of text."""


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the server answers.

    Attributes:
        token: what callers must send as a bearer token; needed unless only this machine can reach the server.
        budget: tokens that a summary may have.
        timeout: seconds that one summary may take.
        at_once: how many summaries are made at the same time; further callers wait.
    """

    token: str | None = None
    budget: int = 8_192
    timeout: float = 600.0
    at_once: int = 4


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on this host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def check_access(host: str, token: str | None) -> None:
    """Refuse to listen where others could ask without a token.

    Raises:
        SettingsError: no token, and not loopback.
    """
    if not token and not is_loopback(host):
        raise SettingsError(f"{host} can be reached by others: give a token, or listen on 127.0.0.1")


def make_app(summarizer: Summarizer, options: ServerOptions) -> Starlette:
    """The server as an ASGI application.

    Args:
        summarizer: who answers. One that asks a model gets the caller's prompts as they are; for any other the
            conversation is read from them.
        options: token and limits.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("the summary server", "serve") from error
    gate = asyncio.Semaphore(options.at_once)

    def refuse(status: int, message: str, **headers: str) -> Response:
        return JSONResponse({"error": message}, status_code=status, headers=headers)

    async def answer(request: Request) -> Response:
        if options.token is not None:
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not secrets.compare_digest(given.encode(), options.token.encode()):
                return refuse(401, "the bearer token is missing or wrong", **{"WWW-Authenticate": "Bearer"})
        elif not is_loopback(_host(request)):
            # A page in a browser on this machine could reach us under a name of its own.
            return refuse(403, "without a token only 127.0.0.1 and localhost are answered")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return refuse(415, "the body must be application/json")
        body = await _body(request)
        if body is None:
            return refuse(413, f"the body is larger than {MAX_BODY_BYTES} bytes")
        prompts = _prompts(body)
        if prompts is None:
            return refuse(400, "the body must be a JSON object with the texts `systemPrompt` and `prompt`")
        try:
            async with gate:
                summary = await _until_gone(request, _summarise(summarizer, *prompts, options))
        except TimeoutError:
            return refuse(504, f"no summary within {options.timeout:g} seconds")
        except OverflowedError as error:
            # In words that callers know as an overflow, with the limit if there is one.
            limit = f": maximum context length is {error.window} tokens" if error.window else ""
            return refuse(413, f"the prompt is too long{limit} ({error})")
        except SummaryError as error:
            headers = {} if error.retry_after is None else {"Retry-After": str(int(error.retry_after))}
            return refuse(503 if error.transient else 502, str(error), **headers)
        except TreeringError as error:
            return refuse(500, str(error))
        if summary is None:
            return refuse(499, "the caller hung up")
        data = {"summary": summary.text, "summarizer": summary.summarizer}
        return JSONResponse(data | ({"shortSummary": summary.short} if summary.short else {}))

    return Starlette(routes=[Route("/", answer, methods=["POST"]), Route("/summarize", answer, methods=["POST"])])


async def _summarise(summarizer: Summarizer, system: str, prompt: str, options: ServerOptions) -> Summary:
    request = await asyncio.to_thread(parse_prompt, prompt, budget=options.budget)
    candidates = summarizer.summarizers if isinstance(summarizer, ChainSummarizer) else (summarizer,)
    failures: list[SummaryError] = []
    async with asyncio.timeout(options.timeout):
        for candidate in candidates:
            try:
                if isinstance(candidate, AskingSummarizer):
                    return await candidate.answer(system, prompt, request)
                return await ask_any(candidate, request)
            except SummaryError as error:
                failures.append(error)
    last = failures[-1]
    if len(failures) == 1:
        raise last
    text = "; ".join(map(str, failures))
    raise SummaryError(text, transient=last.transient, retry_after=last.retry_after)


async def _until_gone(request: Request, work: object) -> Summary | None:
    """The result of the work, or None if the caller hung up, which ends the work."""
    assert inspect.iscoroutine(work)
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        return await task if task.done() else None
    finally:
        for other in (task, gone):
            other.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _prompts(body: bytes) -> tuple[str, str] | None:
    try:
        data = as_object(msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError):
        return None
    if data is None:
        return None
    system, prompt = data.get("systemPrompt", ""), data.get("prompt")
    if not isinstance(system, str) or not isinstance(prompt, str) or not prompt.strip():
        return None
    return system, prompt


def _host(request: Request) -> str:
    host = request.headers.get("host", "")
    return host[: host.rindex("]") + 1] if "]" in host else host.partition(":")[0]
