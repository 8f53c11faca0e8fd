"""The numbers that Chess is played under."""

from __future__ import annotations

from dataclasses import dataclass

SIZES = range(7, 51)
"""On a board of fewer than 7 x 7 cells two unlike moves of the library lead to the same cell."""
HISTORIES = range(3, 25)
"""Fewer than three moves do not show a rule that repeats after three."""
STEPS = range(1, 65)
LETTERS = 26
CROWDING = 3
"""How many visits, those of all pieces at all times together, a board may see for each of its cells."""


@dataclass(frozen=True, slots=True)
class ChessConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    size: int
    """Rows and columns of the board."""
    pieces: int
    history: int
    """How many boards are shown beside the present one."""
    max_steps: int

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("size", self.size, SIZES),
            ("history", self.history, HISTORIES),
            ("max_steps", self.max_steps, STEPS),
        ):
            if value not in allowed:
                raise ValueError(f"{name}: expected {allowed[0]} to {allowed[-1]}, got {value}")
        if not 1 <= self.pieces <= self.room:
            raise ValueError(
                f"pieces: expected 1 to {self.room} on a board of {self.size} over {self.moves + 1} times, "
                f"got {self.pieces}"
            )

    @property
    def moves(self) -> int:
        """Return how often a piece moves, from the oldest board shown to the end of the episode."""
        return self.history + self.max_steps

    @property
    def room(self) -> int:
        """Return how many pieces find cells that no other piece enters at the same time."""
        return min(LETTERS, CROWDING * self.size**2 // (self.moves + 1))


EXPLORE = ChessConfig(id="explore", size=15, pieces=12, history=7, max_steps=5)
STRICT = ChessConfig(id="strict", size=15, pieces=22, history=7, max_steps=5)
