"""The numbers that Trust Evolution is played under."""

from __future__ import annotations

from dataclasses import dataclass

from games.trust.opponents import OPPONENTS


@dataclass(frozen=True, slots=True)
class TrustConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    max_steps: int
    """The number of rounds."""
    weights: tuple[int, ...]
    """How often each opponent is drawn, in the order of ``OPPONENTS``; empty: opponent number ``seed % 8``."""

    def __post_init__(self) -> None:
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")
        if self.weights and (len(self.weights) != len(OPPONENTS) or min(self.weights) < 0 or not any(self.weights)):
            raise ValueError(
                f"weights: expected none, or {len(OPPONENTS)} that are not negative nor all 0, got {self.weights}"
            )


EXPLORE = TrustConfig(id="explore", max_steps=10, weights=(3, 4, 1, 2, 1, 3, 2, 1))
STRICT = TrustConfig(id="strict", max_steps=10, weights=())
