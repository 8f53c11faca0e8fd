"""Tetris: how blocks pile up."""

from __future__ import annotations

from operator import and_, or_

from games.tetris.blocks import Shape

Stack = tuple[int, ...]
"""The rows from the floor up to the highest filled cell; bit 0 is the leftmost column.

None of them is empty: a block comes to rest on a filled cell or on the floor.
"""

_AIR = (0, 0, 0, 0)
"""As many empty rows as the tallest block has."""


def landed(stack: Stack, shape: Shape, column: int) -> Stack:
    """Return the stack with a block dropped onto it, its leftmost cell in a column that counts from 1.

    Full rows stay, and nothing limits the height.
    """
    shift = column - 1
    cells = [row << shift for row in shape.rows]
    level = len(stack)
    while level and not any(map(and_, cells, stack[level - 1 :])):
        level -= 1
    return (*stack[:level], *map(or_, cells, stack[level:] + _AIR), *stack[level + len(cells) :])


def cleared(stack: Stack, width: int) -> Stack:
    """Return the stack without its full rows; every row above them comes down by their number."""
    full = (1 << width) - 1
    return tuple([row for row in stack if row != full]) if full in stack else stack
