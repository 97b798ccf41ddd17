"""Errors: one base class; each names the file, the entry or the setting, and says what to do."""

from __future__ import annotations


class TreeringError(Exception):
    """Base of every error that Treering raises on purpose."""


class SettingsError(TreeringError):
    """A setting is unknown or impossible; the message names it."""


class StorageError(TreeringError):
    """A session file cannot be read or written."""


class DamagedFileError(StorageError):
    """A file is no session, or is damaged beyond what reading can pass over."""


class EntryNotFoundError(TreeringError):
    """No entry has this id, or several begin with it."""


class InvalidEntryError(TreeringError):
    """An entry that is to be appended is not one that every reader would understand."""


class TokenizerNotAvailableError(TreeringError):
    """The exact tokenizer was asked for and its package is not installed."""


class SummaryError(TreeringError):
    """A summarizer gave no usable summary.

    Attributes:
        transient: whether the same request may succeed later.
        retry_after: seconds to wait before trying again, if the provider said so.
    """

    def __init__(self, message: str, *, transient: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.transient = transient
        self.retry_after = retry_after


class MissingExtraError(TreeringError):
    """A part of Treering was asked for whose optional packages are not installed; the message says how to get them."""

    def __init__(self, what: str, extra: str, *, otherwise: str = "") -> None:
        message = f"{what} needs optional packages; install them with: pip install 'treering[{extra}]'"
        super().__init__(f"{message} ({otherwise})" if otherwise else message)
        self.extra = extra
