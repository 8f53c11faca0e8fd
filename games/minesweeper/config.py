"""The numbers that Minesweeper is played under."""

from __future__ import annotations

from dataclasses import dataclass, replace

LARGEST = 100
"""Rows and columns: so many cells that start at once, and axis numbers of two digits."""

DEAREST = 10
"""The highest cost of a wrong flag."""


@dataclass(frozen=True, slots=True)
class MinesweeperConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    rows: int
    columns: int
    fewest_mines: int
    """Every number of mines from this one to ``most_mines`` is equally likely."""
    most_mines: int
    extra_lives: int
    """How many mines may be uncovered before one ends the episode: none under strict rules."""
    wrong_flag_cost: int
    """How much a wrong flag takes from the score, in the worth of a right one; 0: wrong flags are free."""
    max_steps: int

    def __post_init__(self) -> None:
        for side, length in (("rows", self.rows), ("columns", self.columns)):
            if not 1 <= length <= LARGEST:
                raise ValueError(f"{side}: expected 1 to {LARGEST}, got {length}")
        if self.fewest_mines < 1:
            raise ValueError(f"fewest_mines: expected at least 1, got {self.fewest_mines}")
        if self.most_mines > self.room:
            board = f"{self.rows} x {self.columns}"
            raise ValueError(f"most_mines: expected at most {self.room} on a board of {board}, got {self.most_mines}")
        if self.most_mines < self.fewest_mines:
            raise ValueError(
                f"most_mines: expected at least fewest_mines, which is {self.fewest_mines}, got {self.most_mines}"
            )
        if self.extra_lives < 0:
            raise ValueError(f"extra_lives: expected at least 0, got {self.extra_lives}")
        if not 0 <= self.wrong_flag_cost <= DEAREST:
            raise ValueError(f"wrong_flag_cost: expected 0 to {DEAREST}, got {self.wrong_flag_cost}")
        if self.max_steps < 1:
            raise ValueError(f"max_steps: expected at least 1, got {self.max_steps}")

    @property
    def room(self) -> int:
        """Return how many mines have a place outside of any first uncover, even if as many wrong flags stand there."""
        return (self.rows * self.columns - min(3, self.rows) * min(3, self.columns)) // 2


EXPLORE = MinesweeperConfig(
    id="explore", rows=9, columns=9, fewest_mines=10, most_mines=20, extra_lives=2, wrong_flag_cost=0, max_steps=64
)
STRICT = replace(EXPLORE, id="strict", extra_lives=0)

SIGHTED_EXPLORE = replace(EXPLORE, id="explore-sighted", wrong_flag_cost=1)
SIGHTED_STRICT = replace(STRICT, id="strict-sighted", wrong_flag_cost=1)
"""Flags that are placed without looking lose as much as they gain."""
