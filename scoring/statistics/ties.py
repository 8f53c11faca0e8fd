"""Which runs can be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoring.measured import Interval
from scoring.metrics.curve import Curve
from scoring.statistics.noise import NO_VARIATION, average_weights, linear_interval

ROUNDING = 1e-12
"""Share of the terms of a sum that may be rounding."""
Weights = Callable[[Sequence[float]], tuple[float, ...]]


class Difference(NamedTuple):
    """One run against another of the same game and round, on the checkpoints that both have."""

    value: float | None
    """None if they share no checkpoint."""
    interval: Interval | None
    reason: str | None
    """Why there is no interval."""
    separable: bool
    """Whether 0 lies outside the interval."""

    @property
    def ahead(self) -> bool | None:
        """Return whether the run is ahead of the other and apart from it; None where neither is told.

        Not ahead of the first of a table, and not told otherwise, is whoever cannot be told from it.
        """
        if self.value is None or (self.interval is None and self.reason != NO_VARIATION):
            return None
        return self.separable and self.value > 0


def difference(one: Curve, other: Curve, weights: Weights = average_weights) -> Difference:
    """Return a linear functional of the paired differences y_k - y'_k, with the interval of such a functional.

    All entries of a round play the same strict seeds, so the seeds' luck cancels within a pair. Differences that are
    the same at every checkpoint are noiseless: any such difference but 0 separates.

    Args:
        one: Valid checkpoints of a run.
        other: Valid checkpoints of the run that is taken off.
        weights: Of the functional, such as ``average_weights``.
    """
    theirs = dict(zip(other.xs, other.ys, strict=True))
    shared = [(x, y - theirs[x]) for x, y in zip(one.xs, one.ys, strict=True) if x in theirs]
    if not shared:
        return Difference(None, None, "no checkpoint is valid in both", separable=False)
    # Both have the repeats that the round asks for; where one counts for fewer, the pair does.
    gaps = Curve(tuple(x for x, _ in shared), tuple(gap for _, gap in shared), min(one.repeats, other.repeats))
    used = weights(gaps.xs)
    value = math.fsum(w * y for w, y in zip(used, gaps.ys, strict=True))
    interval = linear_interval(gaps, used)
    if isinstance(interval, str):
        # What is left of equal terms is rounding, not a difference.
        terms = (abs(w) * max(map(abs, (*one.ys, *other.ys))) for w in used)
        apart = abs(value) > ROUNDING * math.fsum(terms)
        return Difference(value, None, interval, separable=interval == NO_VARIATION and apart)
    return Difference(value, interval, None, separable=not interval.low <= 0 <= interval.high)
