"""Records that are read many at once are those that are read one by one; whatever may be at fault is not read so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import End
from protocol import bundle
from protocol.bundle import line_groups
from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import CostRecord, EpisodeRecord, MemoryRecord, StepRecord
from protocol.strictjson import write_record
from scoring.bulk import read_certain
from tests.near_json import Part, Whole, slowly, whole

said = st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [":", ": a", "a:", '":', '\\":', '"a":', "\\", "\\:", "a :b", "-0", "-0,", "-0.5", "\u2014:", '{"name":"b"}']
)
wholes = st.builds(
    Whole,
    name=said,
    count=st.integers(-(2**53) + 1, 2**53 - 1),
    flag=st.booleans(),
    value=st.none() | st.floats(-1e9, 1e9).filter(lambda value: value != 0),
    parts=st.lists(st.builds(Part, label=st.none() | said, size=st.none() | st.integers(0, 9).map(float))).map(tuple),
    words=st.lists(said, max_size=3).map(tuple),
    end=st.sampled_from([None, *End]),
    kind=st.sampled_from([None, "a", "b"]),
    place=st.none() | st.integers(0, 2**53 - 1),
)


@given(st.lists(whole, min_size=1, max_size=3))
def test_what_is_read_at_once_is_what_is_read_with_care(lines: list[str]) -> None:
    data = [line.replace("\n", " ").encode() for line in lines]
    read = read_certain(Whole, data)
    if read is not None:
        assert read == [slowly(line) for line in data]


@given(st.lists(wholes, max_size=4))
def test_what_the_runner_writes_is_read_at_once_unless_a_text_looks_like_json(records: list[Whole]) -> None:
    lines = [write_record(record) for record in records]
    odd = any(f in json.dumps(text, ensure_ascii=False) for text in texts(records) for f in (" :", "-0"))
    read = read_certain(Whole, lines) if lines else []
    assert read == records or (read is None and odd)


def texts(records: list[Whole]) -> list[str]:
    labels = [part.label for record in records for part in record.parts if part.label is not None]
    return [*labels, *(word for record in records for word in (record.name, *record.words))]


GOOD = Whole(name="a", count=1, flag=True, value=1.0, parts=(), words=(), end=None, kind=None, place=0)


@pytest.mark.parametrize(
    ("part", "forged"),
    [
        ('"count":1', '"count":2,"count":1'),
        ('"count":1', '"count" :2,"count":1'),
        ('"count":1', '"count":2,"count"\t:1'),
        ('"count":1', '"\\u0063ount":2,"count":1'),
        ('"count":1', '"coun\\u0074":2,"count":1'),
        ('"name":"a","count":1', '"name":":","count":2,"count":1'),
        ('"name":"a","count":1', '"name":"\\u0022:","count":2,"count":1'),
        ('"name":"a","count":1', '"name":"a\\":","count":2,"count":1'),
        ('"count":1', '"count":-0'),
        ('"count":1', '"count":-0 '),
        ('"value":1.0', '"value":-0'),
        ('"value":1.0', '"value":-0.0'),
        ('"value":1.0', '"value":-0e3'),
        ('"value":1.0', '"value":-1e-999'),
        ('"value":1.0', f'"value":{2**53 + 1}'),
        ('"place":0', '"place":-0'),
        ('"place":0}', '"place":1,"place":0}'),
        ('"place":0}', '"place":0,"more":0}'),
        ('"place":0}', '"place":0'),
        ('"place":0}', '"place":0}{}'),
    ],
)
def test_SG_01_a_line_at_fault_among_good_ones_is_never_read_at_once(part: str, forged: str) -> None:
    good = write_record(GOOD)
    bad = good.decode().replace(part, forged).encode()
    assert bad != good
    assert read_certain(Whole, [good, good]) == [GOOD, GOOD]
    assert isinstance(slowly(bad), tuple)
    for lines in ([bad], [good, bad], [bad, good], [good, bad, good]):
        assert read_certain(Whole, lines) is None


def test_a_key_too_many_in_one_line_is_not_made_good_by_one_too_few_in_another() -> None:
    good = write_record(GOOD)
    more = good.replace(b'"count":1', b'"count":2,"count":1')
    fewer = good.replace(b'"count":1', b'"count" :1')
    assert slowly(fewer) == GOOD
    assert read_certain(Whole, [more, fewer]) is None


def episode(reply: str) -> EpisodeRecord:
    digest = "0" * 64
    step = StepRecord(
        reply=reply, action=None, score=-0.5, reward=0.0, finish="stop", context=digest, dropped_episodes=0,
        dropped_steps=0, window=0, cut="rule",
    )  # fmt: skip
    return EpisodeRecord(
        game="snake", phase="strict", checkpoint=0, index=0, replicate=0, seed="5", start_digest=digest,
        layout_digest=digest, status="valid", failure=None, end=End.LOST, score=None, steps=(step, step),
    )  # fmt: skip


MEMORY = MemoryRecord(
    game="snake", index=1, status="kept", failure="empty", mode="rebuild", sources=(0, 1), context=None,
    dropped_episodes=0, dropped_steps=0, cut="rule", reply=": a", finish="stop", memory=None,
)  # fmt: skip
COST = CostRecord(
    game="snake", phase="summary", checkpoint=None, index=0, replicate=0, step=0, requests=1, tokens_in=2,
    tokens_out=3, tokens_cached=None, estimated=True, seconds=0.5, model="a:b", request_id=None, fingerprint=None,
)  # fmt: skip


@pytest.mark.parametrize("record", [episode(": a\n"), episode('say "a": b \u2014'), episode(""), MEMORY, COST])
def test_records_of_every_kind_are_read_at_once(record: Record) -> None:
    assert read_certain(type(record), [write_record(record)] * 3) == [record] * 3


class Loose(Record):
    """A record whose keys cannot be counted."""

    name: str = ""


def test_a_kind_of_record_whose_keys_cannot_be_counted_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError, match=r"Loose\.name"):
        read_certain(Loose, [b"{}"])


def grouped(chunks: list[bytes]) -> tuple[list[bytes], str]:
    """Return the lines that come before a fault, and the fault."""
    lines: list[bytes] = []
    try:
        for group in line_groups(chunks, "f"):
            assert group
            lines += group
    except BundleError as error:
        return lines, str(error)
    return lines, ""


def one_by_one(content: bytes) -> tuple[list[bytes], str]:
    """Return what ``grouped`` returns, a line at a time."""
    *ended, rest = content.split(b"\n")
    for number, line in enumerate(ended, 1):
        if not line or number > bundle.MAX_LINES or len(line) > bundle.MAX_LINE:
            return ended[: number - 1], f"line {number}"
    if rest:
        return ended, f"line {len(ended) + 1}" if len(rest) > bundle.MAX_LINE else "newline"
    return ended, ""


@given(st.lists(st.sampled_from([b"a", b"abc", b"\n", b"\n\n", b"abcd\n", b"a\nb\nc\n", b"\nabc"]), max_size=6))
def test_lines_that_end_in_one_chunk_come_together_and_a_fault_comes_after_them(chunks: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "MAX_LINE", 4)
        patch.setattr(bundle, "MAX_LINES", 5)
        lines, fault = grouped(chunks)
        wanted, place = one_by_one(b"".join(chunks))
        assert lines == wanted
        assert bool(fault) == bool(place)
        assert place in fault
