"""The simple 95% interval of a mean: Student's t, for independent draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_LEVEL = 0.95


class Interval(NamedTuple):
    """A mean and its 95% interval; no interval where the draws do not vary, or are fewer than two."""

    mean: float
    low: float | None
    high: float | None


def within(t: float, freedom: int) -> float:
    """Return P(-t <= T <= t) of Student's t with whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    total = 0.0
    term = math.cos(angle) if odd else 1.0
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= square * power / (power + 1)
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def t_quantile(freedom: int) -> float:
    """Return t with P(-t <= T <= t) = 0.95.

    Raises:
        ValueError: If there is no degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"t: expected at least one degree of freedom, got {freedom}")
    low, high = 0.0, 16.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < _LEVEL else (low, middle)
    return (low + high) / 2


def mean_interval(scores: Sequence[float]) -> Interval:
    """Return mean +- t(n - 1) s / sqrt(n) of independent scores.

    Raises:
        ValueError: If there is no score.
    """
    if not scores:
        raise ValueError("interval: expected at least one score, got none")
    count = len(scores)
    mean = math.fsum(scores) / count
    if len(set(scores)) < 2:
        return Interval(mean, None, None)
    variance = math.fsum((score - mean) ** 2 for score in scores) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    return Interval(mean, mean - half, mean + half)
