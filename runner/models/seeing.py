"""Turns any observation into plain statements; knows lines, words and boards, and no game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

Cell = tuple[int, int]
"""A row and a column."""

MAX_STATEMENTS = 48
_MAX_LENGTH = 160
_MIN_SIDE = 3
_LOOK_BACK = 2
"""How many of the last lines count as what just happened."""
_MARKS = 3
"""At most so many symbols that stand once on a board are followed."""

_NUMBER = re.compile(r"[0-9]+")
_SIDES: Mapping[str, Cell] = {"left": (0, -1), "right": (0, 1), "above": (-1, 0), "below": (1, 0)}


class Board(NamedTuple):
    """The board in an observation."""

    cells: tuple[tuple[str, ...], ...]
    places: Mapping[str, tuple[Cell, ...]]
    """Where each symbol stands, row by row."""

    @property
    def marks(self) -> tuple[tuple[str, Cell], ...]:
        """Return the symbols that stand exactly once, with their cells."""
        single = [(symbol, places[0]) for symbol, places in self.places.items() if len(places) == 1]
        return tuple(single[:_MARKS])

    @property
    def things(self) -> tuple[str, ...]:
        """Return the symbols that are neither background nor rim: at most a quarter of the cells each."""
        size = len(self.cells) * len(self.cells[0])
        return tuple(symbol for symbol, places in self.places.items() if 4 * len(places) <= size)

    @property
    def ground(self) -> str:
        """Return the symbol that stands most often."""
        return max(self.places, key=lambda symbol: len(self.places[symbol]))

    def at(self, cell: Cell) -> str | None:
        """Return the symbol in a cell, or None off the board."""
        row, column = cell
        inside = 0 <= row < len(self.cells) and 0 <= column < len(self.cells[0])
        return self.cells[row][column] if inside else None

    def nearest(self, symbol: str, cell: Cell) -> Cell:
        """Return the nearest place of a symbol, in steps along rows and columns; the first of equals."""
        return min(self.places[symbol], key=lambda place: distance(place, cell))


class Sight(NamedTuple):
    """An observation, read."""

    board: Board | None
    lines: tuple[str, ...]
    """The lines outside the board."""


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells along rows and columns."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


@lru_cache(maxsize=4096)
def look(observation: str) -> Sight:
    """Read an observation."""
    lines = observation.split("\n")
    best, start = (0, 0), 0
    while start < len(lines):
        width, end = _width(lines[start]), start + 1
        while width and end < len(lines) and _width(lines[end]) == width:
            end += 1
        if width >= _MIN_SIDE and end - start > best[1] - best[0]:
            best = (start, end)
        start = end
    first, last = best
    if last - first < _MIN_SIDE:
        return Sight(None, tuple(lines))
    cells = tuple(tuple(line.split(" ")) for line in lines[first:last])
    places: dict[str, list[Cell]] = {}
    for row, symbols in enumerate(cells):
        for column, symbol in enumerate(symbols):
            places.setdefault(symbol, []).append((row, column))
    board = Board(cells, {symbol: tuple(found) for symbol, found in places.items()})
    return Sight(board, (*lines[:first], *lines[last:]))


def _width(line: str) -> int:
    """Return how many single characters a line holds, one blank apart; 0 if it is no row of a board."""
    is_row = len(line) % 2 == 1 and not line[1::2].strip(" ") and " " not in line[::2]
    return len(line[::2]) if is_row else 0


@lru_cache(maxsize=4096)
def statements(observation: str) -> tuple[str, ...]:
    """Return what can be said of an observation, whatever the action."""
    board, lines = look(observation)
    said = [said for line in lines[: 1 if board is None else 2] if line for said in _blanked(line)]
    if board is not None:
        said += _around_marks(board)
    last = [_NUMBER.sub("#", line)[:_MAX_LENGTH] for line in lines[1:] if line][-_LOOK_BACK:]
    if board is None:
        said += [f"last: {'; '.join(last[-count:])}" for count in range(1, len(last) + 1)]
        for back, line in enumerate(last[:-2:-1]):
            said += [f"{back + 1} back: {part}" for part in _parts(line)]
    return tuple(dict.fromkeys(said))[:MAX_STATEMENTS]


def _around_marks(board: Board) -> list[str]:
    said = []
    for mark, cell in board.marks:
        for side, (down, right) in _SIDES.items():
            symbol = board.at((cell[0] + down, cell[1] + right))
            if symbol is not None:
                said.append(f"{symbol} is {side} {mark}")
        for thing in board.things:
            if thing != mark:
                row, column = board.nearest(thing, cell)
                said += [f"nearest {thing} is higher than {mark}"] * (row < cell[0])
                said += [f"nearest {thing} is lower than {mark}"] * (row > cell[0])
                said += [f"nearest {thing} is further left than {mark}"] * (column < cell[1])
                said += [f"nearest {thing} is further right than {mark}"] * (column > cell[1])
    return said


def _blanked(line: str) -> list[str]:
    """Return a line without its numbers, and whether they are all the same, as at the last of so many steps."""
    numbers = _NUMBER.findall(line)
    blank = _NUMBER.sub("#", line)[:_MAX_LENGTH]
    return [blank, f"{blank} with equal numbers"] if len(numbers) > 1 and len(set(numbers)) == 1 else [blank]


def _parts(line: str) -> list[str]:
    return line.rpartition(": ")[2].split(", ")


Shifts = Mapping[tuple[str, str], Cell]
"""By how many rows and columns an action shifts a symbol that stands once, by (action, symbol)."""


def links(observation: str, action: str, shifts: Shifts) -> tuple[str, ...]:
    """Return what can be said of an action in an observation, in words that fit every action."""
    board, lines = look(observation)
    said = []
    word = action.lower()
    for back, line in enumerate([line for line in lines if line][: -_LOOK_BACK - 1 : -1]):
        for place, part in enumerate(_parts(line.lower())):
            if word in part.split(" "):
                said.append(f"it is named in part {place + 1} of the line {back + 1} from the end")
    if board is not None:
        for mark, cell in board.marks:
            shift = shifts.get((action, mark))
            if shift is not None:
                said += _shifted(board, mark, cell, (cell[0] + shift[0], cell[1] + shift[1]))
    return tuple(said)


def _shifted(board: Board, mark: str, cell: Cell, target: Cell) -> list[str]:
    symbol = board.at(target)
    if symbol is None:
        return [f"it takes {mark} off the board"]
    said = [f"it takes {mark} onto {symbol}"]
    free = sum(board.at((target[0] + down, target[1] + right)) == board.ground for down, right in _SIDES.values())
    said.append(f"it takes {mark} next to {free} of {board.ground}")
    for thing in board.things:
        if thing != mark:
            before = distance(board.nearest(thing, cell), cell)
            after = distance(board.nearest(thing, target), target)
            said += [f"it takes {mark} nearer to {thing}"] * (after < before)
            said += [f"it takes {mark} away from {thing}"] * (after > before)
    return said
