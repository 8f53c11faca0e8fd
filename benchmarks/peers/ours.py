"""This project's side: random legal play under the explore config, the observation text made in each step."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer
from games.base import State
from games.play import Turn, play
from games.registry import AnyGame

LIBRARY = "s3gym"


def contender(game: AnyGame) -> Contender:
    """Return one game, its episodes recorded."""
    config, start, step, observe = game.explore, game.start, game.step, game.observe

    def reset(seed: int) -> State:
        state = start(config, seed)
        observe(state)
        return state

    def run(state: State, actions: Sequence[str]) -> str:
        text = ""
        for action in actions:
            state = step(state, action).state
            text = observe(state)
        return text

    return Contender(
        game.id, LIBRARY, True, "an action", replayer(reset, run, [record(game, seed) for seed in setting.SEEDS])
    )


def record(game: AnyGame, seed: int) -> Recorded[str]:
    """Record one episode of random legal play; in Minesweeper, of uncovering cells without a mine."""
    chance = Random(seed)

    def policy(turn: Turn) -> str | None:
        if game.id == "minesweeper":
            return _safe_cell(game, turn.state, chance)
        return game.baselines["random"](turn.observation, chance.randrange).action

    actions = [played.action for played in play(game, game.explore, seed, policy).steps]
    return Recorded(seed, actions, len(actions), len(actions))


def _safe_cell(game: AnyGame, state: State, chance: Random) -> str | None:
    """Return a random action that opens a cell and shows no mine, found by trying."""
    mines = game.observe(state).count("X")
    cells = [f"uncover ({row},{column})" for row in range(setting.MINES_SIZE) for column in range(setting.MINES_SIZE)]
    chance.shuffle(cells)
    for action in cells:
        after, feedback, _ = game.step(state, action)
        if not feedback.startswith("Invalid") and game.observe(after).count("X") == mines:
            return action
    return None
