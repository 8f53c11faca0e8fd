"""OpenSpiel: compiled C++, actions are numbers, observations can be had as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pyspiel

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer

LIBRARY = "open-spiel"
PLAYERS = 2
UNIT = "one player's action, with a text for that player; two make a turn"

Joint = list[int]
"""The action of each player, or the number of a draw alone."""


def snake() -> Contender:
    """Return Snake with two snakes, the fewest it takes, and its one fruit."""
    cells = setting.SNAKE_CELLS
    return _contender("snake", f"snake(rows={cells},columns={cells},horizon={setting.STEP_LIMIT})")


def trust() -> Contender:
    """Return the repeated prisoner's dilemma; its text is the last round alone."""
    return _contender("trust", f"repeated_game(stage_game=matrix_pd(),num_repetitions={setting.TRUST_ROUNDS})")


def _contender(name: str, parameters: str) -> Contender:
    game = pyspiel.load_game(parameters)

    def reset(_seed: int) -> pyspiel.State:
        state = game.new_initial_state()
        for player in range(PLAYERS):
            state.observation_string(player)
        return state

    def run(state: pyspiel.State, actions: Sequence[Joint]) -> str:
        draw, act, observe, text = state.apply_action, state.apply_actions, state.observation_string, ""
        for action in actions:
            if len(action) == 1:
                draw(action[0])
            else:
                act(action)
                text = observe(0)
                text = observe(1)
        return text

    def record(seed: int) -> Recorded[Joint]:
        state, chance, actions = game.new_initial_state(), Random(seed), list[Joint]()
        while not state.is_terminal():
            if state.is_chance_node():
                actions.append([chance.choice(state.legal_actions())])
                state.apply_action(actions[-1][0])
            else:
                actions.append(_safe(state, chance))
                state.apply_actions(actions[-1])
        turns = sum(len(each) > 1 for each in actions)
        return Recorded(seed, actions, PLAYERS * turns, turns)

    play = replayer(reset, run, [record(seed) for seed in setting.SEEDS])
    return Contender(name, LIBRARY, True, UNIT, play)


def _safe(state: pyspiel.State, chance: Random) -> Joint:
    """Return random actions that do not end the game, if a few tries find some."""
    joint: Joint = []
    for _ in range(20):
        joint = [chance.choice(state.legal_actions(player)) for player in range(PLAYERS)]
        after = state.clone()
        after.apply_actions(joint)
        if not after.is_terminal():
            break
    return joint


GAMES: dict[str, Callable[[], Contender]] = {"snake": snake, "trust": trust}
