"""Several summarizers in order: the first that gives a usable summary wins."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from treering.compaction.summarizer import Summarizer, Summary, SummaryRequest
from treering.errors import MissingExtraError, SettingsError, SummaryError
from treering.summarizers.base import ask_any

logger = logging.getLogger("treering")


class ChainSummarizer:
    """Asks each summarizer until one gives a summary.

    Args:
        summarizers: in order. Put the extractive one last where a summary without a model is better than none.
        last_budget: tokens for the last one, if it is to aim at less than the others (a summary without a model gets
            no better by filling a model's budget).

    Raises:
        SettingsError: there is none.
    """

    def __init__(self, *summarizers: Summarizer, last_budget: int | None = None) -> None:
        if not summarizers:
            raise SettingsError("a chain of summarizers needs at least one")
        self._summarizers = summarizers
        self._last_budget = last_budget

    @property
    def summarizers(self) -> Sequence[Summarizer]:
        """The candidates in order."""
        return self._summarizers

    @property
    def name(self) -> str:
        """The names in order."""
        return ", then ".join(summarizer.name for summarizer in self._summarizers)

    async def summarize(self, request: SummaryRequest) -> Summary:
        """The first usable summary.

        Raises:
            SummaryError: none gave one; the message tells why of each.
        """
        failures: list[SummaryError | SettingsError | MissingExtraError] = []
        for index, summarizer in enumerate(self._summarizers):
            asked = request
            if self._last_budget is not None and index and index == len(self._summarizers) - 1:
                asked = msgspec.structs.replace(request, budget=min(request.budget, self._last_budget))
            try:
                return await ask_any(summarizer, asked)
            except (SummaryError, SettingsError, MissingExtraError) as error:
                logger.info("%s", error)
                failures.append(error)
                if index + 1 < len(self._summarizers) and request.on_progress is not None:
                    request.on_progress(f"{error}; going on with {self._summarizers[index + 1].name}")
        if len(failures) == 1:
            raise failures[0]
        last = failures[-1]
        raise SummaryError(
            "; ".join(map(str, failures)),
            transient=isinstance(last, SummaryError) and last.transient,
            retry_after=last.retry_after if isinstance(last, SummaryError) else None,
        ) from last
