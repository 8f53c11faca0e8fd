"""Curves between two extremes: where a row lies near a bound, drawn curves seldom give it, and these do.

With its baseline, its sum and the place of its highest value fixed, the curves of a run form a convex set on which
AUC+ is continuous. So between a curve with less than the wanted area and one with more lies a curve that has it. It is
rounded to the grid, and what rounding spoils is repaired by moving two values at a time.
"""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.rng import below
from scoring.audit.grids import Levels
from scoring.audit.witness import Target, nearest
from scoring.metrics.curve import Floats, areas_plus, positive_parts

DRAWN = 60
"""Drawn shapes beside the regular ones."""
HALVINGS = 40
REACH = 16
"""Neighbours on the grid, on each side, that a value is moved to."""
MOVES = 4
"""Times that the best pair of moves is made where none fits."""
JUDGED = 20
"""Candidates of one pair of moves that are given to the judge."""


class Blend(NamedTuple):
    """Later checkpoints of a curve off the grid."""

    values: Floats
    """Shape (checkpoints - 1,), steps."""
    peak: int | None
    """Which of them holds the highest value; None: the baseline does."""


def candidates(
    xs: tuple[int, ...],
    levels: Levels,
    target: Target,
    baselines: Sequence[int],
    blends: int,
    generator: random.Random,
) -> Iterator[tuple[int, ...]]:
    """Yield curves on the grid with a wanted sum, highest value and area, steps.

    Args:
        xs: Valid checkpoints, exploration episodes.
        levels: Allowed values up to Max, rising, steps.
        target: What the curves must give.
        baselines: Values of y_0 that no bound rules out, rising, steps.
        blends: How many blends are made and repaired.
        generator: Only its ``random()`` is used.
    """
    if not len(levels) or levels[-1] != target.top or levels[0] == target.top:
        return
    within = spread(_reaching(xs, levels, target, baselines), blends)
    for number in range(blends if within else 0):
        baseline = within[below(generator.random(), len(within))]
        blend = _blend(xs, levels, target, baseline, generator, extreme=number % 2 == 0)
        if blend is None:
            continue
        later = _on_grid(levels, blend, generator, carried=number % 4 < 2)
        curve = np.array([baseline, *later])
        yield from _rebased(xs, target, curve, baselines)
        yield from _repaired(xs, levels, target, curve, blend.peak, generator)


def spread(values: Sequence[int], count: int) -> list[int]:
    """Return so many of some values at equal distances, both ends included."""
    if len(values) <= count or count < 2:
        return list(values)
    return [values[number * (len(values) - 1) // (count - 1)] for number in range(count)]


def _reaching(xs: tuple[int, ...], levels: Levels, target: Target, baselines: Sequence[int]) -> Sequence[int]:
    """Return the baselines under which regular shapes have less and more than the wanted area.

    The higher the baseline, the lower every area: with a sum and a highest value of their own they lie in one range.
    """
    wanted = max(0.0, sum(target.area) / 2)
    low, width, n = float(levels[0]), float(target.top - levels[0]), len(xs) - 1
    shapes = _blocks(n, 0.0)

    def limits(baseline: int) -> tuple[float, float]:
        """Return the least and the most area of shapes that have a wanted sum; none: more than the least."""
        totals = [(each - baseline - n * low) / width for each in _sums(target)]
        some = [_scaled(shapes, peak, total) for total in totals for peak in _places(n, baseline, target)]
        areas = [_areas(xs, baseline, low + width * scaled) for scaled in some if scaled is not None]
        return (min(float(a.min()) for a in areas), max(float(a.max()) for a in areas)) if areas else (0.0, -1.0)

    first = bisect.bisect_left(baselines, True, key=lambda baseline: limits(baseline)[0] <= wanted)
    last = bisect.bisect_left(baselines, True, lo=first, key=lambda baseline: limits(baseline)[1] < wanted)
    return baselines[first:last]


def _blend(
    xs: tuple[int, ...],
    levels: Levels,
    target: Target,
    baseline: int,
    generator: random.Random,
    *,
    extreme: bool,
) -> Blend | None:
    """Return a blend of two shapes that has the wanted area, of the extremes or of drawn ones, if there is one."""
    low, width = float(levels[0]), float(target.top - levels[0])
    shapes = _shapes(len(xs) - 1, (baseline - low) / width, generator)
    wanted = max(0.0, sum(target.area) / 2)
    sums, places = _sums(target), _places(len(xs) - 1, baseline, target)
    total = sums[below(generator.random(), len(sums))]
    peak = places[below(generator.random(), len(places))]
    scaled = _scaled(shapes, peak, (total - baseline - shapes.shape[1] * low) / width)
    if scaled is None:
        return None
    areas = _areas(xs, baseline, low + width * scaled)
    less, more = np.flatnonzero(areas <= wanted), np.flatnonzero(areas >= wanted)
    if not len(less) or not len(more):
        return None
    one = less[areas[less].argmin()] if extreme else less[below(generator.random(), len(less))]
    other = more[areas[more].argmax()] if extreme else more[below(generator.random(), len(more))]
    return Blend(_between(xs, baseline, low + width * scaled[one], low + width * scaled[other], wanted), peak)


def _shapes(n: int, base: float, generator: random.Random) -> Floats:
    """Return shapes of later checkpoints in 0..1: blocks on the lowest value and on the baseline, and drawn ones."""
    drawn = np.array([generator.random() for _ in range(DRAWN * (n + 1))]).reshape(DRAWN, n + 1)
    return np.concatenate([_blocks(n, 0.0), _blocks(n, base), drawn[:, :n] ** (0.2 + 4 * drawn[:, n:])])


def _blocks(n: int, ground: float) -> Floats:
    """Return shapes with one block of highs each, on a ground; 0..1."""
    pairs = itertools.combinations(range(n + 1), 2)
    return np.array([[1.0 if first <= k < last else ground for k in range(n)] for first, last in pairs])


def _sums(target: Target) -> list[float]:
    """Return wanted sums, the whole range where it is wide."""
    return list(dict.fromkeys((float(target.sums[0]), sum(target.sums) / 2, float(target.sums[1]))))


def _places(n: int, baseline: int, target: Target) -> list[int | None]:
    """Return which later checkpoints may hold the highest value; None alone where the baseline does."""
    return [None] if baseline == target.top else list(range(n))


def _scaled(shapes: Floats, peak: int | None, total: float) -> Floats | None:
    """Return shapes with a total, each moved towards all 0 or all 1, but for the peak at 1; None if there are none."""
    free = np.ones(shapes.shape[1], dtype=np.bool_)
    if peak is not None:
        free[peak], total = False, total - 1
    rest, count = shapes[:, free], int(free.sum())
    if not 0 <= total <= count:
        return None
    sums = rest.sum(axis=1, keepdims=True)
    down, up = sums > total, sums < count
    factors = np.where(down, total / np.where(down, sums, 1), (count - total) / np.where(up, count - sums, 1))
    moved = np.ones(shapes.shape)
    moved[:, free] = np.where(down, rest * factors, 1 - (1 - rest) * factors)
    return moved


def _areas(xs: tuple[int, ...], baseline: int, later: Floats) -> Floats:
    return areas_plus(xs, np.concatenate([np.full((len(later), 1), float(baseline)), later], axis=1))


def _between(xs: tuple[int, ...], baseline: int, less: Floats, more: Floats, wanted: float) -> Floats:
    """Return the blend of two curves that has the wanted area, by halving."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        area = _areas(xs, baseline, (less + middle * (more - less))[None, :])[0]
        low, high = (low, middle) if area > wanted else (middle, high)
    return less + low * (more - less)


def _on_grid(levels: Levels, blend: Blend, generator: random.Random, *, carried: bool) -> list[int]:
    """Return a blend with values on the grid; what rounding takes may be carried to the next value, to keep the sum."""
    values = [float(value) for value in blend.values]
    owed = 0.0
    for place in sorted(range(len(values)), key=lambda place: (place != blend.peak, generator.random())):
        wanted = values[place] + owed
        values[place] = float(levels[-1] if place == blend.peak else nearest(levels, np.array([wanted]))[0])
        owed = wanted - values[place] if carried else 0.0
    return [int(value) for value in values]


def _rebased(xs: tuple[int, ...], target: Target, curve: Levels, baselines: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield a curve with the highest baseline that leaves it the wanted area, which falls as the baseline rises."""

    def moved(place: int) -> Levels:
        return np.array([[baselines[place], *curve[1:].tolist()]])

    first, last = 0, len(baselines)
    while first < last:
        middle = (first + last) // 2
        enough = areas_plus(xs, moved(middle).astype(np.float64))[0] >= target.area[0]
        first, last = (middle + 1, last) if enough else (first, middle)
    if not first:
        return
    found = moved(first - 1)
    fits = areas_plus(xs, found.astype(np.float64))[0] <= target.area[1]
    if fits and target.sums[0] <= found.sum() <= target.sums[1]:
        yield tuple(found[0].tolist())


def _repaired(
    xs: tuple[int, ...], levels: Levels, target: Target, curve: Levels, peak: int | None, generator: random.Random
) -> Iterator[tuple[int, ...]]:
    """Yield curves near a rounded one that have the wanted sum and area: two values moved, then two more."""
    places = np.array([k for k in range(1, len(xs)) if peak is None or k != peak + 1], dtype=np.intp)
    if len(places) < 2:
        return
    for _ in range(MOVES):
        pairs = np.array(list(itertools.combinations(places, 2)), dtype=np.intp)
        moves = _neighbours(levels, curve)
        misses = _misses(xs, target, curve, moves, pairs)
        fitting = np.argwhere(misses == 0)
        for _ in range(min(JUDGED, len(fitting))):
            yield _moved(curve, moves, pairs, fitting[below(generator.random(), len(fitting))])
        curve = np.array(_moved(curve, moves, pairs, np.array(np.unravel_index(misses.argmin(), misses.shape))))


def _neighbours(levels: Levels, curve: Levels) -> Levels:
    """Return the values that each checkpoint may be moved to; shape (checkpoints, neighbours)."""
    width = min(2 * REACH + 1, len(levels))
    first = np.clip(np.searchsorted(levels, curve) - REACH, 0, len(levels) - width)
    near: Levels = levels[first[:, None] + np.arange(width)]
    return near


def _moved(curve: Levels, moves: Levels, pairs: NDArray[np.intp], chosen: NDArray[np.intp]) -> tuple[int, ...]:
    """Return a curve with two values moved; ``chosen`` is a pair and a neighbour for each of the two."""
    pair, some, more = chosen.tolist()
    moved = curve.copy()
    one, other = pairs[pair]
    moved[one], moved[other] = moves[one, some], moves[other, more]
    return tuple(moved.tolist())


def _misses(xs: tuple[int, ...], target: Target, curve: Levels, moves: Levels, pairs: NDArray[np.intp]) -> Floats:
    """Return by how much sum and area lie outside of what is wanted after moving each pair of values.

    Args:
        xs: Valid checkpoints, exploration episodes.
        target: What is wanted.
        curve: Shape (checkpoints,), steps.
        moves: Shape (checkpoints, neighbours), steps.
        pairs: Shape (pairs, 2), later checkpoints.

    Returns:
        Shape (pairs, neighbours, neighbours), steps times exploration episodes; 0 where nothing lies outside.
    """
    gaps = np.diff(np.asarray(xs, dtype=np.float64))
    heights, new = (curve - curve[0]).astype(np.float64), (moves - curve[0]).astype(np.float64)
    pieces = positive_parts(heights[:-1], heights[1:], gaps)
    # What the pieces before and after a checkpoint become when it alone is moved; nothing follows the last.
    before = np.zeros(new.shape)
    after = np.zeros(new.shape)
    before[1:] = positive_parts(heights[:-1, None], new[1:], gaps[:, None]) - pieces[:, None]
    after[:-1] = positive_parts(new[:-1], heights[1:, None], gaps[:, None]) - pieces[:, None]
    one, other = pairs.T
    change = (before + after)[one][:, :, None] + (before + after)[other][:, None, :]
    # Neighbours share a piece.
    near = other == one + 1
    shared = positive_parts(new[one[near]][:, :, None], new[other[near]][:, None, :], gaps[one[near]][:, None, None])
    shared -= pieces[one[near]][:, None, None] + after[one[near]][:, :, None] + before[other[near]][:, None, :]
    change[near] += shared
    shift = moves - curve[:, None]
    areas = pieces.sum() + change
    sums = curve.sum() + shift[one][:, :, None] + shift[other][:, None, :]
    off = np.maximum(0, target.area[0] - areas) + np.maximum(0, areas - target.area[1])
    missed: Floats = off + gaps.max() * (np.maximum(0, target.sums[0] - sums) + np.maximum(0, sums - target.sums[1]))
    return missed
