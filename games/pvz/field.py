"""Plants-vs-Zombies: what plants and zombies do to each other in a turn."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from games.pvz.config import LARGEST_SIDE
from games.pvz.units import (
    EMPTY,
    PEASHOOTER,
    SHOT_DAMAGE,
    SUNFLOWER,
    SUNFLOWER_SUN,
    THREE_LINE,
    TORCH,
    TORCH_DAMAGE,
    ZOMBIES,
)

Zombie = tuple[str, int, int]
"""Its kind, its column and its hp."""

Row = tuple[str, tuple[int, ...], tuple[Zombie, ...]]
"""One row of the field: its plants, one letter a cell; their hp, 0 where there is none; and its zombies in the order in
which they appeared. Rows are made in every turn, and a plain tuple is made several times faster than a named one."""

Shots = tuple[tuple[int, int], ...]
"""Shots along one row in their order: the first column that each can reach, and its damage."""

_ATTACKS = {letter: kind.attack for letter, kind in ZOMBIES.items()}
_NOWHERE = LARGEST_SIDE
"""A column that no field has."""


class Work(NamedTuple):
    """What the plants of one row do in a turn."""

    sun: int
    own: Shots
    """Shots along their own row."""
    wide: Shots
    """Shots along each of the neighbouring rows."""


_NO_WORK = Work(0, (), ())


@lru_cache(maxsize=1024)
def work(plants: str) -> Work:
    """Return what the plants of a row do in a turn."""
    own: list[tuple[int, int]] = []
    wide: list[tuple[int, int]] = []
    for column, plant in enumerate(plants):
        if plant in (PEASHOOTER, THREE_LINE):
            lit = plants[column + 1 : column + 2] == TORCH
            own.append((column, SHOT_DAMAGE + TORCH_DAMAGE * lit))
            if plant == THREE_LINE:
                wide.append(own[-1])
    return Work(SUNFLOWER_SUN * plants.count(SUNFLOWER), tuple(own), tuple(wide))


def fought(rows: tuple[Row, ...], works: list[Work]) -> tuple[tuple[Row, ...], int | None]:
    """Return the rows after the shots and after what the zombies did, and the row in which one reached the house.

    Rows touch each other through shots alone, and those depend on the plants before any zombie acts: so each row can be
    finished before the next. After one reached the house no zombie acts any more.

    Args:
        rows: The field.
        works: What the plants of each row do.
    """
    around = [_NO_WORK, *works, _NO_WORK]
    left = list(rows)
    breach = None
    for index, (plants, health, zombies) in enumerate(rows):
        if zombies:
            alive = _shot(zombies, around[index].wide + works[index].own + around[index + 2].wide)
            if breach is not None:
                left[index] = plants, health, tuple(alive)
                continue
            left[index], breached = _acted(plants, health, alive)
            if breached:
                breach = index
    return tuple(left), breach


def _shot(zombies: tuple[Zombie, ...], shots: Shots) -> list[Zombie]:
    """Return the zombies of a row that are left after some shots along it."""
    left = list(zombies)
    for first, damage in shots:
        target, nearest = 0, _NOWHERE
        for index, (_, column, _) in enumerate(left):
            if first <= column < nearest:
                target, nearest = index, column
        if nearest < _NOWHERE:
            kind, _, hp = left[target]
            if hp > damage:
                left[target] = kind, nearest, hp - damage
            else:
                del left[target]
    return left


def _acted(plants: str, health: tuple[int, ...], zombies: list[Zombie]) -> tuple[Row, bool]:
    """Return a row after its zombies attacked or stepped in turn, and whether one reached the house."""
    left = list(health)
    for index, (kind, column, hp) in enumerate(zombies):
        if left[column]:
            left[column] -= _ATTACKS[kind]
            if left[column] <= 0:
                left[column] = 0
                plants = plants[:column] + EMPTY + plants[column + 1 :]
        elif column:
            zombies[index] = kind, column - 1, hp
        else:
            return (plants, tuple(left), tuple(zombies)), True
    return (plants, tuple(left), tuple(zombies)), False
