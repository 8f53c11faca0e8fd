"""What Avg and Max leave open for AUC+: bounds that no curve can break.

With d_k = y_k - y_0 of the n later checkpoints, D = Max - y_0, L = y_0 - lowest score, T = sum d_k and w_k the
trapezoid weights: AUC+ is at least the net area sum w_k d_k, and at least the triangle that a peak of height D has on
one side; it is at most sum w_k max(0, d_k). The first and the last are extreme where all d_k but one are D or -L.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from scoring.audit.printed import Span


class Case(NamedTuple):
    """What is known of the curves of one kind; points."""

    baseline: Span
    """Where y_0 lies."""
    top: Span
    """Where Max lies."""
    total: Span
    """Where the sum of all checkpoint means lies."""
    low: Fraction
    """Lowest score there is."""


def later_weights(xs: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the trapezoid weight of every checkpoint but the first, exploration episodes."""
    ends = [*xs, xs[-1]]
    return tuple(Fraction(ends[k + 1] - ends[k - 1], 2) for k in range(1, len(xs)))


def area_bounds(case: Case, xs: Sequence[int]) -> Span | None:
    """Return what AUC+ can be, points times exploration episodes, or None if no curve has such Avg and Max.

    Args:
        case: What is known.
        xs: Valid checkpoints, exploration episodes, 0 first.
    """
    weights = sorted(later_weights(xs))
    n = len(weights)
    height = case.top.high - case.baseline.low
    peak = max(Fraction(0), case.top.low - case.baseline.high)
    depth = case.baseline.high - case.low
    least = case.total.low - (n + 1) * case.baseline.high
    most = case.total.high - (n + 1) * case.baseline.low
    if height < 0 or depth < 0 or least > n * height or most < -n * depth:
        return None
    if peak > 0 and most < peak - (n - 1) * depth:
        return None
    low = max(Fraction(0), _extreme(max(least, -n * depth), height, depth, weights[::-1], clipped=False))
    if peak > 0:
        gap = min(b - a for a, b in itertools.pairwise(xs))
        low = max(low, gap * peak * peak / (2 * (peak + depth)))
    high = _extreme(min(most, n * height), height, depth, weights[::-1], clipped=True)
    return Span(low, high) if low <= high else None


def _extreme(
    total: Fraction, height: Fraction, depth: Fraction, falling: Sequence[Fraction], *, clipped: bool
) -> Fraction:
    """Return the extreme of sum w d (least) or of sum w max(0, d) (most) over -depth <= d <= height with a given sum.

    Both lie where all d but one stand at an end; the least puts the high ones on small weights, the most on large ones.
    """
    weights = falling if clipped else falling[::-1]
    n, width = len(weights), height + depth
    if width == 0:
        return Fraction(0) if clipped else height * sum(weights)
    highs = min(n, int((total + n * depth) / width))
    values = [height] * highs
    if highs < n:
        values += [total - highs * height + (n - 1 - highs) * depth] + [-depth] * (n - 1 - highs)
    used = [max(Fraction(0), value) for value in values] if clipped else values
    return sum((w * d for w, d in zip(weights, used, strict=True)), Fraction(0))
