"""Plants-vs-Zombies: the plants and the zombies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

SUNFLOWER, PEASHOOTER, THREE_LINE, WALL, TORCH, CHILI = "XWSJHF"
EMPTY = "."

SUNFLOWER_SUN = 10
"""Sun a turn."""
SHOT_DAMAGE = 1
TORCH_DAMAGE = 1
"""What a torch adds to each shot of the shooter directly left of it."""


class Plant(NamedTuple):
    """One kind of plant."""

    name: str
    cost: int
    """In sun."""
    hp: int
    """0: it does not outlast its turn."""
    does: str


class Kind(NamedTuple):
    """One kind of zombie."""

    hp: int
    """In the first stage."""
    attack: int


PLANTS: Mapping[str, Plant] = MappingProxyType(
    {
        SUNFLOWER: Plant("Sunflower", 50, 2, f"gives {SUNFLOWER_SUN} sun a turn"),
        PEASHOOTER: Plant("Peashooter", 100, 2, f"one shot a turn along its own row, {SHOT_DAMAGE} damage"),
        THREE_LINE: Plant(
            "Three-Line Shooter",
            325,
            2,
            "one such shot a turn along its own row, the row above and the row below, as far as there are such rows",
        ),
        WALL: Plant("Wall-nut", 50, 10, "stands in the way"),
        TORCH: Plant(
            "Torch Stump", 125, 2, f"each shot of the shooter directly left of it does {TORCH_DAMAGE} damage more"
        ),
        CHILI: Plant(
            "Fire Chili", 300, 0, "kills every zombie in its row in the turn in which it is placed, and is gone"
        ),
    }
)
"""By letter, in the order of the rules."""

ZOMBIES: Mapping[str, Kind] = MappingProxyType({"N": Kind(4, 1), "R": Kind(8, 1), "B": Kind(12, 1), "I": Kind(6, 3)})
"""By letter, in the order that draws count in: a change of the order is a change of the rules version."""

STAGE_KINDS = ("N", "NR", "NRBI")
"""The kinds that appear in the first stages; the last entry holds for all later ones."""
