"""Which episodes the golden transcripts hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from games.base import Config
from games.play import Turn
from games.registry import AnyGame
from games.rng import below

Choice = Callable[[Turn], str | None]

ODD_ACTIONS = ("", "INVALID", "42", "[maybe]", "left, right, cheat, collaborate")


class Case(NamedTuple):
    """One episode to be recorded: its name, its seed, changes of the config, and who chooses the actions."""

    name: str
    seed: int
    changes: Mapping[str, int]
    choice: Choice


def cases(game: AnyGame, config: Config) -> list[Case]:
    """The episodes of one file: those that every game has, and the game's own."""
    common = [
        Case("greedy", 0, {}, _baseline(game, "greedy", 0)),
        Case("greedy again", 1, {}, _baseline(game, "greedy", 1)),
        Case("random", 0, {}, _baseline(game, "random", 0)),
        Case("idle, six steps", 1, {"max_steps": 6}, _baseline(game, "idle", 1)),
        Case("every third action odd", 2, {"max_steps": 18}, _odd(game, 2)),
        Case("ended by the player", 3, {}, _ended(game, 3)),
        Case("largest seed, eight steps", 2**63 - 1, {"max_steps": 8}, _baseline(game, "random", 0)),
    ]
    return [*common, *OWN.get(game.id, list)()]


def _baseline(game: AnyGame, name: str, seed: int) -> Choice:
    draw = Random(seed).random
    return lambda turn: game.baselines[name](turn.observation, lambda bound: below(draw(), bound)).action


def _odd(game: AnyGame, seed: int) -> Choice:
    usual = _baseline(game, "random", seed)
    return lambda turn: ODD_ACTIONS[turn.step // 3 % len(ODD_ACTIONS)] if turn.step % 3 == 2 else usual(turn)


def _ended(game: AnyGame, seed: int) -> Choice:
    usual = _baseline(game, "greedy", seed)
    return lambda turn: usual(turn) if turn.step < 3 else " end"


def _script(*actions: str) -> Choice:
    return lambda turn: actions[turn.step] if turn.step < len(actions) else None


def _snake() -> list[Case]:
    full, crowded = {"size": 4, "obstacles": 0, "apples": 2}, {"size": 6, "obstacles": 0, "apples": 15}
    return [
        Case("a full board", 1, full, _script("UP", "LEFT", "DOWN")),
        Case("into the wall", 5, {"obstacles": 0}, _script(*["UP"] * 6, "left")),
        Case("into an obstacle", 6, {"size": 6, "obstacles": 7}, _script("UP", "UP", "right")),
        Case("into the body", 7, crowded, _script("UP", "LEFT", "LEFT", "DOWN", "RIGHT", "UP", "[down]")),
        Case("after the tail", 8, crowded, _script("UP", "LEFT", "DOWN", "RIGHT", "UP", "LEFT")),
        Case("turning back", 9, crowded, _script("UP", "DOWN", "LEFT")),
    ]


def _trust() -> list[Case]:
    ways = ("cheat", "cheat", "collaborate", "collaborate", "cheat", "collaborate")
    return [Case(f"seed {seed}, a fixed line", seed, {}, _script(*ways, "maybe", *ways)) for seed in range(16)]


OWN: Mapping[str, Callable[[], list[Case]]] = {"snake": _snake, "trust": _trust}
"""What a game needs beside the common cases so that its files show all that can happen."""
