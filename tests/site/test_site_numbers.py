"""The written rounding rule."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.numbers import shown, shown_bytes, shown_count, shown_seconds


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1.000"),
        (2 / 3, "0.667"),
        (-1.5, "−1.500"),
        (548.4992, "548.499"),
        (0.0004, "4.0e−04"),
        (-0.00049, "−4.9e−04"),
        (0.0005, "0.001"),
        (0.0625, "0.062"),
        (0.1875, "0.188"),
    ],
)
def test_a_score_is_shown_by_the_written_rule(value: float, text: str) -> None:
    assert shown(value) == text


@given(st.floats(min_value=0.0005, max_value=1e9))
def test_three_decimals_are_half_even_of_the_exact_value(value: float) -> None:
    exact = Decimal(value).quantize(Decimal("0.001"), ROUND_HALF_EVEN)
    assert shown(value) == str(exact)
    assert shown(-value) == f"−{exact}"


@given(st.floats(min_value=-1e9, max_value=1e9))
def test_only_zero_is_shown_as_zero(value: float) -> None:
    assert (shown(value) == "0") == (value == 0)


def test_counts_sizes_and_times() -> None:
    assert shown_count(1234567) == "1\u202f234\u202f567"
    assert shown_bytes(999) == "999\u202fB"
    assert shown_bytes(1_234_567) == "1.2\u202fMB"
    assert shown_seconds(4.25) == "4.2\u202fs"
    assert shown_seconds(59.7) == "1\u202fmin 0\u202fs"
    assert shown_seconds(3_725) == "1\u202fh 2\u202fmin"
