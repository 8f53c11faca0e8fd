"""Tetris: policies that read the observation alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move
from games.tetris.blocks import ROTATIONS, SHAPES, Shape
from games.tetris.stack import Stack, cleared, landed

if TYPE_CHECKING:
    from games.tetris.rules import TetrisState

_KEPT = 3
"""How many lines of play are followed up after each block."""
_HORIZON = 4
"""How many blocks ahead the oracle looks."""


def _looks(shapes: Mapping[int, Shape]) -> Mapping[Shape, int]:
    """Return the different looks of a block, each with the first rotation that gives it."""
    looks: dict[Shape, int] = {}
    for rotation, shape in shapes.items():
        looks.setdefault(shape, rotation)
    return looks


_NAMES = {shapes[0].text: name for name, shapes in SHAPES.items()}
_LOOKS = {name: _looks(shapes) for name, shapes in SHAPES.items()}


class _View(NamedTuple):
    width: int
    height: int
    stack: Stack
    blocks: str
    """The names of the blocks to come, as many as are known."""


class _Drop(NamedTuple):
    """One way to drop a block, and what comes of it."""

    action: str
    rows: int
    """How many are cleared."""
    stack: Stack
    cost: int


def idle(_observation: str, _draw: Draw) -> Move:
    """Drop every block as it comes, at the left."""
    return Move("1 0", 0)


def random(observation: str, draw: Draw) -> Move:
    """Drop the block in any column and rotation that the rules allow; guess the reward by a coin."""
    view = _read(observation)
    shapes = SHAPES[view.blocks[0]]
    actions = [
        f"{column} {rotation}" for rotation in ROTATIONS for column in range(1, view.width - shapes[rotation].width + 2)
    ]
    return Move(actions[draw(len(actions))], draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Drop the block so that both blocks shown can leave an even stack."""
    return _best(_read(observation))


def oracle(state: TetrisState, _draw: Draw) -> Move:
    """Drop the block so that it and the blocks after it, which are known, can leave an even stack."""
    config = state.config
    ahead = min(_HORIZON, config.max_steps - state.steps)
    return _best(_View(config.width, config.height, state.stack, state.blocks[state.dropped :][:ahead]))


def _read(observation: str) -> _View:
    board, _, rest = observation.partition("\nNext Block, rotation 0:\n")
    block, _, _ = rest.partition("\nNext Block")
    _, _, following = rest.rpartition("\nFollowing Block, rotation 0:\n")
    lines = [line for line in board.split("\n") if line[0] in "*."]
    rows = [int(line[::-2].replace("*", "1").replace(".", "0"), 2) for line in reversed(lines)]
    stack = tuple([row for row in rows if row])
    return _View(len(lines[0]) // 2 + 1, len(lines), stack, _NAMES[block] + _NAMES[following])


def _best(view: _View) -> Move:
    """Return the drop that starts the best line of play found; only the best few are followed up after each block."""
    lines = [(drop, drop) for drop in _drops(view, view.stack, view.blocks[0])]
    if not lines:
        return Move("1 0", 0)
    for block in view.blocks[1:]:
        lines.sort(key=_last_cost)
        longer = [(first, drop) for first, last in lines[:_KEPT] for drop in _drops(view, last.stack, block)]
        lines = longer or lines
    first, _ = min(lines, key=_last_cost)
    return Move(first.action, first.rows)


def _last_cost(line: tuple[_Drop, _Drop]) -> int:
    return line[1].cost


def _drops(view: _View, stack: Stack, block: str) -> Iterator[_Drop]:
    """Yield every way to drop a block after which play goes on."""
    for shape, rotation in _LOOKS[block].items():
        for column in range(1, view.width - shape.width + 2):
            pile = landed(stack, shape, column)
            if len(pile) <= view.height:
                left = cleared(pile, view.width)
                yield _Drop(f"{column} {rotation}", len(pile) - len(left), left, _cost(left, view.width))


def _cost(stack: Stack, width: int) -> int:
    """Return how bad a stack is: the heights of its columns, the steps between neighbours, and its holes twice.

    All three are counted row by row from the top. A cell is covered if it or one above it is filled: a column is as
    high as it has covered cells, neighbours differ by the rows in which one of them is covered alone, and a hole is a
    covered cell that is not filled.
    """
    cost, covered, inner = 0, 0, (1 << width - 1) - 1
    for row in reversed(stack):
        covered |= row
        steps = (covered ^ covered >> 1) & inner
        cost += covered.bit_count() + steps.bit_count() + 2 * (covered & ~row).bit_count()
    return cost
