"""What a request may carry beside what the runner sets: bounded, in one form, and nothing that is the runner's."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol.asking import BodyField, Header
from protocol.decoding import asked_with, decoding_at, decoding_differences, one_line, without_secrets
from protocol.extras import (
    MAX_DEPTH,
    MAX_VALUE,
    RESERVED_FIELDS,
    RESERVED_HEADERS,
    check_field,
    check_header,
    field_text,
    field_value,
)
from protocol.records import Decoding
from protocol.strictjson import read_record, write_record

PLAIN = st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.floats(0.001, 1e6) | st.text(max_size=5)
LISTS = st.lists(PLAIN, max_size=3)
TABLES = st.dictionaries(st.text(max_size=5), PLAIN | LISTS, max_size=3)
VALUES = PLAIN | LISTS | TABLES | st.lists(TABLES, max_size=2)


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    return value


@given(VALUES)
def test_every_value_within_the_bounds_has_one_text_and_comes_back(value: object) -> None:
    text = field_text("x", value)
    check_field("x", text)
    assert field_value(text) == value == json.loads(text)


@pytest.mark.parametrize("name", RESERVED_FIELDS)
def test_what_the_runner_sets_is_no_field_of_anybody_else(name: str) -> None:
    outer, dot, inner = name.partition(".")
    value = {inner: 1} if dot else 1
    with pytest.raises(ValueError, match="no run can set this, since "):
        check_field(outer, field_text(outer, value))


@pytest.mark.parametrize(
    "name",
    ["model", "messages", "max_tokens", "max_completion_tokens", "max_output_tokens", "stream", "n", "tools", "stop"],
)
def test_the_fields_of_the_protocol_are_among_them(name: str) -> None:
    assert name in RESERVED_FIELDS


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("", "1", "name of a field"),
        ("a b", "1", "name of a field"),
        ("x" * 101, "1", "name of a field"),
        ("top_k", "", "expected JSON"),
        ("top_k", "twenty", "expected JSON"),
        ("top_k", " 20", "without blanks"),
        ("top_k", '{"b":1,"a":1}', "keys in order"),
        ("top_k", '{"a":1,"a":1}', "each key once"),
        ("top_k", "NaN", "finite"),
        ("top_k", "1e999", "finite"),
        ("top_k", str(2**53 + 1), "2^53"),
        ("top_k", "null", "no null"),
        ("top_k", '{"a":[null]}', "no null"),
        ("top_k", "[" * 900 + "]" * 900, "within each other"),
        ("top_k", f'"{"x" * MAX_VALUE}"', "at most 2,000 characters"),
    ],
)
def test_a_field_that_cannot_be_sent_or_compared_is_refused(name: str, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        check_field(name, text)


def test_tables_within_each_other_are_bounded() -> None:
    assert field_text("x", nested(MAX_DEPTH))
    with pytest.raises(ValueError, match="at most 5 tables"):
        field_text("x", nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("name", [*RESERVED_HEADERS, "x-stainless-lang", "X-Title", "", "a b", "a:b", "ä"])
def test_a_header_of_the_transport_or_of_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected the name of a header|no run can set this"):
        check_header(name, "value")


@pytest.mark.parametrize("value", ["", " a", "a\r\nHost: b", "ä", "a\x00", "x" * (MAX_VALUE + 1)])
def test_a_header_value_that_cannot_be_sent_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="x-title: expected"):
        check_header("x-title", value)


def asked(**values: object) -> Decoding:
    return Decoding.model_validate({**decoding_at(0.5).model_dump(), **values})


FULL = asked(
    top_p=0.9,
    sampling_seed=7,
    reasoning_effort="high",
    stream=True,
    extra_body=(BodyField(name="top_k", value="20"), BodyField(name="usage", value='{"include":true}')),
    extra_headers=(Header(name="x-gateway-key", value=None), Header(name="x-title", value="a")),
)


def test_a_decoding_is_written_and_read_alike() -> None:
    assert read_record(Decoding, write_record(FULL), "f") == FULL
    assert len({FULL, asked(), decoding_at(None)}) == 3


@pytest.mark.parametrize(
    "values",
    [
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"sampling_seed": -1},
        {"reasoning_effort": "Very High"},
        {"stream": None},
        {"extra_body": [{"name": "b", "value": "1"}, {"name": "a", "value": "1"}]},
        {"extra_body": [{"name": "a", "value": "1"}] * 2},
        {"extra_body": [{"name": f"a{number:02}", "value": "1"} for number in range(17)]},
        {"extra_headers": [{"name": "X-Title", "value": "a"}]},
        {"extra_headers": [{"name": "x-title"}]},
        {"more": 1},
    ],
)
def test_a_decoding_out_of_bounds_is_refused(values: dict[str, object]) -> None:
    raw = json.dumps({**json.loads(write_record(FULL)), **values})
    with pytest.raises(ValidationError):
        Decoding.model_validate_json(raw)


def test_every_setting_is_told_and_a_secret_is_not() -> None:
    assert one_line(asked_with(FULL)) == (
        "temperature: 0.5, reasoning effort: high, top_p: 0.9, sampling seed: 7, streamed: yes, body top_k: 20, "
        'body usage: {"include":true}, header x-gateway-key: not told, header x-title: a'
    )
    assert one_line(asked_with(decoding_at(None))) == "temperature: the server's default"


def test_what_differs_is_named_with_both_values() -> None:
    assert decoding_differences(FULL, FULL) == ()
    other = FULL.model_copy(update={"temperature": None, "sampling_seed": None, "extra_headers": ()})
    assert decoding_differences(FULL, other) == (
        ("temperature", "0.5", "the server's default"),
        ("sampling seed", "7", "not set"),
        ("header x-gateway-key", "not told", "not set"),
        ("header x-title", "a", "not set"),
    )
    close = asked(temperature=0.50000001)
    assert decoding_differences(asked(), close) == (("temperature", "0.5", "0.50000001"),)


def test_what_others_can_send_is_all_but_what_is_not_told() -> None:
    assert [each.name for each in without_secrets(FULL).extra_headers] == ["x-title"]
    assert without_secrets(FULL).extra_body == FULL.extra_body
