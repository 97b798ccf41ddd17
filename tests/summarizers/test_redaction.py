"""Secrets never leave; what only looks random stays."""

from __future__ import annotations

import re

import pytest

from treering.errors import SettingsError
from treering.summarizers.redaction import Redactor

JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nzX9Yc2Vj\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("aws_access_key_id = AKIAQWERTYUIOPASDFGH", "AKIAQWERTYUIOPASDFGH"),
    ("git clone https://bob:pa55word@example.org/x.git", "pa55word"),
    (f"token {'ghp_' + 'a1B2' * 9} ok", "ghp_"),
    (f"curl -H 'Authorization: Bearer {JWT}'", "dozjgNryP4J3"),
    (f"see {JWT}", "dozjgNryP4J3"),
    ('password = "hunter2-secret"', "hunter2"),
    ('{"api_key": "c0ffee-42-beans"}', "c0ffee"),
    ("  password: hunter2-hunter2", "hunter2"),
    ("  api_key: abcd1234efgh\n  model: x", "abcd1234efgh"),
    ("DB_PASSWORD=hunter22222 make", "hunter22222"),
    ("export OPENAI_API_KEY='sk-proj-abcdefghijklmnop0123456789'", "sk-proj"),
    (f"{PEM}\nafter", "MIIEpAIBAAKCAQEA"),
    (PEM.partition("-----END")[0], "zX9Yc2Vj"),
]

FACTS = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "entry 0123456789abcdef, call toolu_01A09q90qw90lq917835lq9",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "password: string",
    "  password: SecretStringField",
    "  max_tokens: 20000000",
    "  token: next",
    'password = ""',
    "API_KEY=$API_KEY",
    "API_KEY=${{ secrets.API_KEY }}",
    "max_tokens=20000000",
    'help="The password of the user"',
    "server at 93.184.216.34:8080",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_replaced_and_counted(text: str, secret: str) -> None:
    assert secret in text
    cleaned = Redactor().redact(text)
    assert secret not in cleaned.text
    assert "[redacted" in cleaned.text
    assert cleaned.replaced >= 1


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_stays(text: str) -> None:
    assert Redactor().redact(text) == (text, 0)


@pytest.mark.parametrize("text", [text for text, _ in SECRETS])
def test_cleaning_twice_changes_nothing(text: str) -> None:
    redactor = Redactor()
    once = redactor.redact(text).text
    assert redactor.redact(once) == (once, 0)


def test_what_stands_around_a_secret_stays() -> None:
    cleaned = Redactor().redact(f"before\n{SECRETS[0][0]}\n{SECRETS[1][0]}\nafter")
    assert cleaned.text.startswith("before\naws_access_key_id = [redacted")
    assert cleaned.text.endswith("@example.org/x.git\nafter")
    assert cleaned.replaced == 2


def test_a_secret_far_inside_a_long_line_is_found() -> None:
    line = '{"a": "' + "x" * 9000 + '", "api_key": "c0ffee-42-beans", "b": "' + "y" * 9000 + '"}'
    cleaned = Redactor().redact(line)
    assert "c0ffee" not in cleaned.text
    assert len(cleaned.text) > 18_000


@pytest.mark.parametrize("text", ["password" * 20_000, "TOKEN" * 30_000, "A" * 150_000])
def test_text_that_is_all_names_of_secrets_comes_back(text: str) -> None:
    # With expressions that look back and forth over the whole, this would take hours.
    assert Redactor().redact(text) == (text, 0)


def test_ones_own_patterns() -> None:
    redactor = Redactor([r"ACME-\d+", r"pin is (\d{4})"], detect=False)
    assert redactor.redact("ACME-77, the pin is 1234") == ("[redacted text], the pin is [redacted text]", 2)


def test_detection_can_be_off() -> None:
    assert Redactor(detect=False).redact(SECRETS[0][0]) == (SECRETS[0][0], 0)


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(SettingsError, match=re.escape("'('")):
        Redactor(["("])
