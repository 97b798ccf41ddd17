"""Settings from files, the environment and code: the later ones win, and what is wrong is named."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest

from treering.config import load_settings, user_file
from treering.errors import SettingsError
from treering.settings import Settings


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def loader(toml: str = "", *, project: str = "", env: dict[str, str] | None = None, **overrides: Any) -> Settings:
        (tmp_path / "project").mkdir(exist_ok=True)
        (tmp_path / "config.toml").write_text(toml)
        (tmp_path / "project" / "treering.toml").write_text(project)
        return load_settings(overrides, file=tmp_path / "config.toml", project=tmp_path / "project", environ=env or {})

    return loader


def test_nothing_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(project=tmp_path, environ={"XDG_CONFIG_HOME": str(tmp_path)}) == Settings()


def test_later_places_win(load: Any) -> None:
    project = "[compaction]\nkeep_recent_tokens = 1\nreserve_tokens = 1\nsummary_tokens = 1\nenabled = false"
    toml = "[compaction]\nkeep_recent_tokens = 2\nreserve_tokens = 2\nsummary_tokens = 2"
    env = {"TREERING_COMPACTION_KEEP_RECENT_TOKENS": "3", "TREERING_COMPACTION_RESERVE_TOKENS": "3"}
    found = load(toml, project=project, env=env, compaction={"keep_recent_tokens": 4, "threshold_tokens": None})
    values = found.compaction
    assert (values.keep_recent_tokens, values.reserve_tokens, values.summary_tokens, values.enabled) == (4, 3, 2, False)


def test_pis_names_are_understood(load: Any) -> None:
    found = load("[compaction]\nkeepRecentTokens = 5\nautoContinue = false\n[branchSummary]\nreserveTokens = 6")
    assert found.compaction.keep_recent_tokens == 5
    assert not found.compaction.auto_continue
    assert found.branch_summary.reserve_tokens == 6


def test_lists_flags_and_nothing_from_the_environment(load: Any) -> None:
    env = {
        "TREERING_SUMMARY_SUMMARIZERS": "openai:x, extractive",
        "TREERING_REDACTION": "off",
        "TREERING_SUMMARY_TEMPERATURE": "0.5",
        "TREERING_SUMMARY_EFFORT": "low",
        "TREERING_COMPACTION_RESERVE_TOKENS": "",
    }
    found = load(env=env)
    assert found.summary.summarizers == ("openai:x", "extractive")
    assert found.redaction is False
    assert found.summary.temperature == 0.5
    assert found.summary.effort == "low"
    assert found.compaction.reserve_tokens is None


@pytest.mark.parametrize(
    ("toml", "env", "named"),
    [
        ("[compaction]\nkeep_recent = 1", {}, "there is no setting compaction.keep_recent; did you mean compaction."),
        ("[compacton]\nenabled = true", {}, "compacton"),
        ("redact = true", {}, "redact"),
        ("compaction = 3", {}, "compaction"),
        ("[compaction]\nenabled = 'maybe'", {}, "compaction.enabled"),
        ("[compaction]\nkeep_recent_tokens = -1", {}, "compaction.keep_recent_tokens"),
        ("[compaction]\nkeepRecentTokens = 1\nkeep_recent_tokens = 2", {}, "keep_recent_tokens is set twice"),
        ("[summary]\neffort = 'huge'", {}, "summary.effort"),
        ("[summary]\ntimeout = 0", {}, "summary.timeout"),
        ("[summary", {}, "no TOML"),
        ("", {"TREERING_COMPACTION_KEEP": "1"}, "TREERING_COMPACTION_KEEP "),
        ("", {"TREERING_COMPACTION_ENABLED": "perhaps"}, "TREERING_COMPACTION_ENABLED"),
        ("", {"TREERING_SUMMARY_TIMEOUT": "soon"}, "TREERING_SUMMARY_TIMEOUT"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(load: Any, toml: str, env: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(named)) as failed:
        load(toml, env=env)
    assert "config.toml" in str(failed.value) or "variable" in str(failed.value) or "environment" in str(failed.value)


def test_a_project_may_not_say_whom_a_conversation_is_sent_to(load: Any, caplog: pytest.LogCaptureFixture) -> None:
    project = (
        "redaction = false\n[compaction]\nremoteEndpoint = 'http://evil'\nkeep_recent_tokens = 9\n"
        "[summary]\nsummarizers = ['openai:x']\nprompts = 'p'\napi_key = 'k'"
    )
    with caplog.at_level(logging.WARNING, logger="treering"):
        found = load(project=project)
    assert found.redaction
    assert found.compaction.remote_endpoint is None
    assert (found.summary.summarizers, found.summary.prompts, found.summary.api_key) == ((), None, None)
    assert found.compaction.keep_recent_tokens == 9
    assert "remote_endpoint" in caplog.text


def test_a_file_that_is_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        load_settings(environ={"TREERING_CONFIG": str(tmp_path / "nowhere.toml")}, project=tmp_path)


def test_variables_that_are_no_settings_are_passed_over(load: Any) -> None:
    assert load(env={"TREERING_SERVE_TOKEN": "secret"}) == Settings()


def test_where_the_users_file_is(tmp_path: Path) -> None:
    assert user_file({"XDG_CONFIG_HOME": "/c"}) == Path("/c/treering/config.toml")
    assert user_file({"TREERING_CONFIG": "/x.toml"}) == Path("/x.toml")
