"""The token estimate: its rule, counted by hand and by a slow second reading of it."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.tokens import clip, estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello", 1),
        ("helloworld", 2),
        ("helloworlds", 3),
        ("a b c", 3),
        ("# . . H #", 5),
        ("123", 3),
        (" 1 2", 4),
        ("row 3", 3),
        ("a\nb\n", 4),
        ("\t7", 2),
        ("é", 2),
        ("漢", 3),
        ("Answer: UP, Score: 0.5", 2 + 1 + 1 + 1 + 1 + 1 + 1 + 3),
        ("<|endoftext|>", 2 + 2 + 2),
    ],
)
def test_the_estimate_follows_the_written_rule(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def slowly(text: str) -> int:
    """Count character by character, as the rule is written."""
    total = 0
    run = 0
    for index, char in enumerate(text):
        if re.fullmatch("[A-Za-z]", char):
            run += 1
            continue
        total += math.ceil(run / 5)
        run = 0
        if char in " \t":
            total += text[index + 1 : index + 2] in list("0123456789")
        else:
            total += len(char.encode())
    return total + math.ceil(run / 5)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_the_estimate_equals_a_slow_reading_of_the_rule(text: str) -> None:
    assert estimate(text) == slowly(text)


@given(st.lists(st.text(alphabet="ab 1#.\t", max_size=12)))
def test_lines_can_be_counted_one_by_one(lines: list[str]) -> None:
    pieces = [f"{line}\n" for line in lines]
    assert estimate("".join(pieces)) == sum(map(estimate, pieces))


def test_CM_06_special_tokens_are_plain_text() -> None:
    assert estimate("<|im_end|>") == 1 + 1 + 1 + 1 + 1 + 1 + 1


@given(st.text(alphabet="ab 1#.\n", max_size=80), st.integers(0, 40))
def test_a_clipped_text_is_a_beginning_that_fits(text: str, tokens: int) -> None:
    clipped = clip(text, tokens)
    assert estimate(clipped) <= tokens
    assert text.startswith(clipped)
    if estimate(text) <= tokens:
        assert clipped == text


def test_whole_lines_are_kept_where_they_fit() -> None:
    assert clip("- one\n- two\n- three", 6) == "- one\n- two"


def test_a_single_long_line_is_cut_by_characters() -> None:
    assert clip("1234567890", 4) == "1234"
