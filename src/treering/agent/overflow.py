"""What a provider's error means for the context: too long, too many bytes, a rate limit, a broken history.

A table of wordings and codes, as providers send them, with what overrules them. Everything is pure: text, status and
code in, a verdict out. A caller's own wordings are added with `Rules.extended`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from typing import Any, cast

import msgspec

from treering.session.messages import as_object


class Verdict(StrEnum):
    """What an error says."""

    OVERFLOW = "overflow"
    """The context is too long for the model: compact, then send again."""
    PAYLOAD = "payload"
    """The request has too many bytes or images, whatever its tokens: leave media out first."""
    RATE_LIMIT = "rate_limit"
    """Too much in too short a time; the same request may succeed later."""
    OUTPUT_LIMIT = "output_limit"
    """The answer was cut at the output limit; the context did fit."""
    MALFORMED = "malformed"
    """The history is not one that the provider accepts (pairs of calls and results, roles)."""
    OTHER = "other"
    """None of these."""


OVERFLOW_CODES = ("context_length_exceeded", "model_context_window_exceeded", "exceed_context_size_error", "3051")
"""Codes, error types and stop reasons that say it alone, whatever the text and the status."""

OVERFLOW_STATUS = frozenset({400, 413, 422})
"""Where there is an HTTP status, only these may be an overflow."""

OVERFLOW_PATTERNS = (
    # Anthropic, Bedrock, Fireworks
    r"(prompt|input|request) is too long",
    r"input length and `?max_tokens`? exceed",
    r"input length exceeds? (the )?context (window|length|limit)",
    r"(exceeds?|exceed) (your |the |available )?context (limit|window|length|size)",
    r"model_context_window_exceeded",
    r"too many (input|total) (text )?(tokens|bytes)",
    # OpenAI, Azure, OpenRouter, DeepSeek, vLLM, SGLang
    r"maximum context",
    r"exceeds (the|this|its) (model'?s )?context",
    r"exceeds (the|its|your) (available )?context",
    r"input tokens exceed the configured limit",
    r"exceeds (the )?model'?s? maximum",
    r"expected a string with maximum length",
    r"exceeds the maximum allowed input length",
    r"context length (is only|exceeded|of)",
    r"exceeds? (the )?(\S+ )?(maximum )?context length",
    r"exceeds the max_model_len",
    r"max_tokens must be at least 1",
    # Google, GitHub Copilot
    r"(input|prompt) token count.*exceeds",
    r"exceeds the maximum number of tokens",
    r"number of tokens allowed",
    r"size exceeds the limit",
    # xAI
    r"maximum prompt length",
    r"prompt length .*exceed",
    r"input_too_large",
    # Groq
    r"reduce the length of the (messages|prompt|input|completion)",
    # Mistral, Cohere
    r"too large for model with \d+ maximum context",
    r"input too large",
    r"too many tokens",
    # Moonshot, MiniMax, Qwen, Together, DeepInfra, Cloudflare, Writer
    r"exceeded model token limit",
    r"context window exceeds limit",
    r"requested input length.*exceeds",
    r"input length .*exceed",
    r"inputs?`? tokens \+ `?max_new_tokens`? must be",
    r"is longer than the model'?s context",
    r"context window limit",
    r"maximum context limit",
    # Named models: "supports only 256K context"
    r"supports (only|at most|up to) [\d.,]+ ?[km]? (tokens of )?context",
    # llama.cpp, LM Studio, Ollama
    r"exceeds the available context size",
    r"(context|kv cache|slot|n_ctx)\b.*\b(is full|too small|exhausted|no space|not enough|exceeded)",
    r"(no space|not enough|failed to find).{0,40}(kv cache|slot|n_ctx)",
    r"greater than the context length",
    r"prompt too long",
    r"prompt filled the context window",
    # LiteLLM and general wordings
    r"contextwindowexceedederror",
    r"context[_ ](length|window|limit|size)[_ ](was )?(exceeded|full|reached)",
    r"context (window|length|limit) (is )?(exceeded|full|reached)",
    r"token limit exceeded",
    r"exceed(s|ed)? (the )?token limit",
    r"requested tokens? .*exceed.*context",
    r"chat history exceeds the \d+.message limit",
    r"exceeds the limit of \d+ tokens",
)
"""Wordings of an overflow, any case."""

RATE_LIMIT_PATTERNS = (
    r"rate.?limit",
    r"too many requests",
    r"(tokens|requests|input) per (minute|second|hour|day)",
    r"per (minute|min\b)",
    r"throttl",
    r"too many tokens, please wait",
    r"service unavailable",
    r"\b(tpm|rpm)\b",
    r"quota",
)
"""Wordings that overrule every wording of an overflow."""

PAYLOAD_PATTERNS = (
    r"(payload|entity|body) (is )?too large",
    r"request_too_large",
    r"request exceeds the maximum (allowed )?(size|number of bytes)",
    r"exceeds the maximum size",
    r"too many images",
    r"image.{0,30}(exceeds|too large|too many)",
)
"""Wordings of too many bytes."""

OUTPUT_PATTERNS = (r"lengthfinishreasonerror", r"could not parse response content as the length limit was reached")
"""Wordings of an answer that was cut."""

NOT_OVERFLOW_PATTERNS = (r"exceeds budget", r"reasoning (limit|budget)")
"""Wordings that are near those of an overflow and are none."""

MALFORMED_PATTERNS = (
    r"tool_use.? ids were found without .?tool_result",
    r"each .?tool_use.? must have a single result",
    r"unexpected .?tool_use_id.? found in .?tool_result",
    r"must be followed by tool messages responding to each .?tool_call_id",
    r"no tool (call|output) found for function call",
    r"roles must alternate",
)
"""Wordings of a history that the provider does not accept."""

_TOKEN_WORDS = re.compile(r"token|context|prompt|input", re.IGNORECASE)
_NO_BODY = re.compile(r"\bno body\b|body: None|^\s*$", re.IGNORECASE)
_LIMITS = (
    # What the model can take, in the order of how surely the number is it.
    r"maximum context length (?:is|of) (\d+)",
    r"context length is only (\d+)",
    r"available context size \((\d+)",
    r"with (\d+) maximum context length",
    r"maximum prompt length is (\d+)",
    r"tokens allowed \((\d+)\)",
    r"tokens? > (\d+) maximum",
    r"maximum allowed input length of (\d+)",
    r"token limit:? (\d+)",
    r"context length \((\d+) tokens?\)",
    r"exceeds the limit of (\d+)",
    r"must be (?:<=|≤) (\d+)",
)
_LIMIT = re.compile("|".join(_LIMITS), re.IGNORECASE)


class Rules(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The table that errors are judged by. Patterns are regular expressions, searched for in any case."""

    codes: tuple[str, ...] = OVERFLOW_CODES
    overflow: tuple[str, ...] = OVERFLOW_PATTERNS
    payload: tuple[str, ...] = PAYLOAD_PATTERNS
    rate_limit: tuple[str, ...] = RATE_LIMIT_PATTERNS
    output: tuple[str, ...] = OUTPUT_PATTERNS
    not_overflow: tuple[str, ...] = NOT_OVERFLOW_PATTERNS
    malformed: tuple[str, ...] = MALFORMED_PATTERNS

    def extended(
        self, *, codes: Iterable[str] = (), overflow: Iterable[str] = (), not_overflow: Iterable[str] = ()
    ) -> Rules:
        """These rules and one's own: codes and wordings of an overflow, and wordings that are none."""
        return msgspec.structs.replace(
            self,
            codes=(*self.codes, *codes),
            overflow=(*self.overflow, *overflow),
            not_overflow=(*self.not_overflow, *not_overflow),
        )

    @cached_property
    def compiled(self) -> dict[str, re.Pattern[str]]:
        """Each list of patterns as one expression."""
        lists = {
            "overflow": self.overflow,
            "payload": self.payload,
            "rate_limit": self.rate_limit,
            "output": self.output,
            "not_overflow": self.not_overflow,
            "malformed": self.malformed,
        }
        return {name: re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE) for name, patterns in lists.items()}


DEFAULT_RULES = Rules()


def classify(
    text: str, *, status: int | None = None, codes: Iterable[str] = (), rules: Rules = DEFAULT_RULES
) -> Verdict:
    """What an error with this text says.

    Args:
        text: all texts of the error.
        status: the HTTP status, if there was one; where there is one, it decides what the text may mean.
        codes: codes and types of the provider.
        rules: the table.
    """
    found = rules.compiled
    known = {str(code).lower() for code in codes}
    if known & {code.lower() for code in rules.codes}:
        return Verdict.OVERFLOW
    if status == 429 or found["rate_limit"].search(text):
        return Verdict.RATE_LIMIT
    if found["malformed"].search(text):
        return Verdict.MALFORMED
    if found["output"].search(text):
        return Verdict.OUTPUT_LIMIT
    if found["not_overflow"].search(text):
        return Verdict.OTHER
    overflows = found["overflow"].search(text) is not None
    if status in {401, 403}:
        # Cloudflare says it with 403, and a gateway with 401; only words that name the context count there.
        return Verdict.OVERFLOW if overflows and re.search(r"context", text, re.IGNORECASE) else Verdict.OTHER
    if status is not None and status not in OVERFLOW_STATUS:
        # llama.cpp sends a full cache as 500.
        local = status == 500 and re.search(r"n_ctx|kv cache|context size", text, re.IGNORECASE)
        return Verdict.OVERFLOW if overflows and local else Verdict.OTHER
    if found["payload"].search(text) and not (overflows and re.search(r"token|context", text, re.IGNORECASE)):
        return Verdict.PAYLOAD
    if overflows:
        return Verdict.OVERFLOW
    if status == 413:
        return Verdict.OVERFLOW if _TOKEN_WORDS.search(text) else Verdict.PAYLOAD
    return Verdict.OTHER


def classify_error(error: BaseException | object, *, rules: Rules = DEFAULT_RULES) -> Verdict:
    """What an exception (of the model layer, of a client, of anything) or a decoded error body says.

    Its message, body, causes and what is nested in them are read, eight levels deep. Of a group of retried errors
    only the last counts.
    """
    texts: list[str] = []
    codes: list[str] = []
    statuses: list[int] = []
    for kind, value in _walk(error, 0):
        if kind == "text":
            texts.append(str(value))
        elif kind == "code":
            codes.append(str(value))
        elif isinstance(value, int):
            statuses.append(value)
    text = "\n".join(texts)
    status = statuses[0] if statuses else None
    verdict = classify(text, status=status, codes=codes, rules=rules)
    if verdict is Verdict.OTHER and status in {400, 413} and _without_body(error):
        # Cerebras and older Mistral send nothing but the status.
        return Verdict.OVERFLOW if status == 400 else Verdict.PAYLOAD
    return verdict


def learnt_window(text: str) -> int | None:
    """The limit in tokens that the text of an overflow names, if it does."""
    match = _LIMIT.search(text.replace(",", ""))
    if match is None:
        return None
    value = int(next(group for group in match.groups() if group))
    return value if value >= 256 else None


def is_silent_overflow(*, input_tokens: int, cache_read_tokens: int = 0, output_tokens: int, window: int) -> bool:
    """Whether an answer that came without an error says that the context did not fit.

    Some providers count past the window without an error; some answer nothing when the input fills it.

    Args:
        input_tokens: input that the provider counted, without what it read from its cache.
        cache_read_tokens: input that it read from its cache.
        output_tokens: tokens of the answer.
        window: the model's context window in tokens.
    """
    used = input_tokens + cache_read_tokens
    return used > window or (output_tokens == 0 and used >= 0.99 * window)


def _without_body(error: object) -> bool:
    return not getattr(error, "body", None) and _NO_BODY.search(str(error)) is not None


_NESTED = ("error", "body", "errors", "cause", "metadata", "raw", "detail", "details", "data", "response", "message")


def _walk(value: object, depth: int) -> Iterator[tuple[str, object]]:
    """Texts, codes and statuses in an error, the outermost first."""
    if depth > 8 or value is None:
        return
    if isinstance(value, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", value)
        yield from _walk(group.exceptions[-1], depth + 1)
    elif isinstance(value, BaseException):
        if isinstance(status := getattr(value, "status_code", None), int):
            yield "status", status
        for name in ("provider_error_code", "provider_error_type", "code", "type"):
            if isinstance(code := getattr(value, name, None), str):
                yield "code", code
        yield "text", str(value)
        yield from _walk(getattr(value, "body", None), depth + 1)
        yield from _walk(value.__cause__, depth + 1)
    elif isinstance(value, str):
        yield "text", value
        if (nested := _json_in(value)) is not None:
            yield from _walk(nested, depth + 1)
    elif (mapping := as_object(value)) is not None:
        for name in ("code", "type", "status", "finish_reason", "stop_reason", "stopReason"):
            code = mapping.get(name)
            if isinstance(code, (str, int)) and not isinstance(code, bool):
                yield "code", str(code)
        if isinstance(status := mapping.get("status_code"), int):
            yield "status", status
        for name in _NESTED:
            if name in mapping:
                yield from _walk(mapping[name], depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[object]", value)[:8]:
            yield from _walk(item, depth + 1)


def _json_in(text: str) -> Any:
    """JSON that stands in a text, as gateways pass on what they got."""
    start = text.find("{")
    if start < 0 or len(text) > 100_000:
        return None
    try:
        return msgspec.json.decode(text[start : text.rfind("}") + 1])
    except (msgspec.DecodeError, RecursionError):
        return None
