"""Which episodes a run has, in which order, on which seeds."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import Protocol

from games.rng import hashed, shuffled
from protocol.preset import Preset
from protocol.records import Phase


class Place(Protocol):
    """Whatever stands for one episode of a run: a slot of the schedule, or a record."""

    @property
    def phase(self) -> Phase:
        """Return the phase."""

    @property
    def checkpoint(self) -> int | None:
        """Return x, for strict episodes."""

    @property
    def index(self) -> int:
        """Return the place within the phase or checkpoint."""

    @property
    def replicate(self) -> int:
        """Return which repeat of the x = 0 checkpoint."""


def episode_name(place: Place) -> str:
    """Return the readable name of an episode, the same everywhere: ``explore 4`` or ``strict x=3 #1``."""
    if place.phase == "explore":
        return f"explore {place.index}"
    repeat = f" repeat {place.replicate}" if place.replicate else ""
    return f"strict x={place.checkpoint} #{place.index}{repeat}"


@dataclass(frozen=True, slots=True)
class Slot:
    """One episode that a run must hold."""

    phase: Phase
    checkpoint: int | None
    """x, for strict episodes."""
    index: int
    replicate: int
    seed: int

    @property
    def name(self) -> str:
        """Return the slot's readable name."""
        return episode_name(self)


def seed_of(round_name: str, game: str, phase: Phase, index: int, strata: int = 1) -> int:
    """Return the seed of an episode: the first 63 bits of a SHA-256 over (round, game, phase, index).

    With more than one stratum, the lowest bits of a strict seed are not hashed: they are the place of the index in
    a permutation of the strata that is hashed from (round, game, phase, index div strata), so that every block of
    so many consecutive seeds meets each stratum once.
    """
    text = f"{round_name}\n{game}\n{phase}\n{index}"
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> (256 - 63)
    if phase != "strict" or strata == 1:
        return seed
    bits = (strata - 1).bit_length()
    order = shuffled(strata, random.Random(hashed(round_name, game, phase, index // strata)))
    return (seed >> bits << bits) | order[index % strata]


def explore_seeds(preset: Preset, game: str) -> tuple[int, ...]:
    """Return the seeds of the exploration episodes of a game."""
    return tuple(seed_of(preset.round, game, "explore", index) for index in range(preset.explore_episodes))


def strict_seeds(preset: Preset, game: str) -> tuple[int, ...]:
    """Return the strict seeds of a game; the same at every checkpoint."""
    strata = preset.games[game].strict_strata
    return tuple(seed_of(preset.round, game, "strict", index, strata) for index in range(preset.strict_episodes))


def schedule(preset: Preset, game: str) -> tuple[Slot, ...]:
    """Return every episode of a run in the order in which a bundle holds them."""
    strict, explore = strict_seeds(preset, game), explore_seeds(preset, game)
    slots: list[Slot] = []
    for x in preset.checkpoints:
        for replicate in range(preset.baseline_repeats if x == 0 else 1):
            slots += [Slot("strict", x, index, replicate, seed) for index, seed in enumerate(strict)]
        if x < preset.explore_episodes:
            slots += [Slot("explore", None, i, 0, explore[i]) for i in range(x, x + preset.explore_per_cycle)]
    return tuple(slots)


def memory_indexes(preset: Preset) -> tuple[int, ...]:
    """Return i of every memory of a summary run: memory[i] is made from the first i exploration episodes."""
    return tuple(range(1, preset.explore_episodes + 1))
