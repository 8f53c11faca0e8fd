"""Whether a run gains beyond noise: a permutation test of the trend, and the band that luck gives AUC+.

AUC+ itself is no test statistic: its value hangs on which checkpoint is drawn as the baseline, so that permuting it has
no power. The trend over sqrt(x) has: early exploration is worth more than late.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scoring.measured import Measured, missing
from scoring.metrics.curve import Curve, Floats, areas_plus_in_order, summed
from scoring.statistics.orders import COUNT, Orders

LEVEL = 0.05


class Band(NamedTuple):
    """What AUC+ is when the checkpoints of a run stand in random order; points times exploration episodes."""

    median: float
    high: float
    """At least 95% of the orders give no more."""


def trend_shares(xs: Sequence[float], ys: Floats, orders: Orders) -> Floats:
    """Return the one-sided p-value of a rising trend for many runs over the same checkpoints.

    T = sum (sqrt(x_k) - mean sqrt(x)) y_k; p is the share of orders whose T is at least the one seen. Of random
    orders the one seen is one more: (1 + hits) / (1 + orders), so that p is never 0. Ties count against the run.

    Args:
        xs: Shape (checkpoints,), exploration episodes.
        ys: Shape (runs, checkpoints), points.
        orders: Of the same number of checkpoints.

    Returns:
        Shape (runs,), in (0, 1].
    """
    roots = np.sqrt(np.asarray(xs, dtype=np.float64))
    weights = roots - math.fsum(roots.tolist()) / len(roots)
    heights = ys - summed(ys)[:, np.newaxis] / ys.shape[1]
    seen = summed(heights * weights)
    # Equal T differ in their last bits by the order of summation; games that score 0 or 1 have many equal T.
    slack = 1e-10 * np.sqrt(summed(weights[np.newaxis] ** 2) * summed(heights**2))
    # The weights are permuted instead of the scores: over all orders, and in distribution, that is the same.
    permuted = weights[orders.places]
    found = np.zeros((len(permuted), len(ys)))
    for k in range(len(weights)):
        found += permuted[:, k, np.newaxis] * heights[np.newaxis, :, k]
    hits = (found >= seen - slack).sum(axis=0)
    extra = 0 if orders.exact else 1
    shares: Floats = (hits + extra) / (len(orders.places) + extra)
    return shares


def least_share(checkpoints: int) -> float:
    """Return the smallest p-value that so many checkpoints can give, before it is adjusted over games.

    Where it is above ``LEVEL`` no run can gain beyond noise, so that nothing is told by not doing so.
    """
    # From 20 checkpoints on there are more orders than any test draws.
    return 1 / min(math.factorial(min(checkpoints, 20)), COUNT + 1)


def trend_test(curve: Curve, orders: Orders) -> Measured:
    """Return the p-value of a gain beyond noise for one run; ``n`` counts valid checkpoints.

    The strict seeds of a checkpoint stay together, since only whole checkpoint means are permuted. Repeats at x = 0
    enter as their mean: it varies less than the others and weighs most, so that the test errs in about 3% of runs
    instead of 5%, and in 5% where the repeats are all alike (docs/decisions/0016). Scores that never change give 1.
    """
    n = len(curve.xs)
    if n < 2:
        return missing("fewer than 2 valid checkpoints have no trend", n)
    note = f"the least that {n} checkpoints can give is {1 / len(orders.places):.3g}" if orders.exact else None
    return Measured(float(trend_shares(curve.xs, np.array([curve.ys]), orders)[0]), n, note)


def reference_band(curve: Curve, orders: Orders) -> Band:
    """Return the median and the 95% point of AUC+ over orders of the checkpoints.

    Both are values that occur: the smallest which at least half, or 95%, of the orders do not exceed.
    """
    areas = np.sort(areas_plus_in_order(curve, orders.places))
    n = len(areas)
    return Band(float(areas[-(-n // 2) - 1]), float(areas[-(-n * 95 // 100) - 1]))


def adjusted(shares: Mapping[str, float]) -> dict[str, float]:
    """Return Benjamini and Hochberg's adjusted p-values (1995), by name.

    Adjusted p of the i-th smallest of m: the least of m p_j / j over j >= i, at most 1. To call those at most 0.05
    keeps the expected share of false ones among them at 5%.
    """
    m = len(shares)
    result: dict[str, float] = {}
    least = 1.0
    for place, (name, share) in zip(range(m, 0, -1), sorted(shares.items(), key=lambda each: -each[1]), strict=True):
        least = min(least, m * share / place)
        result[name] = least
    return {name: result[name] for name in shares}


def beyond_noise(improved: bool | None, level: Measured) -> bool | None:
    """Return whether a run gained beyond noise; None if that cannot be told, as where there are too few checkpoints.

    Args:
        improved: Whether AUC+ is above 0; None if there is no AUC+.
        level: Its p-value of ``trend_test``, adjusted over the games of its entry.
    """
    if improved is None or level.value is None or least_share(level.n) > LEVEL:
        return None
    return improved and level.value <= LEVEL
