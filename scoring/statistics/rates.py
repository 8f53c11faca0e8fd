"""An interval for a share."""

from __future__ import annotations

import math

from scoring.measured import Interval
from scoring.statistics.student import normal_quantile


def wilson(count: int, n: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share of independent trials (Wilson 1927, eq. 4 of Agresti and Coull 1998).

    Unlike the usual mean plus or minus its error it never leaves [0, 1] and has a width at 0 and at n.

    Raises:
        ValueError: If there is no trial, or more hits than trials.
    """
    if n < 1 or not 0 <= count <= n:
        raise ValueError(f"share: expected 0 <= count <= n and n >= 1, got {count} of {n}")
    z2 = normal_quantile((1 + level) / 2) ** 2
    share = count / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # At the ends the bound is the share itself; rounding would leave it a hair inside.
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == n else min(1.0, centre + half)
    return Interval(low, high)
