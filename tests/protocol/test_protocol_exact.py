"""One rule for numbers that a double cannot hold: in replies they are missing, in JSON they are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import BundleError
from protocol.records import StepRecord
from protocol.reply import read_reply
from protocol.strictjson import read_json, read_record, write_record
from scoring.bulk import read_certain

BOUND = 2**53
"""The first whole number that has a neighbour which no double holds (IEEE 754, 53 bits)."""
STEP = StepRecord(
    reply="", action="UP", score=0.5, reward=0.0, finish="stop", context="0" * 64, dropped_episodes=0, dropped_steps=0,
    window=0, cut="rule",
)  # fmt: skip
WHOLE = st.one_of(st.integers(-(10**20), 10**20), st.integers(BOUND - 9, BOUND + 9), st.integers(-BOUND - 9, 9 - BOUND))


def spellings(number: int) -> list[str]:
    """Return ways to write a whole number."""
    return [str(number), f"{number}.0", f"{number}e0", f"{number}.000E+0"]


@given(WHOLE.filter(bool))
def test_a_whole_number_keeps_its_value_in_replies_and_files_or_is_in_neither(number: int) -> None:
    for text in spellings(number):
        reply = read_reply(f"Answer: UP, Score: {text}")
        line = write_record(STEP).replace(b'"score":0.5', b'"score":' + text.encode())
        assert b'"score":0.5' not in line
        if abs(number) < BOUND:
            assert (reply.score, reply.score_text) == (number, text.lower())
            assert Fraction(reply.score or 0) == number
            assert read_record(StepRecord, line, "f").score == number
            assert read_json(text.encode(), "f") == number
        else:
            assert (reply.action, reply.score, reply.score_text) == ("UP", None, None)
            assert read_certain(StepRecord, [line]) is None
            with pytest.raises(BundleError, match="2\\^53 - 1"):
                read_record(StepRecord, line, "f")
            with pytest.raises(BundleError, match="2\\^53 - 1"):
                read_json(text.encode(), "f")


@pytest.mark.parametrize(
    "text", ["9007199254740993%", "1e16/1e16", "9007199254740993 out of 9007199254740993", "1e15/0.01"]
)
def test_the_bound_holds_for_every_number_that_is_part_of_one(text: str) -> None:
    score = read_reply(f"Answer: UP, Score: {text}").score
    assert score is None


@given(st.decimals(-1000, 1000, places=12))
def test_a_fraction_is_the_nearest_double_in_both(number: object) -> None:
    text = f"{number:f}"
    if float(text):
        assert read_reply(f"Answer: UP, Score: {text}").score == read_json(text.encode(), "f") == float(text)
