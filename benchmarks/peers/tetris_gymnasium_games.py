"""Tetris Gymnasium with its board as text (render mode ``ansi``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from tetris_gymnasium.envs import Tetris

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer

LIBRARY = "tetris-gymnasium"


def tetris() -> Contender:
    """Return Tetris played key by key: a piece takes several steps there and one here."""
    env = Tetris(render_mode="ansi", width=setting.TETRIS_SIZE, height=setting.TETRIS_SIZE)
    every = (
        env.actions.move_left,
        env.actions.move_right,
        env.actions.move_down,
        env.actions.rotate_clockwise,
        env.actions.hard_drop,
    )

    def reset(seed: int) -> Tetris:
        env.reset(seed=seed)
        env.render()
        return env

    def run(world: Tetris, actions: Sequence[int]) -> str:
        step, render, text = world.step, world.render, ""
        for action in actions:
            step(action)
            text = render()
        return text

    def record(seed: int) -> Recorded[int]:
        env.reset(seed=seed)
        chance, actions, pieces, done = Random(seed), list[int](), 0, False
        while not done and pieces < setting.STEP_LIMIT:
            before = env.board.copy()
            actions.append(chance.choice(every))
            done = env.step(actions[-1])[2]
            pieces += not np.array_equal(before, env.board)
        return Recorded(seed, actions, len(actions), pieces)

    play = replayer(reset, run, [record(seed) for seed in setting.SEEDS])
    return Contender("tetris", LIBRARY, True, "one key: left, right, down, turn or drop; a piece is a turn", play)


GAMES: dict[str, Callable[[], Contender]] = {"tetris": tetris}
