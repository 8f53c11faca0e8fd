"""Which episodes the golden transcripts hold."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from random import Random

from games.base import Config
from games.registry import AnyGame
from games.rng import bounded
from tests.golden.case import Case, Choice

ODD_ACTIONS = ("", "INVALID", "42", "[maybe]", "left, right, cheat, collaborate")


def cases(game: AnyGame, config: Config) -> list[Case]:
    """The episodes of one file: those that every game has, and the game's own.

    A game with long observations has a ``COMMON``: changes of the config for the episodes that every game has.
    """
    own = import_module(f"tests.golden.own.{game.id}")
    changes: Mapping[str, int] = getattr(own, "COMMON", {})
    common = [
        Case("greedy", 0, changes, _baseline(game, "greedy", 0)),
        Case("greedy again", 1, changes, _baseline(game, "greedy", 1)),
        Case("random", 0, changes, _baseline(game, "random", 0)),
        Case("idle, six steps", 1, {**changes, "max_steps": 6}, _baseline(game, "idle", 1)),
        Case("every third action odd", 2, {**changes, "max_steps": 18}, _odd(game, 2)),
        Case("ended by the player", 3, changes, _ended(game, 3)),
        Case("largest seed, eight steps", 2**63 - 1, {**changes, "max_steps": 8}, _baseline(game, "random", 0)),
    ]
    return [*common, *own.cases()]


def _baseline(game: AnyGame, name: str, seed: int) -> Choice:
    draw = bounded(Random(seed))
    return lambda turn: game.baselines[name](turn.observation, draw).action


def _odd(game: AnyGame, seed: int) -> Choice:
    usual = _baseline(game, "random", seed)
    return lambda turn: ODD_ACTIONS[turn.step // 3 % len(ODD_ACTIONS)] if turn.step % 3 == 2 else usual(turn)


def _ended(game: AnyGame, seed: int) -> Choice:
    usual = _baseline(game, "greedy", seed)
    return lambda turn: usual(turn) if turn.step < 3 else " end"
