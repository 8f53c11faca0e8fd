"""Which checkpoint means a game can give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.int64]
MAX_LEVELS = 200_000
MANY_SUMS = 20_000
SOME_SUMS = 500
MAX_STEPS = 10**12
"""From the lowest to the highest score: what a run adds up to stays within 64 bits."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Checkpoint means, all of them whole multiples of a step; points."""

    step: Fraction
    low: Fraction
    high: Fraction
    shares: tuple[int, ...] = ()
    """Where an episode's score is a share: the whole parts that it may be of. A curve is tried with such means only."""
    episodes: int = 1
    """Strict episodes a checkpoint; counts for shares alone."""

    def multiples(self, low: Fraction, high: Fraction) -> range:
        """Return the multiples of the step between two numbers, both included, within the grid, in steps."""
        first, last = max(low, self.low) / self.step, min(high, self.high) / self.step
        return range(math.ceil(first), math.floor(last) + 1)

    def levels(self, high: int) -> Levels:
        """Return the values that a curve is tried with, up to a highest one, in steps, rising; of very many a part."""
        if not self.shares:
            first = math.ceil(self.low / self.step)
            stride = (high - first) // MAX_LEVELS + 1
            return np.arange(high, first - 1, -stride, dtype=np.int64)[::-1]
        sums = _share_sums(self)
        return sums[sums <= high]


@lru_cache(maxsize=4)
def _share_sums(grid: Grid) -> Levels:
    """Return means of shares, in steps, each episode with any of the whole parts; of very many a part."""
    one = {int(Fraction(part, whole * grid.episodes) / grid.step) for whole in grid.shares for part in range(whole + 1)}
    shares = np.array(sorted(one), dtype=np.int64)
    sums = np.zeros(1, dtype=np.int64)
    for _ in range(grid.episodes):
        # Sums of a part of the sums are means that can be too, and more are not needed to try curves with.
        if len(sums) > MANY_SUMS:
            sums = np.union1d(sums[:: len(sums) // SOME_SUMS], sums[-1:])
        sums = np.unique((sums[:, None] + shares).ravel())
    return sums


def episode_grid(step: Fraction, low: Fraction, high: Fraction, episodes: int) -> Grid:
    """Return the grid of means of so many strict episodes.

    Args:
        step: Of one episode's score, points.
        low: Lowest episode score, points.
        high: Highest episode score, points.
        episodes: Strict episodes a checkpoint.
    """
    return Grid(step / episodes, low, high)


MINES = tuple(range(10, 21))


def published_grid(game: str, episodes: int = 3) -> Grid | None:
    """Return the grid of a game in the published table, None if the game is unknown.

    Whole apples, rows, boards and turns. The steps of Chess and Trust are read off the printed maxima, all of which are
    multiples of 1/225 and of 1/12. Minesweeper scores shares of 10 to 20 mines, and its step divides every such share.
    """
    whole = Fraction(1)
    ranges = {
        "chess": (Fraction(1, 75), Fraction(0), whole),
        "nullify": (whole, Fraction(0), whole),
        "tetris": (whole, Fraction(0), 64 * whole),
        "snake": (whole, Fraction(0), 64 * whole),
        "pvz": (whole, Fraction(0), 64 * whole),
        "trust": (Fraction(1, 4), -10 * whole, 30 * whole),
    }
    if game == "minesweeper":
        return Grid(Fraction(1, math.lcm(*MINES) * episodes), Fraction(0), whole, MINES, episodes)
    if game not in ranges:
        return None
    step, low, high = ranges[game]
    return episode_grid(step, low, high, episodes)
