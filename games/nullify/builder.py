"""Nullify: boards, built backward from nothing so that a line that clears them is known."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from games.nullify.config import LARGEST_PART, NullifyConfig
from games.nullify.units import FACTORS, Number, Unit, lowest, sqrt
from games.rng import below, shuffled

FRACTIONS = ((1, 2), (1, 4), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5))
"""What floor may cut off and ceil may fill up."""
SPLIT_ONE_IN = 3
"""A construction step with a choice splits a number once in so many cases."""

Pair = tuple[int, int]
_Way = tuple[Number, Unit]
"""A number, and the unit that it was merged with."""


class Board(NamedTuple):
    """A shuffled board and the merges that clear it, as pairs of indexes."""

    units: tuple[Unit, ...]
    witness: tuple[Pair, ...]


class _Merge(NamedTuple):
    """One construction step, seen forward: which two units gave which number."""

    result: int
    first: int
    second: int


def build(config: NullifyConfig, world: Random) -> Board:
    """Return a board; the README gives the order of the draws.

    Every step can be taken, so there is no retry: ``*-1`` can be undone for every number, and so can an addition, since
    a bound is never below the largest part.
    """
    draw = world.random
    steps = config.fewest_steps + below(draw(), config.most_steps - config.fewest_steps + 1)
    part = 1 + below(draw(), LARGEST_PART)
    units: list[Unit] = [(0, 1), (part, 1), (-part, 1)]
    merges = [_Merge(0, 1, 2)]
    numbers: list[tuple[int, Number]] = [(1, (part, 1)), (2, (-part, 1))]
    missing = config.fewest_operators
    for left in range(steps - 1, 0, -1):
        merged, number = numbers.pop(below(draw(), len(numbers)))
        if left > missing and below(draw(), SPLIT_ONE_IN) == 0:
            ways = splits(number, config)
        else:
            missing -= 1
            kinds = undone(number, config)
            ways = kinds[below(draw(), len(kinds))]
        merges.append(_Merge(merged, len(units), len(units) + 1))
        for unit in ways[below(draw(), len(ways))]:
            if not isinstance(unit, str):
                numbers.append((len(units), unit))
            units.append(unit)
    taken = {merge.result for merge in merges}
    kept = [place for place in range(len(units)) if place not in taken]
    shown = [kept[place] for place in shuffled(len(kept), world)]
    return Board(tuple([units[place] for place in shown]), _line(shown, merges))


def _line(shown: list[int], merges: list[_Merge]) -> tuple[Pair, ...]:
    """Return the merges as the indexes that they have when played from the last construction step to the first."""
    board, line = list(shown), []
    for result, first, second in reversed(merges):
        line.append((board.index(first), board.index(second)))
        board.remove(first)
        board.remove(second)
        board.append(result)
    return tuple(line)


def splits(number: Number, config: NullifyConfig) -> list[_Way]:
    """Return the ways to get a number by an addition, by the integer that is added."""
    top, bottom = number
    rests = [((part, 1), (top - part * bottom, bottom)) for part in range(-LARGEST_PART, LARGEST_PART + 1) if part]
    return [(part, rest) for part, rest in rests if rest[0] and _fits(rest, config)]


def undone(number: Number, config: NullifyConfig) -> list[list[_Way]]:
    """Return the ways to get a number by an operator, one list for each kind of operator by which there are any."""
    top, bottom = number
    whole = bottom == 1
    root = sqrt(top, bottom)
    kinds: list[list[tuple[Number, str]]] = [
        [(lowest(top, bottom * factor), f"*{factor}") for factor in FACTORS],
        [(lowest(top * factor, bottom), f"/{factor}") for factor in FACTORS],
        [((top * of + piece, of), "floor") for piece, of in FRACTIONS] if whole else [],
        [((top * of - piece, of), "ceil") for piece, of in FRACTIONS] if whole else [],
        [((top * top, bottom * bottom), "sqrt")] if top > 0 else [],
        [] if isinstance(root, str) else [(root, "square"), ((-root[0], root[1]), "square")],
        [(lowest(bottom, top), "reciprocal")],
    ]
    fitting: list[list[_Way]] = [[(value, name) for value, name in ways if _fits(value, config)] for ways in kinds]
    return [ways for ways in fitting if ways]


def _fits(number: Number, config: NullifyConfig) -> bool:
    top, bottom = number
    return abs(top) <= config.largest_unit * bottom and bottom <= config.largest_denominator
