"""Chess: the library of hidden rules, and which of them fit the cells that were seen.

Every rule but ``bounce`` adds the vectors of its cycle in turn, on a board whose opposite sides are joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice, pairwise, permutations, product
from types import MappingProxyType
from typing import NamedTuple

Vector = tuple[int, int]
"""Rows down and columns to the right."""
Cycle = tuple[Vector, ...]
"""The moves of a piece, repeated from the first on."""


class Rule(NamedTuple):
    """How one piece moves."""

    kind: str
    cycle: Cycle


REACH = 2
BOUNCE = "bounce"

_WAYS = range(-REACH, REACH + 1)
_STAY = (0, 0)
_VECTORS = tuple([vector for vector in product(_WAYS, _WAYS) if vector != _STAY])
_KNIGHT = tuple([vector for vector in _VECTORS if set(map(abs, vector)) == {1, 2}])
_DIRECTIONS = tuple([vector for vector in _VECTORS if max(map(abs, vector)) == 1])

LIBRARY: Mapping[str, tuple[Cycle, ...]] = MappingProxyType(
    {
        "wrap": tuple([(vector,) for vector in _VECTORS if vector not in _KNIGHT]),
        BOUNCE: tuple([(vector,) for vector in _VECTORS]),
        "knight": tuple([(vector,) for vector in _KNIGHT]),
        "zigzag": tuple(permutations(_VECTORS, 2)),
        "triple": tuple([vectors for vectors in product(_VECTORS, repeat=3) if len(set(vectors)) > 1]),
        "pause": tuple([(vector, _STAY) for vector in _VECTORS]),
        "ramp": tuple([((down, right), (2 * down, 2 * right), (3 * down, 3 * right)) for down, right in _DIRECTIONS]),
    }
)
"""The cycles of each kind, in the order that draws count in: a change of the order is a change of the rules version."""

KINDS = tuple(LIBRARY)

_KIND_OF = {vectors: kind for kind, cycles in LIBRARY.items() if kind != BOUNCE for vectors in cycles}
_PERIODS = (1, 2, 3)


def path(rule: Rule, start: int, size: int, moves: int) -> tuple[int, ...]:
    """Return the cells of a piece, its start first. A cell is its row times the board's size plus its column."""
    row, column = divmod(start, size)
    cells = [start]
    if rule.kind == BOUNCE:
        ((down, right),) = rule.cycle
        for _ in range(moves):
            row, down = _bounced(row + down, down, size)
            column, right = _bounced(column + right, right, size)
            cells.append(row * size + column)
    else:
        for down, right in islice(cycle(rule.cycle), moves):
            row = (row + down) % size
            column = (column + right) % size
            cells.append(row * size + column)
    return tuple(cells)


def fitting(cells: Sequence[int], size: int) -> list[Rule]:
    """Return all rules of the library that lead through these cells, four of them or more."""
    places = [divmod(cell, size) for cell in cells]
    half = size // 2
    moves = tuple(
        [
            ((row - old_row + half) % size - half, (column - old_column + half) % size - half)
            for (old_row, old_column), (row, column) in pairwise(places)
        ]
    )
    cycles = [moves[:period] for period in _PERIODS if moves[period:] == moves[:-period]]
    rules = [Rule(_KIND_OF[vectors], vectors) for vectors in cycles if vectors in _KIND_OF]
    downs, rights = [_bouncing(line, size) for line in zip(*places, strict=True)]
    return rules + [Rule(BOUNCE, ((down, right),)) for down in downs for right in rights if (down, right) != _STAY]


def settled(cells: Sequence[int], seen: int, size: int) -> bool:
    """Return whether every rule that fits the first cells, as many as are seen, leads through the others too."""
    moves = len(cells) - 1
    return all(path(rule, cells[0], size, moves) == cells for rule in fitting(cells[:seen], size))


def _bounced(place: int, way: int, size: int) -> tuple[int, int]:
    """Return a row or column and its way after a move that may have left the board."""
    if place < 0:
        return -place, -way
    if place >= size:
        return 2 * (size - 1) - place, -way
    return place, way


def _bouncing(line: Sequence[int], size: int) -> list[int]:
    """Return the first ways of a bouncing row or column that lead through these."""
    found = []
    for first in _WAYS:
        place, way = line[0], first
        for seen in line[1:]:
            place, way = _bounced(place + way, way, size)
            if place != seen:
                break
        else:
            found.append(first)
    return found
