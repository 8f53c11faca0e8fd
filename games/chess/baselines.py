"""Chess: policies that read the observation alone, and the one that knows where every piece goes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move

if TYPE_CHECKING:
    from games.chess.rules import ChessState

_Cell = tuple[int, int]
_REACH = 2
_LONGEST_CYCLE = 3
_DECIMALS = 4
"""Of a self-score; more would be lost in a reply, which gives it six digits."""


class _Scene(NamedTuple):
    step_limit: int
    size: int
    tracks: dict[str, list[_Cell]]
    """Where each piece stood, on every board shown."""


def idle(observation: str, _draw: Draw) -> Move:
    """Let every piece stay where it is."""
    scene = _read(observation)
    return Move(_action((label, track[-1]) for label, track in scene.tracks.items()), 0)


def random(observation: str, draw: Draw) -> Move:
    """Move every piece by up to two rows and two columns, opposite sides joined; guess all or nothing by a coin."""
    scene = _read(observation)

    def near(place: int) -> int:
        return (place + draw(2 * _REACH + 1) - _REACH) % scene.size

    cells = [(label, (near(track[-1][0]), near(track[-1][1]))) for label, track in scene.tracks.items()]
    return Move(_action(cells), draw(2) / scene.step_limit)


def greedy(observation: str, _draw: Draw) -> Move:
    """Repeat the shortest cycle of moves, opposite sides joined, else the last move, turned back at the sides.

    Expect those predictions to be right that follow a cycle.
    """
    scene = _read(observation)
    cells, sure = [], 0
    for label, track in scene.tracks.items():
        move = _cycled(track, scene.size)
        if move is not None:
            sure += 1
            cell = (track[-1][0] + move[0]) % scene.size, (track[-1][1] + move[1]) % scene.size
        else:
            (old_row, old_column), (row, column) = track[-2:]
            cell = _turned(2 * row - old_row, row, scene.size), _turned(2 * column - old_column, column, scene.size)
        cells.append((label, cell))
    return Move(_action(cells), round(sure / (len(cells) * scene.step_limit), _DECIMALS))


def oracle(state: ChessState, _draw: Draw) -> Move:
    """Name the cell that every piece goes to."""
    config, time = state.config, state.now + 1
    cells = [divmod(path[time], config.size) for path in state.paths]
    return Move(_action(zip(state.labels, cells, strict=True)), 1 / config.max_steps)


def _action(cells: Iterable[tuple[str, _Cell]]) -> str:
    return ", ".join([f"{label}:({row},{column})" for label, (row, column) in cells])


def _read(observation: str) -> _Scene:
    head, *boards = observation.split("\nTime ")
    rows = [board.split("\n")[1:] for board in boards]
    size = len(rows[0])
    flat = ["".join(lines).replace(" ", "") for lines in rows]
    labels = sorted(set(flat[0]) - {"."})
    tracks = {label: [divmod(board.index(label), size) for board in flat] for label in labels}
    return _Scene(int(head.split(" ")[-1]), size, tracks)


def _cycled(track: list[_Cell], size: int) -> _Cell | None:
    """Return the next move of the shortest cycle that the moves on a board with joined sides repeat."""
    half = size // 2
    moves = [
        ((row - old_row + half) % size - half, (column - old_column + half) % size - half)
        for (old_row, old_column), (row, column) in pairwise(track)
    ]
    for period in range(1, _LONGEST_CYCLE + 1):
        if moves[period:] == moves[:-period]:
            return moves[-period]
    return None


def _turned(target: int, place: int, size: int) -> int:
    """Return the row or column that a move leads to, its opposite where that is off the board."""
    return target if 0 <= target < size else 2 * place - target
