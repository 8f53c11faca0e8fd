"""The numbers that Plants-vs-Zombies is played under."""

from __future__ import annotations

from dataclasses import dataclass, replace

LARGEST_SIDE = 20
MOST_SUN = 100_000
MOST_HP = 1_000
MOST_STEPS = 1_000
MOST_ZOMBIES = 5_000
"""More in one episode would make its start slow."""


@dataclass(frozen=True, slots=True)
class PvzConfig:
    """One setting of the game.

    Raises:
        ValueError: If no such game can be set up.
    """

    id: str
    rows: int
    columns: int
    start_sun: int
    sun_a_turn: int
    """Sun that comes in each turn without any sunflower."""
    spawn_every: int
    """Turns from wave to wave."""
    stage_turns: int
    """Turns in a stage; waves grow from stage to stage."""
    stage_hp: int
    """The hp that zombies gain with every stage."""
    max_steps: int

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("rows", self.rows, 1, LARGEST_SIDE),
            ("columns", self.columns, 1, LARGEST_SIDE),
            ("start_sun", self.start_sun, 0, MOST_SUN),
            ("sun_a_turn", self.sun_a_turn, 0, MOST_SUN),
            ("spawn_every", self.spawn_every, 1, MOST_STEPS),
            ("stage_turns", self.stage_turns, 1, MOST_STEPS),
            ("stage_hp", self.stage_hp, 0, MOST_HP),
            ("max_steps", self.max_steps, 1, MOST_STEPS),
        ):
            if not least <= value <= most:
                raise ValueError(f"{name}: expected {least} to {most}, got {value}")
        zombies = sum([self.wave(turn) for turn in range(self.max_steps)])
        if zombies > MOST_ZOMBIES:
            raise ValueError(f"max_steps: expected at most {MOST_ZOMBIES} zombies in an episode, got {zombies}")

    def wave(self, turn: int) -> int:
        """Return how many zombies appear at the end of a turn."""
        return 0 if turn % self.spawn_every else 1 + turn // self.stage_turns


EXPLORE = PvzConfig(
    id="explore",
    rows=3,
    columns=7,
    start_sun=50,
    sun_a_turn=25,
    spawn_every=5,
    stage_turns=10,
    stage_hp=4,
    max_steps=64,
)
STRICT = PvzConfig(
    id="strict",
    rows=5,
    columns=6,
    start_sun=50,
    sun_a_turn=25,
    spawn_every=5,
    stage_turns=10,
    stage_hp=4,
    max_steps=64,
)

SIGHTED_EXPLORE = replace(EXPLORE, id="explore-sighted", rows=7, columns=4, start_sun=25, spawn_every=3)
SIGHTED_STRICT = replace(STRICT, id="strict-sighted", rows=8, columns=3, start_sun=25, spawn_every=3)
"""A wide field and a short way: the sun is enough for the rows in which zombies come, and for no others."""
