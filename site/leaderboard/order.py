"""The order of a column's cells: total, the same here and in ``static/order.js``, missing last in both directions."""

from __future__ import annotations

import math
import re
from typing import Literal

Kind = Literal["number", "text"]
Key = tuple[float] | tuple[tuple[int, int, str], ...]

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_RUNS = re.compile(r"[0-9]+|[^0-9]+", re.ASCII)
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def key(cell: str | None, kind: Kind) -> Key | None:
    """Return what a cell is ordered by; None for a missing one.

    In a column of numbers everything but a finite number is missing. Text is ordered by its runs: digits by their
    number, the rest by code point with ASCII case ignored. Unicode tables and locales, which differ, play no part.
    """
    if cell is None:
        return None
    if kind == "number":
        value = float(cell) if _NUMBER.fullmatch(cell) else math.inf
        return (value + 0.0,) if math.isfinite(value) else None
    return tuple(_run(run) for run in _RUNS.findall(cell)) if cell else None


def _run(run: str) -> tuple[int, int, str]:
    if run.isascii() and run.isdigit():
        digits = run.lstrip("0")
        return (0, len(digits), digits)
    return (1, 0, run.translate(_LOWER))


def compare(left: str | None, right: str | None, kind: Kind, *, descending: bool = False) -> int:
    """Return -1, 0 or 1: which cell comes first."""
    a, b = key(left, kind), key(right, kind)
    if a is None or b is None:
        return (a is None) - (b is None)
    raw = kind == "text"
    before = a < b or (raw and a == b and left < right)  # type: ignore[operator]  # both keys are of one kind, both cells text
    after = a > b or (raw and a == b and left > right)  # type: ignore[operator]
    return (after - before) * (-1 if descending else 1)
