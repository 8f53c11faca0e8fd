"""Minesweeper boards from drawings, without the engine."""

from __future__ import annotations

from dataclasses import replace

from games.base import Points
from games.minesweeper.config import EXPLORE, MinesweeperConfig
from games.minesweeper.rules import MINESWEEPER, MinesweeperState

Cell = tuple[int, int]

FOUR = """
X...
....
...X
...."""
"""Two mines; its rows of numbers are X100, 1111, 001X and 0011."""


def around(cell: Cell, rows: int, columns: int) -> set[Cell]:
    """The neighbours of a cell."""
    row, column = cell
    block = {(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {cell}
    return {(y, x) for y, x in block if 0 <= y < rows and 0 <= x < columns}


def framed(rows: list[str]) -> str:
    """The text of a board of at most ten rows."""
    lines = [" ".join(map(str, range(len(rows[0])))), *[" ".join(row) for row in rows]]
    return "\n".join(f"{label} {line}" for label, line in zip(" 0123456789", lines, strict=False))


def counted(drawing: str) -> list[str]:
    """The field of a drawing in which X is a mine: each other sign becomes the number of the cell."""
    rows = drawing.split()
    size = len(rows), len(rows[0])
    mines = {(y, x) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "X"}
    return [
        "".join("X" if (y, x) in mines else str(len(around((y, x), *size) & mines)) for x in range(size[1]))
        for y in range(size[0])
    ]


def picture(
    mines: str, seen: str, config: MinesweeperConfig = EXPLORE, steps: int = 0, moves: tuple[float, ...] = (0.0,) * 9
) -> MinesweeperState:
    """A state from two drawings: X the mines; what is seen of them, with o for each open cell.

    Mines that move away go to the first free cells, if no other draws are given.
    """
    field, drawn = counted(mines), seen.split()
    view = [
        "".join(below if sign == "o" else sign for below, sign in zip(*lines, strict=True))
        for lines in zip(field, drawn, strict=True)
    ]
    count = "".join(field).count("X")
    config = replace(config, fewest_mines=1, most_mines=1, rows=len(field), columns=len(field[0]))
    config = replace(config, fewest_mines=min(count, config.room), most_mines=config.room)
    return MinesweeperState(config, steps, None, framed(field), framed(view), moves)


def grid(state: MinesweeperState) -> list[str]:
    """The rows of the board as the player sees them."""
    return ["".join(line.split()[1:]) for line in MINESWEEPER.observe(state).split("\n")[4:]]


def mines(state: MinesweeperState) -> set[Cell]:
    """Where the mines are."""
    rows = [line.split()[1:] for line in MINESWEEPER.layout(state).split("\n")[1:]]
    return {(y, x) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "X"}


def played(state: MinesweeperState, *actions: str) -> tuple[MinesweeperState, list[Points]]:
    """The state after some actions, and what each paid."""
    rewards = []
    for action in actions:
        state, _, reward = MINESWEEPER.step(state, action)
        rewards.append(reward)
    return state, rewards
