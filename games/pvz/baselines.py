"""Plants-vs-Zombies: policies that read the observation alone."""

from __future__ import annotations

from games.base import Draw, Move
from games.pvz.field import Row, fought, work
from games.pvz.placing import NOTHING, planted
from games.pvz.units import CHILI, EMPTY, PEASHOOTER, PLANTS, SUNFLOWER, WALL

_SUNFLOWERS = 18
_SUNNY = 3
"""Columns next to the house that sunflowers are planted in."""
_NEAR = 7
"""Turns before a zombie would reach the house at which its row is helped."""
_LOOK = 16
"""Turns that a row is played on in thought."""
_CROWD = 40
"""The hp of zombies in a row that are worth a chili."""
_SAFE = 1_000
"""Turns left to a row whose zombies will all be shot."""


class _Garden:
    """A field with the orders that were given so far in this turn."""

    def __init__(self, observation: str) -> None:
        _, sun, _, *board, plants, zombies = observation.split("\n")
        self.sun = int(sun.removeprefix("Sun: "))
        self.columns = len(board[0].split(" "))
        empty: Row = (EMPTY * self.columns, (0,) * self.columns, ())
        self.rows = [empty] * len(board)
        for letter, row, column, hp in _units(plants):
            self.rows[row] = planted(self.rows[row], column, letter, hp)
        for kind, row, column, hp in _units(zombies):
            self.rows[row] = (*self.rows[row][:2], (*self.rows[row][2], (kind, column, hp)))
        self.orders: list[str] = []

    def place(self, letter: str, row: int, column: int) -> None:
        """Place a plant; a chili has done its work at once, and its cell is taken until the turn ends."""
        plant = PLANTS[letter]
        self.sun -= plant.cost
        self.orders.append(f"{letter} {row} {column}")
        plants, health, zombies = planted(self.rows[row], column, letter, plant.hp)
        self.rows[row] = plants, health, () if letter == CHILI else zombies

    def affords(self, letter: str) -> bool:
        return PLANTS[letter].cost <= self.sun


def idle(_observation: str, _draw: Draw) -> Move:
    """Place nothing and expect to survive."""
    return Move(NOTHING, 1)


def random(observation: str, draw: Draw) -> Move:
    """Place one plant that the sun is enough for in any free cell, or nothing; guess the reward by a coin."""
    garden = _Garden(observation)
    free = [f"{number} {column}" for number, row in enumerate(garden.rows) for column in _free(row)]
    ways = [NOTHING, *[f"{letter} {cell}" for letter in PLANTS if garden.affords(letter) for cell in free]]
    return Move(ways[draw(len(ways))], draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Help each row that would soon be lost, the most urgent first, and spend the rest of the sun on sunflowers."""
    garden = _Garden(observation)
    left = [_turns_left(row) for row in garden.rows]
    for number in sorted(range(len(left)), key=left.__getitem__):
        _help(garden, number)
    for column in range(min(_SUNNY, garden.columns)):
        for number, row in enumerate(garden.rows):
            sunflowers = sum([each[0].count(SUNFLOWER) for each in garden.rows])
            if column in _free(row) and sunflowers < _SUNFLOWERS and garden.affords(SUNFLOWER):
                garden.place(SUNFLOWER, number, column)
    lost = any(_turns_left(row) == 1 for row in garden.rows)
    return Move("; ".join(garden.orders) or NOTHING, int(not lost))


def _help(garden: _Garden, number: int) -> None:
    """Place what gives a row the most time, a shooter at the house or a wall before the nearest zombie, or a chili."""
    while (left := _turns_left(row := garden.rows[number])) <= _NEAR:
        nearest = min([column for _, column, _ in row[2]])
        before = [column for column in _free(row) if column <= nearest]
        places = [(PEASHOOTER, before[0]), (WALL, before[-1])] if before else []
        ways = [
            (_turns_left(planted(row, column, letter, PLANTS[letter].hp)), -PLANTS[letter].cost, letter, column)
            for letter, column in places
            if garden.affords(letter)
        ]
        time, _, letter, column = max(ways, default=(0, 0, "", 0))
        crowded = sum([hp for _, _, hp in row[2]]) >= _CROWD
        if garden.affords(CHILI) and _free(row) and (crowded or time <= left):
            garden.place(CHILI, number, _free(row)[0])
        elif time > left:
            garden.place(letter, number, column)
        else:
            return


def _turns_left(row: Row) -> int:
    """Return in which turn from now a zombie reaches the house if nothing more is placed or appears."""
    rows: tuple[Row, ...] = (row,)
    for turn in range(1, _LOOK + 1):
        if not rows[0][2]:
            return _SAFE
        rows, breach = fought(rows, [work(rows[0][0])])
        if breach is not None:
            return turn
    return _LOOK + 1


def _free(row: Row) -> list[int]:
    return [column for column, plant in enumerate(row[0]) if plant == EMPTY]


def _units(line: str) -> list[tuple[str, int, int, int]]:
    """Return the letter, the row, the column and the hp of each unit of a listing."""
    listed = line.partition(": ")[2]
    units = [unit.split(" ") for unit in listed.split("; ")] if listed != "none" else []
    return [(kind, int(row), int(column), int(hp)) for kind, row, column, _, hp in units]
