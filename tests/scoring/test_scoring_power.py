"""What a run can show: the figures of the stored simulations, and sentences made of them."""

from __future__ import annotations

import math

import pytest

from benchmarks.simulation import Scenario, stored
from scoring.statistics.power import FOUND, Found, power_note, smallest_gain

ROWS = {row.scenario: row.figures.beyond_noise for row in stored()}


def test_the_figures_are_those_of_the_stored_simulations() -> None:
    for checkpoints, trouble in ((5, "short"), (11, "plain")):
        wanted = {each.strict for each in ROWS if each.trouble == trouble}
        assert set(FOUND[checkpoints]) == wanted
        for strict, found in FOUND[checkpoints].items():
            assert found == Found(*(ROWS[Scenario(game, strict, "linear", trouble)] for game in ("0/1", "gaussian")))


@pytest.mark.parametrize("strict", [3, 6, 8, 12, 16])
def test_a_gain_of_one_is_small_enough_exactly_where_it_was_found_in_four_of_five_runs(strict: int) -> None:
    gain = smallest_gain(11, strict)
    assert gain is not None
    assert gain.exact
    assert (gain.value <= 1) == (ROWS[Scenario("gaussian", strict, "linear", "plain")] >= 0.8)


def test_four_times_the_episodes_find_half_the_gain() -> None:
    few, many = smallest_gain(11, 3), smallest_gain(11, 12)
    assert few is not None
    assert many is not None
    assert few.value == pytest.approx(2 * many.value)


def test_where_no_simulated_run_finds_enough_a_gain_is_bounded_only() -> None:
    """Five checkpoints of 16 episodes find a gain of one in less than 80% of runs, so 3 need more than sqrt(16 / 3)."""
    gain = smallest_gain(5, 3)
    assert gain is not None
    assert not gain.exact
    assert gain.value == pytest.approx(math.sqrt(16 / 3))


def test_the_note_says_how_little_three_episodes_show() -> None:
    assert power_note(11, 3) == (
        "11 checkpoints of 3 strict episodes find a gain of one standard deviation in 47% of runs, and find a gain in "
        "80% of runs only if it is at least 1.6 standard deviations of an episode; no gain beyond noise does not mean "
        "no gain."
    )
    assert "in 21% of runs" in power_note(5, 3)
    assert "only if it is more than 2.3 standard deviations" in power_note(5, 3)


def test_what_was_not_simulated_is_said_to_be_so() -> None:
    assert power_note(7, 3).startswith("What 7 checkpoints of 3 strict episodes can show was not simulated")
    assert power_note(11, 1) == (
        "11 checkpoints of 1 strict episode find a gain in 80% of runs only if it is at least 2.8 standard deviations "
        "of an episode; no gain beyond noise does not mean no gain."
    )
