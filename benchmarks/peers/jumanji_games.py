"""Jumanji: compiled by JAX, arrays in and out, no text; one environment at a time and a batch of them.

One core, as for all others: XLA gets one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jumanji.env import Environment
from jumanji.environments import Minesweeper, Snake, Tetris
from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
from jumanji.types import TimeStep
from numpy.typing import NDArray

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer

LIBRARY = "jumanji"
SEEDS = range(20)
BATCH = 256
BATCH_STEPS = 32
UNIT = "an action, compiled, its arrays left where they are"


class Setting(NamedTuple):
    """One game and how to choose an action in it."""

    env: Environment
    allowed: Callable[[jax.Array, TimeStep], jax.Array]
    """Which actions may be recorded, given (state, time step)."""


def _masked(_state: jax.Array, timestep: TimeStep) -> jax.Array:
    return timestep.observation.action_mask


def _without_mines(state: jax.Array, timestep: TimeStep) -> jax.Array:
    mask = timestep.observation.action_mask
    return mask.ravel().at[state.flat_mine_locations].set(False).reshape(mask.shape)


SETTINGS: dict[str, Callable[[], Setting]] = {
    "minesweeper": lambda: Setting(
        Minesweeper(UniformSamplingGenerator(setting.MINES_SIZE, setting.MINES_SIZE, setting.MINES)), _without_mines
    ),
    "snake": lambda: Setting(Snake(setting.SNAKE_CELLS, setting.SNAKE_CELLS, setting.STEP_LIMIT), _masked),
    "tetris": lambda: Setting(Tetris(setting.TETRIS_SIZE, setting.TETRIS_SIZE, setting.STEP_LIMIT), _masked),
}


def single(game: str) -> Contender:
    """Step one environment."""
    env, allowed = SETTINGS[game]()
    start, step = jax.jit(env.reset), jax.jit(env.step)

    def reset(seed: int) -> tuple[jax.Array, TimeStep]:
        return jax.block_until_ready(start(jax.random.key(seed)))

    def run(world: tuple[jax.Array, TimeStep], actions: Sequence[jax.Array]) -> str:
        state, timestep = world
        for action in actions:
            state, timestep = step(state, action)
        return str(int(jax.block_until_ready(timestep.step_type)))

    def record(seed: int) -> Recorded[jax.Array]:
        chance, actions = Random(seed), list[jax.Array]()
        state, timestep = reset(seed)
        while not timestep.last():
            mask = np.asarray(allowed(state, timestep))
            if not mask.any():
                break
            actions.append(_action(mask, chance.choice(np.flatnonzero(mask))))
            state, timestep = step(state, actions[-1])
        return Recorded(seed, actions, len(actions), len(actions))

    return Contender(game, LIBRARY, False, UNIT, replayer(reset, run, [record(seed) for seed in SEEDS]))


def batch(game: str) -> Contender:
    """Step many environments in one call."""
    env, allowed = SETTINGS[game]()
    start, step = jax.jit(jax.vmap(env.reset)), jax.jit(jax.vmap(env.step))

    def reset(seed: int) -> tuple[jax.Array, TimeStep]:
        return jax.block_until_ready(start(jax.random.split(jax.random.key(seed), BATCH)))

    def run(world: tuple[jax.Array, TimeStep], actions: Sequence[jax.Array]) -> str:
        state, timestep = world
        for action in actions:
            state, timestep = step(state, action)
        return str(int(jax.block_until_ready(timestep.step_type).sum()))

    @jax.jit
    def choose(state: jax.Array, timestep: TimeStep, key: jax.Array) -> jax.Array:
        mask = jax.vmap(allowed)(state, timestep)
        flat = jax.random.categorical(key, jnp.where(mask.reshape(BATCH, -1), 0.0, -jnp.inf))
        return flat if mask.ndim == 2 else jnp.stack(jnp.unravel_index(flat, mask.shape[1:]), axis=-1)

    def record(seed: int) -> Recorded[jax.Array]:
        state, timestep = reset(seed)
        actions = list[jax.Array]()
        for key in jax.random.split(jax.random.key(seed), BATCH_STEPS):
            actions.append(choose(state, timestep, key))
            state, timestep = step(state, actions[-1])
        return Recorded(seed, actions, BATCH * len(actions), BATCH * len(actions))

    unit = f"one environment's step in a batch of {BATCH}"
    return Contender(game, f"{LIBRARY}, batch", False, unit, replayer(reset, run, [record(0)]))


def _action(mask: NDArray[np.bool_], flat: int) -> jax.Array:
    return jnp.asarray(flat if mask.ndim == 1 else np.unravel_index(flat, mask.shape), jnp.int32)


GAMES: dict[str, Callable[[], Contender]] = {game: partial(single, game) for game in SETTINGS}
BATCHES: dict[str, Callable[[], Contender]] = {game: partial(batch, game) for game in SETTINGS}
