"""Correlations and differences of means, with intervals and without resampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import numpy as np

from scoring.measured import Interval, Measured, missing
from scoring.statistics.student import normal_quantile, t_quantile


def average_ranks(values: Sequence[float]) -> tuple[float, ...]:
    """Return ranks from 1, the lowest value first; equal values share the mean of their places (1, 2.5, 2.5, 4)."""
    array = np.asarray(values, dtype=np.float64)
    ordered = np.sort(array)
    first = np.searchsorted(ordered, array, side="left")
    last = np.searchsorted(ordered, array, side="right")
    return tuple(((first + last + 1) / 2).tolist())


def pearson(xs: Sequence[float], ys: Sequence[float]) -> Measured:
    """Return Pearson's r with Fisher's interval: tanh(atanh r +- z / sqrt(n - 3)).

    Args:
        xs: Shape (pairs,).
        ys: Shape (pairs,).
    """
    return _correlation(xs, ys, lambda _: 1.0)


def spearman(xs: Sequence[float], ys: Sequence[float]) -> Measured:
    """Return Spearman's rho, Pearson's r of average ranks, with the interval of Bonett and Wright (2000).

    As Fisher's, with the variance (1 + rho^2 / 2) / (n - 3).

    Args:
        xs: Shape (pairs,).
        ys: Shape (pairs,).
    """
    return _correlation(average_ranks(xs), average_ranks(ys), lambda r: 1 + r * r / 2)


def mean_gap(high: Sequence[float], low: Sequence[float]) -> Measured:
    """Return mean(high) - mean(low) with Welch's interval, its degrees of freedom rounded down; ``n`` counts both."""
    n = len(high) + len(low)
    if not high or not low:
        return missing("a group is empty", n)
    if len(high) == len(low):
        # One sum of all, so that what cancels leaves no rounding behind.
        value = math.fsum([*high, *(-each for each in low)]) / len(high)
    else:
        value = math.fsum(high) / len(high) - math.fsum(low) / len(low)
    if min(len(high), len(low)) < 2:
        return Measured(value, n).within("a group holds one value")
    parts = [_variance(group) / len(group) for group in (high, low)]
    both = math.fsum(parts)
    if both == 0:
        return Measured(value, n).within("no variation")
    weight = [part / both for part in parts]
    df = 1 / math.fsum(w * w / (len(group) - 1) for w, group in zip(weight, (high, low), strict=True))
    half = t_quantile(0.975, max(1, int(df + 1e-9))) * math.sqrt(both)
    return Measured(value, n).within(Interval(value - half, value + half))


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((each - mean) ** 2 for each in values) / (len(values) - 1)


def _centred(values: Sequence[float]) -> list[float] | None:
    """Return the values about their mean in units of their spread; None if all are equal."""
    low, high = min(values), max(values)
    if low / 2 == high / 2:
        return None
    # Halved and scaled first, so that neither a difference nor a square leaves the range of a float.
    unit = [(each / 2 - low / 2) / (high / 2 - low / 2) for each in values]
    mean = math.fsum(unit) / len(unit)
    return [each - mean for each in unit]


def _correlation(xs: Sequence[float], ys: Sequence[float], variance: Callable[[float], float]) -> Measured:
    n = len(xs)
    if len(ys) != n:
        raise ValueError(f"pairs: expected as many of both, got {n} and {len(ys)}")
    if n < 2:
        return missing(f"{n} pairs have no correlation", n)
    one, other = _centred(xs), _centred(ys)
    if one is None or other is None:
        return missing("one side never varies", n)
    r = math.fsum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(
        math.fsum(a * a for a in one) * math.fsum(b * b for b in other)
    )
    r = min(1.0, max(-1.0, r))
    found = Measured(r, n)
    if n < 4:
        return found.within("fewer than 4 pairs")
    if abs(r) > 1 - 1e-12:
        return found.within("the pairs lie on one line")
    # tanh(atanh r +- h) = (r +- tanh h) / (1 +- r tanh h).
    half = _tanh(normal_quantile(0.975) * math.sqrt(variance(r) / (n - 3)))
    return found.within(Interval((r - half) / (1 - r * half), (r + half) / (1 + r * half)))


def _tanh(value: float) -> float:
    """Return the hyperbolic tangent, rounded alike on every machine, as those of C libraries are not."""
    with localcontext(prec=30):
        grown = (2 * Decimal(value)).exp()
        return float((grown - 1) / (grown + 1))
