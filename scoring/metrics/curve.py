"""Metrics of one learning curve: checkpoint means over exploration episodes (or over training epochs)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Curve(NamedTuple):
    """The valid checkpoints of a run.

    Both arrays have shape (checkpoints,): ``xs`` in exploration episodes, strictly rising, ``ys`` in points.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    repeats: int = 1
    """Of how many independent plays y(0) is the mean; every other checkpoint is played once."""


def average(ys: Sequence[float]) -> float:
    """Return Avg: the mean over valid checkpoints, x = 0 included (eq. 18; pinned by the paper's Table 4).

    Args:
        ys: Checkpoint means, shape (checkpoints,), points.
    """
    return math.fsum(ys) / len(ys)


def deltas(curve: Curve) -> tuple[float, ...]:
    """Return Delta_k = y_k - y_0 of every valid checkpoint but the first, points (eq. 13).

    Always against the original base, never against the checkpoint before.
    """
    return tuple(y - curve.ys[0] for y in curve.ys[1:])


def never_recovered(curve: Curve) -> bool:
    """Return whether there are later checkpoints and each of them lies below the baseline y_0."""
    return len(curve.ys) > 1 and all(delta < 0 for delta in deltas(curve))


def auc_plus(curve: Curve) -> float:
    """Return AUC+: the area above the baseline y_0, in points times exploration episodes (eq. 20).

    The integral over [x_0, x_K] of max(0, y(x) - y_0), y(x) the straight line between valid neighbours: interpolate
    first, then clip, so that a segment which crosses y_0 contributes its triangle only (pinned by the paper's
    Table 4: clipping at the nodes contradicts 34 of its 70 non-zero values).

    Args:
        curve: Valid checkpoints, x = 0 first.
    """
    return math.fsum(_pieces(curve, 1.0).tolist())


def auc_minus(curve: Curve) -> float:
    """Return AUC-: the area below the baseline y_0, the mirror of AUC+, at least 0, points times episodes."""
    return math.fsum(_pieces(curve, -1.0).tolist())


def net_area(curve: Curve) -> float:
    """Return AUC+ - AUC-: the signed area between curve and baseline, points times exploration episodes.

    It is linear in the checkpoint means (trapezoids), which is why it has an interval and AUC+ has none.
    """
    xs, heights = curve.xs, [y - curve.ys[0] for y in curve.ys]
    return math.fsum((xs[i + 1] - xs[i]) * (heights[i] + heights[i + 1]) / 2 for i in range(len(xs) - 1))


def areas_plus(xs: Sequence[float], ys: Floats) -> Floats:
    """Return AUC+ of many curves over the same checkpoints.

    Args:
        xs: Shape (checkpoints,), exploration episodes.
        ys: Shape (curves, checkpoints), points; each curve's baseline is its first place.

    Returns:
        Shape (curves,), points times exploration episodes.
    """
    heights = ys - ys[:, :1]
    gaps = np.diff(np.asarray(xs, dtype=np.float64))
    return summed(positive_parts(heights[:, :-1], heights[:, 1:], gaps))


def areas_plus_in_order(curve: Curve, places: NDArray[np.intp]) -> Floats:
    """Return AUC+ of a curve's checkpoint means in many orders: ``areas_plus(curve.xs, ys[places])``.

    A piece hangs on three checkpoints only, the first and its two ends, so each is worked out once and then looked up.

    Args:
        curve: Valid checkpoints.
        places: Shape (orders, checkpoints): which checkpoint stands at each place.

    Returns:
        Shape (orders,), points times exploration episodes.
    """
    ys = np.asarray(curve.ys, dtype=np.float64)
    size = len(ys)
    heights = ys[np.newaxis, :] - ys[:, np.newaxis]
    pieces = positive_parts(heights[:, :, np.newaxis], heights[:, np.newaxis, :], np.ones(1))
    at = (places[:, :1] * size + places[:, :-1]) * size + places[:, 1:]
    gaps = np.diff(np.asarray(curve.xs, dtype=np.float64))
    return summed(pieces.ravel()[at] * gaps)


def summed(table: Floats) -> Floats:
    """Return the sum of each row, added from left to right: rounded alike on every machine, as a library's sum is not.

    Args:
        table: Shape (rows, columns).

    Returns:
        Shape (rows,).
    """
    total: Floats = np.zeros(len(table))
    for column in table.T:
        total += column
    return total


def positive_parts(a: Floats, b: Floats, gaps: Floats) -> Floats:
    """Return the area above zero of straight lines from height a to height b over a gap, element by element.

    Both at least 0: gap (a + b) / 2. Opposite signs: the triangle gap max(a, b)^2 / (2 (|a| + |b|)). Both at most 0: 0.
    """
    top = np.maximum(a, b)
    span = np.abs(a) + np.abs(b)
    crossing = (a < 0) != (b < 0)
    # A height is divided before it is multiplied, so that no square of a tiny or huge height leaves the range.
    share = np.divide(top, span, out=np.zeros(np.broadcast(top, span).shape), where=crossing & (span > 0))
    part: Floats = np.where(crossing, gaps * (top * share) / 2, gaps * (np.maximum(a, 0) + np.maximum(b, 0)) / 2)
    return part


def _pieces(curve: Curve, sign: float) -> Floats:
    heights = sign * (np.asarray(curve.ys, dtype=np.float64) - curve.ys[0])
    return positive_parts(heights[:-1], heights[1:], np.diff(np.asarray(curve.xs, dtype=np.float64)))
