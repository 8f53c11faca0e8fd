"""Intervals, correlations and quantiles against SciPy's printed digits and published tables, and at their edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measured import Interval
from scoring.metrics.curve import Curve
from scoring.statistics.correlation import average_ranks, mean_gap, pearson, spearman
from scoring.statistics.noise import (
    NO_VARIATION,
    average_weights,
    baselines_differ,
    delta_weights,
    independent_repeats,
    linear_interval,
    net_area_weights,
    repeats_band,
    residual_sd,
    with_interval,
)
from scoring.statistics.rates import wilson
from scoring.statistics.student import normal_quantile, t_quantile, t_share
from scoring.statistics.ties import difference

XS = tuple(float(x) for x in range(0, 31, 3))
NOISY = Curve(XS, (2.0, 3.0, 3.0, 5.0, 4.0, 6.0, 5.0, 5.0, 7.0, 6.0, 7.0))
floats = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("df", "two_sided", "one_sided"),
    [
        (1, 12.706204736174694, 6.313751514675037),
        (2, 4.302652729749462, 2.9199855803537242),
        (3, 3.1824463052837078, 2.3533634348018233),
        (4, 2.7764451051977934, 2.1318467863266495),
        (5, 2.5705818356363146, 2.0150483733330233),
        (9, 2.262157162798205, 1.833112932656237),
        (10, 2.228138851986274, 1.8124611228116756),
        (29, 2.045229642132703, 1.6991270265334972),
        (100, 1.9839715185235518, 1.6602343260853392),
    ],
)
def test_t_quantiles_are_those_of_scipy(df: int, two_sided: float, one_sided: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(two_sided, rel=1e-12)
    assert t_quantile(0.95, df) == pytest.approx(one_sided, rel=1e-12)


@pytest.mark.parametrize(
    ("t", "df", "share"),
    [
        (0.5, 1, 0.6475836176504333),
        (1.3, 2, 0.8383764840919798),
        (-2.1, 7, 0.036935598106461326),
        (4.0, 12, 0.9991191518778025),
        (2.0, 3, 0.9303370157205785),
    ],
)
def test_t_shares_are_those_of_scipy(t: float, df: int, share: float) -> None:
    assert t_share(t, df) == pytest.approx(share, rel=1e-12)


@given(st.integers(1, 200), st.floats(0.51, 0.9999))
def test_a_t_quantile_is_where_the_share_is_reached(df: int, share: float) -> None:
    assert t_share(t_quantile(share, df), df) == pytest.approx(share, abs=1e-12)
    assert t_share(-t_quantile(share, df), df) == pytest.approx(1 - share, abs=1e-12)


def test_t_without_degrees_of_freedom_and_shares_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="df"):
        t_share(1.0, 0)
    for share in (0.5, 1.0, 0.1):
        with pytest.raises(ValueError, match="share"):
            t_quantile(share, 3)


def test_the_normal_quantile_of_the_tables() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        (3, 10, 0.10779126740630102, 0.6032218525388546),
        (0, 12, 0.0, 0.24249400665524085),
        (827, 1000, 0.8023165344033985, 0.8491807655470485),
    ],
)
def test_wilson_intervals_are_those_of_scipy(count: int, n: int, low: float, high: float) -> None:
    assert wilson(count, n) == pytest.approx((low, high))


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_wilson_interval_holds_its_share_and_stays_within_0_and_1(pair: tuple[int, int]) -> None:
    count, n = pair
    low, high = wilson(count, n)
    assert 0 <= low <= count / n <= high <= 1
    mirrored = wilson(n - count, n)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high))


@pytest.mark.parametrize(("count", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_a_share_of_nothing_is_refused(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="share"):
        wilson(count, n)


def test_sigma_is_the_residual_deviation_of_least_squares() -> None:
    """The same digits from SciPy's linregress on sqrt(x): its slope error times the spread of sqrt(x)."""
    assert residual_sd(NOISY) == pytest.approx(0.7173807067958219, rel=1e-12)


def test_intervals_of_avg_delta_and_net_area_have_their_weights_lengths() -> None:
    """t(9) = 2.262157 and sigma = 0.717381; ||w|| is 1/sqrt(11), sqrt 2 and sqrt(28.5^2 + 81 + 1.5^2)."""
    unit = 2.262157162798205 * 0.7173807067958219
    lengths = [1 / math.sqrt(11), math.sqrt(2), math.sqrt(28.5**2 + 81 + 2.25)]
    for weights, length in zip((average_weights(XS), delta_weights(XS), net_area_weights(XS)), lengths, strict=True):
        found = linear_interval(NOISY, weights)
        assert isinstance(found, Interval)
        value = sum(w * y for w, y in zip(weights, NOISY.ys, strict=True))
        assert found == pytest.approx((value - unit * length, value + unit * length))


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_checkpoints_have_no_interval_but_a_reason(n: int) -> None:
    curve = Curve(XS[:n], NOISY.ys[:n])
    found = with_interval(1.0, curve, average_weights(curve.xs))
    assert found.interval is None
    assert "3" in (found.no_interval or "")


@pytest.mark.parametrize("level", [0.0, 0.1, -7.3, 1e9])
def test_MT_11_scores_that_never_change_have_no_interval_but_a_reason(level: float) -> None:
    assert linear_interval(Curve(XS, (level,) * 11), average_weights(XS)) == NO_VARIATION


@given(st.lists(floats, min_size=3, max_size=11))
def test_sigma_is_that_of_the_normal_equations(ys: list[float]) -> None:
    """A second way: slope and level by the sums of a textbook, residuals one by one."""
    xs = XS[: len(ys)]
    roots = [math.sqrt(x) for x in xs]
    middle, mean = math.fsum(roots) / len(xs), math.fsum(ys) / len(ys)
    slope = math.fsum((u - middle) * (y - mean) for u, y in zip(roots, ys, strict=True))
    slope /= math.fsum((u - middle) ** 2 for u in roots)
    left = [y - mean - slope * (u - middle) for u, y in zip(roots, ys, strict=True)]
    wanted = math.sqrt(math.fsum(each * each for each in left) / (len(ys) - 2))
    found = residual_sd(Curve(xs, tuple(ys)))
    scale = max(map(abs, ys))
    assert (0.0 if isinstance(found, str) else found) == pytest.approx(wanted, rel=1e-7, abs=1e-9 * scale)


def test_MT_12_the_noise_band_of_repeats_is_a_prediction_interval() -> None:
    """1, 2, 3: mean 2, SD 1 with divisor n - 1, t(2) = 4.302653, times sqrt(1 + 1/3)."""
    half = 4.302652729749462 * math.sqrt(4 / 3)
    assert repeats_band((1.0, 2.0, 3.0)) == pytest.approx((2 - half, 2 + half))
    assert repeats_band((1.0,)) == "x = 0 was played once"
    assert repeats_band(()) == "x = 0 was played once"
    assert repeats_band((0.1, 0.1, 0.1)) == NO_VARIATION
    assert repeats_band((0.0, 0.0)) == NO_VARIATION


def test_baselines_of_one_model_differ_beyond_noise_or_not() -> None:
    moved = Curve(XS, tuple(y + 9 for y in NOISY.ys))
    assert baselines_differ(NOISY, NOISY) is False
    assert baselines_differ(NOISY, moved) is True
    flat, other = Curve(XS, (1.0,) * 11), Curve(XS, (2.0,) * 11)
    assert baselines_differ(flat, flat) is False
    assert baselines_differ(flat, other) is True
    assert isinstance(baselines_differ(NOISY, Curve(XS[:2], (0.0, 1.0))), str)


X, Y = (1, 2, 2, 4, 5, 7, 7, 9), (3, 1, 2, 2, 6, 5, 8, 8)


def test_correlations_are_those_of_scipy() -> None:
    found = pearson(X, Y)
    assert found.value == pytest.approx(0.8618498272633258)
    assert found.interval == pytest.approx((0.4002694206254495, 0.9746164864187293))
    assert spearman(X, Y).value == pytest.approx(0.7804878048780488)
    assert average_ranks((3, 1, 2, 2, 6)) == (4, 1, 2.5, 2.5, 5)


def test_the_interval_of_spearman_is_wider_than_fishers() -> None:
    """Bonett and Wright at rho = 0.7804878, n = 8: z = 1.0470, half width 1.96 sqrt((1 + 0.30458) / 5) = 1.00115."""
    rho = 0.7804878048780488
    half = 1.959963984540054 * math.sqrt((1 + rho**2 / 2) / 5)
    assert spearman(X, Y).interval == pytest.approx(
        (math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half))
    )


@pytest.mark.parametrize(("xs", "ys"), [((), ()), ((1,), (2,)), ((1, 1, 1), (1, 2, 3)), ((1, 2, 3), (5, 5, 5))])
def test_MT_09_a_correlation_that_does_not_exist_has_a_reason(xs: tuple[float, ...], ys: tuple[float, ...]) -> None:
    for found in (pearson(xs, ys), spearman(xs, ys)):
        assert found.value is None
        assert found.reason


def test_a_perfect_or_tiny_correlation_has_no_interval_but_a_reason() -> None:
    assert pearson((1, 2, 3, 4), (2, 4, 6, 8)).no_interval == "the pairs lie on one line"
    assert pearson((1, 2, 3), (2, 4, 7)).no_interval == "fewer than 4 pairs"


pairs = st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), floats), max_size=20)


@given(pairs)
def test_correlations_stay_within_minus_1_and_1_and_turn_with_a_sign(table: list[tuple[float, float]]) -> None:
    xs, ys = [x for x, _ in table], [y for _, y in table]
    for measure in (pearson, spearman):
        found, turned = measure(xs, ys), measure(xs, [-y for y in ys])
        assert (found.value is None) == (turned.value is None)
        if found.value is not None and turned.value is not None:
            assert -1 <= found.value <= 1
            assert turned.value == pytest.approx(-found.value, abs=1e-9)
        if found.interval is not None:
            assert -1 <= found.interval.low <= (found.value or 0) <= found.interval.high <= 1


def test_the_gap_of_two_groups_has_welchs_interval_with_degrees_rounded_down() -> None:
    """SciPy: 6.68 degrees and 1.65 +- 3.6128. Variances 5.3 / 5 + 4.91667 / 4, t(6) = 2.446912: 1.65 +- 3.7022."""
    found = mean_gap((1, 2, 4, 7, 3), (0, 1, 1, 5))
    assert found.value == pytest.approx(1.65)
    assert found.interval == pytest.approx((1.65 - 3.7022, 1.65 + 3.7022), abs=1e-4)


def test_groups_that_are_empty_single_or_constant_have_a_reason() -> None:
    assert mean_gap((), (1.0,)).value is None
    assert mean_gap((2.0,), (1.0, 1.0)).no_interval == "a group holds one value"
    assert mean_gap((2.0, 2.0), (1.0, 1.0)).no_interval == "no variation"


def test_paired_differences_cancel_what_both_runs_share() -> None:
    """Two runs that share a large wave and differ by 1 with a small zigzag are told apart; unpaired they are not."""
    wave = (0.0, 9.0, -9.0, 9.0, -9.0, 9.0, -9.0, 9.0, -9.0, 9.0, 0.0)
    one = Curve(XS, tuple(y + 1 + 0.1 * (-1) ** k for k, y in enumerate(wave)))
    found = difference(one, Curve(XS, wave))
    assert found.separable
    assert found.value == pytest.approx(1 + 0.1 / 11)
    alone = linear_interval(one, average_weights(XS))
    assert isinstance(alone, Interval)
    assert alone.low < 0 < alone.high


def test_runs_are_compared_on_the_checkpoints_that_both_have() -> None:
    one = Curve((0.0, 3.0, 6.0, 9.0), (1.0, 2.0, 99.0, 3.0))
    other = Curve((0.0, 3.0, 9.0, 12.0), (0.0, 1.0, 2.5, 50.0))
    assert difference(one, other).value == pytest.approx((1 + 1 + 0.5) / 3)
    apart = difference(Curve((0.0,), (1.0,)), Curve((3.0,), (1.0,)))
    assert (apart.value, apart.separable) == (None, False)


def test_a_difference_that_is_the_same_at_every_checkpoint_separates_unless_it_is_zero() -> None:
    flat = Curve(XS, (2.0,) * 11)
    assert difference(Curve(XS, (3.0,) * 11), flat).separable
    assert not difference(flat, flat).separable


def test_a_run_is_ahead_of_another_if_it_is_higher_and_apart_from_it() -> None:
    near = Curve(XS, tuple(y - 0.1 * (k % 3) for k, y in enumerate(reversed(NOISY.ys))))
    far = Curve(XS, tuple(y - 5 + 0.1 * (k % 2) for k, y in enumerate(NOISY.ys)))
    assert difference(NOISY, near).ahead is False
    assert difference(NOISY, far).ahead is True
    assert difference(far, NOISY).ahead is False
    assert difference(NOISY, NOISY).ahead is False


def test_always_the_same_lead_is_one_and_too_few_checkpoints_tell_none() -> None:
    flat = Curve(XS, (2.0,) * 11)
    assert difference(Curve(XS, (3.0,) * 11), flat).ahead is True
    assert difference(Curve(XS, (1.0,) * 11), flat).ahead is False
    assert difference(Curve((0.0,), (3.0,)), Curve((0.0,), (1.0,))).ahead is None
    assert difference(Curve((0.0,), (3.0,)), Curve((3.0,), (1.0,))).ahead is None


def test_being_ahead_by_net_area_uses_the_same_interval() -> None:
    flat = Curve(XS, tuple(0.1 * (k % 2) for k in range(11)))
    assert difference(NOISY, flat, net_area_weights).ahead is True


def test_the_rounding_of_equal_differences_is_no_difference() -> None:
    """Always 0.1 apart, in numbers that no float holds: the means differ, the areas above the baselines do not."""
    one, other = (Curve(XS, tuple(0.1 * k + lead for k in range(11))) for lead in (0.1, 0.0))
    assert difference(one, other).separable
    areas = difference(one, other, net_area_weights)
    assert areas.value == pytest.approx(0, abs=1e-12)
    assert not areas.separable


def test_a_repeated_baseline_weighs_as_often_as_it_was_played() -> None:
    """By hand: (0, 0) twice, (1, 0) and (2, 3) in sqrt(x) leave 6.75 - 3.75^2 / 2.75 = 18 / 11, divisor 3 - 2."""
    curve = Curve((0.0, 1.0, 4.0), (0.0, 0.0, 3.0), repeats=2)
    sigma = math.sqrt(18 / 11)
    assert residual_sd(curve) == pytest.approx(sigma)
    interval = linear_interval(curve, delta_weights(curve.xs))
    assert isinstance(interval, Interval)
    assert interval.high - 3 == pytest.approx(12.706204736174694 * sigma * math.sqrt(1 + 1 / 2))


def test_repeats_count_at_x_0_alone() -> None:
    """Where x = 0 failed its repeats are gone with it."""
    later = Curve((3.0, 6.0, 9.0, 12.0), (1.0, 2.0, 1.0, 3.0))
    assert residual_sd(later._replace(repeats=3)) == residual_sd(later)


@pytest.mark.parametrize(
    ("means", "plays"), [((), 1), ((2.0,), 1), ((2.0, 2.0, 2.0), 1), ((2.0, 2.0, 2.5), 3), ((1.0, 2.0), 2)]
)
def test_repeats_that_are_all_equal_say_no_more_than_one(means: tuple[float, ...], plays: int) -> None:
    assert independent_repeats(means) == plays


def test_a_pair_of_runs_has_the_repeats_that_both_count() -> None:
    """The differences have noise of their own; its interval is that of a curve with the smaller number of repeats."""
    flat = Curve(XS, (0.0,) * 11)
    for one, other, counted in ((3, 3, 3), (3, 1, 1), (2, 3, 2)):
        found = difference(NOISY._replace(repeats=one), flat._replace(repeats=other), net_area_weights)
        assert found.interval == linear_interval(NOISY._replace(repeats=counted), net_area_weights(XS))


def test_repeats_tell_baselines_apart_that_single_plays_do_not() -> None:
    """sigma is about 0.7 on both sides: 2.26 * 1.01 = 2.3 for single plays, divided by sqrt(3) for three."""
    other = Curve(XS, tuple(y + 1.8 for y in NOISY.ys))
    assert baselines_differ(NOISY, other) is False
    assert baselines_differ(NOISY._replace(repeats=3), other._replace(repeats=3)) is True


def test_the_gap_of_groups_with_equal_sums_is_zero_to_the_last_bit() -> None:
    assert mean_gap([0.1, 0.2, 0.3], [0.3, 0.1, 0.2]).value == 0
