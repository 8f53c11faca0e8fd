"""Digests of where an episode starts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from fractions import Fraction

from games.base import Config, State
from games.registry import AnyGame


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    raise AssertionError(f"a game state holds a value that is not plain: {type(value).__name__}")


def canonical(value: object) -> str:
    """Return plain nested values (states, configs) as one canonical JSON text."""
    return json.dumps(value, default=_plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def start_digest(game: AnyGame, config: Config, seed: int, state: State) -> str:
    """Return the SHA-256 of all that an episode starts from; equal digests mean a reproduced start."""
    text = canonical([game.id, game.rules_version, config, seed, state])
    return hashlib.sha256(text.encode()).hexdigest()


def layout_digest(game: AnyGame, state: State) -> str:
    """Return the SHA-256 of the world alone, without seed and config; equal digests mean an equal level."""
    return hashlib.sha256(f"{game.id}\n{game.layout(state)}".encode()).hexdigest()
