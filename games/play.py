"""One loop for playing and for replaying."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple

from games.base import ConfigT, End, Game, Points, State, StateT


class Turn(NamedTuple):
    """What stands before the player."""

    step: int
    feedback: str
    """What the previous action did; empty at the first step."""
    observation: str
    state: State
    """The whole state; a player that is scored never sees it."""


class Played(NamedTuple):
    """One step as it was played."""

    action: str
    feedback: str
    reward: Points


class Episode(NamedTuple):
    """One play of one seed."""

    steps: tuple[Played, ...]
    end: End | None
    """None if the player stopped before the game did."""
    score: Points
    """The sum of the rewards."""


def turns(game: Game[ConfigT, StateT], config: ConfigT, seed: int) -> Generator[Turn, str | None, Episode]:
    """Yield each turn and take its action; None stops the episode where it stands.

    Returns:
        The episode, as the generator's value.
    """
    return turns_from(game, game.start(config, seed))


def turns_from(game: Game[ConfigT, StateT], state: StateT) -> Generator[Turn, str | None, Episode]:
    """Yield each turn from a state on, as ``turns`` does."""
    observe, step = game.observe, game.step
    steps: list[Played] = []
    feedback = ""
    while state.end is None:
        action = yield Turn(len(steps), feedback, observe(state), state)
        if action is None:
            break
        state, feedback, reward = step(state, action)
        steps.append(Played(action, feedback, reward))
    return Episode(tuple(steps), state.end, sum(played.reward for played in steps))


def play(game: Game[ConfigT, StateT], config: ConfigT, seed: int, policy: Callable[[Turn], str | None]) -> Episode:
    """Play one episode with a policy."""
    return _played(turns(game, config, seed), policy)


def play_from(game: Game[ConfigT, StateT], state: StateT, policy: Callable[[Turn], str | None]) -> Episode:
    """Play one episode from its start with a policy."""
    return _played(turns_from(game, state), policy)


def _played(loop: Generator[Turn, str | None, Episode], policy: Callable[[Turn], str | None]) -> Episode:
    try:
        turn = next(loop)
        while True:
            turn = loop.send(policy(turn))
    except StopIteration as stop:
        episode: Episode = stop.value
        return episode
