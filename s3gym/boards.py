"""Colour for boards: what a sign looks like in a terminal is the face's matter, not the game's.

One rule for every game: a line whose every part is a sign of the game's table is a row of a board, and each sign takes
its style. A line that counts up from 0 or 1 is an axis; where a line below it has one part more than it counts, the
first part is the row's label. A game without a table is shown plain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters

from rich.text import Text

from protocol.prompts import DECIDE, STATE
from runner.printable import printable

_QUIET = "dim"
_HUES = ("red", "green", "yellow", "blue", "magenta", "cyan")
_LEAST = 3
"""Numbers that make an axis."""

_TABLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "chess": ((".", _QUIET), *((ascii_letters[place :: len(_HUES)], hue) for place, hue in enumerate(_HUES))),
    "minesweeper": (
        ("?", ""),
        ("0", _QUIET),
        ("F", "bold yellow"),
        ("X", "bold red"),
        ("1", "blue"),
        ("2", "green"),
        ("3", "red"),
        ("45678", "magenta"),
    ),
    "tetris": ((".", _QUIET), ("*", "cyan"), ("#", "bold yellow")),
    "snake": (("#.", _QUIET), ("X", "yellow"), ("A", "bold red"), ("H", "bold green"), ("S", "green")),
    "pvz": ((".", _QUIET), ("XWSJHF", "green"), ("zNRBI", "bold red"), ("*", "bold yellow")),
}
STYLES: Mapping[str, Mapping[str, str]] = {
    game: {sign: style for signs, style in table for sign in signs} for game, table in _TABLES.items()
}
"""The style of each sign, by game."""

_PART = re.compile(r"\S+")
_HEADINGS = {STATE.strip(): "bold", DECIDE.strip(): _QUIET}


def painted(text: str, game: str) -> Text:
    """Return a text as a terminal may show it, with the boards in it in the colours of a game.

    The characters stay as they are, save those that could drive a terminal: they are escaped.
    """
    shown = Text(printable(text))
    styles = STYLES.get(game, {})
    start = axis = 0
    for line in shown.plain.split("\n"):
        if line in _HEADINGS:
            shown.stylize(_HEADINGS[line], start, start + len(line))
        axis = _paint(shown, start, line, axis, styles) if styles else 0
        start += len(line) + 1
    return shown


def _paint(shown: Text, start: int, line: str, axis: int, styles: Mapping[str, str]) -> int:
    """Paint a line if it is part of a board.

    Args:
        shown: What is painted.
        start: Where the line begins in it.
        line: The line.
        axis: How many places the axis above counts; 0 if there is none.
        styles: The style of each sign.

    Returns:
        The same for the line below.
    """
    parts = list(_PART.finditer(line))
    if _counts_up([part[0] for part in parts]):
        shown.stylize(_QUIET, start, start + len(line))
        return len(parts)
    labelled = axis > 0 and len(parts) == axis + 1
    cells = parts[1:] if labelled else parts
    if any(cell[0] not in styles for cell in cells):
        return 0
    if labelled:
        shown.stylize(_QUIET, start, start + parts[0].end())
    for cell in cells:
        shown.stylize(styles[cell[0]], start + cell.start(), start + cell.end())
    return axis


def _counts_up(parts: list[str]) -> bool:
    """Tell whether the parts of a line are consecutive numbers from 0 or 1."""
    counted = [str(place) for place in range(len(parts) + 1)]
    return len(parts) >= _LEAST and parts in (counted[:-1], counted[1:])
