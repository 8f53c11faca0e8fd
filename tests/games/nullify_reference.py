"""A second Nullify, slow and plain: fractions in a dictionary by index, every pair tried, boards built as a tree."""

from __future__ import annotations

import hashlib
import math
from decimal import Decimal
from fractions import Fraction
from random import Random

Content = Fraction | str

FACTORS = [k for k in range(-10, 11) if k not in (0, 1)]
PIECES = [Fraction(text) for text in ("1/2", "1/4", "3/4", "1/5", "2/5", "3/5", "4/5")]
KINDS = ("times", "over", "floor", "ceil", "sqrt", "square", "reciprocal")


def root(number: Fraction) -> Fraction | None:
    """The square root that is not negative, by long decimal arithmetic, if it is exact."""
    if number < 0:
        return None
    found = Fraction(int(Decimal(number.numerator).sqrt()), int(Decimal(number.denominator).sqrt()))
    return found if found * found == number else None


def applied(name: str, number: Fraction) -> Fraction | None:
    """What an operator makes of a number, None where that is not defined."""
    if name[0] == "*":
        return number * int(name[1:])
    if name[0] == "/":
        return number / int(name[1:])
    if name == "floor":
        return Fraction(math.floor(number))
    if name == "ceil":
        return Fraction(math.ceil(number))
    if name == "sqrt":
        return root(number)
    if name == "square":
        return number**2
    assert name == "reciprocal"
    return 1 / number if number else None


def merged(one: Content, other: Content) -> Fraction | None:
    """The result of a merge, None if there is none."""
    if isinstance(one, Fraction):
        return one + other if isinstance(other, Fraction) else applied(other, one)
    return applied(one, other) if isinstance(other, Fraction) else None


def written(content: Content) -> str:
    if isinstance(content, str):
        return content
    sign = "-" if content < 0 else "+"
    return f"{sign}{abs(content)}"


class Node:
    """A unit that was ever made, and the two units that give it."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.parts: tuple[Node, Node] | None = None


class ReferenceNullify:
    """Set up from the seed by the written order of the draws."""

    def __init__(
        self,
        *,
        config: str,
        seed: int,
        steps: tuple[int, int],
        operators: int,
        largest_unit: int,
        largest_denominator: int,
        largest_result: int,
        max_steps: int,
    ) -> None:
        self.largest_unit, self.largest_denominator = largest_unit, largest_denominator
        self.largest_result, self.max_steps = largest_result, max_steps
        key = hashlib.sha256(f"nullify\n2\n{config}\n{seed}\nlayout".encode()).digest()
        self.world = Random(int.from_bytes(key, "big"))
        made = self.construct(steps, operators)
        leaves = [node for node in made if node.parts is None]
        for last in range(len(leaves) - 1, 0, -1):
            other = self.draw(last + 1)
            leaves[last], leaves[other] = leaves[other], leaves[last]
        self.board = {index: node.content for index, node in enumerate(leaves)}
        self.line: list[tuple[int, int]] = []
        for node in reversed(made):
            if node.parts is not None:
                one, other_part = node.parts
                self.line.append((leaves.index(one), leaves.index(other_part)))
                leaves = [leaf for leaf in leaves if leaf not in node.parts] + [node]
        self.steps = 0
        self.end: str | None = None

    def draw(self, bound: int) -> int:
        return int(self.world.random() * bound)

    def fits(self, number: Fraction) -> bool:
        return number != 0 and abs(number) <= self.largest_unit and number.denominator <= self.largest_denominator

    def construct(self, steps: tuple[int, int], operators: int) -> list[Node]:
        """Every unit in the order of making; what was replaced comes in the order of replacing."""
        count = steps[0] + self.draw(steps[1] - steps[0] + 1)
        part = Fraction(1 + self.draw(20))
        nothing = Node(Fraction(0))
        nothing.parts = (Node(part), Node(-part))
        replaced, made = [nothing], [*nothing.parts]
        for step in range(2, count + 1):
            standing = [node for node in made if node.parts is None and isinstance(node.content, Fraction)]
            node = standing[self.draw(len(standing))]
            assert isinstance(node.content, Fraction)
            have = len([each for each in made if isinstance(each.content, str)])
            must = operators - have >= count - step + 1
            if not must and self.draw(3) == 0:
                ways: list[tuple[Fraction, Content]] = list(self.sums(node.content))
            else:
                kinds = [found for kind in KINDS if (found := self.undone(kind, node.content))]
                ways = list(kinds[self.draw(len(kinds))])
            number, other = ways[self.draw(len(ways))]
            node.parts = (Node(number), Node(other))
            made += node.parts
            replaced.append(node)
        return replaced + [node for node in made if node.parts is None]

    def sums(self, number: Fraction) -> list[tuple[Fraction, Fraction]]:
        parts = [Fraction(part) for part in range(-20, 21) if part != 0]
        return [(part, number - part) for part in parts if self.fits(number - part)]

    def undone(self, kind: str, number: Fraction) -> list[tuple[Fraction, str]]:
        """Whatever a kind of operator turns into the number."""
        squared = root(number)
        guesses = {
            "times": [(number / k, f"*{k}") for k in FACTORS],
            "over": [(number * k, f"/{k}") for k in FACTORS],
            "floor": [(number + piece, "floor") for piece in PIECES],
            "ceil": [(number - piece, "ceil") for piece in PIECES],
            "sqrt": [(number * number, "sqrt")],
            "square": [] if squared is None else [(squared, "square"), (-squared, "square")],
            "reciprocal": [(1 / number, "reciprocal")],
        }
        return [(guess, name) for guess, name in guesses[kind] if self.fits(guess) and applied(name, guess) == number]

    def legal(self, one: int, other: int) -> bool:
        result = merged(self.board[one], self.board[other])
        return result is not None and max(abs(result.numerator), result.denominator) <= self.largest_result

    def play(self, pair: tuple[int, int] | None) -> tuple[str, int]:
        """Return the feedback (of a refusal only its start) and the reward; None stands for nonsense."""
        self.steps += 1
        event, reward = self.event(pair)
        if self.end is None and self.steps == self.max_steps:
            self.end = "step_limit"
        return event, reward

    def event(self, pair: tuple[int, int] | None) -> tuple[str, int]:
        if pair is None or pair[0] == pair[1] or not {*pair} <= {*self.board} or not self.legal(*pair):
            return "Invalid action: ", 0
        low, high = min(pair), max(pair)
        one, other = self.board[low], self.board[high]
        result = merged(one, other)
        assert result is not None
        kept = [content for index, content in sorted(self.board.items()) if index not in pair]
        self.board = dict(enumerate(kept + [result] * (result != 0)))
        self.end, words = self.ended()
        both = f"{written(one)} and {written(other)}"
        if self.end == "won":
            return f"You cleared the board: {both} give 0.", 1
        given = "0, which vanishes" if result == 0 else written(result)
        return f"You merged {both} into {given}.{words}", 0

    def ended(self) -> tuple[str | None, str]:
        if not self.board:
            return "won", ""
        if not any(isinstance(content, Fraction) for content in self.board.values()):
            return "lost", " No number is left."
        if len(self.board) == 1:
            return "lost", " A single number is left."
        pairs = [(one, other) for one in self.board for other in self.board if one != other]
        if not any(self.legal(*pair) for pair in pairs):
            return "no_moves", " No merge is possible any more."
        return None, ""

    def observation(self) -> str:
        if not self.board:
            return "Current game board: empty"
        lines = [f"{index}: {written(content)}" for index, content in sorted(self.board.items())]
        return "\n".join(["Current game board:", *lines])
