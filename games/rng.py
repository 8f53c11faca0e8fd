"""Named random streams: what the world draws depends on the seed alone, never on the player."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

SEED_LIMIT = 1 << 63


def check_seed(seed: int) -> int:
    """Return the seed if it is an integer in [0, 2^63).

    Raises:
        ValueError: If it is of another type (``bool``, ``str``, ``float`` included) or out of range.
    """
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"seed: expected an integer in [0, 2^63), got {seed!r}")
    return seed


def hashed(*parts: str | int) -> int:
    """Return SHA-256 over the newline-joined UTF-8 text of the parts, read big-endian."""
    text = "\n".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def stream_seed(game: str, rules_version: int, config: str, seed: int, name: str) -> int:
    """Return the generator seed of one named stream of one episode."""
    return hashed(game, rules_version, config, check_seed(seed), name)


def stream(game: str, rules_version: int, config: str, seed: int, name: str) -> random.Random:
    """Return the generator of one named stream of one episode.

    Only its ``random()`` may be used: that sequence is documented as stable across Python versions.
    """
    return random.Random(stream_seed(game, rules_version, config, seed, name))


def draws(game: str, rules_version: int, config: str, seed: int, name: str, count: int) -> tuple[float, ...]:
    """Return the first ``count`` draws in [0, 1) of a stream, so that a state can hold them as plain values."""
    draw = stream(game, rules_version, config, seed, name).random
    return tuple([draw() for _ in range(count)])


def below(draw: float, bound: int) -> int:
    """Return the integer in [0, bound) that a draw in [0, 1) stands for."""
    return int(draw * bound)


def bounded(generator: random.Random) -> Callable[[int], int]:
    """Return bounded draws from a generator: called with n, an integer in [0, n)."""
    draw = generator.random
    return lambda bound: below(draw(), bound)


def shuffled(count: int, generator: random.Random) -> list[int]:
    """Return a uniform permutation of 0..count-1 (Fisher-Yates from the last place down)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = below(generator.random(), last + 1)
        order[last], order[other] = order[other], order[last]
    return order
