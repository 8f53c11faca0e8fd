"""A second Tetris, slow and plain: a set of (row, column) pairs that fall cell by cell."""

from __future__ import annotations

import hashlib
from random import Random

Cell = tuple[int, int]

DRAWN = {
    "I": "####",
    "O": "## ##",
    "S": ".## ##.",
    "Z": "##. .##",
    "L": "..# ###",
    "J": "#.. ###",
    "T": ".#. ###",
}
UNREADABLE = "expected two integers, the column and the rotation"


def cells(drawn: str) -> set[Cell]:
    return {(y, x) for y, row in enumerate(drawn.split()) for x, mark in enumerate(row) if mark == "#"}


def turned(block: set[Cell], rotation: int) -> set[Cell]:
    """A block in its own box, turned clockwise: what was the bottom becomes the left."""
    for _ in range(rotation // 90):
        bottom = max(y for y, _ in block)
        block = {(x, bottom - y) for y, x in block}
    return block


def drawing(block: set[Cell]) -> list[str]:
    height, width = (1 + max(side) for side in zip(*block, strict=True))
    return [" ".join("#" if (y, x) in block else "." for x in range(width)) for y in range(height)]


class ReferenceTetris:
    """Nothing is taken over from the engine: the blocks come from the hash of their stream."""

    def __init__(self, *, config: str, seed: int, width: int, height: int, invalid_limit: int, max_steps: int) -> None:
        self.width, self.height, self.invalid_limit, self.max_steps = width, height, invalid_limit, max_steps
        key = hashlib.sha256(f"tetris\n2\n{config}\n{seed}\npieces".encode()).digest()
        self.generator = Random(int.from_bytes(key, "big"))
        self.next, self.following = self.draw(), self.draw()
        self.filled: set[Cell] = set()
        self.steps = self.faults = 0
        self.end: str | None = None

    def draw(self) -> set[Cell]:
        return cells(list(DRAWN.values())[int(self.generator.random() * 7)])

    def play(self, numbers: tuple[int, ...] | None) -> tuple[str, int]:
        """Return the feedback and the reward of an action that was written for these numbers, None if for none."""
        self.steps += 1
        reason = self.objection(numbers)
        feedback, reward = self.drop(numbers) if numbers and not reason else (self.fault(reason), 0)
        if self.end is None and self.steps == self.max_steps:
            self.end = "step_limit"
        return feedback, reward

    def objection(self, numbers: tuple[int, ...] | None) -> str:
        if numbers is None or len(numbers) != 2:
            return UNREADABLE
        column, rotation = numbers
        if rotation not in (0, 90, 180, 270):
            return f"the rotation must be one of 0, 90, 180, 270, not {rotation}"
        right = max(x for _, x in turned(self.next, rotation))
        columns = [left for left in range(1, self.width + 1) if left + right <= self.width]
        if column not in columns:
            return f"at rotation {rotation} the column must be from 1 to {max(columns)}, not {column}"
        return ""

    def fault(self, reason: str) -> str:
        self.faults += 1
        feedback = f"Invalid action: {reason}. Nothing was dropped."
        if self.invalid_limit > 0:
            feedback += f" Invalid actions in a row: {self.faults} of {self.invalid_limit}."
            if self.faults >= self.invalid_limit:
                self.end = "lost"
                feedback += " The episode is over."
        return feedback

    def drop(self, numbers: tuple[int, ...]) -> tuple[str, int]:
        column, rotation = numbers
        block = {(y - 4, x + column - 1) for y, x in turned(self.next, rotation)}
        while True:
            below = {(y + 1, x) for y, x in block}
            if below & self.filled or any(y == self.height for y, _ in below):
                break
            block = below
        if any(y < 0 for y, _ in block):
            self.end = "lost"
            return "The block came to rest above the top row. The episode is over.", 0
        self.faults = 0
        self.filled |= block
        full = {y for y in range(self.height) if all((y, x) in self.filled for x in range(self.width))}
        self.filled = {(y + sum(row > y for row in full), x) for y, x in self.filled if y not in full}
        self.next, self.following = self.following, self.draw()
        return (f"Rows cleared: {len(full)}." if full else "The block was dropped."), len(full)

    def observation(self) -> str:
        lines = ["Board:"]
        if self.width > 10:
            lines.append(" ".join(" " if column < 10 else str(column)[0] for column in range(1, self.width + 1)))
            lines.append(" ".join(str(column)[-1] for column in range(1, self.width + 1)))
        else:
            lines.append(" ".join(str(column) for column in range(1, self.width + 1)))
        for y in range(self.height):
            lines += [" ".join("*" if (y, x) in self.filled else "." for x in range(self.width))]
        for rotation in (0, 90, 180, 270):
            lines += [f"Next Block, rotation {rotation}:", *drawing(turned(self.next, rotation))]
        lines += ["Following Block, rotation 0:", *drawing(self.following)]
        return "\n".join(lines)
