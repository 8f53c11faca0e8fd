"""Minesweeper of GEM (gem-llm).

GEM lists the data sets of reasoning-gym when it is imported. That library needs a C compiler to install and plays no
part in Minesweeper, so an empty list stands in for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from random import Random
from types import ModuleType, SimpleNamespace

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer

LIBRARY = "gem-llm"

_empty = ModuleType("reasoning_gym")
_empty.factory = SimpleNamespace(DATASETS={})  # type: ignore[attr-defined]
sys.modules.setdefault("reasoning_gym", _empty)

from gem.envs.game_env.minesweeper import MinesweeperEnv  # noqa: E402


def minesweeper() -> Contender:
    """Return Minesweeper for one player."""
    size = setting.MINES_SIZE
    env = MinesweeperEnv(rows=size, cols=size, num_mines=setting.MINES, max_turns=setting.STEP_LIMIT)

    def reset(seed: int) -> MinesweeperEnv:
        env.reset(seed)
        return env

    def run(world: MinesweeperEnv, actions: Sequence[str]) -> str:
        step, text = world.step, ""
        for action in actions:
            text = step(action)[4]["suffix"]
        return text

    def record(seed: int) -> Recorded[str]:
        env.reset(seed)
        chance, actions, done = Random(seed), list[str](), False
        while not done and (cells := _safe(env)):
            actions.append("\\boxed{{reveal {} {}}}".format(*chance.choice(cells)))
            done = env.step(actions[-1])[2]
        return Recorded(seed, actions, len(actions), len(actions))

    play = replayer(reset, run, [record(seed) for seed in setting.SEEDS])
    return Contender("minesweeper", LIBRARY, True, "an action", play)


def _safe(env: MinesweeperEnv) -> list[tuple[int, int]]:
    every = [(row, column) for row in range(env.rows) for column in range(env.cols)]
    return [(row, column) for row, column in every if not env.revealed[row][column] and env.grid[row][column] != -1]


GAMES: dict[str, Callable[[], Contender]] = {"minesweeper": minesweeper}
