"""Texts that look like secrets are found by shape, shown in part only, and honest play is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.registry import GAMES
from protocol.prompts import system_text
from protocol.secrets import MAX_FINDINGS, findings

SECRETS = {
    "an API key": [
        "sk-proj-0123456789abcdefABCD",
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_0123456789abcdefghijABCDEFGHIJ",
        "github_pat_11ABCDEFG0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwx",
        "xoxb-123456789012-abcdefghijkl",
        "glpat-abcdefghijklmnopqrst",
    ],
    "a private key": ["-----BEGIN PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----"],
    "a JSON web token": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
    "a bearer token": ["Authorization: Bearer abcdef0123456789abcdef", "basic dXNlcjpwYXNzd29yZDEyMw=="],
    "a key in a setting or address": [
        "https://h/v1?api_key=abcd1234",
        'password: "hunter2hunter2"',
        "API-KEY=abcdefgh",
    ],
    "a name and password in an address": ["https://user:pw@example.org/v1"],
    "a private address": [
        "http://10.0.12.7:8000",
        "192.168.1.4",
        "172.31.0.9",
        "127.0.0.1",
        "169.254.169.254",
        "fe80::1",
    ],
    "a private host name": ["http://gpu-7.cluster.internal/v1", "llm.corp", "box.local", "http://localhost:8000"],
    "an e-mail address": ["a.person@example.org"],
    "a home folder": ["/home/person/run", "/Users/person", "C:\\Users\\person", "open /root/.ssh"],
}
HONEST = [
    "Answer: UP, Score: 0.5",
    "The bearer of bad news moved to 3,4.",
    "version 1.10.0.3 of the rules; 8.8.8.8; 1.2.3.4",
    "secret: none",
    "e2-e4, then a1=Q",
    "task-0123456789abcdefghijk desk-0123456789abcdefghi",
    "172.32.0.1 and 11.0.0.1 and 192.169.0.1",
    "the local maximum, internal state, lan party",
    "@team at 5 o'clock",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SECRETS.items() for text in texts])
def test_SX_01_every_shape_is_found_anywhere_and_not_repeated(kind: str, text: str) -> None:
    for around in ("{}", "I think {} is it", "x\u2028{}\u0085y", "\n{}\n", '"{}"'):
        found = list(findings(around.format(text)))
        assert kind in [each.kind for each in found], around
        assert all(text not in each.shown for each in found)


@pytest.mark.parametrize("text", [*HONEST, *(system_text(game.rules) for game in GAMES)])
def test_honest_texts_are_left_alone(text: str) -> None:
    assert list(findings(text)) == []


@given(st.text(max_size=300))
def test_a_key_on_a_line_of_its_own_is_found_after_any_text(text: str) -> None:
    assert "an API key" in [each.kind for each in findings(f"{text}\nsk-proj-0123456789abcdefABCD")]


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "a.",
        "sk-",
        "1.",
        "10.",
        "://a:",
        "eyJa",
        "a@a.",
        "bearer ",
        "f",
        "/home/",
        "-----BEGIN A ",
        "sk-0123456789abcdef0 10.1.1.1 a@a.aa ",
    ],
)
def test_SX_07_a_megabyte_of_almost_secrets_ends(part: str) -> None:
    assert len(list(findings(part * (1_000_000 // len(part))))) <= MAX_FINDINGS
