"""Starts of episodes, made once: every checkpoint plays the same strict seeds, and so does every entry of a round."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from games.base import Config, State
from games.registry import AnyGame, game_named
from games.rng import stream_seed
from protocol.digests import layout_digest, start_digest

_KEPT = 1024


class Start(NamedTuple):
    """Where an episode starts, and what identifies it."""

    state: State
    start_digest: str
    layout_digest: str
    derived: tuple[int, ...]
    """The seeds of the generators that the game draws from, stream by stream."""


def start_of(game: AnyGame, config: Config, seed: int) -> Start:
    """Return the start of an episode; states are plain frozen values, so one serves every episode with this seed.

    Raises:
        ValueError: If the seed is none.
    """
    return _start(game.id, config, seed)


@lru_cache(maxsize=_KEPT)
def _start(name: str, config: Config, seed: int) -> Start:
    game = game_named(name)
    state = game.start(config, seed)
    return Start(
        state,
        start_digest(game, config, seed, state),
        layout_digest(game, state),
        tuple(stream_seed(game.id, game.rules_version, config.id, seed, name) for name in game.streams),
    )
