"""From names to a summarizer: `extractive`, a model, an endpoint, or several in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treering.compaction.summarizer import Summarizer
from treering.errors import MissingExtraError, SettingsError
from treering.settings import Settings
from treering.summarizers.extractive import ExtractiveSummarizer


def choose_summarizer(settings: Settings, candidates: Sequence[str] = ()) -> Summarizer:
    """The summarizer that these settings ask for.

    Args:
        settings: whose `compaction.remote_endpoint` is the first candidate, if it is set, and whose
            `summary.summarizers` follow; the extractive one comes last, if `summary.fallback` allows it.
        candidates: in place of all these, in order: `extractive`, a model's name, a URL; `native:` before a model's
            name keeps its provider's own compaction beside the summary.

    Raises:
        SettingsError: a name is empty, a prompt or a pattern is wrong.
        MissingExtraError: a model or an endpoint is asked for, and its packages are not installed.
    """
    names = list(candidates)
    if not names:
        names = [settings.compaction.remote_endpoint] if settings.compaction.remote_endpoint else []
        names += settings.summary.summarizers
        if settings.summary.fallback or not names:
            names.append("extractive")
    names = list(dict.fromkeys(names))
    made = [_make(name.strip(), settings) for name in names]
    if len(made) == 1:
        return made[0]
    from treering.summarizers.chain import ChainSummarizer

    last = settings.compaction.summary_tokens if names[-1] == "extractive" else None
    return ChainSummarizer(*made, last_budget=last)


def _make(name: str, settings: Settings) -> Summarizer:
    if name == "extractive":
        return ExtractiveSummarizer()
    if not name:
        raise SettingsError("the name of a summarizer is empty: give `extractive`, a model or a URL")
    if ":" not in name and "@" not in name:
        raise SettingsError(
            f"there is no summarizer {name!r}: give `extractive`, a model as PROVIDER:NAME or NAME@URL, or a URL"
        )
    try:
        return _make_of_extras(name, settings)
    except MissingExtraError as error:  # it names a part that the user did not ask for by name
        raise MissingExtraError(f"the summarizer {name!r}", error.extra) from error


def _make_of_extras(name: str, settings: Settings) -> Summarizer:
    # Imported here: the command line starts quickly, and works without the packages for models.
    from treering.summarizers.asking import Patience
    from treering.summarizers.prompts import load_prompts
    from treering.summarizers.redaction import Redactor

    options = settings.summary
    prompts = load_prompts(Path(options.prompts).expanduser() if options.prompts else None)
    redactor = Redactor(options.redact if settings.redaction else (), detect=settings.redaction)
    patience = Patience(tries=options.tries)
    if name.startswith(("http://", "https://")):
        from treering.summarizers.remote import RemoteSummarizer

        return RemoteSummarizer(
            name,
            token=settings.compaction.remote_token,
            window=options.window,
            timeout=options.timeout,
            facts=options.facts,
            prompts=prompts,
            redactor=redactor,
            patience=patience,
        )
    from treering.summarizers.llm import LLMSummarizer
    from treering.summarizers.model_layer import ModelOptions

    name, native = name.removeprefix("native:"), name.startswith("native:")
    model = ModelOptions(
        name=name,
        api_key=options.api_key,
        temperature=options.temperature,
        effort=options.effort,
        window=options.window,
        max_output=options.max_output,
        timeout=options.timeout,
    )
    readable = LLMSummarizer(model, facts=options.facts, prompts=prompts, redactor=redactor, patience=patience)
    if not native:
        return readable
    from treering.summarizers.native import NativeSummarizer

    return NativeSummarizer(model, readable=readable, redactor=redactor)
