"""The trend test, its orders, the band of luck, and the adjustment over games."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rng import shuffled
from scoring.measured import Measured, missing
from scoring.metrics.curve import Curve, auc_plus
from scoring.statistics.orders import COUNT, Orders, orders
from scoring.statistics.trend import adjusted, beyond_noise, reference_band, trend_shares, trend_test

XS = tuple(float(x) for x in range(0, 31, 3))


def drawn(size: int, seed: int = 1, count: int = COUNT) -> Orders:
    return orders(size, random.Random(seed), count)


@pytest.mark.parametrize("size", [8, 11])
def test_RP_05_random_orders_are_the_shuffles_of_the_standard_librarys_stable_stream(size: int) -> None:
    """No stream of NumPy is used, whose values may change between versions."""
    generator = random.Random(7)
    wanted = [shuffled(size, generator) for _ in range(20)]
    assert orders(size, random.Random(7), 20).places.tolist() == wanted


def test_RP_05_the_first_orders_of_a_seed_are_these() -> None:
    """Fisher-Yates by hand from random.Random(1).random() = .1344, .8474, .7638, .2551, ..: places 3 to 1 of 4."""
    first = orders(4, random.Random(1), 2).places
    assert [random.Random(1).random()] == pytest.approx([0.13436424411240122])
    # 0.1344 * 4 -> 0: 3 1 2 | 0. 0.8474 * 3 -> 2: 3 1 | 2. 0.7638 * 2 -> 1: 3 | 1.
    assert first[0].tolist() == [3, 1, 2, 0]
    # 0.2551 * 4 -> 1: 0 3 2 | 1. 0.4954 * 3 -> 1: 0 2 | 3. 0.4495 * 2 -> 0: 2 | 0.
    assert first[1].tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize(("size", "exact"), [(1, True), (2, True), (5, True), (7, True), (8, False), (11, False)])
def test_few_checkpoints_are_enumerated_many_are_drawn(size: int, exact: bool) -> None:
    found = drawn(size)
    assert found.exact is exact
    assert len(found.places) == (math.factorial(size) if exact else COUNT)
    assert (np.sort(found.places, axis=1) == np.arange(size)).all()
    if exact:
        assert len({tuple(row) for row in found.places.tolist()}) == math.factorial(size)


def test_an_order_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="orders"):
        drawn(0)


def brute_share(xs: tuple[float, ...], ys: tuple[float, ...]) -> float:
    """Count by itself: every order of the scores, T from its definition, ties within rounding count."""
    roots = [math.sqrt(x) for x in xs]
    middle = sum(roots) / len(roots)

    def statistic(order: tuple[float, ...]) -> float:
        return sum((root - middle) * y for root, y in zip(roots, order, strict=True))

    seen = statistic(ys)
    found = [statistic(order) for order in itertools.permutations(ys)]
    return sum(each >= seen - 1e-9 for each in found) / len(found)


@given(st.lists(st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0, 5.5]), min_size=2, max_size=6))
@settings(max_examples=40)
def test_the_exact_share_is_that_of_all_orders(ys: list[float]) -> None:
    xs = XS[: len(ys)]
    assert trend_test(Curve(xs, tuple(ys)), drawn(len(ys))).value == pytest.approx(brute_share(xs, tuple(ys)))


def test_the_exact_share_of_a_rise_worked_by_hand() -> None:
    """0, 0, 0, 0, 1: the one can stand in five places and the last is the best: 1/5. All different: 1/120."""
    assert trend_test(Curve(XS[:5], (0, 0, 0, 0, 1)), drawn(5)).value == pytest.approx(1 / 5)
    assert trend_test(Curve(XS[:5], (0, 1, 2, 3, 4)), drawn(5)).value == pytest.approx(1 / 120)
    assert trend_test(Curve(XS[:5], (4, 3, 2, 1, 0)), drawn(5)).value == 1


def test_random_orders_give_at_least_one_in_ten_thousand() -> None:
    found = trend_test(Curve(XS, tuple(map(float, range(11)))), drawn(11))
    assert found.value == 1 / (COUNT + 1)


@given(st.lists(st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0]), min_size=8, max_size=8), st.integers(0, 2**32))
@settings(max_examples=15)
def test_random_orders_come_close_to_all_orders(ys: list[float], seed: int) -> None:
    """Within five deviations of the binomial count; 8! orders are enumerated beside it."""
    xs = XS[:8]
    exact = trend_test(Curve(xs, tuple(ys)), orders(8, random.Random(0), math.factorial(8))).value
    rough = trend_test(Curve(xs, tuple(ys)), drawn(8, seed)).value
    assert exact is not None
    assert rough is not None
    assert abs(rough - exact) <= 5 * math.sqrt(exact * (1 - exact) / COUNT) + 2 / COUNT


@pytest.mark.parametrize("level", [0.0, 0.1, 1e9])
def test_MT_11_scores_that_never_change_give_one(level: float) -> None:
    assert trend_test(Curve(XS, (level,) * 11), drawn(11)).value == 1
    assert trend_test(Curve(XS[:5], (level,) * 5), drawn(5)).value == 1


def test_fewer_than_two_checkpoints_have_no_trend() -> None:
    assert trend_test(Curve((0.0,), (1.0,)), drawn(1)).value is None


@given(st.lists(st.integers(0, 64), min_size=11, max_size=11), st.floats(-50, 50), st.floats(0.1, 50))
@settings(max_examples=25)
def test_the_share_does_not_depend_on_the_unit_or_zero_of_the_scores(
    ys: list[int], shift: float, factor: float
) -> None:
    some = drawn(11, count=500)
    plain = trend_test(Curve(XS, tuple(y / 3 for y in ys)), some).value
    assert trend_test(Curve(XS, tuple(factor * y / 3 + shift for y in ys)), some).value == plain


def test_many_runs_at_once_are_each_run() -> None:
    some = drawn(11, count=300)
    table = np.random.default_rng(3).integers(0, 4, size=(6, 11)) / 3
    together = trend_shares(XS, table, some)
    assert together.tolist() == [trend_test(Curve(XS, tuple(row)), some).value for row in table.tolist()]


def test_the_same_seed_gives_the_same_bytes_and_the_standing_order_of_scores_does_not_matter() -> None:
    curve = Curve(XS, (1.0, 0.0, 2.0, 1.0, 3.0, 1.0, 2.0, 2.0, 3.0, 1.0, 4.0))
    assert trend_test(curve, drawn(11)) == trend_test(curve, drawn(11))
    assert reference_band(curve, drawn(11)) == reference_band(curve, drawn(11))


def test_the_band_of_luck_is_that_of_all_orders() -> None:
    """0, 0, 1 at gaps 3, two orders each, by hand: 0 0 1 has AUC+ 1.5, 0 1 0 has 3, 1 0 0 has 0."""
    band = reference_band(Curve(XS[:3], (0.0, 0.0, 1.0)), drawn(3))
    assert (band.median, band.high) == (1.5, 3.0)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=5))
def test_the_band_holds_values_that_occur(ys: list[int]) -> None:
    xs = XS[: len(ys)]
    areas = sorted(auc_plus(Curve(xs, tuple(map(float, order)))) for order in itertools.permutations(ys))
    band = reference_band(Curve(xs, tuple(map(float, ys))), drawn(len(ys)))
    for value, share in ((band.median, 0.5), (band.high, 0.95)):
        assert sum(area <= value + 1e-9 for area in areas) >= share * len(areas)
        assert sum(area < value - 1e-9 for area in areas) < share * len(areas)


def test_adjusted_shares_are_those_of_scipys_false_discovery_control() -> None:
    shares = dict(zip("abcdefg", (0.01, 0.04, 0.03, 0.005, 0.5, 0.2, 0.049), strict=True))
    wanted = (0.035, 0.0686, 0.0686, 0.035, 0.5, 0.7 / 3, 0.0686)
    assert adjusted(shares) == pytest.approx(dict(zip("abcdefg", wanted, strict=True)))
    assert adjusted({}) == {}


@given(st.dictionaries(st.text(max_size=2), st.floats(0, 1), max_size=8))
def test_adjusted_shares_never_fall_below_and_keep_the_order(shares: dict[str, float]) -> None:
    found = adjusted(shares)
    assert list(found) == list(shares)
    for name, share in shares.items():
        assert share <= found[name] * (1 + 1e-12)
        assert found[name] <= 1
        assert all(found[name] <= found[other] for other in shares if share <= shares[other])


def test_a_game_counts_as_improved_beyond_noise_with_area_and_adjusted_share_only() -> None:
    """Of four, 0.04 is adjusted to 4 * 0.04 / 3 > 0.05; without an area or a share nothing is told."""
    levels = adjusted({"snake": 0.001, "pvz": 0.001, "trust": 0.04, "tetris": 0.9})
    told = {
        "snake": beyond_noise(True, Measured(levels["snake"], 11)),
        "pvz": beyond_noise(False, Measured(levels["pvz"], 11)),
        "trust": beyond_noise(True, Measured(levels["trust"], 11)),
        "tetris": beyond_noise(None, Measured(levels["tetris"], 11)),
        "chess": beyond_noise(True, missing("fewer than 2 valid checkpoints have no trend", 1)),
    }
    assert told == {"snake": True, "pvz": False, "trust": False, "tetris": None, "chess": None}


@pytest.mark.parametrize(("checkpoints", "told"), [(3, None), (4, True)])
def test_where_no_order_is_rare_nothing_is_told_beyond_noise(checkpoints: int, told: bool | None) -> None:
    """Of 3! orders the rarest has a share of 1 in 6, of 4! one of 1 in 24."""
    assert beyond_noise(True, Measured(0.04, checkpoints)) is told
