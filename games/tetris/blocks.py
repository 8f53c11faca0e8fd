"""Tetris: the seven blocks and their rotations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from games.text import board

ROTATIONS = (0, 90, 180, 270)
"""Clockwise, in degrees."""

DRAWINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "I": ("####",),
        "O": ("##", "##"),
        "S": (".##", "##."),
        "Z": ("##.", ".##"),
        "L": ("..#", "###"),
        "J": ("#..", "###"),
        "T": (".#.", "###"),
    }
)
"""Every block at rotation 0, the top row first, in the order that draws count in."""


class Shape(NamedTuple):
    """A block in one rotation, in the smallest box that holds it."""

    rows: tuple[int, ...]
    """The cells of each row, the bottom row first; bit 0 is the leftmost cell."""
    width: int
    text: str
    """The drawing as the player sees it."""


def _turned(drawing: tuple[str, ...]) -> tuple[str, ...]:
    """Return a drawing turned clockwise by a quarter."""
    return tuple(["".join(column) for column in zip(*reversed(drawing), strict=True)])


def _shape(drawing: tuple[str, ...]) -> Shape:
    rows = [sum(1 << place for place, mark in enumerate(row) if mark == "#") for row in reversed(drawing)]
    return Shape(tuple(rows), len(drawing[0]), board(drawing))


def _shapes(drawing: tuple[str, ...]) -> Mapping[int, Shape]:
    shapes = {}
    for rotation in ROTATIONS:
        shapes[rotation] = _shape(drawing)
        drawing = _turned(drawing)
    return MappingProxyType(shapes)


SHAPES: Mapping[str, Mapping[int, Shape]] = MappingProxyType(
    {name: _shapes(drawing) for name, drawing in DRAWINGS.items()}
)
"""Every block in every rotation."""
