"""The readers of error and reply bodies on their own: any bytes, any shape."""

import json
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.reply import read_reply as protocol_reply
from runner.models.chat_faults import (
    kind_of,
    names_system_role,
    names_temperature,
    read_error,
    wants_new_token_parameter,
)
from runner.models.chat_reply import NoCompletionError, read_reply, without_padding
from runner.models.chat_waits import parse_retry_after, wait_asked_for
from runner.models.model import FaultKind

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("90", 90.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("277403", 277403.0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime((NOW + timedelta(seconds=90)).astimezone(timezone(timedelta(hours=2)))), 90.0),
        (format_datetime(NOW, usegmt=True), 0.0),
    ],
)
def test_EP_12_seconds_and_http_dates_are_read(header: str, seconds: float) -> None:
    assert parse_retry_after(header, NOW.timestamp()) == seconds


@pytest.mark.parametrize(
    "header",
    [
        None, "", "-5", "NaN", "nan", "inf", "1e9", "abc", "1_0", "９０", "+3", "9" * 400, "0x10",
        format_datetime(NOW - timedelta(seconds=1), usegmt=True),
        "Thu, 99 Foo 2026 99:99:99 GMT", "Fri, 31 Dec 999999999999 23:59:59 GMT",
    ],
)  # fmt: skip
def test_EP_12_negative_past_and_meaningless_waits_are_none(header: str | None) -> None:
    assert parse_retry_after(header, NOW.timestamp()) is None


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z]{0,3},? ?[-0-9]{0,9} [A-Za-z]{0,4} [-0-9:+]{0,30}"))
def test_EP_12_no_header_raises_and_every_wait_is_a_number_of_seconds(header: str) -> None:
    seconds = parse_retry_after(header, NOW.timestamp())
    assert seconds is None or 0 <= seconds < 1e15


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["error", "code", "type", "message", "param", "innererror", "choices", "usage", "content", "text", "detail",
             "finish_reason", "prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens", "model",
             "refusal", "input_tokens", "output_tokens", "total_tokens", "cache_read_input_tokens"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON.map(json.dumps) | st.text(), st.sampled_from([200, 400, 401, 413, 429, 500]))
def test_no_error_body_raises(body: str, status: int) -> None:
    error = read_error(body)
    assert kind_of(status, error) in FaultKind
    assert names_temperature(error) in (True, False)
    assert wants_new_token_parameter(error) in (True, False)
    assert names_system_role(error) in (True, False)
    wait = wait_asked_for({}, error, NOW.timestamp())
    assert wait is None or wait >= 0


@given(JSON.map(json.dumps) | JSON.map(lambda value: json.dumps({"choices": [{"message": value}]})))
def test_a_body_is_an_answer_or_no_completion_and_nothing_else(body: str) -> None:
    try:
        answer = read_reply(body)
    except NoCompletionError:
        return
    answer.text.encode()
    for count in answer.usage:
        assert count is None or count >= 0


@given(st.text(max_size=40), st.text(st.sampled_from("\n \t\r\f\x85\u2028\u00a0\u3000"), max_size=260))
def test_EP_28_a_reply_reads_the_same_without_its_padding(text: str, padding: str) -> None:
    for reply in (text + padding, f"Answer: {text}, Score: 1{padding}", f"Score: 1\nAnswer:{padding}"):
        kept = without_padding(reply)
        assert reply.startswith(kept)
        assert len(kept) <= len(reply.rstrip()) + 100
        assert protocol_reply(kept) == protocol_reply(reply)


def test_EP_28_a_reply_of_blanks_alone_keeps_a_hundred_of_them() -> None:
    assert without_padding("\n" * 50_000) == "\n" * 100
    assert without_padding("UP" + " " * 100) == "UP" + " " * 100


@pytest.mark.parametrize(
    "body",
    [
        "prompt " * 150_000,
        "exceed " * 150_000,
        "context length " * 70_000,
        "too many " * 120_000,
        "`inputs` tokens + " * 60_000,
        "[" * 1_000_000,
        '{"error":' * 110_000,
        "system " * 150_000,
        "request too large " * 60_000,
        "try again in 1h1m" * 60_000,
        '"retryDelay": "1' * 70_000,
        "n_keep " * 150_000,
    ],
    ids=range(12),
)
def test_a_megabyte_of_near_misses_is_bounded_work(body: str) -> None:
    error = read_error(body)
    assert kind_of(500, error) in (FaultKind.SERVER, FaultKind.OVERFLOW)
    assert kind_of(429, error) in (FaultKind.RATE_LIMIT, FaultKind.QUOTA)
    assert not names_system_role(error)
    wait = wait_asked_for({}, error, 0.0)
    assert wait is None or wait >= 0


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", True),
        ("Please use max_completion_tokens", True),
        ("Unrecognized request argument supplied: max_tokens", True),
        ("max_tokens is too large: 14000. This model supports at most 4096 completion tokens", False),
        ("'max_tokens' or 'max_completion_tokens' is too large: 14000", False),
        ("max_completion_tokens must be at least 16", False),
        ("unsupported value for top_p", False),
    ],
)
def test_EP_07_a_refused_name_of_the_limit_is_told_from_a_refused_size(message: str, wanted: bool) -> None:
    assert wants_new_token_parameter(read_error(json.dumps({"error": {"message": message}}))) is wanted
