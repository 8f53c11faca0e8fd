"""The numbers that Nullify is played under."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST_PART = 20
"""The largest integer that a construction step splits off."""
LARGEST_RESULT = 10**12
"""The bound on results of the shipped configs."""
MOST_STEPS = 99
_LARGEST_BOUND = 10**100
"""Beyond it a line of feedback would grow long."""


@dataclass(frozen=True, slots=True)
class NullifyConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    fewest_steps: int
    """Construction steps of the smallest board; a board has one unit more than steps."""
    most_steps: int
    fewest_operators: int
    """How many operators every board starts with at least."""
    largest_unit: int
    """The largest absolute value of a number that the board is built from."""
    largest_denominator: int
    """The largest denominator of such a number."""
    largest_result: int
    """A merge is refused if its result has a larger numerator or denominator."""
    max_steps: int

    def __post_init__(self) -> None:
        if self.fewest_steps < 1:
            raise ValueError(f"fewest_steps: expected at least 1, got {self.fewest_steps}")
        if not self.fewest_steps <= self.most_steps <= MOST_STEPS:
            raise ValueError(f"most_steps: expected {self.fewest_steps} to {MOST_STEPS}, got {self.most_steps}")
        if not 0 <= self.fewest_operators < self.fewest_steps:
            raise ValueError(
                f"fewest_operators: expected 0 to {self.fewest_steps - 1}, since the first of at least "
                f"{self.fewest_steps} construction steps adds none, got {self.fewest_operators}"
            )
        if self.largest_unit < LARGEST_PART:
            raise ValueError(f"largest_unit: expected at least {LARGEST_PART}, got {self.largest_unit}")
        if self.largest_denominator < 1:
            raise ValueError(f"largest_denominator: expected at least 1, got {self.largest_denominator}")
        if not self.largest_numerator <= self.largest_result <= _LARGEST_BOUND:
            raise ValueError(
                f"largest_result: expected {self.largest_numerator} (the largest numerator that a board is built "
                f"from) to 10^100, got {self.largest_result}"
            )
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")

    @property
    def largest_numerator(self) -> int:
        """Return the bound on the numerators of the numbers that the board is built from."""
        return self.largest_unit * self.largest_denominator


EXPLORE = NullifyConfig(
    id="explore",
    fewest_steps=3,
    most_steps=7,
    fewest_operators=1,
    largest_unit=10**4,
    largest_denominator=100,
    largest_result=LARGEST_RESULT,
    max_steps=50,
)
STRICT = NullifyConfig(
    id="strict",
    fewest_steps=5,
    most_steps=10,
    fewest_operators=2,
    largest_unit=10**4,
    largest_denominator=100,
    largest_result=LARGEST_RESULT,
    max_steps=50,
)
