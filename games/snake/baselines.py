"""Snake: policies that read the observation alone."""

from __future__ import annotations

from typing import NamedTuple

from games.base import Draw, Move

_HEADING = "Current direction: "


class _Board(NamedTuple):
    heading: str
    cells: str
    """Every cell, row by row."""
    ways: dict[str, int]
    """What each direction adds to a place in ``cells``."""
    head: int


def idle(observation: str, _draw: Draw) -> Move:
    """Go straight on."""
    return Move(_read(observation).heading, 0)


def random(observation: str, draw: Draw) -> Move:
    """Go to any neighbouring cell that is free or holds an apple; guess the reward by a coin."""
    board = _read(observation)
    ways = _open_ways(board) or [board.heading]
    return Move(ways[draw(len(ways))], draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Take the shortest way to an apple among the steps after which the snake still has room for its length."""
    board = _read(observation)
    length = board.cells.count("S") + 1
    best, best_rank = board.heading, (0, 0)
    for way in _open_ways(board):
        room, distance = _survey(board, board.head + board.ways[way])
        rank = (-min(room, length + 1), distance)
        if rank < best_rank:
            best, best_rank = way, rank
    return Move(best, int(board.cells[board.head + board.ways[best]] == "A"))


def _read(observation: str) -> _Board:
    heading, *rows = observation.split("\n")
    size = len(rows)
    cells = "".join(rows).replace(" ", "")
    ways = {"LEFT": -1, "RIGHT": 1, "UP": -size, "DOWN": size}
    return _Board(heading.removeprefix(_HEADING), cells, ways, cells.index("H"))


def _open_ways(board: _Board) -> list[str]:
    return [way for way, step in board.ways.items() if board.cells[board.head + step] in ".A"]


def _survey(board: _Board, start: int) -> tuple[int, int]:
    """Return how many cells can be reached from a cell and how far the nearest apple is."""
    cells, ways = board.cells, tuple(board.ways.values())
    seen, layer, depth, nearest = {start}, [start], 0, len(cells)
    while layer:
        if nearest == len(cells) and any(cells[cell] == "A" for cell in layer):
            nearest = depth
        around = {cell + step for cell in layer for step in ways if cells[cell + step] in ".A"}
        layer = sorted(around - seen)
        seen |= around
        depth += 1
    return len(seen), nearest
