"""A second Chess, slow and plain: pairs and dictionaries, every rule tried."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from random import Random

from tests.games.action_reference import many

Cell = tuple[int, int]
Parameters = tuple[Cell, ...]
"""The vectors of a rule: v, or v and w, or u, v and w, or the direction of a ramp."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
VECTORS = [(down, right) for down in (-2, -1, 0, 1, 2) for right in (-2, -1, 0, 1, 2) if (down, right) != (0, 0)]
KNIGHTS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]
NEAR = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


@cache
def parameters(kind: str) -> list[Parameters]:
    """Everything that a rule of this kind can be, in the written order."""
    if kind == "wrap":
        return [(v,) for v in VECTORS if v not in KNIGHTS]
    if kind in ("bounce", "pause"):
        return [(v,) for v in VECTORS]
    if kind == "knight":
        return [(v,) for v in KNIGHTS]
    if kind == "zigzag":
        return [(v, w) for v in VECTORS for w in VECTORS if v != w]
    if kind == "triple":
        return [(u, v, w) for u in VECTORS for v in VECTORS for w in VECTORS if not u == v == w]
    assert kind == "ramp"
    return [(d,) for d in NEAR]


KINDS = ["wrap", "bounce", "knight", "zigzag", "triple", "pause", "ramp"]
WHOLE = [(kind, choice) for kind in KINDS for choice in parameters(kind)]
"""Every rule there is."""


def added(kind: str, choice: Parameters, k: int) -> Cell:
    """What the move with number k adds, for every kind but bounce."""
    if kind == "zigzag":
        return choice[1] if k % 2 else choice[0]
    if kind == "triple":
        return choice[k % 3]
    if kind == "pause":
        return (0, 0) if k % 2 else choice[0]
    if kind == "ramp":
        length = k % 3 + 1
        return choice[0][0] * length, choice[0][1] * length
    return choice[0]


def cells(kind: str, choice: Parameters, start: Cell, n: int) -> Iterator[Cell]:
    """The cells of a piece, without end."""
    place, (down, right), k = start, choice[0], 0
    while True:
        yield place
        if kind == "bounce":
            row, column = place[0] + down, place[1] + right
            if row < 0 or row > n - 1:
                row, down = (-row if row < 0 else 2 * (n - 1) - row), -down
            if column < 0 or column > n - 1:
                column, right = (-column if column < 0 else 2 * (n - 1) - column), -right
            place = row, column
        else:
            more = added(kind, choice, k)
            place = (place[0] + more[0]) % n, (place[1] + more[1]) % n
        k += 1


def first_cells(kind: str, choice: Parameters, start: Cell, n: int, count: int) -> list[Cell]:
    walk = cells(kind, choice, start, n)
    return [next(walk) for _ in range(count)]


@cache
def by_first_move() -> dict[Cell, list[tuple[str, Parameters]]]:
    """Every rule but the bounces by what its first move adds."""
    found: dict[Cell, list[tuple[str, Parameters]]] = {}
    for kind, choice in WHOLE:
        if kind != "bounce":
            found.setdefault(added(kind, choice, 0), []).append((kind, choice))
    return found


def that_fit(seen: list[Cell], n: int, rules: list[tuple[str, Parameters]]) -> list[tuple[str, Parameters]]:
    """The rules that lead through the cells seen, each tried until it fails."""
    fit = []
    for kind, choice in rules:
        if all(place == found for place, found in zip(seen, cells(kind, choice, seen[0], n), strict=False)):
            fit.append((kind, choice))
    return fit


def candidates(seen: list[Cell], n: int) -> list[tuple[str, Parameters]]:
    """Every rule that can make the first move seen, and every bounce."""
    found = [("bounce", choice) for choice in parameters("bounce")]
    for move, rules in by_first_move().items():
        if ((seen[0][0] + move[0]) % n, (seen[0][1] + move[1]) % n) == seen[1]:
            found += rules
    return found


class ReferenceChess:
    """Set up from the written rule of drawing alone."""

    def __init__(self, *, config: str, seed: int, size: int, pieces: int, history: int, max_steps: int) -> None:
        self.size, self.pieces, self.history, self.max_steps = size, pieces, history, max_steps
        self.steps = 0
        self.end: str | None = None
        self.letters = self.draw_letters(self.stream(config, seed, "labels"))
        self.where: dict[str, list[Cell]] = {}
        self.thrown = 0
        draw = self.stream(config, seed, "pieces")
        for letter in self.letters:
            while letter not in self.where:
                self.try_piece(letter, draw)

    @staticmethod
    def stream(config: str, seed: int, name: str) -> Random:
        key = hashlib.sha256(f"chess\n2\n{config}\n{seed}\n{name}".encode()).digest()
        return Random(int.from_bytes(key, "big"))

    def draw_letters(self, draw: Random) -> list[str]:
        letters = list(ALPHABET)
        for last in range(25, 0, -1):
            other = int(draw.random() * (last + 1))
            letters[last], letters[other] = letters[other], letters[last]
        chosen = sorted(letters[: self.pieces])
        return [letter.upper() if draw.random() < 0.5 else letter for letter in chosen]

    def try_piece(self, letter: str, draw: Random) -> None:
        kind = KINDS[int(draw.random() * 7)]
        choices = parameters(kind)
        choice = choices[int(draw.random() * len(choices))]
        place = int(draw.random() * self.size * self.size)
        start = place // self.size, place % self.size
        way = first_cells(kind, choice, start, self.size, self.history + self.max_steps + 1)
        for other in self.where.values():
            if any(mine == theirs for mine, theirs in zip(way, other, strict=True)):
                return
        seen = way[: self.history + 1]
        for fit, parameter in that_fit(seen, self.size, candidates(seen, self.size)):
            if first_cells(fit, parameter, start, self.size, len(way)) != way:
                self.thrown += 1
                return
        self.where[letter] = way

    def play(self, action: str) -> tuple[str, Fraction]:
        """Return the feedback and the reward."""
        self.steps += 1
        if self.steps == self.max_steps:
            self.end = "step_limit"
        entries = many(action) if len(action) <= 4000 else []
        readable = [entry for entry in entries if entry is not None]
        if not readable:
            form = "expected predictions such as A:(3,4), b:(0,12) in at most 4000 characters"
            return f"Invalid action: {form}. The pieces moved.", Fraction(0)
        said: dict[str, Cell] = {}
        ignored = {"unreadable": entries.count(None), "of an unknown letter": 0, "off the board": 0, "repeated": 0}
        for written, (row, column) in readable:
            letter, cell = written if written in self.where else written.lower(), (row, column)
            if letter not in self.where:
                ignored["of an unknown letter"] += 1
            elif not all(0 <= place < self.size for place in cell):
                ignored["off the board"] += 1
            elif letter in said:
                ignored["repeated"] += 1
            else:
                said[letter] = cell
        now = self.history + self.steps
        right = [letter for letter, cell in said.items() if self.where[letter][now] == cell]
        feedback = f"You predicted {len(said)} of {self.pieces} pieces."
        if any(ignored.values()):
            feedback += " Ignored: " + ", ".join(f"{count} {what}" for what, count in ignored.items() if count) + "."
        return feedback, Fraction(len(right), self.pieces * self.max_steps)

    def board(self, time: int) -> str:
        marks = {way[time + self.history]: letter for letter, way in self.where.items()}
        assert len(marks) == self.pieces
        lines = [" ".join(marks.get((y, x), ".") for x in range(self.size)) for y in range(self.size)]
        return "\n".join([f"Time {time}:", *lines])

    def observation(self) -> str:
        head = f"Step {min(self.steps + 1, self.max_steps)} of {self.max_steps}"
        times = range(self.steps - self.history, self.steps + 1)
        return "\n".join([head, *[self.board(time) for time in times]])
