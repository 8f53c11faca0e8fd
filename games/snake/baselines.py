"""Snake: policies that read the observation alone, and one that knows every apple to come."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move
from games.snake.field import inside, refill

if TYPE_CHECKING:
    from games.snake.rules import SnakeState

_HEADING = "Current direction: "
_APPLES_AHEAD = 3
"""How many apples the oracle plans for: one more adds under one point an episode for more than twice the time."""


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


class _Plan(NamedTuple):
    """A way through some apples; the larger one is the better."""

    eaten: int
    """Apples eaten; 0 if the snake has no room to go on after the last one."""
    spare: int
    """Steps left after the last one."""
    first: int
    """The cell to go to now."""


def oracle(state: SnakeState, _draw: Draw) -> Move:
    """Take the way that eats the next apples soonest, those to come included, and still leaves room at its end."""
    plan = _best_plan(state, state.config.max_steps - state.steps, _APPLES_AHEAD)
    ways = dict(zip(("LEFT", "RIGHT", "UP", "DOWN"), _around(state.body[0], state.config.size), strict=True))
    if plan is None or not plan.eaten:
        open_ways = [way for way, cell in ways.items() if _is_open(state, cell)]
        best = max(open_ways, key=lambda way: _room(state, ways[way]), default=state.direction)
    else:
        best = next(way for way, cell in ways.items() if cell == plan.first)
    return Move(best, int(ways[best] in state.apples))


def _best_plan(state: SnakeState, steps: int, apples: int) -> _Plan | None:
    """Return the best order of the next apples, or None where none can be reached in the steps that are left."""
    best: _Plan | None = None
    for way in _ways_to_apples(state):
        if len(way) > steps:
            continue
        body = (*reversed(way), *state.body)[: len(state.body) + 1]
        draw = state.food[len(state.body) - 1]
        after = state._replace(body=body, apples=refill(state.config.size, body, state.apples, state.obstacles, draw))
        spare = steps - len(way)
        on = _best_plan(after, spare, apples - 1) if apples > 1 else None
        if on is None:
            plan = _Plan(int(_room(after, body[0]) >= min(len(body), spare)), spare, way[0])
        else:
            plan = _Plan(on.eaten + 1 if on.eaten else 0, on.spare, way[0])
        if best is None or plan[:2] > best[:2]:
            best = plan
    return best


def _ways_to_apples(state: SnakeState) -> list[list[int]]:
    """Return the shortest way to every apple that can be reached, a cell a step, around a body that moves on."""
    size, body = state.config.size, state.body
    free_from = {cell: len(body) - place for place, cell in enumerate(body)}
    before = {body[0]: body[0]}
    layer, step, found = [body[0]], 0, list[int]()
    closed = {*_rim(size), *state.obstacles}
    while layer:
        step += 1
        following = list[int]()
        for cell in layer:
            for near in _around(cell, size):
                if near in before or near in closed or free_from.get(near, 0) > step:
                    continue
                if step == 1 and near in body[1:2]:
                    continue
                before[near] = cell
                (found if near in state.apples else following).append(near)
        layer = following
    return [_way(before, apple) for apple in found]


def _way(before: dict[int, int], cell: int) -> list[int]:
    """Return the cells from the one after the head to this one."""
    way = []
    while before[cell] != cell:
        way.append(cell)
        cell = before[cell]
    return way[::-1]


def _room(state: SnakeState, start: int) -> int:
    """Return how many cells can be reached from a cell without it, counted no further than the snake's length."""
    size, limit = state.config.size, len(state.body)
    closed = {*_rim(size), *state.obstacles, *state.body}
    seen, edge = {start}, [start]
    while edge and len(seen) <= limit:
        for near in _around(edge.pop(), size):
            if near not in seen and near not in closed:
                seen.add(near)
                edge.append(near)
    return len(seen) - 1


def _is_open(state: SnakeState, cell: int) -> bool:
    """Return whether the head can go to a neighbouring cell."""
    return not (cell in _rim(state.config.size) or cell in state.obstacles or cell in state.body[:-1] + state.body[1:2])


def _around(cell: int, size: int) -> tuple[int, int, int, int]:
    """Return the cells to the left, to the right, above and below."""
    return cell - 1, cell + 1, cell - size, cell + size


@lru_cache(maxsize=16)
def _rim(size: int) -> frozenset[int]:
    """Return the cells of the wall."""
    return frozenset(range(size * size)).difference(inside(size))
