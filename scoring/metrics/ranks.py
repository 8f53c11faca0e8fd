"""Ranks within one game; nothing here ever averages raw scores over games."""

from __future__ import annotations

from collections.abc import Mapping


def competition_ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return the rank of every name, the highest value first; ties share the better rank (1, 2, 2, 4).

    The result does not depend on the order of the names.
    """
    ordered = sorted(values.values(), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    return {name: first[value] for name, value in values.items()}
