"""How many tokens a text, a message or a JSON value has: an estimate in o200k tokens, without a vocabulary.

    >>> estimate_text("The build fails on main since yesterday.")
    7

A text's estimate is the sum of a weight for each pair of characters that are neighbours or one apart, by their classes,
and of prices for the characters and words of scripts beyond ASCII (`features.py`, `weights.py`). It is within 10 % of
o200k on 50 kB or more of prose, code, JSON, logs or encoded bytes (`python benchmarks/tokens.py` prints the table; a
single short text can be further off), never falls when text is appended, takes time linear in the text, and never
raises. For exact counts see `exact.py`.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import cast

import msgspec

from treering.session.llm import user_text
from treering.session.messages import Block, ImageBlock, Message, OtherBlock, TextBlock, ThinkingBlock, ToolCallBlock
from treering.tokens.features import WORD_SCRIPTS, pair_codes, script_counts, script_of
from treering.tokens.weights import ADJACENT, APART, CHARACTERS, UNIT, WORDS

TokenCounter = Callable[[str], int]
"""Counts the tokens of a text. `estimate_text` is one; `exact.exact_counter()` makes another."""

IMAGE_TOKENS = 1200
"""Tokens of an image, whatever its bytes. Providers scale images to a megapixel or so and charge 765 to 1600."""

MESSAGE_TOKENS = 4
"""Tokens of a message's frame: its role and the marks around it."""

CALL_TOKENS = 6
"""Tokens of a tool call's frame, besides its name and arguments."""

TEMPLATED_ROLES = frozenset({"compactionSummary", "branchSummary", "bashExecution"})
"""Roles that reach the model in a frame of words (`session/llm.py`), which counts too."""

STRETCH = 1 << 16
"""Characters that are looked at together, so that a text of any length needs little memory besides its own."""

_LONG_INTEGER = 4096


def estimate_text(text: str) -> int:
    """Tokens of a text by o200k, estimated. 0 for the empty text, at least 1 for any other.

    Any string will do, also one with lone surrogates or control characters.
    """
    tokens = sum(_pair_units(text, start) for start in range(0, len(text), STRETCH)) / UNIT
    if not text.isascii():
        characters, starts = script_counts(text)
        tokens += math.fsum(count * _character_tokens(character) for character, count in characters.items())
        tokens += math.fsum(count * _word_tokens(character) for character, count in starts.items())
    return max(math.ceil(tokens), 1) if text else 0


def estimate_value(value: object, *, count_tokens: TokenCounter = estimate_text) -> int:
    """Tokens of a JSON value in compact form. Never raises: of what is no JSON, what can be read is counted.

    Args:
        value: anything; sent to a model as JSON.
        count_tokens: counts a text; the estimator unless given.
    """
    try:
        text = msgspec.json.encode(value).decode()
    except Exception:  # lone surrogates, nesting too deep for recursion, objects of any kind
        text = "".join(_flatten(value))
    return count_tokens(text)


def estimate_message(message: Message, *, count_tokens: TokenCounter = estimate_text) -> int:
    """Tokens of a message: all that is sent of it, and a few for its frame. Never raises.

    Summaries and the user's own commands are counted in the frame of words that they are sent in. An image costs
    `IMAGE_TOKENS`. A block of a kind that is not known here costs its serialised size.

    Args:
        message: a message of any role.
        count_tokens: counts a text; the estimator unless given.
    """
    if message.role in TEMPLATED_ROLES:
        return MESSAGE_TOKENS + count_tokens(user_text(message))
    if not message.blocks and message.role not in {"user", "assistant", "toolResult", "custom"}:
        fields = {key: value for key, value in message.raw.items() if key not in {"role", "timestamp"}}
        return MESSAGE_TOKENS + estimate_value(fields, count_tokens=count_tokens)
    return MESSAGE_TOKENS + sum(_block_tokens(block, count_tokens) for block in message.blocks)


def _pair_units(text: str, start: int) -> int:
    """The weight of the pairs that end in one stretch of the text."""
    before = min(start, 2)
    adjacent, apart = pair_codes(text[start - before : start + STRETCH])
    return sum(adjacent[before:].translate(ADJACENT)) + sum(apart[before:].translate(APART))


def _block_tokens(block: Block, count_tokens: TokenCounter) -> int:
    match block:
        case TextBlock(text) | ThinkingBlock(text):
            return count_tokens(text)
        case ToolCallBlock():
            arguments = estimate_value(block.arguments, count_tokens=count_tokens)
            return CALL_TOKENS + count_tokens(block.name) + arguments
        case ImageBlock():
            return IMAGE_TOKENS
        case OtherBlock():
            # image_url, input_image and the like: other formats' images, with their bytes inside
            return IMAGE_TOKENS if "image" in block.type else estimate_value(block.raw, count_tokens=count_tokens)


@lru_cache(maxsize=65536)
def _character_tokens(character: str) -> float:
    return CHARACTERS[script_of(character)]


@lru_cache(maxsize=65536)
def _word_tokens(character: str) -> float:
    return WORDS.get(WORD_SCRIPTS.get(script_of(character), ""), 0.0)


def _flatten(value: object) -> Iterator[str]:
    """The texts in a value, with JSON's marks between them; without recursion, each container once."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield f'"{item}",'
        elif (children := _children(item)) is None:
            yield _scalar(item)
        elif id(item) not in seen:
            seen.add(id(item))
            yield "{}," if isinstance(item, Mapping) else "[],"
            pending.extend(children)


def _children(item: object) -> list[object] | None:
    """What a container holds, a mapping's keys too; None if it is none."""
    try:
        if isinstance(item, Mapping):
            return [part for pair in cast("Mapping[object, object]", item).items() for part in pair]
        if isinstance(item, (list, tuple, set, frozenset)):
            return list(cast("Iterable[object]", item))
    except Exception:  # a mapping of a foreign type may do anything
        return []
    return None


def _scalar(item: object) -> str:
    if isinstance(item, (bytes, bytearray)):
        return f'"{base64.b64encode(item).decode()}",'
    if isinstance(item, int) and item.bit_length() > _LONG_INTEGER:
        return "7" * int(item.bit_length() * math.log10(2))  # str() refuses integers of thousands of digits
    try:
        return f"{item},"
    except Exception:  # so may a foreign type's __str__
        return f"{type(item).__name__},"
