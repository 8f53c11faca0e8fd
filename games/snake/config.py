"""The numbers that Snake is played under."""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST = 4
"""On a smaller board no apple fits beside the snake."""


@dataclass(frozen=True, slots=True)
class SnakeConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    size: int
    """Rows and columns of the board, its rim included."""
    apples: int
    obstacles: int
    max_steps: int
    faults_end: bool
    """Whether a collision or an invalid action ends the episode, as under strict rules."""

    def __post_init__(self) -> None:
        if self.size < SMALLEST:
            raise ValueError(f"size: expected at least {SMALLEST}, got {self.size}")
        if self.apples < 1:
            raise ValueError(f"apples: expected at least 1, got {self.apples}")
        if not 0 <= self.obstacles <= self.room:
            raise ValueError(f"obstacles: expected 0 to {self.room} on a board of {self.size}, got {self.obstacles}")
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")

    @property
    def inner(self) -> int:
        """Return the rows and columns inside the rim."""
        return self.size - 2

    @property
    def room(self) -> int:
        """Return how many cells inside the rim are neither the start nor one of its neighbours."""
        return self.inner**2 - min(3, self.inner) ** 2


EXPLORE = SnakeConfig(id="explore", size=10, apples=3, obstacles=5, max_steps=64, faults_end=False)
STRICT = SnakeConfig(id="strict", size=10, apples=3, obstacles=5, max_steps=64, faults_end=True)
