"""What providers' errors mean: every row of the table, what overrules it, and what is near it and is none."""

from __future__ import annotations

import pytest

from treering.agent.overflow import (
    DEFAULT_RULES,
    Verdict,
    classify,
    classify_error,
    is_silent_overflow,
    learnt_window,
)

OVERFLOWS = [
    ("Anthropic", 400, "prompt is too long: 215000 tokens > 200000 maximum"),
    ("Anthropic", 400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    ("Anthropic", 400, "input is too long"),
    ("Anthropic", 400, "input length exceeds context window"),
    ("Anthropic", 400, "input and output tokens exceed your context limit"),
    ("Bedrock", 400, "ValidationException: Input is too long for requested model."),
    ("Bedrock", 400, "too many input tokens"),
    ("Bedrock", 400, "too many total text bytes"),
    ("Bedrock", 400, "This model's maximum context length is 8192"),
    ("Bedrock", 400, "The prompt is too long"),
    ("OpenAI", 400, "This model's maximum context length is 128000 tokens."),
    ("OpenAI", 400, "Your input exceeds the context window of this model."),
    ("OpenAI", 400, "Your input exceeds the model's context window"),
    ("OpenAI", 400, "Input tokens exceed the configured limit of 272000 tokens."),
    ("OpenAI", 400, "input exceeds model maximum"),
    ("OpenAI", 400, "Invalid 'input': expected a string with maximum length 10485760"),
    ("Azure", 400, "maximum context length"),
    ("Google", 400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ("Google", 400, "exceeds the number of tokens allowed"),
    ("Google", 400, "size exceeds the limit"),
    ("xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    ("xAI", 400, "[input_too_large] request"),
    ("Groq", 400, "Please reduce the length of the messages or completion."),
    ("OpenRouter", 400, "This model's maximum context length is 8192 tokens. However, you requested 9000"),
    ("OpenRouter", 400, "input exceeds the maximum allowed input length of 100000 tokens"),
    ("vLLM", 400, "the model's context length is only 4096 tokens"),
    ("vLLM", 400, "The input length (5000) exceeds the model's context length (4096)"),
    ("vLLM", 400, "prompt exceeds the max_model_len"),
    ("vLLM", 400, "max_tokens must be at least 1, got -44"),
    ("SGLang", 400, "The input is longer than the model's context length (32768 tokens)."),
    ("Mistral", 400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    ("Mistral", 400, "input too large"),
    ("Cohere", 400, "too many tokens: size limit exceeded by 2000 tokens"),
    ("Moonshot", 400, "Your request exceeded model token limit: 131072 (requested: 140000)"),
    ("MiniMax", 400, "invalid params, context window exceeds limit"),
    ("Qwen", 400, "requested input length 40000 exceeds the maximum 30720"),
    ("Together", 422, "`inputs` tokens + `max_new_tokens` must be ≤ 4097"),
    ("Together", 400, "input (9000 tokens) is longer than the model's context length (8192 tokens)"),
    ("DeepInfra", 400, "input length 9000 exceeds"),
    ("Cloudflare", 403, "context window limit (24000) exceeded"),
    ("Cloudflare", 413, "context window limit"),
    ("Copilot", 400, "prompt token count of 140000 exceeds the limit of 128000"),
    ("Writer", 400, "exceed context limit"),
    ("Writer", 400, "model's maximum context limit"),
    ("llama.cpp", 400, "request (6031 tokens) exceeds the available context size (2048 tokens), try increasing it"),
    ("llama.cpp", 500, "context size exceeded: n_ctx too small"),
    ("llama.cpp", 500, "failed to find a free slot in the kv cache, context is full"),
    ("LM Studio", 400, "The number of tokens to keep is greater than the context length"),
    ("Ollama", 400, "prompt too long; exceeded max context length by 200 tokens"),
    ("Ollama", 400, "the input length exceeds the context length"),
    ("Ollama", 400, "prompt filled the context window"),
    ("LiteLLM", 400, "litellm.ContextWindowExceededError: litellm.BadRequestError: x\nAvailable Model Group Fallbacks"),
    ("general", 400, "context_length_exceeded"),
    ("general", 413, "context window exceeded"),
    ("general", 422, "context limit exceeded"),
    ("general", None, "context window full"),
    ("general", None, "token limit exceeded"),
    ("general", None, "this exceeds token limit"),
    ("general", None, "too many tokens"),
    ("general", None, "requested tokens (9000) exceed the context"),
    ("general", None, "chat history exceeds the 2000-message limit"),
    ("gateway", 401, "this model supports only 256K context"),
]

NOT_OVERFLOWS = [
    (Verdict.RATE_LIMIT, 400, "ThrottlingException: Too many tokens, please wait before trying again."),
    (Verdict.RATE_LIMIT, 429, "Request too large: prompt is too long for your limit"),
    (Verdict.RATE_LIMIT, None, "Too many tokens per minute"),
    (Verdict.RATE_LIMIT, 400, "This request exceeds the limit of 30000 tokens per minute"),
    (Verdict.RATE_LIMIT, 413, "Rate limit reached: maximum context of requests"),
    (Verdict.RATE_LIMIT, 503, "Service unavailable: too many tokens"),
    (Verdict.RATE_LIMIT, None, "Too Many Requests"),
    (Verdict.OTHER, 400, "reasoning_effort exceeds budget of the maximum context"),
    (Verdict.OTHER, 500, "maximum context length module crashed"),
    (Verdict.OTHER, 403, "you may not use this prompt: too many tokens"),
    (Verdict.OTHER, 404, "model not found: maximum context length"),
    (Verdict.OTHER, 400, "temperature must be at most 2"),
    (Verdict.OTHER, None, "connection reset"),
    (Verdict.PAYLOAD, 413, ""),
    (Verdict.PAYLOAD, 413, "Payload too large"),
    (Verdict.PAYLOAD, 413, "request_too_large: Request exceeds the maximum size"),
    (Verdict.PAYLOAD, 400, "Request exceeds the maximum number of bytes"),
    (Verdict.PAYLOAD, 400, "too many images and documents: 101 + 0 > 100"),
    (Verdict.OUTPUT_LIMIT, None, "LengthFinishReasonError: Could not parse response content"),
    (Verdict.MALFORMED, 400, "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after"),
    (Verdict.MALFORMED, 400, "each tool_use must have a single result"),
    (Verdict.MALFORMED, 400, "unexpected `tool_use_id` found in `tool_result` blocks: t1"),
    (Verdict.MALFORMED, 400, "must be followed by tool messages responding to each 'tool_call_id'"),
    (Verdict.MALFORMED, 400, "Conversation roles must alternate user/assistant"),
]


@pytest.mark.parametrize(("provider", "status", "text"), OVERFLOWS)
@pytest.mark.parametrize("case", [str, str.upper])
def test_overflow(provider: str, status: int | None, text: str, case: type[str]) -> None:
    assert classify(case(text), status=status) is Verdict.OVERFLOW, provider


@pytest.mark.parametrize(("verdict", "status", "text"), NOT_OVERFLOWS)
def test_no_overflow(verdict: Verdict, status: int | None, text: str) -> None:
    assert classify(text, status=status) is verdict


@pytest.mark.parametrize("code", ["context_length_exceeded", "3051", "model_context_window_exceeded"])
def test_a_code_that_names_it_wins_over_text_and_status(code: str) -> None:
    assert classify("rate limit", status=429, codes=[code]) is Verdict.OVERFLOW


class ProviderError(Exception):
    """An error of a client, with the attributes that clients give."""

    def __init__(self, message: str, *, status_code: int | None = None, body: object = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.body = body


class TestExceptions:
    def test_json_inside_the_message(self) -> None:
        inner = '{"error": {"message": "upstream", "metadata": {"raw": "{\\"code\\": \\"context_length_exceeded\\"}"}}}'
        assert classify_error(ProviderError(f"400 {inner}", status_code=400)) is Verdict.OVERFLOW

    def test_llama_cpps_own_body(self) -> None:
        body = {"error": {"code": 400, "type": "exceed_context_size_error", "message": "x", "n_ctx": 2048}}
        assert classify_error(ProviderError("rejected", status_code=400, body=body)) is Verdict.OVERFLOW

    def test_a_mistral_code_as_a_number(self) -> None:
        assert classify_error(ProviderError("bad", status_code=400, body={"code": 3051})) is Verdict.OVERFLOW

    def test_the_cause_is_read(self) -> None:
        error = RuntimeError("request failed")
        error.__cause__ = ProviderError("prompt is too long: 9 tokens > 8 maximum", status_code=400)
        assert classify_error(error) is Verdict.OVERFLOW

    def test_of_a_group_only_the_last_attempt_counts(self) -> None:
        long, limited = ProviderError("prompt is too long", status_code=400), ProviderError("slow", status_code=429)
        assert classify_error(ExceptionGroup("attempts", [long, limited])) is Verdict.RATE_LIMIT
        assert classify_error(ExceptionGroup("attempts", [limited, long])) is Verdict.OVERFLOW

    def test_nothing_but_a_status(self) -> None:
        assert classify_error(ProviderError("400 status code (no body)", status_code=400)) is Verdict.OVERFLOW
        assert classify_error(ProviderError("413 status code (no body)", status_code=413)) is Verdict.PAYLOAD

    def test_a_text_without_a_body_is_not_a_mere_status(self) -> None:
        assert classify_error(ProviderError("400: unknown parameter", status_code=400)) is Verdict.OTHER

    def test_a_request_that_is_wrong_otherwise(self) -> None:
        body = {"error": {"message": "unknown parameter", "type": "invalid_request_error"}}
        assert classify_error(ProviderError("400", status_code=400, body=body)) is Verdict.OTHER

    def test_a_cause_that_refers_to_itself_ends(self) -> None:
        body: dict[str, object] = {"message": "odd"}
        body["error"] = body
        assert classify_error(body) is Verdict.OTHER


def test_rules_can_be_extended() -> None:
    rules = DEFAULT_RULES.extended(
        overflow=[r"le contexte est plein"], codes=["E_FULL"], not_overflow=[r"prompt is too long, but"]
    )
    assert classify("Le contexte est plein", status=400, rules=rules) is Verdict.OVERFLOW
    assert classify("?", codes=["e_full"], rules=rules) is Verdict.OVERFLOW
    assert classify("prompt is too long, but fine", rules=rules) is Verdict.OTHER
    assert classify("Le contexte est plein", status=400) is Verdict.OTHER


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("prompt is too long: 215,000 tokens > 200,000 maximum", 200_000),
        ("This model's maximum context length is 8192 tokens. However, you requested 9000", 8192),
        ("request (6031 tokens) exceeds the available context size (2048 tokens), try increasing it", 2048),
        ("exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("Your request exceeded model token limit: 131072 (requested: 140000)", 131_072),
        ("prompt token count of 140000 exceeds the limit of 128000", 128_000),
        ("`inputs` tokens + `max_new_tokens` must be ≤ 4097", 4097),
        ("input is too long", None),
        ("maximum context length is 7", None),
    ],
)
def test_the_limit_that_an_error_names(text: str, window: int | None) -> None:
    assert learnt_window(text) == window


def test_overflow_without_an_error() -> None:
    assert is_silent_overflow(input_tokens=100_000, cache_read_tokens=40_000, output_tokens=5, window=131_072)
    assert is_silent_overflow(input_tokens=130_900, output_tokens=0, window=131_072)
    assert not is_silent_overflow(input_tokens=130_900, output_tokens=5, window=131_072)
    assert not is_silent_overflow(input_tokens=100, output_tokens=0, window=131_072)
