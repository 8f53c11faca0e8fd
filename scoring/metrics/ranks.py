"""Ranks within one game, and what may be said over games; nothing here ever averages raw scores over games."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

Number = TypeVar("Number", float, Decimal)


def competition_ranks(values: Mapping[str, Number]) -> dict[str, int]:
    """Return the rank of every name, the highest value first; ties share the better rank (1, 2, 2, 4).

    The result does not depend on the order of the names.
    """
    ordered = sorted(values.values(), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    return {name: first[value] for name, value in values.items()}


def mean_ranks(ranks: Mapping[str, Mapping[str, int]]) -> dict[str, Fraction]:
    """Return each name's mean rank over games, for names with a rank in every game only.

    Whoever leaves a game out has no mean: over the games that are there it would only look better.

    Args:
        ranks: Rank by game, then by name.
    """
    if not ranks:
        return {}
    tables = list(ranks.values())
    complete = [name for name in tables[0] if all(name in table for table in tables)]
    return {name: Fraction(sum(table[name] for table in tables), len(tables)) for name in complete}


def rank_score(rank: int, n: int) -> float | None:
    """Return (N - rank) / (N - 1): 1 for the first, 0 for the last of N, None for N = 1 (EvoPolicyGym's Core16)."""
    if not 1 <= rank <= n:
        raise ValueError(f"rank: expected 1 to {n}, got {rank}")
    return None if n == 1 else (n - rank) / (n - 1)


def games_improved(areas: Mapping[str, Number]) -> int:
    """Return the number of games with AUC+ > 0: the naive count.

    By luck alone most runs reach it in a game (docs/explanation/how-sure-is-it.md); see ``trend_test``.

    Args:
        areas: AUC+ by game; a game without a value is not in it.
    """
    return sum(area > 0 for area in areas.values())
