"""Base URLs in every form that users give, and what of them and of others' text is masked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.models.base_url import read_base_url
from runner.models.masking import MASK, MAX_SHOWN, Masker


@pytest.mark.parametrize(
    ("given_url", "url"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("http://localhost:8000", "http://localhost:8000/v1"),
        ("http://localhost:8000/", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/chat/completions", "http://localhost:8000/v1"),
        (" https://h/v1/chat/completions/ ", "https://h/v1"),
        ("https://h/chat/completions", "https://h"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai"),
        ("https://h/api/paas/v4", "https://h/api/paas/v4"),
        ("HTTPS://Host/v1#part", "https://host/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
    ],
)
def test_EP_29_every_form_of_a_base_url_is_one_place(given_url: str, url: str) -> None:
    assert read_base_url(given_url).url == url


@pytest.mark.parametrize(
    "text", ["", "localhost:8000/v1", "h/v1", "ftp://h/v1", "http://", "http:///v1", "http://h:99999", "http://[::1/v1"]
)
def test_what_is_no_url_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="http://localhost:8000/v1"):
        read_base_url(text)


def test_SX_03_a_refused_url_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="base URL") as caught:
        read_base_url("user:passw0rd@host?key=abc-def")
    assert "passw0rd" not in str(caught.value)
    assert "abc-def" not in str(caught.value)


def test_SX_03_user_and_query_are_kept_for_requests_and_left_out_of_what_is_shown() -> None:
    where = read_base_url("https://user:p%40ss@host:8443/v1/chat/completions?key=abc&api-version=2")
    assert where.url == "https://user:p%40ss@host:8443/v1"
    assert where.shown == "https://host:8443/v1"
    assert where.query == (("key", "abc"), ("api-version", "2"))
    assert set(where.secrets) == {"p%40ss", "p@ss", "abc", "2"}
    assert read_base_url("https://token@host/v1").secrets == ("token", "token")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("[::1]", True),
        ("192.168.0.1", False),
        ("127.0.0.1.evil.test", False),
        ("localhost.evil.test", False),
        ("api.test", False),
    ],
)
def test_EP_30_loopback_hosts_are_known(host: str, loopback: bool) -> None:
    assert read_base_url(f"http://{host}/v1").loopback is loopback


SECRETS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40)


@given(st.lists(SECRETS, min_size=1, max_size=3), st.text(max_size=20), st.integers(0, 1_000))
def test_no_known_secret_is_shown_wherever_it_stands(secrets: list[str], text: str, padding: int) -> None:
    shown = Masker(secrets).shown(f"{'x ' * padding}{text}".join([*secrets, *secrets]))
    assert not any(secret in shown for secret in secrets)
    assert len(shown) <= (MAX_SHOWN + 1) * 10


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https://user:pw@host/v1?key=abc&x=1", f"https://{MASK}@host/v1?key={MASK}&x=1"),
        ("GET /v1?a=1&api_key=abc", f"GET /v1?a=1&api_key={MASK}"),
        ("Authorization: Bearer abcdefgh.ijkl", f"Authorization: Bearer {MASK}"),
        ("key AKIAIOSFODNN7EXAMPLE1234 is unknown", f"key {MASK} is unknown"),
        ("the bearer is unknown", "the bearer is unknown"),
        ("see https://host/docs and mail me@host", "see https://host/docs and mail me@host"),
        ("task-list-of-many-words and risk-averse-play", "task-list-of-many-words and risk-averse-play"),
    ],
)
def test_shapes_of_keys_are_masked_and_plain_words_stay(text: str, masked: str) -> None:
    assert Masker([]).mask(text) == masked


def test_the_longest_secret_is_masked_first() -> None:
    assert Masker(["abc", "abc-def"]).mask("abc-def abc") == f"{MASK} {MASK}"


@pytest.mark.parametrize(
    "text", ["://" * 300_000, "bearer " * 150_000, "sk-" * 300_000, "eyJ" * 300_000, "?key=" * 200_000]
)
def test_masking_a_megabyte_of_near_misses_is_bounded_work(text: str) -> None:
    assert len(Masker(["secret"]).shown(text)) <= MAX_SHOWN + 1
