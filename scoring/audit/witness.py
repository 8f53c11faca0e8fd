"""Search for a curve on a game's grid that gives printed numbers: two halves that fit together.

A curve is cut at its middle checkpoint. Given the baseline and the middle value, sums and areas of the halves add up,
so that of n left and n right halves all n^2 curves are looked through by sorting. Where the halves are few they are
all tried, and finding nothing proves that there is nothing.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.audit.grids import Levels
from scoring.audit.printed import PrintedRow, reproduces, span_of
from scoring.metrics.curve import Curve, Floats, auc_plus, positive_parts

HALVES = 4_000
"""Halves that are drawn, or all of them where there are not many more."""
EXHAUSTIVE = 20_000
JUDGED = 50
JUDGED_ALL = 2_000
"""Candidates with the right sum and top and nearly the right area that are judged: of drawn halves, and of all."""
NEARLY = 1e-6
SLACK = 1e-6
"""In steps times exploration episodes; candidates are judged exactly afterwards."""


class Target(NamedTuple):
    """What a curve must give, in steps of the grid."""

    sums: tuple[int, int]
    """Least and most that all checkpoints may add up to."""
    area: tuple[float, float]
    top: int


class Means(NamedTuple):
    """How checkpoint means are written."""

    step: Fraction
    """Of the grid, points."""
    digits: int | None
    """Decimals that they may have been rounded to before anything was computed from them."""

    def may_tie(self) -> bool:
        """Return whether a mean can lie halfway between two decimals, where floating point may round the other way.

        That is n step 10^digits = k + 1/2, which needs a denominator with more factors of 2 than 10^digits has.
        """
        return self.digits is not None and self.step.denominator % 2 ** (self.digits + 1) == 0


class Found(NamedTuple):
    """What a search gave."""

    ys: tuple[Fraction, ...] | None
    whole: bool
    """Whether there is no curve: every one was tried."""
    looked: int = 0
    """Pairs of halves that were looked through."""


class Half(NamedTuple):
    """One side of many curves."""

    values: Levels
    """Shape (halves, free checkpoints), steps."""
    sums: Levels
    areas: Floats
    reaches: NDArray[np.bool_]
    """Whether it holds the highest value."""


class Side(NamedTuple):
    """Where a half lies."""

    gaps: tuple[int, ...]
    free: int
    """Checkpoints whose value is free: all but its ends that are given."""


def sides(xs: tuple[int, ...]) -> tuple[Side, Side]:
    """Return both halves of a curve: up to the middle checkpoint, and after it."""
    middle = len(xs) // 2
    gaps = tuple(b - a for a, b in itertools.pairwise(xs))
    return Side(gaps[:middle], middle - 1), Side(gaps[middle:], len(xs) - 1 - middle)


def is_small(levels: Levels, xs: tuple[int, ...]) -> bool:
    """Return whether all halves of a curve can be tried."""
    return bool(len(levels) ** max(side.free for side in sides(xs)) <= EXHAUSTIVE)


def all_values(levels: Levels, free: int) -> Levels:
    """Return every choice of so many values."""
    if free == 0:
        return np.zeros((1, 0), dtype=np.int64)
    return np.stack(np.meshgrid(*[levels] * free, indexing="ij"), axis=-1).reshape(-1, free)


def nearest(levels: Levels, raw: Floats) -> Levels:
    """Return the allowed value next to each number."""
    above = np.clip(np.searchsorted(levels, raw), min(1, len(levels) - 1), len(levels) - 1)
    below = np.maximum(above - 1, 0)
    return np.where(raw - levels[below] <= levels[above] - raw, levels[below], levels[above])


def some_values(levels: Levels, free: int, mean: float, generator: random.Random) -> Levels:
    """Return choices that lie around a mean level, each with a spread of its own, some with the top set in.

    Args:
        levels: Allowed values, rising, steps.
        free: How many values.
        mean: In steps.
        generator: Only its ``random()`` is used.
    """
    if free == 0:
        return np.zeros((1, 0), dtype=np.int64)
    draws = np.array([generator.random() for _ in range(HALVES * (free + 3))]).reshape(HALVES, free + 3)
    low, high = float(levels[0]), float(levels[-1])
    share = np.clip((mean - low) / max(1.0, high - low) * (0.2 + 1.6 * draws[:, -1:]), 0.005, 0.995)
    values = nearest(levels, low + (high - low) * draws[:, :free] ** (1 / share - 1))
    topped = draws[:, -2] < 0.4
    values[topped, (draws[topped, -3] * free).astype(np.intp)] = levels[-1]
    return values


def half(values: Levels, before: int, after: int | None, gaps: tuple[int, ...], baseline: int, top: int) -> Half:
    """Return one side of many curves with sums and areas.

    Args:
        values: Shape (halves, free checkpoints), steps.
        before: The value where the side starts.
        after: The value where it ends, if that is given too.
        gaps: Exploration episodes between its checkpoints.
        baseline: y_0, steps.
        top: Max, steps.
    """
    n = len(values)
    columns = [np.full((n, 1), before), values] + ([] if after is None else [np.full((n, 1), after)])
    heights = (np.concatenate(columns, axis=1) - baseline).astype(np.float64)
    areas: Floats = positive_parts(heights[:, :-1], heights[:, 1:], np.array(gaps, dtype=np.float64)).sum(axis=1)
    reaches = (values == top).any(axis=1) | (before == top) | (after == top)
    return Half(values, values.sum(axis=1), areas, reaches)


def pairs(left: Half, right: Half, given: int, target: Target) -> Iterator[tuple[int, int]]:
    """Yield halves that fit together, as places in both.

    Args:
        left: Halves before the middle.
        right: Halves after it.
        given: Sum of the values that are given.
        target: What the whole curve must give.
    """
    least, most = target.sums[0] - given, target.sums[1] - given
    width = most - least + 1
    bins = right.sums // width
    lowest = int(bins.min())
    scale = target.area[1] + 2.0
    keys = (bins - lowest) * scale + np.minimum(right.areas, target.area[1] + 1)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    for shift in range(2 if width > 1 else 1):
        wanted = ((least - left.sums) // width + shift - lowest) * scale
        first = np.searchsorted(keys, wanted + np.maximum(0, target.area[0] - SLACK - left.areas))
        last = np.searchsorted(keys, wanted + (target.area[1] + SLACK - left.areas), side="right")
        for one in np.flatnonzero(last > first):
            places = order[first[one] : last[one]]
            totals = left.sums[one] + right.sums[places]
            fit = (least <= totals) & (totals <= most) & (left.reaches[one] | right.reaches[places])
            yield from ((int(one), int(place)) for place in places[fit])


class Try(NamedTuple):
    """Curves with one baseline and one middle value."""

    baseline: int
    middle: int


def fitting(
    row: PrintedRow,
    xs: tuple[int, ...],
    means: Means,
    levels: Levels,
    target: Target,
    tried: Try,
    generator: random.Random | None,
) -> Found:
    """Return a curve that gives a row's printed digits, if one was found among those tried.

    Args:
        row: What was printed.
        xs: Valid checkpoints, exploration episodes.
        means: How checkpoint means are written.
        levels: Allowed values up to Max, rising, steps.
        target: What the curve must give.
        tried: Its baseline and middle value.
        generator: For drawn halves; None tries them all.
    """
    left_side, right_side = sides(xs)
    mean = (target.sums[0] - tried.baseline - tried.middle) / max(1, len(xs) - 2)

    def values(free: int) -> Levels:
        return all_values(levels, free) if generator is None else some_values(levels, free, mean, generator)

    left = half(values(left_side.free), tried.baseline, tried.middle, left_side.gaps, tried.baseline, target.top)
    right = half(values(right_side.free), tried.middle, None, right_side.gaps, tried.baseline, target.top)
    looked = len(left.values) * len(right.values)
    judged = JUDGED_ALL if generator is None else JUDGED
    for place, (one, other) in enumerate(pairs(left, right, tried.baseline + tried.middle, target)):
        if place == judged:
            return Found(None, whole=False, looked=looked)
        steps = (tried.baseline, *left.values[one].tolist(), tried.middle, *right.values[other].tolist())
        ys = tuple(each * means.step for each in steps)
        if gives(row, xs, steps, means):
            return Found(ys, whole=False)
    return Found(None, generator is None, looked)


def gives(row: PrintedRow, xs: tuple[int, ...], steps: tuple[int, ...], means: Means) -> bool:
    """Return whether a curve, in steps of the grid, gives a row's printed digits, judged in exact fractions."""
    ys = tuple(each * means.step for each in steps)
    return (means.may_tie() or _nearly(row, xs, steps, means)) and reproduces(row, xs, ys, means.digits)


def _nearly(row: PrintedRow, xs: tuple[int, ...], steps: tuple[int, ...], means: Means) -> bool:
    """Return whether a curve has the printed area in floating point: a quick look before the exact one."""
    ys = tuple(each * float(means.step) for each in steps)
    places = tuple(map(float, xs))
    kept = ys if means.digits is None else tuple(round(y, means.digits) for y in ys)
    span = span_of(row.auc_plus)
    low, high = float(span.low) - NEARLY, float(span.high) + NEARLY
    return any(low <= auc_plus(Curve(places, each)) <= high for each in (ys, kept))
