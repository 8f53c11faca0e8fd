"""Intervals for what is linear in the checkpoint means, from how the means scatter about their trend.

A checkpoint that was played n_k times has the variance sigma^2 / n_k; only x = 0 may be played more than once. sigma^2
is the residual variance of the K checkpoint means after least squares on (1, sqrt(x)) with the weights n_k; a linear
functional sum w_k y_k gets +- t(K - 2) sigma sqrt(sum w_k^2 / n_k). The strict seeds are the same at every checkpoint,
so their luck cancels out of sigma: every such interval is conditional on this round's seeds and says nothing about
other levels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from scoring.measured import Interval, Measured
from scoring.metrics.curve import Curve
from scoring.statistics.student import t_quantile

CONDITION = "conditional on this round's seeds"
NO_VARIATION = "no variation"
TOO_FEW = "fewer than 3 valid checkpoints"


@lru_cache(maxsize=256)
def residual_sd(curve: Curve) -> float | str:
    """Return sigma, the noise of a checkpoint played once in points, or the reason why it cannot be told.

    Divisor K - 2: level and trend are estimated too. The scatter of the repeats of x = 0 does not enter: they are
    played with nothing carried, and vary less than what is played with a memory of changing quality.
    """
    k = len(curve.xs)
    if k < 3:
        return TOO_FEW
    plays = _plays(curve)
    # In closed form: a library of linear algebra rounds as the processor it runs on has it.
    across = _centred(plays, [math.sqrt(x) for x in curve.xs])
    up = _centred(plays, curve.ys)
    slope = _dot(plays, across, up) / _dot(plays, across, across)
    residuals = [y - slope * x for x, y in zip(across, up, strict=True)]
    sigma = math.sqrt(_dot(plays, residuals, residuals) / (k - 2))
    # What least squares leaves of means that lie exactly on a trend is rounding, not noise.
    return NO_VARIATION if sigma <= 1e-12 * max(1e-300, *map(abs, curve.ys)) else sigma


def _plays(curve: Curve) -> tuple[int, ...]:
    """Return how often each checkpoint was played, shape (checkpoints,)."""
    return (curve.repeats if curve.xs[0] == 0 else 1, *(1,) * (len(curve.xs) - 1))


def _centred(weights: Sequence[int], values: Sequence[float]) -> list[float]:
    """Return values about their weighted mean."""
    mean = math.fsum(n * value for n, value in zip(weights, values, strict=True)) / sum(weights)
    return [value - mean for value in values]


def _dot(weights: Sequence[int], one: Sequence[float], other: Sequence[float]) -> float:
    """Return the weighted sum of products."""
    return math.fsum(n * a * b for n, a, b in zip(weights, one, other, strict=True))


def independent_repeats(means: Sequence[float]) -> int:
    """Return as how many plays the repeats of x = 0 count: repeats that are all equal say no more than one.

    A model that answers alike each time repeats its score, and three equal scores would make y(0) look surer than it
    is. Where equal scores come by chance the intervals are a little too wide.

    Args:
        means: Shape (repeats,), the checkpoint mean of each repeat; may be empty.
    """
    return len(means) if len(set(means)) > 1 else 1


def linear_interval(curve: Curve, weights: Sequence[float], level: float = 0.95) -> Interval | str:
    """Return the interval of sum w_k y_k, or the reason why there is none.

    Args:
        curve: Valid checkpoints, shape (checkpoints,).
        weights: Shape (checkpoints,).
        level: The share of rounds in which the interval should hold the truth.
    """
    sigma = residual_sd(curve)
    if isinstance(sigma, str):
        return sigma
    value = math.fsum(w * y for w, y in zip(weights, curve.ys, strict=True))
    length = math.sqrt(math.fsum(w * w / n for w, n in zip(weights, _plays(curve), strict=True)))
    half = t_quantile((1 + level) / 2, len(curve.xs) - 2) * sigma * length
    return Interval(value - half, value + half)


def with_interval(value: float, curve: Curve, weights: Sequence[float], note: str | None = None) -> Measured:
    """Return a linear functional with its interval."""
    return Measured(value, len(curve.xs), note).within(linear_interval(curve, weights))


def average_weights(xs: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of Avg: 1 / K each."""
    return (1 / len(xs),) * len(xs)


def delta_weights(xs: Sequence[float], k: int = -1) -> tuple[float, ...]:
    """Return the weights of Delta_k = y_k - y_0; k = -1 is the last checkpoint."""
    weights = [0.0] * len(xs)
    weights[k] += 1.0
    weights[0] -= 1.0
    return tuple(weights)


def net_area_weights(xs: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of the net area AUC+ - AUC-, in exploration episodes.

    Each checkpoint has the trapezoid weight (x_{k+1} - x_{k-1}) / 2, and the baseline is taken off over the whole
    length: for x = 0, 3, .., 30 that is -28.5, nine times 3, and 1.5.

    Args:
        xs: Any valid checkpoints, strictly rising.
    """
    padded = [xs[0], *xs, xs[-1]]
    weights = [(padded[k + 2] - padded[k]) / 2 for k in range(len(xs))]
    weights[0] -= xs[-1] - xs[0]
    return tuple(weights)


def repeats_band(means: Sequence[float], level: float = 0.95) -> Interval | str:
    """Return where one further checkpoint mean lies if nothing is learned, or the reason why it cannot be told.

    Mean +- t(R - 1) s sqrt(1 + 1/R) of R repeats of the x = 0 checkpoint: a prediction interval, points.

    Args:
        means: Shape (repeats,), the checkpoint mean of each repeat.
        level: The share of such bands that should hold the further mean.
    """
    n = len(means)
    if n < 2:
        return "x = 0 was played once"
    mean = math.fsum(means) / n
    variance = math.fsum((each - mean) ** 2 for each in means) / (n - 1)
    if variance <= (1e-12 * max(map(abs, means))) ** 2:
        return NO_VARIATION
    half = t_quantile((1 + level) / 2, n - 1) * math.sqrt(variance * (1 + 1 / n))
    return Interval(mean - half, mean + half)


def baselines_differ(one: Curve, other: Curve, level: float = 0.95) -> bool | str:
    """Return whether two runs of one base model differ at x = 0 beyond noise, or why that cannot be told.

    Both play the same strict seeds before any exploration, so they should not: a difference says that model, endpoint
    or decoding changed. |y_0 - y_0'| against t sqrt(sigma^2 / n + sigma'^2 / n'), t at the smaller K - 2.

    Args:
        one: Valid checkpoints of a run, x = 0 first.
        other: The same of the other run.
        level: 1 - the share of equal pairs that are called different.
    """
    sigma, sigma_other = residual_sd(one), residual_sd(other)
    if TOO_FEW in (sigma, sigma_other):
        return TOO_FEW
    sides = ((sigma, one), (sigma_other, other))
    noise = math.sqrt(math.fsum(0.0 if isinstance(each, str) else each * each / run.repeats for each, run in sides))
    t = t_quantile((1 + level) / 2, min(len(one.xs), len(other.xs)) - 2)
    return abs(one.ys[0] - other.ys[0]) > t * noise
