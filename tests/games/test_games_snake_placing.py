"""Snake's boards are those that a reader of its page would draw, with nothing else at hand."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from games.snake.config import EXPLORE, STRICT, SnakeConfig
from games.snake.rules import SNAKE

Cell = tuple[int, int]


def touching(cell: Cell) -> list[Cell]:
    return [(cell[0] + down, cell[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def connected(cells: set[Cell]) -> bool:
    """Whether steps over sides lead from each cell to each other one."""
    reached, edge = set[Cell](), [min(cells)]
    while edge:
        row, column = edge.pop()
        if (row, column) in cells - reached:
            reached.add((row, column))
            edge += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return reached == cells


def board_of_the_page(size: int, obstacles: int, apples: int, config: str, seed: int) -> tuple[str, int]:
    """The board without the snake, and how often an obstacle was drawn again."""
    key = hashlib.sha256(f"snake\n{SNAKE.rules_version}\n{config}\n{seed}\nlayout".encode()).digest()
    draw = Random(int.from_bytes(key, "big"))
    inside = [(row, column) for row in range(1, size - 1) for column in range(1, size - 1)]
    start = (size // 2, size // 2)
    standing: list[Cell] = []
    again = -obstacles
    while len(standing) < obstacles:
        listed = [cell for cell in inside if cell not in standing and cell not in touching(start)]
        while True:
            cell = listed.pop(int(draw.random() * len(listed)))
            again += 1
            if connected(set(inside) - {*standing, cell}):
                break
        standing.append(cell)
    eaten: list[Cell] = []
    for _ in range(apples):
        free = [cell for cell in inside if cell not in standing and cell not in eaten and cell != start]
        eaten.append(free[int(draw.random() * len(free))])
    marks = {**dict.fromkeys(inside, "."), **dict.fromkeys(standing, "X"), **dict.fromkeys(eaten, "A")}
    rows = [" ".join(marks.get((row, column), "#") for column in range(size)) for row in range(size)]
    return "\n".join(rows), again


@pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
def test_the_boards_are_those_that_the_page_tells(config: SnakeConfig) -> None:
    again = 0
    for seed in (*range(300), 2**63 - 1):
        board, redrawn = board_of_the_page(config.size, config.obstacles, config.apples, config.id, seed)
        assert SNAKE.layout(SNAKE.start(config, seed)) == board
        again += redrawn
    assert again > 3
