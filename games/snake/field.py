"""Snake: the cells of the board, and where the next apple lies."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache

from games.rng import below


@lru_cache(maxsize=16)
def inside(size: int) -> tuple[int, ...]:
    """Return the cells within the rim, in row order."""
    return tuple(row * size + column for row in range(1, size - 1) for column in range(1, size - 1))


def free(size: int, taken: Container[int]) -> list[int]:
    """Return the cells within the rim that are not taken, in row order."""
    return [cell for cell in inside(size) if cell not in taken]


def refill(
    size: int, body: tuple[int, ...], apples: tuple[int, ...], obstacles: tuple[int, ...], draw: float
) -> tuple[int, ...]:
    """Return the apples after the one under the head was eaten.

    One new apple is always enough: there are fewer than the config asks for only while no cell is free, and eating
    frees none.
    """
    rest = tuple([apple for apple in apples if apple != body[0]])
    cells = free(size, {*body, *rest, *obstacles})
    return (*rest, cells[below(draw, len(cells))]) if cells else rest
