"""One model behind the model layer of Pydantic AI: opened, asked, its errors told apart.

Pydantic AI is imported when a model is opened, never before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec

from treering.agent.overflow import Verdict, classify_error, learnt_window
from treering.errors import MissingExtraError, SettingsError, SummaryError
from treering.settings import Effort
from treering.summarizers.answers import Answer
from treering.summarizers.asking import OverflowedError, Reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

MAX_RESPONSE_BYTES = 8_000_000
"""What an answer may weigh; a summary is some kilobytes."""

_SHARED_CLIENT = {
    "anthropic",
    "deepseek",
    "google",
    "mistral",
    "ollama",
    "openai",
    "openai-chat",
    "openai-responses",
    "openrouter",
}
# Providers that take a client of this kind; others bring their own, and their answers are not bounded by us.

REASONING_ALLOWANCE = 8_192
"""Output tokens on top of the summary's for a model that reasons, since providers count both together."""


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and how it is asked.

    Attributes:
        name: as the model layer knows it (`anthropic:…`, `openai:…`, `google:…`, `ollama:…`), or `NAME@URL` for a
            server with OpenAI's chat completions, e.g. `qwen3@http://127.0.0.1:8080/v1`.
        api_key: for `NAME@URL`; others take theirs from where the model layer looks.
        temperature: None: the model's own. Left out where the model takes none.
        effort: of reasoning; None: the model's own; `none`: as little as the model allows.
        window: its context window in tokens, where the model layer does not know it or is wrong.
        max_output: the most output tokens that it accepts, where that is less than the budget.
        timeout: seconds that one answer may take.
    """

    name: str
    api_key: str | None = None
    temperature: float | None = None
    effort: Effort | None = None
    window: int | None = None
    max_output: int | None = None
    timeout: float = 300.0


class OpenModel:
    """A model that can be asked. Made by `open_model`."""

    def __init__(self, model: Model[Any], options: ModelOptions) -> None:
        self.model = model
        self.options = options
        self.name = options.name
        self.window = options.window or model.context_window
        """Its context window in tokens; None if nobody knows it."""

    @property
    def reasons(self) -> bool:
        """Whether the model may spend output tokens on reasoning."""
        if self.options.effort == "none":
            return bool(self.model.profile.get("thinking_always_enabled"))
        return bool(self.model.profile.get("supports_thinking"))

    def output_limit(self, tokens: int) -> int:
        """The output limit to ask with for a text of that many tokens."""
        limit = tokens + (REASONING_ALLOWANCE if self.reasons else 0)
        known = self.options.max_output or self.model.profile.get("anthropic_max_output_tokens")
        return min(limit, known) if isinstance(known, int) else limit

    async def ask(self, system: str, prompt: str, max_tokens: int) -> Reply:
        """One request, without retries.

        Raises:
            OverflowedError: the request is too long.
            SummaryError: anything else went wrong; `transient` tells whether the same may work later.
        """
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(max_tokens=max_tokens, max_retries=0, request_timeout=self.options.timeout)
        if self.options.temperature is not None:
            settings["temperature"] = self.options.temperature
        if self.options.effort is not None:
            settings["thinking"] = False if self.options.effort == "none" else self.options.effort
        try:
            response = await model_request(
                self.model,
                [ModelRequest.user_text_prompt(prompt, instructions=system)],
                model_settings=settings,
                instrument=False,
            )
        except Exception as error:
            raise explain(error, self.options.name) from error
        return _reply(response)


@asynccontextmanager
async def open_model(options: ModelOptions | Model[Any]) -> AsyncGenerator[OpenModel]:
    """Open a model for some requests, and close its connections afterwards.

    Args:
        options: what to open, or a model object of the model layer, which is used as it is.

    Raises:
        MissingExtraError: the model layer, or the provider's package, is not installed.
        SettingsError: there is no such model, or its key is missing.
    """
    try:
        from pydantic_ai.models import Model
    except ImportError as error:
        raise MissingExtraError("a summary by a model", "llm") from error
    async with AsyncExitStack() as stack:
        if isinstance(options, Model):
            yield OpenModel(options, ModelOptions(name=options.model_id))
            return
        model = await _connect(options, stack)
        await stack.enter_async_context(model)
        yield OpenModel(model, options)


async def _connect(options: ModelOptions, stack: AsyncExitStack) -> Model[Any]:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import create_async_httpx2_client, infer_model
    from pydantic_ai.providers import infer_provider, infer_provider_class

    from treering.summarizers.bounded import bound_responses

    client = await stack.enter_async_context(create_async_httpx2_client(timeout=options.timeout))
    bound_responses(client, MAX_RESPONSE_BYTES)
    name, at, url = options.name.partition("@")
    try:
        if at and url.startswith(("http://", "https://")):
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.profiles import ModelProfile
            from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

            # Without a key of ours the layer would send OpenAI's to whatever server this is.
            key = options.api_key or "none"
            provider = OpenAICompatibleProvider(url, base_url=url, api_key=key, http_client=client)
            # The layer would take a `<think>` without an end for text; unsplit, the check of answers sees it.
            unsplit = ModelProfile(thinking_tags=("\0", "\0"))
            return OpenAIChatModel(name, provider=provider, profile=unsplit)

        def open_provider(kind: str) -> Provider[Any]:
            if kind in _SHARED_CLIENT:
                return cast("Callable[..., Provider[Any]]", infer_provider_class(kind))(http_client=client)
            return infer_provider(kind)

        return infer_model(options.name, open_provider)
    except ImportError as error:
        raise MissingExtraError(f"the model {options.name!r} ({error})", "llm") from error
    except (UserError, ValueError) as error:
        raise SettingsError(f"the model {options.name!r} cannot be used: {error}") from error


def explain(error: Exception, model: str) -> SummaryError:
    """The error of a request as ours: whether it is an overflow, whether it may pass, how long to wait."""
    from pydantic_ai.exceptions import (
        ModelAPIError,
        ModelConnectionError,
        ModelContextWindowExceededError,
        ModelHTTPError,
        ModelQuotaExceededError,
        ModelRateLimitError,
        ModelRequestTimeout,
        ModelServerError,
        ModelUnavailableError,
    )

    message = _brief(error)
    if isinstance(error, ModelContextWindowExceededError) or classify_error(error) in {
        Verdict.OVERFLOW,
        Verdict.PAYLOAD,
    }:
        return OverflowedError(f"{model}: the request is too long for it: {message}", learnt_window(str(error)))
    if isinstance(error, ModelRequestTimeout):
        return SummaryError(f"{model}: {message}")
    if any(type(cause).__name__ == "ResponseTooLargeError" for cause in _causes(error)):
        return SummaryError(f"{model}: {message}")
    transient = isinstance(
        error, (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
    ) or (isinstance(error, ModelHTTPError) and error.status_code in {408, 409, 425, 429})
    if isinstance(error, ModelHTTPError) and error.provider_retry_hint is not None:
        transient = error.provider_retry_hint
    if isinstance(error, ModelQuotaExceededError):
        transient = False  # it comes with 429 too, and waiting does not fill an account
    retry_after = error.retry_after if isinstance(error, ModelAPIError) else None
    return SummaryError(f"{model}: {message}", transient=transient, retry_after=retry_after)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__


def _brief(error: Exception) -> str:
    """The message, and that of its deepest cause where that says more."""
    *_, root = _causes(error)
    text = " ".join(str(error).split()) or type(error).__name__
    why = " ".join(str(root).split())
    if why and why not in text and len(text) < 80:
        text = f"{text} ({why})"
    return text if len(text) <= 500 else f"{text[:500]} …"


def _reply(response: ModelResponse) -> Reply:
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    counts = known_usage(response)
    return Reply(
        answer=Answer(
            text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
            thinking=any(isinstance(part, ThinkingPart) for part in response.parts),
            tool_calls=tuple(part.tool_name for part in response.parts if isinstance(part, ToolCallPart)),
            finish=response.finish_reason,
        ),
        input_tokens=counts[0] if counts else None,
        output_tokens=counts[1] if counts else None,
        price=price_of(response),
    )


def known_usage(response: ModelResponse) -> tuple[int, int] | None:
    """Tokens in and out as the provider counted them; None if it did not say."""
    usage = response.usage
    known = bool(usage.input_tokens or usage.output_tokens) and not usage.unmeasured_requests
    return (usage.input_tokens, usage.output_tokens) if known else None


def price_of(response: ModelResponse) -> float | None:
    """US dollars by the model layer's price data; None where it does not know the model or the usage."""
    if known_usage(response) is None:
        return None
    if response.usage.cost is not None:
        return float(response.usage.cost)
    if not response.model_name:
        return None
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None  # the price data does not know this model; unknown is not free
