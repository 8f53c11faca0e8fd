"""Minesweeper: what lies under the cells of a board, and what a player sees of them.

A board is its text, and a cell is its place in that text. The *field* shows the truth: every mine and every number. The
*view* shows what the player sees: the numbers of the open cells, flags, the mines that were hit, and hidden cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.rng import below

MINE = "X"
FLAG = "F"
HIDDEN = "?"
_NONE_NEAR = "0"
BLOCK = 9
"""Cells of the largest block that is cleared: a cell and its neighbours."""


@lru_cache(maxsize=16)
def hidden(rows: int, columns: int) -> str:
    """Return the view before anything is uncovered: the numbers of the columns above it, that of each row before it."""
    margin = len(str(rows - 1))
    lines = [" ".join([" " * margin, *map(str, range(columns))])]
    lines += [" ".join([f"{row:{margin}}", *HIDDEN * columns]) for row in range(rows)]
    return "\n".join(lines)


@lru_cache(maxsize=16)
def cells(rows: int, columns: int) -> tuple[int, ...]:
    """Return all cells in row order."""
    return tuple([place for place, sign in enumerate(hidden(rows, columns)) if sign == HIDDEN])


@lru_cache(maxsize=16)
def neighbours(rows: int, columns: int) -> Mapping[int, tuple[int, ...]]:
    """Return for every cell those that touch it at a side or a corner, in row order."""
    board = cells(rows, columns)
    near = {}
    for row in range(rows):
        for column in range(columns):
            block = [
                board[y * columns + x]
                for y in range(max(0, row - 1), min(rows, row + 2))
                for x in range(max(0, column - 1), min(columns, column + 2))
            ]
            cell = board[row * columns + column]
            near[cell] = tuple([other for other in block if other != cell])
    return near


def numbered(rows: int, columns: int, mines: set[int]) -> str:
    """Return the field with these mines."""
    near = neighbours(rows, columns)
    counts = dict.fromkeys(near, 0)
    for mine in mines:
        for cell in near[mine]:
            counts[cell] += 1
    signs = list(hidden(rows, columns))
    for cell, count in counts.items():
        signs[cell] = MINE if cell in mines else str(count)
    return "".join(signs)


def cleared(rows: int, columns: int, field: str, view: str, cell: int, draws: tuple[float, ...]) -> str:
    """Return the field after the mines of a cell and its neighbours moved away, before anything is open.

    Each takes one draw, which chooses among the cells outside that have neither mine nor flag, in row order. There are
    enough of them: the config allows no more mines, and so no more flags, than half of the cells outside.
    """
    inside = {cell, *neighbours(rows, columns)[cell]}
    mines = places(field, MINE)
    moving = len(inside.intersection(mines))
    if not moving:
        return field
    free = [place for place in places(view, HIDDEN) if field[place] != MINE and place not in inside]
    moved = {free.pop(below(draw, len(free))) for draw in draws[:moving]}
    return numbered(rows, columns, {*mines, *moved} - inside)


def opened(rows: int, columns: int, field: str, view: str, cell: int) -> str:
    """Return the view after a hidden safe cell was opened, and with a 0 its hidden neighbours, and so on."""
    if field[cell] != _NONE_NEAR:
        return marked(view, cell, field[cell])
    near, signs, waiting = neighbours(rows, columns), list(view), [cell]
    while waiting:
        place = waiting.pop()
        if signs[place] == HIDDEN:
            signs[place] = field[place]
            if field[place] == _NONE_NEAR:
                waiting += near[place]
    return "".join(signs)


def marked(view: str, cell: int, sign: str) -> str:
    """Return the view with another sign at one cell."""
    return view[:cell] + sign + view[cell + 1 :]


def places(board: str, sign: str) -> list[int]:
    """Return the cells that show a sign other than a number, in row order."""
    return [place for place, shown in enumerate(board) if shown == sign]


def right_flags(field: str, view: str) -> int:
    """Return how many flags stand on mines."""
    return sum([field[cell] == MINE for cell in places(view, FLAG)]) if FLAG in view else 0
