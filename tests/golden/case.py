"""One episode to be recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from games.play import Turn

Choice = Callable[[Turn], str | None]


class Case(NamedTuple):
    """One episode to be recorded: its name, its seed, changes of the config, and who chooses the actions."""

    name: str
    seed: int
    changes: Mapping[str, int]
    choice: Choice


def script(*actions: str) -> Choice:
    """Return the choice that plays these actions and then stops."""
    return lambda turn: actions[turn.step] if turn.step < len(actions) else None
