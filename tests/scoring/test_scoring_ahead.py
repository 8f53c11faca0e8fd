"""Which of two runs is ahead: by the interval of their differences, and by nothing where there is none."""

from __future__ import annotations

import pytest

from scoring.comparison import LINEAR, Ahead, Side, ahead, differences
from scoring.measured import Measured
from scoring.metrics.curve import Curve

XS = tuple(float(x) for x in range(0, 33, 3))
WAVE = tuple(5.0 + (-1) ** k for k in range(11))


def run(ys: tuple[float, ...], xs: tuple[float, ...] = XS, *, based: bool = True, ended: bool = True) -> Side:
    values = {name: Measured(1.0, len(ys)) for name in ("max", "auc_plus", "naba")}
    return Side("run", Curve(xs, ys), based, ended, values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (WAVE, "neither"),
        (tuple(y - 1 for y in WAVE), "one"),
        (tuple(y + 1 for y in WAVE), "other"),
        ((5.0,) * 11, "neither"),
        ((1.0,) * 11, "one"),
    ],
)
def test_by_avg_the_interval_of_the_differences_tells(other: tuple[float, ...], expected: Ahead) -> None:
    """Equal; apart by the same everywhere, which has no noise; wavering about the other; four points above it."""
    assert ahead(run(WAVE), run(other))["delta_avg"] == expected


def test_who_is_ahead_agrees_with_the_interval_where_there_is_one() -> None:
    one, other = run(tuple(1.0 * k for k in range(11))), run(WAVE)
    found, told = differences(one, other), ahead(one, other)
    assert set(told) == set(LINEAR)
    for metric, each in told.items():
        low, high = found[metric].low, found[metric].high
        assert low is not None
        assert high is not None
        assert each == ("one" if low > 0 else "other" if high < 0 else "neither")


def test_nothing_is_told_from_two_checkpoints_or_without_a_baseline_or_an_end() -> None:
    few = ahead(run((1.0, 2.0), (0.0, 3.0)), run((5.0, 9.0), (0.0, 3.0)))
    assert set(few.values()) == {None}
    unbased = ahead(run(WAVE[1:], XS[1:], based=False), run(tuple(y + 1 for y in WAVE)))
    assert unbased == {"delta_avg": "other", "delta_final": None, "delta_net_area": None}
    unended = ahead(run(WAVE[:-1], XS[:-1], ended=False), run(WAVE))
    assert unended["delta_final"] is None
    apart = ahead(run(WAVE[:5], XS[:5]), run(WAVE[5:], XS[5:]))
    assert set(apart.values()) == {None}
