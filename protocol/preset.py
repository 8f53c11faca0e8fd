"""Protocols: frozen, named presets, read from data files."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from games.base import STANDARD, Config
from games.near import hint
from games.registry import GAMES, AnyGame
from protocol.context import Budget
from protocol.record import Record
from protocol.records import MAX_STEPS, Count, Label, Name, Phase
from protocol.strictjson import field_name, shown

MAX_TEXT = 1 << 16
"""Characters of a preset file; the parser of TOML takes quadratic time on some longer ones."""
MAX_LINE = 2_000
_MAX_BYTES = 4 * MAX_TEXT


class GamePreset(Record):
    """What a preset fixes for one game."""

    rules_version: Annotated[int, Field(ge=1)]
    variant: Name = STANDARD
    """Which of the game's pairs of configs is played."""
    judging_range: tuple[float, float]
    """Lowest and highest immediate reward; self-scores and rewards are scaled by it for NMAE."""
    strict_strata: Annotated[int, Field(ge=1, le=64)] = 1
    """How many kinds the lowest bits of a strict seed choose among; every block of so many seeds meets each once."""


class Limits(Record):
    """When a run is shown but not ranked."""

    failed_checkpoints: Count
    failed_explorations: Count
    unreliable_percent: Count
    """Share of truncated-without-answer, empty and filtered replies above which a channel is unreliable."""


class Preset(Record):
    """One protocol. A released preset never changes."""

    id: Name
    title: Label
    round: Name
    rankable: bool
    explore_episodes: Annotated[int, Field(ge=1, le=1000)]
    explore_per_cycle: Annotated[int, Field(ge=1, le=1000)]
    strict_episodes: Annotated[int, Field(ge=1, le=1000)]
    baseline_repeats: Annotated[int, Field(ge=1, le=100)]
    """How often the x = 0 checkpoint is played."""
    max_steps: Annotated[int, Field(ge=1, le=MAX_STEPS)]
    """Steps of an episode, or the game's own smaller limit."""
    input_tokens: Annotated[int, Field(ge=1000, le=10_000_000)]
    output_tokens: Annotated[int, Field(ge=1, le=1_000_000)]
    memory_tokens: Annotated[int, Field(ge=4)]
    """As many hold one character of any script, so that a summary is never cut to nothing."""
    memory_percent: Annotated[int, Field(ge=1, le=100)]
    """The memory is at most this share of the input budget, and at most ``memory_tokens``."""
    cut_percent: Annotated[int, Field(ge=1, le=100)]
    temperature: float | None = None
    """None: the model's documented default."""
    limits: Limits
    games: dict[Name, GamePreset]

    @model_validator(mode="after")
    def _whole_cycles(self) -> Self:
        if self.explore_episodes % self.explore_per_cycle:
            raise ValueError(
                f"explore_episodes: expected a multiple of explore_per_cycle ({self.explore_per_cycle}), "
                f"got {self.explore_episodes}"
            )
        for name, game in self.games.items():
            if game.strict_strata & (game.strict_strata - 1):
                raise ValueError(f"games.{name}.strict_strata: expected a power of two, got {game.strict_strata}")
            known = [variant.name for each in GAMES if each.id == name for variant in each.variants]
            if known and game.variant not in known:
                raise ValueError(f"games.{name}.variant: expected one of {', '.join(known)}, got {game.variant!r}")
            low, high = game.judging_range
            if not low < high:
                raise ValueError(f"games.{name}.judging_range: expected low < high, got {low}, {high}")
        return self

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Return x of every checkpoint, 0 first."""
        return tuple(range(0, self.explore_episodes + 1, self.explore_per_cycle))

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the preset's content, whatever the layout of its file."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def budget(self, input_tokens: int) -> Budget:
        """Return what prompts may hold under a declared input budget."""
        memory = min(self.memory_tokens, input_tokens * self.memory_percent // 100)
        return Budget(input_tokens, memory, self.cut_percent)

    def config(self, game: AnyGame, phase: Phase) -> Config:
        """Return the game's config of a phase under this preset's step limit."""
        variant = game.variant(self.games[game.id].variant)
        config = variant.explore if phase == "explore" else variant.strict
        return _limited(config, self.max_steps)


def _limited(config: Config, max_steps: int) -> Config:
    if config.max_steps <= max_steps:
        return config
    limited: Config = replace(config, max_steps=max_steps)  # type: ignore[type-var]  # every config is a dataclass
    return limited


def parse_preset(text: str, place: str) -> Preset:
    """Return the preset that a TOML text holds.

    Raises:
        ValueError: If it is no valid preset; the message names the place and the field.
    """
    if len(text) > MAX_TEXT or max(map(len, text.split("\n"))) > MAX_LINE:
        raise ValueError(f"{place}: expected at most {MAX_TEXT} characters and {MAX_LINE} in a line, got more")
    try:
        return Preset.model_validate(tomllib.loads(text), strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        field = field_name(first["loc"]) or "the preset"
        raise ValueError(f"{place}: not a valid preset: {field}: {first['msg']}{more}") from error
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"{place}: not a valid preset: {shown(str(error))}") from error


@cache
def _shipped() -> dict[str, str]:
    folder = resources.files("protocol") / "presets"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def preset_names() -> tuple[str, ...]:
    """Return the ids of the presets that ship with this package."""
    return tuple(_shipped())


def preset_named(name: str) -> Preset:
    """Return the shipped preset with this id; no file outside this package is ever read.

    Raises:
        ValueError: If there is no such preset.
    """
    if name not in _shipped():
        raise ValueError(f"protocol: expected one of {', '.join(_shipped())}, got {name!r}{hint(name, _shipped())}")
    return _parsed(name)


def preset_file(path: Path) -> Preset:
    """Return the preset of a TOML file that a person points at.

    Raises:
        ValueError: If there is no such file, it holds no valid preset, or another one under the id of a released one.
    """
    if not path.is_file():
        hint = f"; {path} ships with this release and needs no file" if str(path) in _shipped() else ""
        raise ValueError(f"protocol: expected a preset file, found none at {path}{hint}")
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_TEXT} characters, got more than {_MAX_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected UTF-8 text, got byte {error.start}") from error
    preset = parse_preset(text, str(path))
    if preset.id in _shipped() and not is_released(preset):
        raise ValueError(
            f"{path}: expected another id than {preset.id!r}: that is a released preset, and a released preset never "
            "changes"
        )
    return preset


def is_released(preset: Preset) -> bool:
    """Return whether a preset is one of those that ship; a protocol of somebody's own never stands among their rows."""
    return preset.id in _shipped() and preset.digest == _parsed(preset.id).digest


@cache
def _parsed(name: str) -> Preset:
    return parse_preset(_shipped()[name], f"protocol/presets/{name}.toml")
