"""A second Snake, slow and plain: a dictionary of squares, coordinates in pairs, no shortcut."""

from __future__ import annotations

import hashlib
from random import Random

MOVES = {"LEFT": (0, -1), "RIGHT": (0, 1), "UP": (-1, 0), "DOWN": (1, 0)}
OPPOSITE = {"LEFT": "RIGHT", "RIGHT": "LEFT", "UP": "DOWN", "DOWN": "UP"}


class ReferenceSnake:
    """Set up from the first observation, so that only placement is taken over."""

    def __init__(self, observation: str, *, config: str, seed: int, apples: int, max_steps: int, strict: bool) -> None:
        heading, *lines = observation.splitlines()
        self.direction = heading.split(": ")[1]
        self.square = {(y, x): mark for y, line in enumerate(lines) for x, mark in enumerate(line.split(" "))}
        self.height, self.width = len(lines), len(lines[0].split(" "))
        self.snake = [self.only("H")]
        self.apples, self.max_steps, self.strict = apples, max_steps, strict
        key = hashlib.sha256(f"snake\n2\n{config}\n{seed}\nfood".encode()).digest()
        self.food = Random(int.from_bytes(key, "big"))
        self.steps = 0
        self.end: str | None = None

    def only(self, mark: str) -> tuple[int, int]:
        (place,) = [place for place, found in self.square.items() if found == mark]
        return place

    def play(self, action: str) -> tuple[str, int]:
        """Return how the feedback starts, and the reward."""
        self.steps += 1
        event, reward = self.event(action)
        if event not in ("You moved", "You ate an apple") and self.strict:
            self.end = "lost"
        if self.end is None and self.steps == self.max_steps:
            self.end = "step_limit"
        return event, reward

    def event(self, action: str) -> tuple[str, int]:
        if action not in MOVES:
            return "Invalid action", 0
        if len(self.snake) >= 2 and action == OPPOSITE[self.direction]:
            return "Invalid action", 0
        (y, x), (down, right) = self.snake[0], MOVES[action]
        goal = (y + down, x + right)
        leaving = None if self.square[goal] == "A" else self.snake[-1]
        if goal in self.snake and goal != leaving:
            return "You hit your own body", 0
        if self.square[goal] == "X":
            return "You hit an obstacle", 0
        if self.square[goal] == "#":
            return "You hit the wall", 0
        self.direction = action
        eaten = self.square[goal] == "A"
        self.snake.insert(0, goal)
        if not eaten:
            self.square[self.snake.pop()] = "."
        for place in self.snake:
            self.square[place] = "S"
        self.square[goal] = "H"
        if eaten:
            self.refill()
        return ("You ate an apple", 1) if eaten else ("You moved", 0)

    def refill(self) -> None:
        draw = self.food.random()
        marks = list(self.square.values())
        free = sorted(place for place, mark in self.square.items() if mark == ".")
        if free and marks.count("A") < self.apples:
            self.square[free[int(draw * len(free))]] = "A"
        if "A" not in self.square.values():
            self.end = "won"

    def observation(self) -> str:
        lines = [" ".join(self.square[y, x] for x in range(self.width)) for y in range(self.height)]
        return "\n".join([f"Current direction: {self.direction}", *lines])
