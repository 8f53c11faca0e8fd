"""Plants-vs-Zombies: how an action is read and carried out."""

from __future__ import annotations

from itertools import islice

from games.base import refusal
from games.pvz.field import Row
from games.pvz.units import CHILI, EMPTY, PLANTS
from games.text import orders, word

NOTHING = "NONE"
"""The word for an action without placements."""

Placement = tuple[str, int, int]
"""What a player asks for: a letter in upper case, maybe that of no plant, a row and a column; no letter: unreadable."""

_UNREADABLE: Placement = ("", 0, 0)

_NOTHING_PLACED = "nothing was placed"
_UNREAD = "expected the letter of a plant, a row and a column"
_UNKNOWN = "no such plant"
_OUTSIDE = "outside the field"
_TAKEN = "the cell is taken"
_TOO_DEAR = "not enough sun"
_MOST_TOLD = 6
"""Placements that a feedback tells of one by one."""

_NUMBERS = ("ROW", "COLUMN")


def read(action: str, most: int) -> tuple[list[Placement], bool]:
    """Return the first placements of an action in the order given, and whether more follow.

    Args:
        action: What a player wrote.
        most: How many placements are read.
    """
    if word(action) == NOTHING:
        return [], False
    found = list(islice(orders(action, _NUMBERS), most + 1))
    places = [(each.word, each.numbers[0], each.numbers[1]) if each else _UNREADABLE for each in found]
    return places[:most], len(found) > most


def placed(sun: int, rows: tuple[Row, ...], placements: list[Placement]) -> tuple[int, tuple[Row, ...], str]:
    """Return sun and rows after placements, what chilis do included, and what is told of it."""
    left = list(rows)
    done: list[str] = []
    skipped: list[str] = []
    burning: list[int] = []
    for index, (letter, row, column) in enumerate(placements, 1):
        plant = PLANTS.get(letter)
        if plant is None:
            skipped.append(f"placement {index} ({_UNKNOWN if letter else _UNREAD})")
        elif not (0 <= row < len(left) and 0 <= column < len(left[row][0])):
            skipped.append(f"{letter} {row} {column} ({_OUTSIDE})")
        elif left[row][0][column] != EMPTY:
            skipped.append(f"{letter} {row} {column} ({_TAKEN})")
        elif sun < plant.cost:
            skipped.append(f"{letter} {row} {column} ({_TOO_DEAR})")
        else:
            sun -= plant.cost
            left[row] = planted(left[row], column, letter, plant.hp)
            done.append(f"{letter} {row} {column}")
            if letter == CHILI:
                burning.append(row)
    for row in burning:
        plants, health, _ = left[row]
        left[row] = plants.replace(CHILI, EMPTY), health, ()
    report = f"Placed: {_told(done)}." if done else refusal(_NOTHING_PLACED)
    return sun, tuple(left), f"{report} Skipped: {_told(skipped)}." if skipped else report


def planted(row: Row, column: int, letter: str, hp: int) -> Row:
    """Return a row with one more plant."""
    plants, health, zombies = row
    return (
        f"{plants[:column]}{letter}{plants[column + 1 :]}",
        (*health[:column], hp, *health[column + 1 :]),
        zombies,
    )


def _told(items: list[str]) -> str:
    told = ", ".join(items[:_MOST_TOLD])
    return told if len(items) <= _MOST_TOLD else f"{told} and {len(items) - _MOST_TOLD} more"
