"""The t interval of a mean, against worked examples with printed quantiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.means import mean_interval


def test_a_worked_example() -> None:
    """1 to 5: mean 3, variance 2.5, t(4) = 2.776445, half width 2.776445 * sqrt(0.5) = 1.963243."""
    found = mean_interval([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.low == pytest.approx(3 - 1.963243, abs=1e-5)
    assert found.high == pytest.approx(3 + 1.963243, abs=1e-5)


def test_two_draws_have_the_widest_interval() -> None:
    """0 and 1: mean 1/2, s / sqrt(2) = 1/2, t(1) = 12.7062."""
    found = mean_interval([0, 1])
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.5 - 6.3531, abs=1e-4)
    assert found.high == pytest.approx(0.5 + 6.3531, abs=1e-4)


@pytest.mark.parametrize("scores", [[2.0], [0.0, 0.0], [1.5] * 16])
def test_without_variation_there_is_a_mean_and_no_interval(scores: list[float]) -> None:
    assert mean_interval(scores) == (scores[0], None, None)


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one score"):
        mean_interval([])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_the_interval_holds_the_mean_in_its_middle(scores: list[float]) -> None:
    mean, low, high = mean_interval(scores)
    if low is not None and high is not None:
        assert low <= mean <= high
        assert mean - low == pytest.approx(high - mean, rel=1e-6, abs=1e-6)
