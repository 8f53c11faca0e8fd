"""The nearest name: what somebody may have meant who gave one that is none."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 100
"""Letters of a name that are compared; it may come from anywhere."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name is most like, whatever its capitals; None if none is near."""
    return next(iter(get_close_matches(name[:_LONGEST].strip().lower(), known, n=1)), None)


def hint(name: str, known: Iterable[str]) -> str:
    """Return what a message may end with: a semicolon and the nearest known name, or nothing."""
    found = nearest(name, known)
    return "" if found is None else f"; did you mean {found}?"
