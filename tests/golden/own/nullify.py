"""Nullify: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from itertools import combinations
from random import Random

from games.play import Turn
from games.registry import game_named
from games.rng import bounded
from tests.golden.case import Case, Choice, script

ENDS = {
    "explore": {"won", "lost", "no_moves", "step_limit", "agent_end"},
    "strict": {"won", "lost", "no_moves", "step_limit", "agent_end"},
}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    narrow = {"largest_unit": 20, "largest_denominator": 1, "largest_result": 20}
    return [
        *[Case(f"the builder's line, seed {seed}", seed, {}, _line) for seed in range(4, 10)],
        *[Case(f"at random, seed {seed}", seed, {}, _random(seed)) for seed in (1, 4, 5, 22, 36, 608)],
        *[Case(f"narrow bounds, seed {seed}", seed, narrow, _random(seed)) for seed in (2, 7)],
        Case("every pair in turn, narrow bounds", 11, {**narrow, "max_steps": 30}, _every_pair),
        Case("every pair in turn", 12, {"max_steps": 30}, _every_pair),
        Case("two steps", 13, {"max_steps": 2}, _line),
        Case("ways to write two indexes", 14, {}, script("(0, 0)", "[0] [99]", "-1:0", "0 1 2", "0+1", "one two")),
    ]


def _line(turn: Turn) -> str:
    oracle = game_named("nullify").oracle
    assert oracle is not None
    return oracle(turn.state, lambda bound: 0).action


def _random(seed: int) -> Choice:
    draw = bounded(Random(seed))
    baseline = game_named("nullify").baselines["random"]
    return lambda turn: baseline(turn.observation, draw).action


def _every_pair(turn: Turn) -> str:
    """Name one pair of indexes after the other, legal or not."""
    pairs = list(combinations(range(turn.observation.count("\n")), 2))
    first, second = pairs[turn.step % len(pairs)]
    return f"{first} {second}"
