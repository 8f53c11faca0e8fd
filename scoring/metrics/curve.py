"""Metrics of one learning curve: checkpoint means over exploration episodes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple


class Curve(NamedTuple):
    """The valid checkpoints of a run.

    Both arrays have shape (checkpoints,): ``xs`` in exploration episodes, ``ys`` in points.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]


def average(ys: Sequence[float]) -> float:
    """Return Avg: the mean over valid checkpoints, x = 0 included (pinned by the paper's Table 4).

    Args:
        ys: Checkpoint means, shape (checkpoints,), points.
    """
    return math.fsum(ys) / len(ys)


def auc_plus(curve: Curve) -> float:
    """Return AUC+: the area above the baseline y_0, in points times exploration episodes.

    The integral over [x_0, x_K] of max(0, y(x) - y_0), y(x) the straight line between valid neighbours: interpolate
    first, then clip, so that a segment which crosses y_0 contributes its triangle only (pinned by the paper's
    Table 4: clipping at the nodes contradicts 34 of its 70 non-zero values).

    Args:
        curve: Valid checkpoints, x = 0 first.
    """
    return math.fsum(_positive_part(a, b, gap) for a, b, gap in _segments(curve))


def _segments(curve: Curve) -> list[tuple[float, float, float]]:
    baseline = curve.ys[0]
    points = [(x, y - baseline) for x, y in zip(curve.xs, curve.ys, strict=True)]
    return [(a, b, x1 - x0) for (x0, a), (x1, b) in itertools.pairwise(points)]


def _positive_part(a: float, b: float, gap: float) -> float:
    """Return the area above zero of the straight line from a to b over a gap."""
    if a >= 0 and b >= 0:
        return gap * (a + b) / 2
    if a <= 0 and b <= 0:
        return 0.0
    return gap * max(a, b) ** 2 / (2 * (abs(a) + abs(b)))
