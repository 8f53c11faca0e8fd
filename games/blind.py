"""Blind play: what the best schedule of actions found reaches for a player that never looks at the game.

A plan is data, made by ``python -m benchmarks.blind_plans record``. Its player knows the config and the number of the
step, and nothing of any observation.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import NamedTuple

from games.base import Config, Move

FILE = "blind.json"


class BlindPlan(NamedTuple):
    """The plan for one config under one step limit."""

    game: str
    rules_version: int
    config: str
    max_steps: int
    score: float
    """Its mean on the seeds of the calibration, points an episode."""
    actions: tuple[str, ...]
    """Played one after the other, then again from the first."""


@cache
def plans() -> tuple[BlindPlan, ...]:
    """Return all plans."""
    text = (resources.files("games") / FILE).read_text(encoding="utf-8")
    return tuple([BlindPlan(**{**each, "actions": tuple(each["actions"])}) for each in json.loads(text)])


@cache
def plan_of(game_id: str, config: Config) -> BlindPlan:
    """Return the plan for a config: the one made for the nearest step limit.

    Raises:
        ValueError: If there is none.
    """
    made = [plan for plan in plans() if (plan.game, plan.config) == (game_id, config.id)]
    if not made:
        raise ValueError(f"blind: expected a config of {game_id} that a plan was made for, got {config.id!r}")
    return min(made, key=lambda plan: abs(plan.max_steps - config.max_steps))


def blind(game_id: str, config: Config, step: int) -> Move:
    """Return the action of a step, counted from 0, whatever there is to see."""
    actions = plan_of(game_id, config).actions
    return Move(actions[step % len(actions)], 0)
