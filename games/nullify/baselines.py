"""Nullify: policies that read the observation alone, and the builder's own line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move
from games.nullify.config import LARGEST_RESULT
from games.nullify.units import Number, Unit, merge, read

if TYPE_CHECKING:
    from games.nullify.rules import NullifyState

_SEARCHED = 5
"""So many units are few enough to try every line."""
_ANY = "0 1"
"""The answer where no merge is known to be legal, as may be under a higher bound than the shipped one."""


class _Choice(NamedTuple):
    """A legal merge and what it leads to."""

    action: str
    result: Number
    left: tuple[Unit, ...]


def idle(observation: str, _draw: Draw) -> Move:
    """Make the first legal merge in the order of the indexes."""
    choices = _choices(_read(observation))
    return Move(choices[0].action if choices else _ANY, 0)


def random(observation: str, draw: Draw) -> Move:
    """Make any legal merge; guess the reward by a coin."""
    choices = _choices(_read(observation))
    return Move(choices[draw(len(choices))].action if choices else _ANY, draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Clear a board of few units if any line does; else make the merge with the smallest result."""
    return _best(_read(observation))


def oracle(state: NullifyState, _draw: Draw) -> Move:
    """Play the builder's line; be greedy once the player has left it."""
    if not state.witness:
        return _best(state.units)
    first, second = state.witness[0]
    return Move(f"{first} {second}", int(len(state.witness) == 1))


def _read(observation: str) -> tuple[Unit, ...]:
    return tuple([read(line.partition(": ")[2]) for line in observation.split("\n")[1:]])


def _choices(units: Sequence[Unit]) -> list[_Choice]:
    """Return the legal merges under the shipped bound on results; the board does not show the bound."""
    choices = []
    for (first, one), (second, other) in combinations(enumerate(units), 2):
        result = merge(one, other, LARGEST_RESULT)
        if not isinstance(result, str):
            rest = tuple([unit for place, unit in enumerate(units) if place not in (first, second)])
            choices.append(_Choice(f"{first} {second}", result, (*rest, result) if result[0] else rest))
    return choices


def _best(units: Sequence[Unit]) -> Move:
    choices = _choices(units)
    if len(units) <= _SEARCHED:
        for action, _, left in choices:
            if _clears(left):
                return Move(action, int(not left))
    return Move(min(choices, key=_badness).action if choices else _ANY, 0)


def _clears(units: tuple[Unit, ...]) -> bool:
    """Return whether some line of merges leaves nothing."""
    if len(units) <= 1:
        return not units
    return any(_clears(choice.left) for choice in _choices(units))


def _badness(choice: _Choice) -> tuple[bool, int]:
    """Return first whether no number is left, then how large the result is."""
    top, bottom = choice.result
    return all(isinstance(unit, str) for unit in choice.left), abs(top) + bottom
