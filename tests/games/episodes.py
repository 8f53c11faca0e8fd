"""Episodes of every game, for the tests that hold for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple, cast

from games.base import Config, Draw, State, Step
from games.play import Turn, play, turns
from games.registry import GAMES, AnyGame, game_named
from games.rng import bounded

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


def drawer(seed: int) -> Draw:
    return bounded(Random(seed))


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


def digest(order: str = "forward") -> str:
    """One digest over episodes of every game, texts and rewards included, whichever way they are played.

    Args:
        order: ``forward`` and ``backward`` play one episode after the other, ``interleaved`` all at once by turns.
    """
    names = [
        (game, config, seed, name)
        for game in GAMES
        for config in game.configs
        for seed in (0, 1, BIG_SEED)
        for name in ("mixed", "greedy")
    ]
    texts = {place: list[str]() for place in range(len(names))}
    players = {place: _telling(*names[place], texts[place]) for place in texts}
    waiting = sorted(players, reverse=order == "backward")
    while waiting:
        if order == "interleaved":
            waiting = [place for place in waiting if next(players[place], False)]
        else:
            place, *waiting = waiting
            while next(players[place], False):
                pass
    return hashlib.sha256("\n".join([line for told in texts.values() for line in told]).encode()).hexdigest()


def _telling(game: AnyGame, config: Config, seed: int, name: str, texts: list[str]) -> Iterator[bool]:
    """Play an episode, one step at each call, and write down every text of it."""
    chosen = policy(game, name, seed)
    loop = turns(game, config, seed)
    turn = next(loop)
    while True:
        action = chosen(turn)
        texts += [turn.feedback, turn.observation, action]
        try:
            turn = loop.send(action)
        except StopIteration as stop:
            texts += [f"{step.feedback} {step.reward}" for step in stop.value.steps] + [str(stop.value.end)]
            return
        yield True
