"""The simple 95% interval of a mean of independent draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from scoring.statistics.student import t_quantile

_SHARE = 0.975


class MeanInterval(NamedTuple):
    """A mean and its 95% interval; no interval where the draws do not vary, or are fewer than two."""

    mean: float
    low: float | None
    high: float | None


def mean_interval(scores: Sequence[float]) -> MeanInterval:
    """Return mean +- t(n - 1) s / sqrt(n) of independent scores.

    Raises:
        ValueError: If there is no score.
    """
    if not scores:
        raise ValueError("interval: expected at least one score, got none")
    count = len(scores)
    mean = math.fsum(scores) / count
    if len(set(scores)) < 2:
        return MeanInterval(mean, None, None)
    variance = math.fsum((score - mean) ** 2 for score in scores) / (count - 1)
    half = t_quantile(_SHARE, count - 1) * math.sqrt(variance / count)
    return MeanInterval(mean, mean - half, mean + half)
