"""The numbers that Tetris is played under."""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST = 4
"""On a narrower or lower board the long block does not fit in every rotation."""
LARGEST = 99
"""Column numbers have at most two digits."""


@dataclass(frozen=True, slots=True)
class TetrisConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    width: int
    height: int
    invalid_limit: int
    """How many invalid actions in a row end the episode, as under strict rules; 0: they never do."""
    max_steps: int

    def __post_init__(self) -> None:
        if not SMALLEST <= self.width <= LARGEST:
            raise ValueError(f"width: expected {SMALLEST} to {LARGEST}, got {self.width}")
        if not SMALLEST <= self.height <= LARGEST:
            raise ValueError(f"height: expected {SMALLEST} to {LARGEST}, got {self.height}")
        if self.invalid_limit < 0:
            raise ValueError(f"invalid_limit: expected at least 0, got {self.invalid_limit}")
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")


EXPLORE = TetrisConfig(id="explore", width=10, height=10, invalid_limit=0, max_steps=64)
STRICT = TetrisConfig(id="strict", width=8, height=8, invalid_limit=3, max_steps=64)
