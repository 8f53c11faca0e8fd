"""The games as Gymnasium environments: importing this module registers two for each game, one a config."""

from __future__ import annotations

import operator
from functools import cache
from typing import Never, SupportsIndex

import gymnasium
from gymnasium.error import CustomSpaceError, ResetNeeded
from gymnasium.spaces import Text
from gymnasium.vector.utils import create_shared_memory

from games.base import Config, End, State, number
from games.registry import GAMES, AnyGame, game_named
from games.rng import hashed
from protocol.preset import preset_named, preset_names
from protocol.reply import MAX_ACTION

CHARACTERS = "".join(map(chr, range(ord(" "), ord("~") + 1))) + "\n"
"""What the texts of every game are made of: plain ASCII."""
_CHARACTERS_A_TOKEN = 6
"""The most that the token estimate takes for one: five letters of a word and the blank before them."""
_LEVEL = "level"


class Told(Text):
    """The texts that a player is told; shared memory, where Gymnasium would show blanks for them, is refused."""


@create_shared_memory.register(Told)
def _refuse_shared_memory(_space: Told, n: int = 1, ctx: object = None) -> Never:
    del n, ctx
    raise CustomSpaceError("texts are not carried by shared memory; give vector_kwargs={'shared_memory': False}")


class GameEnv(gymnasium.Env[str, str]):
    """One game under one config.

    An action is the action alone (``UP``), not a whole reply. An observation is what the player is told at a step:
    what the action before it did, if there was one, a blank line, and the board. The two parts stand apart in
    ``info`` as ``feedback`` and ``observation``; at a reset it also holds the ``rules``, the ``numbers`` of the config
    and the ``action_form``, and after the last step the ``end``. It never holds what a player may not see.

    Args:
        game: The id of the game.
        config: The id of the config: ``explore``, ``strict``, or one of a variant.
        render_mode: ``ansi`` or None.

    Raises:
        ValueError: If there is no such game, config or render mode.
    """

    metadata: dict[str, object] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # as in the base class

    def __init__(self, game: str, config: str, render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: expected ansi or None, got {render_mode!r}")
        self._game = game_named(game)
        self._config = self._game.config(config)
        self._state: State | None = None
        self._told = ""
        self.render_mode = render_mode
        self.level: int | None = None
        """The s3gym seed of the episode under way; ``info`` never tells it."""
        self.action_space = Text(MAX_ACTION, min_length=0, charset=CHARACTERS)
        self.observation_space = Told(longest_observation(), charset=CHARACTERS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[str, dict[str, object]]:
        """Start an episode.

        Args:
            seed: Chooses the level and seeds ``np_random``; without one, ``np_random`` draws the level.
            options: ``{"level": n}`` plays the level of this s3gym seed, whatever ``seed`` is.

        Raises:
            ValueError: If there is no such option or level.
        """
        super().reset(seed=seed)
        self.level = self._drawn(seed, options or {})
        self._state = self._game.start(self._config, self.level)
        texts = {"rules": self._game.rules, "numbers": self._game.numbers(self._config)}
        return self._tell("", {**texts, "action_form": self._game.action_form})

    def step(self, action: object) -> tuple[str, float, bool, bool, dict[str, object]]:
        """Play one action; at the step limit the episode is truncated, at every other end terminated.

        Raises:
            ValueError: If the action is no text, or the episode is over.
        """
        if not isinstance(action, str):
            form = self._game.action_form
            raise ValueError(f"action: expected a text in the form {form}, got {type(action).__name__} {action!r}")
        done = self._game.step(self._running(), action)
        self._state = done.state
        told, info = self._tell(done.feedback, {} if done.end is None else {"end": done.end.value})
        truncated = done.end is End.STEP_LIMIT
        return told, float(number(done.reward)), done.done and not truncated, truncated, info

    def render(self) -> str | None:
        """Return what the player is told now, in render mode ``ansi``."""
        self._running()
        return self._told if self.render_mode == "ansi" else None

    def _running(self) -> State:
        if self._state is None:
            raise ResetNeeded("call reset before step and render")
        return self._state

    def _tell(self, feedback: str, more: dict[str, object]) -> tuple[str, dict[str, object]]:
        observation = self._game.observe(self._running())
        self._told = f"{feedback}\n\n{observation}" if feedback else observation
        return self._told, {"feedback": feedback, "observation": observation, **more}

    def _drawn(self, seed: int | None, options: dict[str, object]) -> int:
        if unknown := options.keys() - {_LEVEL}:
            raise ValueError(f"options: expected only {_LEVEL!r}, got {sorted(unknown)}")
        if _LEVEL not in options:
            return int(self.np_random.bit_generator.random_raw()) >> 1 if seed is None else level_of(seed)
        level = options[_LEVEL]
        if isinstance(level, SupportsIndex) and not isinstance(level, bool):
            try:
                # NumPy's integers are no int, and all its arrays have an index until they are asked for it.
                return operator.index(level)
            except TypeError:
                pass
        raise ValueError(f"options[{_LEVEL!r}]: expected an integer in [0, 2^63), got {level!r}")


def level_of(seed: int) -> int:
    """Return the s3gym seed that a Gymnasium seed stands for.

    It is the first 63 bits of SHA-256 over the text ``gymnasium``, a newline and the seed's digits.
    """
    return hashed("gymnasium", seed) >> (256 - 63)


@cache
def longest_observation() -> int:
    """Return the most characters of an observation.

    A game has to fit the smallest input budget of the presets, and that is counted in estimated tokens.
    """
    return _CHARACTERS_A_TOKEN * min(preset_named(name).input_tokens for name in preset_names())


def env_id(game: AnyGame, config: Config) -> str:
    """Return the id of an environment: ``s3gym/Snake-strict-v2``. Its version is that of the game's rules."""
    return f"s3gym/{game.id.capitalize()}-{config.id}-v{game.rules_version}"


for _game in GAMES:
    for _config in _game.configs:
        gymnasium.register(
            env_id(_game, _config),
            entry_point=f"{__name__}:{GameEnv.__name__}",
            kwargs={"game": _game.id, "config": _config.id},
        )
