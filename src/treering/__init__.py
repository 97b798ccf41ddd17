"""Treering keeps long LLM-agent sessions usable: compaction, pruning, branches, undo; and nothing is ever lost.

    from treering import Session, compact_sync, to_llm

    with Session.open("session.jsonl") as session:
        result = compact_sync(session)
        messages = to_llm(session.context())

The names below are all that is public; each is imported when it is first used, so that `import treering` costs
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treering.compaction.plan import Plan as Plan
    from treering.compaction.plan import Skip as Skip
    from treering.compaction.plan import plan_compaction as plan_compaction
    from treering.compaction.summarizer import Summarizer as Summarizer
    from treering.compaction.summarizer import Summary as Summary
    from treering.compaction.summarizer import SummaryRequest as SummaryRequest
    from treering.config import load_settings as load_settings
    from treering.errors import DamagedFileError as DamagedFileError
    from treering.errors import EntryNotFoundError as EntryNotFoundError
    from treering.errors import InvalidEntryError as InvalidEntryError
    from treering.errors import MissingExtraError as MissingExtraError
    from treering.errors import SettingsError as SettingsError
    from treering.errors import StorageError as StorageError
    from treering.errors import SummaryError as SummaryError
    from treering.errors import TreeringError as TreeringError
    from treering.fitting import DoesNotFitError as DoesNotFitError
    from treering.fitting import fit as fit
    from treering.hooks import Hooks as Hooks
    from treering.operations.branch import navigate_tree as navigate_tree
    from treering.operations.compact import compact as compact
    from treering.operations.compact import compact_sync as compact_sync
    from treering.operations.pins import pin as pin
    from treering.operations.pins import unpin as unpin
    from treering.operations.prune import prune as prune
    from treering.operations.result import CompactionResult as CompactionResult
    from treering.operations.undo import redo as redo
    from treering.operations.undo import undo as undo
    from treering.session.context import Context as Context
    from treering.session.entries import Entry as Entry
    from treering.session.llm import to_llm as to_llm
    from treering.session.messages import Message as Message
    from treering.session.tree import Session as Session
    from treering.settings import Settings as Settings
    from treering.summarizers.chain import ChainSummarizer as ChainSummarizer
    from treering.summarizers.choose import choose_summarizer as choose_summarizer
    from treering.summarizers.extractive import ExtractiveSummarizer as ExtractiveSummarizer
    from treering.summarizers.llm import LLMSummarizer as LLMSummarizer
    from treering.summarizers.model_layer import ModelOptions as ModelOptions
    from treering.summarizers.remote import RemoteSummarizer as RemoteSummarizer
    from treering.tokens import estimate as _estimate

    estimate_tokens = _estimate.estimate_text

_PLACES = {
    "treering.compaction.plan": ("Plan", "Skip", "plan_compaction"),
    "treering.compaction.summarizer": ("Summarizer", "Summary", "SummaryRequest"),
    "treering.config": ("load_settings",),
    "treering.errors": (
        "DamagedFileError",
        "EntryNotFoundError",
        "InvalidEntryError",
        "MissingExtraError",
        "SettingsError",
        "StorageError",
        "SummaryError",
        "TreeringError",
    ),
    "treering.fitting": ("DoesNotFitError", "fit"),
    "treering.hooks": ("Hooks",),
    "treering.operations.branch": ("navigate_tree",),
    "treering.operations.compact": ("compact", "compact_sync"),
    "treering.operations.pins": ("pin", "unpin"),
    "treering.operations.prune": ("prune",),
    "treering.operations.result": ("CompactionResult",),
    "treering.operations.undo": ("redo", "undo"),
    "treering.session.context": ("Context",),
    "treering.session.entries": ("Entry",),
    "treering.session.llm": ("to_llm",),
    "treering.session.messages": ("Message",),
    "treering.session.tree": ("Session",),
    "treering.settings": ("Settings",),
    "treering.summarizers.chain": ("ChainSummarizer",),
    "treering.summarizers.choose": ("choose_summarizer",),
    "treering.summarizers.extractive": ("ExtractiveSummarizer",),
    "treering.summarizers.llm": ("LLMSummarizer",),
    "treering.summarizers.model_layer": ("ModelOptions",),
    "treering.summarizers.remote": ("RemoteSummarizer",),
}
_PLACE_OF = {name: (place, name) for place, names in _PLACES.items() for name in names}
_PLACE_OF["estimate_tokens"] = ("treering.tokens.estimate", "estimate_text")


def __getattr__(name: str) -> Any:
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'treering' has no attribute {name!r}")
    place, original = _PLACE_OF[name]
    return getattr(import_module(place), original)


def __dir__() -> list[str]:
    return [*globals(), *_PLACE_OF]
