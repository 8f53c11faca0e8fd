"""Boards of Nullify for its tests, read by the standard library and not by the game."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.rules import NULLIFY, NullifyState
from games.nullify.units import Unit

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
OPERATORS = [f"{sign}{k}" for sign in "*/" for k in range(-10, 11) if k not in (0, 1)]
OPERATORS += ["floor", "ceil", "sqrt", "square", "reciprocal"]


def unit(content: str) -> Unit:
    """A unit from what a board shows."""
    return content if content in OPERATORS else Fraction(content).as_integer_ratio()


def board(*contents: str, config: NullifyConfig = STRICT, steps: int = 0) -> NullifyState:
    """A state with these units, without a known line that clears them."""
    return NullifyState(config, steps, None, tuple([unit(content) for content in contents]), ())


def contents(state: NullifyState) -> list[str]:
    """What the board shows for each unit."""
    return [line.split(": ")[1] for line in NULLIFY.observe(state).split("\n")[1:]]


def played(state: NullifyState, *actions: str) -> NullifyState:
    """The state after some actions."""
    for action in actions:
        state = NULLIFY.step(state, action).state
    return state


def along(state: NullifyState) -> Iterator[tuple[NullifyState, str]]:
    """The states on the builder's line, each with the action that comes next."""
    while state.witness:
        action = "{} {}".format(*state.witness[0])
        yield state, action
        state = NULLIFY.step(state, action).state
