"""Plants-vs-Zombies: policies that read the observation alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from games.base import Draw, Move
from games.pvz.placing import NOTHING
from games.pvz.units import CHILI, PEASHOOTER, PLANTS, SUNFLOWER, WALL, ZOMBIES

_SUNFLOWERS = 10
_SHOOTERS = 3
"""Peashooters in a row."""
_HORIZON = 10
"""Turns from the house at which zombies are met with more than shots."""
_MARGIN = 2
"""How many times over shots must kill before they are trusted to."""
_CROWD = 25
"""The hp of zombies in a row that are worth a chili."""


class _Unit(NamedTuple):
    kind: str
    row: int
    column: int
    hp: int


class _Garden:
    """A field with the orders that were given so far in this turn."""

    def __init__(self, observation: str) -> None:
        _, sun, _, *board, plants, zombies = observation.split("\n")
        self.sun = int(sun.removeprefix("Sun: "))
        self.rows, self.columns = range(len(board)), range(len(board[0].split(" ")))
        self.plants = {(unit.row, unit.column): unit for unit in _units(plants)}
        self.zombies = _units(zombies)
        self.orders: list[str] = []

    def place(self, plant: str, row: int, columns: Iterable[int]) -> bool:
        """Place a plant in the first free one of some cells of a row, if there is one and the sun for it."""
        free = [column for column in columns if (row, column) not in self.plants]
        if not free or self.sun < PLANTS[plant].cost:
            return False
        self.plants[row, free[0]] = _Unit(plant, row, free[0], PLANTS[plant].hp)
        self.sun -= PLANTS[plant].cost
        self.orders.append(f"{plant} {row} {free[0]}")
        return True

    def count(self, plant: str, rows: Iterable[int]) -> int:
        return sum([unit.kind == plant and unit.row in rows for unit in self.plants.values()])

    def turns_left(self, row: int) -> int:
        """Return about how many turns the zombies of a row need to the house."""
        zombies = [zombie for zombie in self.zombies if zombie.row == row]
        nearest = min([zombie.column for zombie in zombies])
        bites = sum([ZOMBIES[zombie.kind].attack for zombie in zombies])
        in_the_way = [plant.hp for plant in self.plants.values() if plant.row == row and plant.column <= nearest]
        return nearest + 1 + sum(in_the_way) // bites


def idle(_observation: str, _draw: Draw) -> Move:
    """Place nothing and expect to survive."""
    return Move(NOTHING, 1)


def random(observation: str, draw: Draw) -> Move:
    """Place one plant that the sun is enough for in any free cell, or nothing; guess the reward by a coin."""
    garden = _Garden(observation)
    free = [f"{row} {column}" for row in garden.rows for column in garden.columns if (row, column) not in garden.plants]
    affordable = [letter for letter, plant in PLANTS.items() if plant.cost <= garden.sun]
    ways = [NOTHING, *[f"{letter} {cell}" for letter in affordable for cell in free]]
    return Move(ways[draw(len(ways))], draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Hold up what the shots will not kill in time, most urgent row first; then plant sunflowers and peashooters."""
    garden = _Garden(observation)
    for row in sorted({zombie.row for zombie in garden.zombies}, key=garden.turns_left):
        _defend(garden, row)
    for column in garden.columns[:2]:
        for row in garden.rows:
            if garden.count(SUNFLOWER, garden.rows) < _SUNFLOWERS:
                garden.place(SUNFLOWER, row, [column])
    for row in sorted(garden.rows, key=lambda row: garden.count(PEASHOOTER, [row])):
        if garden.count(PEASHOOTER, [row]) < _SHOOTERS:
            garden.place(PEASHOOTER, row, garden.columns[:-1])
    lost = any(zombie.column == 0 and (zombie.row, 0) not in garden.plants for zombie in garden.zombies)
    return Move("; ".join(garden.orders) or NOTHING, int(not lost))


def _defend(garden: _Garden, row: int) -> None:
    """Place shooters in a row while there is time, then chilis and walls, until its zombies will be killed in time."""
    zombies = [zombie for zombie in garden.zombies if zombie.row == row]
    nearest = min([zombie.column for zombie in zombies])
    crowd = sum([zombie.hp for zombie in zombies])
    placed = True
    while placed and garden.count(PEASHOOTER, [row]) * garden.turns_left(row) < _MARGIN * crowd:
        if garden.turns_left(row) > _HORIZON:
            few = garden.count(PEASHOOTER, [row]) < _SHOOTERS
            placed = few and garden.place(PEASHOOTER, row, garden.columns[: nearest + 1])
        elif crowd >= _CROWD and garden.place(CHILI, row, garden.columns):
            return
        else:
            placed = garden.place(WALL, row, garden.columns[nearest::-1])


def _units(line: str) -> list[_Unit]:
    listed = line.partition(": ")[2]
    units = [unit.split(" ") for unit in listed.split("; ")] if listed != "none" else []
    return [_Unit(kind, int(row), int(column), int(hp)) for kind, row, column, _, hp in units]
