"""The exact tokenizer: an explicit choice, never what happens to be installed (SPEC §4).

count_tokens = exact_counter()
estimate_message(message, count_tokens=count_tokens)
"""

from __future__ import annotations

from treering.errors import TokenizerNotAvailableError
from treering.tokens.estimate import TokenCounter


def exact_counter() -> TokenCounter:
    """A counter of o200k tokens, without download.

    Special tokens in a text count as the ordinary text that they are; a lone surrogate counts as the replacement
    character that it becomes when it is sent.

    Raises:
        TokenizerNotAvailableError: the package toktok-rs is not installed.
    """
    try:
        # The package has annotations, but no mark that says so.
        from toktok import batch_count  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise TokenizerNotAvailableError(
            "the exact tokenizer needs the package toktok-rs: pip install 'treering[exact]', "
            "or leave the exact count off and use the estimator"
        ) from error

    def count_tokens(text: str) -> int:
        try:
            return batch_count([text], "o200k_base", threads=1)[0]
        except UnicodeEncodeError:
            sendable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return batch_count([sendable], "o200k_base", threads=1)[0]

    return count_tokens
