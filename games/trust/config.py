"""The numbers that Trust Evolution is played under."""

from __future__ import annotations

from dataclasses import dataclass

from games.trust.opponents import OPPONENTS

_NICE, _CHEATER = [list(OPPONENTS).index(name) for name in ("nice", "cheater")]


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
    """How often each opponent is met, in the order of ``OPPONENTS``."""

    def __post_init__(self) -> None:
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")
        if len(self.weights) != len(OPPONENTS) or min(self.weights) < 0 or not any(self.weights):
            raise ValueError(f"weights: expected {len(OPPONENTS)} that are not negative nor all 0, got {self.weights}")

    @property
    def trust(self) -> int:
        """Return how much likelier the opponent that always collaborates is than the one that always cheats."""
        return self.weights[_NICE] - self.weights[_CHEATER]


EXPLORE = TrustConfig(id="explore", max_steps=10, weights=(3, 4, 1, 2, 1, 3, 2, 1))
STRICT = TrustConfig(id="strict", max_steps=10, weights=(1,) * len(OPPONENTS))

SIGHTED_EXPLORE = TrustConfig(id="explore-sighted", max_steps=10, weights=(1, 1, 5, 3, 3, 1, 1, 1))
SIGHTED_STRICT = TrustConfig(id="strict-sighted", max_steps=10, weights=(1, 1, 6, 3, 2, 1, 1, 1))
"""No schedule of actions does well against cheaters and against those that punish a cheat."""
