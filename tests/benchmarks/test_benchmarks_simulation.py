"""The stored simulations are those of the code, and hold what the protocol promises of its intervals and tests.

Tolerances are four binomial errors, so that a right figure fails once in 16,000.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.simulation import FILE, Scenario, play, scenarios, simulate, stored, written

FAST = 300
ROWS = {row.scenario: row.figures for row in stored()}


def error(share: float, runs: int) -> float:
    return 4 * math.sqrt(max(share * (1 - share), 0.01) / runs)


def test_every_scenario_is_stored_once_as_written() -> None:
    assert list(ROWS) == scenarios()
    assert written(stored()) == FILE.read_text(encoding="utf-8")
    assert {each.strict for each in ROWS} == {3, 6, 8, 12, 16}


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("0/1", 3, "none", "plain"),
        Scenario("gaussian", 3, "linear", "plain"),
        Scenario("0/1", 16, "step", "shared"),
        Scenario("gaussian", 16, "none", "failed"),
        Scenario("gaussian", 3, "none", "repeats"),
        Scenario("0/1", 16, "linear", "repeats"),
        Scenario("0/1", 3, "linear", "short"),
    ],
    ids=str,
)
def test_a_fresh_simulation_agrees_with_the_stored_one(scenario: Scenario) -> None:
    fresh, kept = simulate(scenario, FAST), ROWS[scenario]
    for name in ("beyond_noise", "avg", "delta", "net", "separated", "positive"):
        one, other = float(getattr(fresh, name)), float(getattr(kept, name))
        assert abs(one - other) <= error(other, FAST) + error(other, kept.runs), name


@pytest.mark.parametrize("scenario", [each for each in scenarios() if each.learner == "none"], ids=str)
def test_without_learning_one_run_in_twenty_is_called_a_gain_or_a_difference(scenario: Scenario) -> None:
    figures = ROWS[scenario]
    assert figures.beyond_noise <= 0.05 + error(0.05, figures.runs)
    # A repeated x = 0 varies less than the orders suppose, and few checkpoints of few won episodes are often equal.
    rarely = scenario.trouble == "repeats" or scenario == Scenario("0/1", 3, "none", "short")
    assert rarely or figures.beyond_noise >= 0.05 - error(0.05, figures.runs)
    assert abs(figures.separated - 0.05) <= error(0.05, figures.runs)


@pytest.mark.parametrize("scenario", scenarios(), ids=str)
def test_intervals_hold_the_truth_as_often_as_they_say(scenario: Scenario) -> None:
    figures = ROWS[scenario]
    for share in (figures.avg, figures.delta, figures.net):
        assert share >= 0.95 - error(0.95, figures.runs)


def test_more_strict_episodes_find_more() -> None:
    for game in ("0/1", "gaussian"):
        for learner in ("linear", "step"):
            powers = [ROWS[Scenario(game, strict, learner, "plain")].beyond_noise for strict in (3, 12, 16)]
            assert powers == sorted(powers)
            assert powers[0] > 0.4
            assert powers[1] > 0.8


def test_repeating_x_0_loses_no_power() -> None:
    for scenario, figures in ROWS.items():
        if scenario.trouble == "repeats" and scenario.learner != "none":
            once = ROWS[scenario._replace(trouble="plain")]
            assert figures.beyond_noise >= once.beyond_noise - 2 * error(once.beyond_noise, once.runs)


def test_a_permutation_test_of_auc_plus_has_no_power() -> None:
    assert all(figures.area_test < 0.1 for figures in ROWS.values())


def test_a_bootstrap_over_three_seeds_covers_far_less_than_it_says() -> None:
    shares = [figures.seeds_resampled for figures in ROWS.values() if figures.seeds_resampled is not None]
    assert len(shares) == 6
    assert all(0.6 < share < 0.8 for share in shares)


@pytest.mark.parametrize("game", ["0/1", "gaussian"])
@pytest.mark.parametrize("trouble", ["plain", "shared"])
def test_the_truth_of_made_up_runs_is_their_mean(game: str, trouble: str) -> None:
    """Five errors of the mean over 4,000 runs, the gain included."""
    scenario = Scenario(game, 3, "linear", trouble)
    played = play(scenario, 4_000, np.random.default_rng(5))
    gaps = played.episodes[0].mean(axis=2) - played.expected
    errors = gaps.std(axis=0) / math.sqrt(len(gaps))
    assert (np.abs(gaps.mean(axis=0)) <= 5 * errors).all()
    assert abs(played.expected.mean() - played.overall) < 0.05
