"""Quantiles of the normal and of Student's t distribution, exact for whole degrees of freedom."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist


@cache
def normal_quantile(share: float) -> float:
    """Return the standard normal quantile of a share in (0, 1)."""
    return NormalDist().inv_cdf(share)


def t_share(t: float, df: int) -> float:
    """Return P(T <= t) of Student's t (Abramowitz and Stegun 26.7.3 for odd, 26.7.4 for even degrees of freedom).

    Raises:
        ValueError: If there are no degrees of freedom.
    """
    if df < 1:
        raise ValueError(f"df: expected at least 1, got {df}")
    angle = math.atan(t / math.sqrt(df))
    sine, squared = math.sin(angle), math.cos(angle) ** 2
    term = total = 1.0
    # Each term of the two finite sums follows from the one before: even 1, 1/2, 1.3/(2.4); odd 1, 2/3, 2.4/(3.5).
    for k in range(1, (df - 2) // 2 + 1 if df % 2 == 0 else (df - 1) // 2):
        term *= squared * ((2 * k - 1) / (2 * k) if df % 2 == 0 else 2 * k / (2 * k + 1))
        total += term
    if df % 2 == 0:
        return (1 + sine * total) / 2
    tail = sine * math.cos(angle) * total if df > 1 else 0.0
    return (1 + 2 / math.pi * (angle + tail)) / 2


@cache
def t_quantile(share: float, df: int) -> float:
    """Return the quantile of Student's t, to the last bits of a float, by halving.

    Args:
        share: In (0.5, 1), such as 0.975 for a two-sided interval of 95%.
        df: Degrees of freedom, at least 1.
    """
    if not 0.5 < share < 1:
        raise ValueError(f"share: expected a number between 0.5 and 1, got {share}")
    low, high = 0.0, 1.0
    while t_share(high, df) < share:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if t_share(middle, df) < share else (low, middle)
    return high
