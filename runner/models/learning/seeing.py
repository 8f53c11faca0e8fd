"""Turns any observation with a board into plain statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from runner.models.learning.words import MAX_LENGTH, without_numbers

Cell = tuple[int, int]
"""A row and a column."""

Shifts = Mapping[tuple[str, str], Cell]
"""By how many rows and columns an action shifts a symbol that stands once, by (action, symbol)."""

_MIN_SIDE = 3
_MAX_LINES = 8
"""At most so many lines outside the board are read."""
_MAX_MARKS = 3
_MAX_THINGS = 8

_SIDES: Mapping[str, Cell] = {"left of": (0, -1), "right of": (0, 1), "above": (-1, 0), "below": (1, 0)}


class Board(NamedTuple):
    """The board in an observation."""

    cells: tuple[tuple[str, ...], ...]
    places: Mapping[str, tuple[Cell, ...]]
    """Where each symbol stands, row by row."""
    marks: tuple[tuple[str, Cell], ...]
    """The symbols that stand exactly once, with their cells."""
    things: tuple[str, ...]
    """The symbols that are neither background nor rim: at most a quarter of the cells each."""
    ground: str
    """The symbol that stands most often."""

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
    """The first lines outside the board."""


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells along rows and columns."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


@lru_cache(maxsize=4096)
def look(observation: str) -> Sight:
    """Read an observation; its board is its tallest block of equally long lines of single characters."""
    lines = observation.split("\n")
    first, last = 0, 0
    start = 0
    while start < len(lines):
        width, end = _width(lines[start]), start + 1
        while width and end < len(lines) and _width(lines[end]) == width:
            end += 1
        if width >= _MIN_SIDE and end - start > last - first:
            first, last = start, end
        start = end
    if last - first < _MIN_SIDE:
        return Sight(None, tuple(lines[:_MAX_LINES]))
    rest = [line for line in (*lines[:first], *lines[last:]) if line]
    return Sight(_board(lines[first:last]), tuple(rest[:_MAX_LINES]))


def _width(line: str) -> int:
    """Return how many single characters a line holds, one blank apart; 0 if it is no row of a board."""
    is_row = len(line) % 2 == 1 and not line[1::2].strip(" ") and " " not in line[::2]
    return len(line[::2]) if is_row else 0


def _board(lines: list[str]) -> Board:
    cells = tuple(tuple(line[::2]) for line in lines)
    places: dict[str, list[Cell]] = {}
    for row, symbols in enumerate(cells):
        for column, symbol in enumerate(symbols):
            places.setdefault(symbol, []).append((row, column))
    size = len(cells) * len(cells[0])
    marks = [(symbol, found[0]) for symbol, found in places.items() if len(found) == 1]
    things = [symbol for symbol, found in places.items() if 4 * len(found) <= size]
    return Board(
        cells,
        {symbol: tuple(found) for symbol, found in places.items()},
        tuple(marks[:_MAX_MARKS]),
        tuple(things[:_MAX_THINGS]),
        max(places, key=lambda symbol: len(places[symbol])),
    )


@lru_cache(maxsize=4096)
def statements(observation: str) -> tuple[str, ...]:
    """Return what can be said of an observation, whatever the action."""
    board, lines = look(observation)
    said = [without_numbers(line) for line in lines]
    if board is not None:
        for mark, (row, column) in board.marks:
            for side, (down, right) in _SIDES.items():
                symbol = board.at((row + down, column + right))
                if symbol is not None:
                    said.append(f"{symbol} is {side} {mark}")
    return tuple(dict.fromkeys(said))


def links(observation: str, action: str, shifts: Shifts) -> tuple[str, ...]:
    """Return what can be said of an action in an observation, in words that fit every action."""
    board, lines = look(observation)
    said = []
    for line in lines:
        words = line.split(" ")
        if action in words:
            said.append(f"it is named in: {' '.join(['_' if word == action else word for word in words])[:MAX_LENGTH]}")
    for mark, _ in board.marks if board else ():
        shift = shifts.get((action, mark))
        if shift is not None:
            said += _shifted(observation, mark, shift)
    return tuple(said)


@lru_cache(maxsize=16384)
def _shifted(observation: str, mark: str, shift: Cell) -> tuple[str, ...]:
    """Return what can be said of a symbol that is shifted on the board of an observation."""
    board = look(observation).board
    assert board is not None
    cell = board.places[mark][0]
    target = (cell[0] + shift[0], cell[1] + shift[1])
    symbol = board.at(target)
    if symbol is None:
        return (f"it takes {mark} off the board",)
    free = sum([board.at((target[0] + down, target[1] + right)) == board.ground for down, right in _SIDES.values()])
    said = [f"it takes {mark} onto {symbol}", f"it takes {mark} beside {free} of {board.ground}"]
    for thing in board.things:
        if thing != mark:
            before = distance(board.nearest(thing, cell), cell)
            after = distance(board.nearest(thing, target), target)
            if after != before:
                said.append(f"it takes {mark} {'nearer to' if after < before else 'away from'} {thing}")
    return tuple(said)
