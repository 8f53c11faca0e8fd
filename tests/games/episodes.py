"""Episodes of every game, for the tests that hold for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple, cast

from games.base import Config, Draw, State, Step
from games.play import Turn, play
from games.registry import GAMES, AnyGame, game_named
from games.rng import below

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Policy = Callable[[Turn], str]
Value = int | str | tuple[int, ...]

BIG_SEED = 7_654_321_234_567_890_123
"""A seed whose digits appear nowhere by chance."""

NONSENSE = (
    "INVALID",
    "",
    " \t\n",
    "answer",
    "42",
    "-1 -1 -1",
    "([{",
    "null",
    "\x00\x1b[31m\r\n",
    "\N{SNOWMAN}" * 50,
    "x" * 10_000,
    "I do not know what to do here, so I will do nothing.",
)


class Played(NamedTuple):
    """One step together with the state before it."""

    before: State
    action: str
    step: Step[State]


def configs(game: AnyGame) -> tuple[Config, Config]:
    return game.explore, game.strict


def drawer(seed: int) -> Draw:
    draw = Random(seed).random
    return lambda bound: below(draw(), bound)


def policy(game: AnyGame, name: str, seed: int = 0) -> Policy:
    """A baseline by name, ``nonsense``, or ``mixed``: the random baseline with nonsense at every fourth step."""
    if name == "nonsense":
        return lambda turn: NONSENSE[(seed + turn.step) % len(NONSENSE)]
    draw = drawer(seed)
    if name == "oracle":
        oracle = game.oracle
        assert oracle is not None
        return lambda turn: oracle(turn.state, draw).action
    if name == "mixed":
        usual, odd = policy(game, "random", seed), policy(game, "nonsense", seed)
        return lambda turn: odd(turn) if turn.step % 4 == 3 else usual(turn)
    baseline = game.baselines[name]
    return lambda turn: baseline(turn.observation, draw).action


def walk(game: AnyGame, config: Config, seed: int, chosen: Policy) -> list[Played]:
    """Play one episode without the loop of ``games.play``."""
    state, feedback, steps = game.start(config, seed), "", list[Played]()
    while state.end is None:
        action = chosen(Turn(len(steps), feedback, game.observe(state), state))
        step = game.step(state, action)
        steps.append(Played(state, action, step))
        state, feedback = step.state, step.feedback
    return steps


@cache
def scores(game_id: str, name: str, seeds: int = 120) -> list[float]:
    """The strict scores of a baseline on the first seeds."""
    game = game_named(game_id)
    return [float(play(game, game.strict, seed, policy(game, name, seed)).score) for seed in range(seeds)]


def values(config: Config) -> dict[str, Value]:
    """Every number of a config; its name is not one."""
    plain = cast("DataclassInstance", config)
    return {field.name: getattr(config, field.name) for field in fields(plain) if field.name != "id"}


def varied(config: Config, changes: Mapping[str, Value]) -> Config:
    """The config with other numbers."""
    return cast("Config", replace(cast("DataclassInstance", config), **changes))


def digest() -> str:
    """One digest over episodes of every game, texts and rewards included."""
    whole = hashlib.sha256()
    for game in GAMES:
        for config in configs(game):
            for seed in (0, 1, BIG_SEED):
                for name in ("mixed", "greedy"):
                    for before, action, step in walk(game, config, seed, policy(game, name, seed)):
                        text = game.observe(before), action, step.feedback, str(step.reward), str(step.end)
                        whole.update("\n".join(text).encode())
    return whole.hexdigest()
