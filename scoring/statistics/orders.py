"""Orders of checkpoints for permutation tests, the same on every machine and with every version of NumPy."""

from __future__ import annotations

import itertools
import math
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COUNT = 9_999
"""Random orders of a test; with the order that was seen they make 10,000."""


class Orders(NamedTuple):
    """Orders of the checkpoints of a run."""

    places: NDArray[np.intp]
    """Shape (orders, checkpoints): which checkpoint stands at each place."""
    exact: bool
    """Whether these are all orders, each once."""


def orders(size: int, generator: random.Random, count: int = COUNT) -> Orders:
    """Return all orders of so many checkpoints where they are at most count + 1, else ``count`` random ones.

    Only the generator's ``random()`` is used: that sequence is documented as stable, which NumPy's streams are not.

    Args:
        size: Checkpoints.
        generator: Seeded by the caller; left as it is where the orders are enumerated.
        count: Random orders.
    """
    if size < 1 or count < 1:
        raise ValueError(f"orders: expected at least one checkpoint and one order, got {size} and {count}")
    if size <= 10 and math.factorial(size) <= count + 1:
        return Orders(np.array(list(itertools.permutations(range(size))), dtype=np.intp), exact=True)
    return Orders(_shuffles(count, size, generator), exact=False)


def _shuffles(count: int, size: int, generator: random.Random) -> NDArray[np.intp]:
    """Return uniform permutations, each drawn as ``games.rng.shuffled`` draws one, all at once."""
    draws = np.array([generator.random() for _ in range(count * (size - 1))]).reshape(count, size - 1)
    places = np.tile(np.arange(size, dtype=np.intp), (count, 1))
    rows = np.arange(count)
    for drawn, last in enumerate(range(size - 1, 0, -1)):
        other = (draws[:, drawn] * (last + 1)).astype(np.intp)
        moved = places[rows, other]
        places[rows, other] = places[:, last]
        places[:, last] = moved
    return places
