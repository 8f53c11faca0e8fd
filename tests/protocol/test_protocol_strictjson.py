"""Strict JSON: whatever two readers could read differently is refused, with the place named."""

from __future__ import annotations

import subprocess
import sys
from math import copysign
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import Digest, Endpoint
from protocol.signing import TeamKey
from protocol.strictjson import is_crowded, read_json, read_record, write_record
from tests.near_json import Whole, slowly, whole


class Sample(Record):
    """A small record."""

    name: str
    count: int
    value: float


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b'{"a": 1, "a": 1}', "twice"),
        (b'{"a": 1, "\\u0061": 2}', "twice"),
        (b'[{"x": {"b": 1, "b": 2}}]', "twice"),
        (b"NaN", "NaN"),
        (b"[Infinity]", "Infinity"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b"1e999", "1e999"),
        (b"-1e999", "-1e999"),
        (b"9" * 4_400, "4400"),
        (b"9007199254740993", "9007199254740993"),
        (b"[-9007199254740993]", "-9007199254740993"),
        (b"9007199254740993.0", "9007199254740993.0"),
        (b"9007199254740992", "9007199254740992"),
        (b"1e16", "1e16"),
        (b"-0.0", "-0.0"),
        (b"-0", "-0"),
        (b"-1e-999", "-1e-999"),
        (b"{" + b", ".join(b'"%d": 0' % key for key in range(65)) + b"}", "65"),
        (b"[" * 100_000, "nesting"),
        (b'{"a":' * 50_000, "nesting"),
        (b"\xff", "byte 0"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b"{} {}", "Extra data"),
        (b"", "Expecting value"),
        (b"'a'", "Expecting value"),
        (b"[1,]", "line 1"),
    ],
)
def test_what_is_not_strict_is_refused(data: bytes, got: str) -> None:
    with pytest.raises(BundleError) as refused:
        read_json(data, "episodes/snake.jsonl.gz", "line 3")
    assert refused.value.file == "episodes/snake.jsonl.gz"
    assert refused.value.place == "line 3"
    assert got in refused.value.got


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b'{"name": "a", "count": true, "value": 1.0}', "count"),
        (b'{"name": "a", "count": 1.0, "value": 1.0}', "count"),
        (b'{"name": "a", "count": "1", "value": 1.0}', "count"),
        (b'{"name": 1, "count": 1, "value": 1.0}', "name"),
        (b'{"name": "a", "count": 1, "value": true}', "value"),
        (b'{"name": "a", "count": 1, "value": "1"}', "value"),
        (b'{"name": "a", "count": 1}', "value"),
        (b'{"name": "a", "count": 1, "value": 1.0, "Value": 1.0}', "Value"),
        (b'{"name": "\\ud800", "count": 1, "value": 1.0}', ""),
        (b"[]", ""),
        (b"null", ""),
    ],
)
def test_A21_wrong_types_and_unknown_fields_are_refused_by_name(data: bytes, field: str) -> None:
    with pytest.raises(BundleError) as refused:
        read_record(Sample, data, "f", "line 1")
    assert field in (refused.value.place or "")


@given(
    st.builds(
        Sample,
        name=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
        count=st.integers(),
        value=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_what_is_written_is_read_back(sample: Sample) -> None:
    numbers = (sample.count, sample.value)
    if all(abs(number) < 2**53 for number in numbers) and (sample.value, copysign(1, sample.value)) != (0, -1):
        assert read_record(Sample, write_record(sample), "f") == sample


def as_read(data: bytes) -> Whole | tuple[str, str]:
    try:
        return read_record(Whole, data, "f", "line 1")
    except BundleError as error:
        return error.expected, "" if error.expected == "a valid Whole" else error.got


@given(whole)
def test_one_reading_finds_what_two_readings_find(data: str) -> None:
    assert as_read(data.encode()) == slowly(data.encode())


GOOD = (
    '{"name":"a:b","count":1,"flag":true,"value":1.0,"parts":[{"label":"::","size":null}],"words":[":"],'
    '"end":"won","kind":"a","place":0}'
)


@pytest.mark.parametrize(
    ("part", "forged"),
    [
        ('"count":1', '"count":2,"count":1'),
        ('"count":1', '"count" : 2 ,"count":1'),
        ('"count":1', '"\\u0063ount":2,"count":1'),
        ('"a:b","count":1', '"a\\u003ab","count":2,"count":1'),
        ('"::","size":null', '"\\u003a\\u003A","size":1,"size":2,"size":null'),
        ('"words":[":"]', '"words":[],"words":[":"]'),
        ('"words":[":"]', '"words":["\\u003a"],"end":null'),
        ('"parts":[', '"parts":[{"label":"","size":1}],"parts":['),
        ('"count":1', f'"count":{"9" * 41}'),
        ('"value":1.0', f'"value":{"9" * 41}'),
        ('"value":1.0', '"value":NaN'),
        ('"value":1.0', '"value":-0.0'),
        ('"value":1.0', '"value":-0'),
        ('"count":1', '"count":-0'),
        ('"place":0', '"place":-0'),
        ('"place":0', '"place":1,"place":0'),
        ('"count":1', '"count": -0 '),
        ('"count":1', '"count":9007199254740993'),
        ('"value":1.0', '"value":-1e999'),
    ],
)
def test_SG_01_a_key_that_stands_twice_or_an_odd_number_is_refused_however_it_is_hidden(part: str, forged: str) -> None:
    """An escaped colon takes one away where the second key brings one in."""
    assert isinstance(as_read(GOOD.encode()), Whole)
    data = GOOD.replace(part, forged).encode()
    assert data != GOOD.encode()
    assert isinstance(slowly(data), tuple)
    assert as_read(data) == slowly(data)


def test_a_record_is_one_line_of_ascii() -> None:
    line = write_record(Sample(name="a\n\u2028é", count=1, value=0.5))
    assert line == b'{"name":"a\\n\\u2028\\u00e9","count":1,"value":0.5}'


def test_a_name_that_the_sender_chose_is_shown_short_and_escaped() -> None:
    with pytest.raises(BundleError) as refused:
        read_record(Sample, b'{"name": "a", "count": 1, "value": 1.0, "\\u001b[2J' + b"x" * 5_000 + b'": 1}', "f")
    place = refused.value.place or ""
    assert "\\x1b[2J" in place
    assert "\x1b" not in place
    assert len(place) < 300


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_json(data, "f")
    except BundleError:
        return


def test_records_are_closed_and_typed_everywhere() -> None:
    """Every record forbids unknown fields, converts nothing and cannot be changed."""

    def below(kind: type[Record]) -> list[type[Record]]:
        return [kind] + [each for child in kind.__subclasses__() for each in below(child)]

    for kind in below(Record):
        assert kind.model_config.get("extra") == "forbid", kind
        assert kind.model_config.get("strict") is True, kind
        assert kind.model_config.get("frozen") is True, kind
    assert {TeamKey, Endpoint} <= set(below(Record))
    assert Digest is not None


def parts(data: bytes) -> int:
    """Count texts, and commas and opening brackets outside them, byte by byte; a text may reach to the end."""
    count, within, escaped = 0, False, False
    for byte in data:
        if escaped:
            escaped = False
        elif within:
            within, escaped = byte != ord('"'), byte == ord("\\")
        elif byte in b'",[{':
            count += 1
            within = byte == ord('"')
    return count


@given(whole, st.integers(0, 60))
def test_the_parts_of_a_record_are_those_of_a_slow_count(data: str, most: int) -> None:
    assert is_crowded(data.encode(), most) == (parts(data.encode()) > most)


@given(st.lists(st.sampled_from([b'"', b"\\", b"a", b"[", b"{", b",", b" "])).map(b"".join), st.integers(0, 20))
def test_the_parts_of_what_is_no_json_are_those_of_a_slow_count(data: bytes, most: int) -> None:
    assert is_crowded(data, most) == (parts(data) > most)


@pytest.mark.parametrize(
    "data",
    [b'"' * 3_000_000, b'["' + b'\\",' * 1_000_000, b'""' * 1_000_000 + b"[" * 200_000, b',"\\' * 1_000_000],
    ids=["quotes", "escaped quotes", "texts side by side", "texts that do not end"],
)
def test_no_text_makes_the_count_begin_anew(data: bytes) -> None:
    """A pattern that gave up at each quote for want of its end would look at 10^12 bytes."""
    assert is_crowded(data, 1_000_000) == (parts(data) > 1_000_000)


def test_a_long_record_of_text_is_read_and_one_of_a_value_too_many_is_not() -> None:
    prose = 'a, [b], {c}, "d". ' * 100_000
    name = write_record(Sample(name=prose, count=1, value=0.5))
    assert read_record(Sample, name, "f").name == prose
    most = parts(name)
    assert read_record(Sample, name, "f", parts=most).name == prose
    with pytest.raises(BundleError, match=f"at most {most - 1} texts, commas and brackets"):
        read_record(Sample, name, "f", parts=most - 1)


BOMB = """
import resource, sys
from protocol.errors import BundleError
from protocol.records import MemoryRecord
from protocol.strictjson import read_json, read_record
from scoring.bulk import read_certain

item = sys.argv[1].encode()
line = b'{"game":"snake","sources":[' + item * ((40 << 20) // len(item)) + b'0]}'
mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + (64 << 20), -1))
assert read_certain(MemoryRecord, [line]) is None
for read in (lambda: read_record(MemoryRecord, line, "f"), lambda: read_json(line, "f")):
    try:
        read()
    except BundleError as error:
        assert "commas and brackets" in error.expected
    else:
        raise AssertionError("it was read")
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux how much memory is mapped")
@pytest.mark.parametrize("item", ["[],", "{},", "1,", '"",', '{"a":0},'])
def test_BN_05_a_line_of_millions_of_values_is_refused_without_making_them(item: str) -> None:
    """20 MB of lists took 14.7 GB and minutes: a typed reader makes every value, and a fault for each, first."""
    done = subprocess.run([sys.executable, "-c", BOMB, item], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_BN_05_the_first_bad_item_of_a_list_ends_the_reading() -> None:
    with pytest.raises(BundleError) as refused:
        read_record(Whole, GOOD.replace('"words":[":"]', f'"words":[{"0," * 1_000}0]').encode(), "f")
    assert "words.0" in str(refused.value)
    assert "more)" not in str(refused.value)


@pytest.mark.parametrize("text", [b"[" + b"[]," * 1_500_000 + b"[]]", b"{" * (5 << 20)], ids=["lists", "brackets"])
def test_BN_05_a_long_text_of_values_is_refused_whatever_it_is(text: bytes) -> None:
    with pytest.raises(BundleError, match="at most 131072 texts, commas and brackets"):
        read_record(Sample, text, "f")


@pytest.mark.parametrize(
    "text",
    [
        b'{"name":"' + b"," * (5 << 20) + b'"}',
        b'{"value":"' + b"9" * (5 << 20) + b'"}',
        b'{"value":' + b"9" * (5 << 20) + b"}",
        b'"' + b"{" * (5 << 20),
    ],
    ids=["a field missing", "a field of another type", "digits", "no JSON"],
)
def test_BN_05_a_long_text_that_is_no_record_is_refused_by_its_size(text: bytes) -> None:
    """Its texts are not copied only to show them."""
    with pytest.raises(BundleError, match=f"one of {len(text)} bytes"):
        read_record(Sample, text, "f")
