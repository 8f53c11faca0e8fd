"""A second Minesweeper, slow and plain: sets of squares in pairs, every number counted when it is asked for."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from random import Random

from games.minesweeper.config import MinesweeperConfig

Cell = tuple[int, int]
Order = tuple[str, int, int]


class ReferenceMinesweeper:
    """One episode; the mines are drawn here from the written rule."""

    def __init__(self, config: MinesweeperConfig, seed: int) -> None:
        self.config = config
        self.squares = [(row, column) for row in range(config.rows) for column in range(config.columns)]
        world, self.moving = [
            Random(
                int.from_bytes(hashlib.sha256(f"minesweeper\n2\n{config.id}\n{seed}\n{name}".encode()).digest(), "big")
            )
            for name in ("layout", "moves")
        ]
        count = config.fewest_mines + int(world.random() * (config.most_mines - config.fewest_mines + 1))
        self.mines: set[Cell] = set()
        for _ in range(count):
            left = [square for square in self.squares if square not in self.mines]
            self.mines.add(left[int(world.random() * len(left))])
        self.open: set[Cell] = set()
        self.flags: set[Cell] = set()
        self.hits: set[Cell] = set()
        self.steps = 0
        self.end: str | None = None

    @property
    def score(self) -> Fraction:
        """What the written rule says that the episode is worth as it stands."""
        if self.end == "won":
            return 1 - Fraction(len(self.hits), len(self.mines))
        wrong = len(self.flags - self.mines)
        return Fraction(len(self.flags & self.mines) - self.config.wrong_flag_cost * wrong, len(self.mines))

    def block(self, cell: Cell) -> set[Cell]:
        return {other for other in self.squares if abs(other[0] - cell[0]) <= 1 and abs(other[1] - cell[1]) <= 1}

    def number(self, cell: Cell) -> int:
        return sum(mine in self.mines for mine in self.block(cell))

    def hidden(self) -> list[Cell]:
        return [square for square in self.squares if square not in self.open | self.flags | self.hits]

    def play(self, order: Order | None) -> tuple[str, Fraction]:
        """Return how the feedback starts, and the reward."""
        before = self.score
        self.steps += 1
        event = "Invalid action" if order is None else self.event(*order)
        if self.end is None and event != "Invalid action":
            safe = set(self.squares) - self.mines
            if self.open == safe or self.flags == self.mines - self.hits:
                self.end = "won"
        if self.end is None and self.steps == self.config.max_steps:
            self.end = "step_limit"
        return event, self.score - before

    def event(self, verb: str, row: int, column: int) -> str:
        cell = row, column
        if cell not in self.squares:
            return "Invalid action"
        if verb == "unflag":
            if cell not in self.flags:
                return "Invalid action"
            self.flags.remove(cell)
            return "You removed a flag"
        if cell not in self.hidden():
            return "Invalid action"
        if verb == "flag":
            if len(self.flags) >= len(self.mines):
                return "Invalid action"
            self.flags.add(cell)
            return "You placed a flag"
        return self.uncover(cell)

    def uncover(self, cell: Cell) -> str:
        if not self.open:
            for mine in sorted(self.mines & self.block(cell)):
                taken = self.mines | self.flags | self.block(cell)
                left = [place for place in self.squares if place not in taken]
                self.mines.remove(mine)
                self.mines.add(left[int(self.moving.random() * len(left))])
        if cell in self.mines:
            self.hits.add(cell)
            if len(self.hits) > self.config.extra_lives:
                self.end = "lost"
            return "You hit a mine"
        opening, grown = set[Cell](), {cell}
        while opening != grown:
            opening = grown
            zeros = [square for square in opening if self.number(square) == 0]
            grown = opening | {near for zero in zeros for near in self.block(zero) & set(self.hidden())}
        self.open |= opening
        return "You uncovered a safe cell"

    def sign(self, cell: Cell) -> str:
        if cell in self.hits:
            return "X"
        if cell in self.flags:
            return "F"
        return str(self.number(cell)) if cell in self.open else "?"

    def observation(self) -> str:
        """What the player sees, as one list of words a line: blanks at the start of a line do not count."""
        lives = max(0, self.config.extra_lives - len(self.hits))
        head = [f"Mines: {len(self.mines)}", f"Flags used: {len(self.flags)}", f"Extra lives left: {lives}"]
        columns = range(self.config.columns)
        rows = [f"{row} " + " ".join(self.sign((row, column)) for column in columns) for row in range(self.config.rows)]
        return "\n".join([*head, "  " + " ".join(str(column) for column in columns), *rows])

    def layout(self) -> str:
        """Every mine and number, row by row."""
        return "".join("X" if square in self.mines else str(self.number(square)) for square in self.squares)
