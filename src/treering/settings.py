"""Settings as types, with their defaults (SPEC §14). Loading them from files is `treering.config`'s."""

from __future__ import annotations

from typing import Literal

import msgspec

from treering.errors import SettingsError

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a model is to reason."""

DEFAULT_WINDOW = 200_000
"""Tokens of a context window that nobody told us (SPEC §4)."""

DEFAULT_RESERVE = 16_384
SMALL_WINDOW = 65_536
SMALL_WINDOW_RESERVE_SHARE = 0.15
KEEP_SHARE = 0.4
"""At most this share of what is usable in the window stays verbatim (SPEC §7.2)."""


def _at_least(name: str, value: object, least: int) -> None:
    if value is not None and (not isinstance(value, (int, float)) or not value >= least):
        raise SettingsError(f"{name} is {value!r}: give {least} or more")


def _more_than_nothing(name: str, value: object) -> None:
    if not isinstance(value, (int, float)) or not value > 0:
        raise SettingsError(f"{name} is {value!r}: give more than 0 seconds")


class CompactionSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to compact, and how much stays.

    Attributes:
        enabled: whether anything happens by itself; manual compaction always works.
        reserve_tokens: kept free in the window; None: by the window's size.
        keep_recent_tokens: the newest tokens that stay verbatim.
        auto_continue: whether an agent is asked to go on after an automatic compaction.
        remote_endpoint: URL of a summary server, tried first for compactions.
        remote_token: sent to endpoints as a bearer token.
        summary_tokens: what the extractive summary may have; a model's limit follows from the reserve.
        threshold_tokens: compact above this many tokens instead of window − reserve.
        threshold_percent: the same as a share of the window, 1 to 100.
    """

    enabled: bool = True
    reserve_tokens: int | None = None
    keep_recent_tokens: int = 20_000
    auto_continue: bool = True
    remote_endpoint: str | None = None
    remote_token: str | None = None
    summary_tokens: int = 2_000
    threshold_tokens: int | None = None
    threshold_percent: float | None = None

    def __post_init__(self) -> None:
        _at_least("compaction.reserve_tokens", self.reserve_tokens, 0)
        _at_least("compaction.keep_recent_tokens", self.keep_recent_tokens, 0)
        _at_least("compaction.summary_tokens", self.summary_tokens, 1)
        _at_least("compaction.threshold_tokens", self.threshold_tokens, 1)
        if self.threshold_percent is not None and not 0 < self.threshold_percent <= 100:
            raise SettingsError(f"compaction.threshold_percent is {self.threshold_percent}: give 1 to 100")


class PruneSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which old tool outputs are shortened (SPEC §6).

    Attributes:
        protect_tokens: the newest tokens of tool results that stay whole.
        minimum_tokens: prune only if it saves this much together.
        protected_tools: tools whose results are never pruned.
    """

    protect_tokens: int = 40_000
    minimum_tokens: int = 20_000
    protected_tools: tuple[str, ...] = ("skill", "read")

    def __post_init__(self) -> None:
        _at_least("prune.protect_tokens", self.protect_tokens, 0)
        _at_least("prune.minimum_tokens", self.minimum_tokens, 0)


class BranchSummarySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether a branch that is left is summarised, and what stays free of the window for it (SPEC §10)."""

    enabled: bool = False
    reserve_tokens: int = DEFAULT_RESERVE

    def __post_init__(self) -> None:
        _at_least("branch_summary.reserve_tokens", self.reserve_tokens, 0)


class SummarySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who makes summaries, and how a model is asked (SPEC §8).

    Attributes:
        summarizers: candidates in order: `extractive`, a model's name, or the URL of an endpoint. None: extractive.
        fallback: whether the extractive summarizer comes last, so that a model's failure is not a compaction's.
        api_key: for a model given as `NAME@URL`; others take theirs from where the model layer looks.
        temperature: None: the model's own.
        effort: of a reasoning model: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`; None: its own.
        window: the summarising model's context window, where the model layer does not know it.
        max_output: the most output tokens that the model accepts, where that is less than the budget.
        timeout: seconds that one answer may take.
        tries: how often a request is sent while its errors are transient.
        facts: whether the facts that a model's narrative misses are put after it.
        short: whether a model is asked for a short summary too.
        prompts: a folder with prompts that replace ours (`first.md`, …).
        redact: regular expressions of secrets, beside the known kinds.
    """

    summarizers: tuple[str, ...] = ()
    fallback: bool = True
    api_key: str | None = None
    temperature: float | None = None
    effort: Effort | None = None
    window: int | None = None
    max_output: int | None = None
    timeout: float = 300.0
    tries: int = 4
    facts: bool = True
    short: bool = False
    prompts: str | None = None
    redact: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _at_least("summary.window", self.window, 1)
        _at_least("summary.max_output", self.max_output, 1)
        _at_least("summary.tries", self.tries, 1)
        _more_than_nothing("summary.timeout", self.timeout)
        if self.temperature is not None and self.temperature < 0:
            raise SettingsError(f"summary.temperature is {self.temperature}: give 0 or more")


class HooksSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose hooks are asked and told (SPEC §12). Only the user's own settings count, never a project's.

    Attributes:
        file: a Python file with functions named like the events; the whole path.
        plugins: whether hooks of installed packages (entry points `treering.hooks`) are used.
        timeout: seconds that one hook may take.
    """

    file: str | None = None
    plugins: bool = True
    timeout: float = 30.0

    def __post_init__(self) -> None:
        _more_than_nothing("hooks.timeout", self.timeout)


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings. Library functions take them as an argument and read no file and no environment.

    Attributes:
        redaction: whether secrets are replaced in what goes to a model or an endpoint.
    """

    compaction: CompactionSettings = CompactionSettings()
    prune: PruneSettings = PruneSettings()
    branch_summary: BranchSummarySettings = BranchSummarySettings()
    summary: SummarySettings = SummarySettings()
    hooks: HooksSettings = HooksSettings()
    redaction: bool = True


def reserve_for(settings: CompactionSettings, window: int, *, output_tokens: int = 0) -> int:
    """Tokens to keep free in a window (SPEC §5): as set, else by its size; never less than the output asked for.

    Raises:
        SettingsError: the window is not positive, or an explicit reserve leaves nothing of it.
    """
    if window <= 0:
        raise SettingsError(f"a context window of {window} tokens is impossible: give the model's real limit")
    reserve = settings.reserve_tokens
    if reserve is None:
        reserve = DEFAULT_RESERVE if window >= SMALL_WINDOW else int(window * SMALL_WINDOW_RESERVE_SHARE)
    elif reserve >= window:
        raise SettingsError(
            f"compaction.reserve_tokens is {reserve} and the context window {window}: "
            f"a reserve must be smaller than the window"
        )
    return min(max(reserve, output_tokens), window - 1)


def keep_for(settings: CompactionSettings, window: int, *, overhead: int = 0) -> int:
    """Tokens that stay verbatim (SPEC §7.2), in the provider's tokens."""
    usable = max(0, window - reserve_for(settings, window) - overhead)
    return min(settings.keep_recent_tokens, int(KEEP_SHARE * usable))


def threshold_for(settings: CompactionSettings, window: int, *, output_tokens: int = 0) -> int:
    """A context above this many tokens is compacted (SPEC §5)."""
    limits = [window - reserve_for(settings, window, output_tokens=output_tokens)]
    if settings.threshold_tokens is not None:
        limits.append(settings.threshold_tokens)
    if settings.threshold_percent is not None:
        limits.append(int(window * settings.threshold_percent / 100))
    return min(limits)
