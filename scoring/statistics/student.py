"""Quantiles of the normal and of Student's t distribution, exact for whole degrees of freedom.

The same on every machine to the last bit: sums, products, quotients and square roots are rounded one way everywhere,
the functions of a C library are not.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_HALVINGS = 4
"""Bring any angle, below a quarter turn, down to a tangent below a tenth."""
_TERMS = 9
"""Of the series of the arc tangent: the next is below 10^-20 of the first."""


@cache
def normal_quantile(share: float) -> float:
    """Return the standard normal quantile of a share in (0, 1), to 12 digits: more are not the same everywhere."""
    return float(f"{NormalDist().inv_cdf(share):.12g}")


def t_share(t: float, df: int) -> float:
    """Return P(T <= t) of Student's t (Abramowitz and Stegun 26.7.3 for odd, 26.7.4 for even degrees of freedom).

    Raises:
        ValueError: If there are no degrees of freedom.
    """
    if df < 1:
        raise ValueError(f"df: expected at least 1, got {df}")
    tangent = t / math.sqrt(df)
    squared = 1 / (1 + tangent * tangent)
    cosine = math.sqrt(squared)
    sine = tangent * cosine
    term = total = 1.0
    # Each term of the two finite sums follows from the one before: even 1, 1/2, 1.3/(2.4); odd 1, 2/3, 2.4/(3.5).
    for k in range(1, (df - 2) // 2 + 1 if df % 2 == 0 else (df - 1) // 2):
        term *= squared * ((2 * k - 1) / (2 * k) if df % 2 == 0 else 2 * k / (2 * k + 1))
        total += term
    if df % 2 == 0:
        return (1 + sine * total) / 2
    tail = sine * cosine * total if df > 1 else 0.0
    return (1 + 2 / math.pi * (_arc_tangent(tangent) + tail)) / 2


def _arc_tangent(tangent: float) -> float:
    """Return an angle by its tangent, to some last bits of a float: halved until its series is short."""
    for _ in range(_HALVINGS):
        tangent /= 1 + math.sqrt(1 + tangent * tangent)
    squared = tangent * tangent
    total = 0.0
    for k in range(_TERMS, -1, -1):
        total = 1 / (2 * k + 1) - squared * total
    return (1 << _HALVINGS) * tangent * total


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
