"""The t interval, against printed tables and a worked example."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.student import mean_interval, t_quantile, within

PRINTED = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 15: 2.131, 29: 2.045, 30: 2.042,
           60: 2.000, 120: 1.980}  # fmt: skip
"""Two-sided 5% points, as every table of Student's t prints them."""


@pytest.mark.parametrize(("freedom", "printed"), PRINTED.items())
def test_quantiles_are_those_of_the_tables(freedom: int, printed: float) -> None:
    assert t_quantile(freedom) == pytest.approx(printed, abs=6e-4)


def test_one_and_two_degrees_of_freedom_have_closed_forms() -> None:
    """The Cauchy distribution, and P(|T| <= t) = t / sqrt(2 + t^2)."""
    for t in (0.1, 1.0, 5.0, 12.0):
        assert within(t, 1) == pytest.approx(2 / math.pi * math.atan(t))
        assert within(t, 2) == pytest.approx(t / math.sqrt(2 + t * t))


def test_a_thousand_degrees_are_almost_normal() -> None:
    assert t_quantile(1000) == pytest.approx(1.9623, abs=1e-3)


def test_a_worked_example() -> None:
    """1 to 5: mean 3, variance 2.5, t(4) = 2.776445, half width 2.776445 * sqrt(0.5) = 1.963243."""
    found = mean_interval([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.low == pytest.approx(3 - 1.963243, abs=1e-5)
    assert found.high == pytest.approx(3 + 1.963243, abs=1e-5)


@pytest.mark.parametrize("scores", [[2.0], [0.0, 0.0], [1.5] * 16])
def test_without_variation_there_is_a_mean_and_no_interval(scores: list[float]) -> None:
    assert mean_interval(scores) == (scores[0], None, None)


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one score"):
        mean_interval([])
    with pytest.raises(ValueError, match="at least one degree"):
        t_quantile(0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_the_interval_holds_the_mean_in_its_middle(scores: list[float]) -> None:
    mean, low, high = mean_interval(scores)
    if low is not None and high is not None:
        assert low <= mean <= high
        assert mean - low == pytest.approx(high - mean, rel=1e-6, abs=1e-6)
