"""Nullify: numbers, operators, and what merging two of them gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import gcd, isqrt
from types import MappingProxyType

Number = tuple[int, int]
"""Numerator and denominator in lowest terms; the denominator is positive."""
Unit = Number | str
"""A number, or an operator as it is shown."""

TWO_OPERATORS = "two operators cannot be merged"
NO_ROOT = "the number has no rational square root"
NO_RECIPROCAL = "0 has no reciprocal"
TOO_LARGE = "the result would be above the limit"

FACTORS = (*range(-10, 0), *range(2, 11))
"""What ``*k`` multiplies and ``/k`` divides by."""


def lowest(top: int, bottom: int) -> Number:
    """Return a fraction in lowest terms."""
    shared = gcd(top, bottom) if bottom > 0 else -gcd(top, bottom)
    return top // shared, bottom // shared


def merge(first: Unit, second: Unit, largest: int) -> Number | str:
    """Return the result of merging two units in either order, or why they cannot be merged."""
    if isinstance(first, str):
        first, second = second, first
    if isinstance(first, str):
        return TWO_OPERATORS
    if isinstance(second, str):
        result = OPERATORS[second](*first)
        if isinstance(result, str):
            return result
    else:
        result = lowest(first[0] * second[1] + second[0] * first[1], first[1] * second[1])
    if not -largest <= result[0] <= largest or result[1] > largest:
        return TOO_LARGE
    return result


@lru_cache(maxsize=4096)
def show(unit: Unit) -> str:
    """Return a unit as the board shows it."""
    if isinstance(unit, str):
        return unit
    top, bottom = unit
    return f"{top:+}" if bottom == 1 else f"{top:+}/{bottom}"


def read(shown: str) -> Unit:
    """Return the unit that the board shows so."""
    if shown[0] not in "+-":
        return shown
    top, _, bottom = shown.partition("/")
    return int(top), int(bottom or 1)


def floor(top: int, bottom: int) -> Number | str:
    """Return the greatest integer that is not above a number."""
    return top // bottom, 1


def ceil(top: int, bottom: int) -> Number | str:
    """Return the least integer that is not below a number."""
    return -(-top // bottom), 1


def sqrt(top: int, bottom: int) -> Number | str:
    """Return the square root of a number, if it is rational."""
    if top < 0:
        return NO_ROOT
    root = isqrt(top), isqrt(bottom)
    return root if square(*root) == (top, bottom) else NO_ROOT


def square(top: int, bottom: int) -> Number | str:
    """Return a number times itself."""
    return top * top, bottom * bottom


def reciprocal(top: int, bottom: int) -> Number | str:
    """Return 1 divided by a number."""
    return lowest(bottom, top) if top else NO_RECIPROCAL


Rule = Callable[[int, int], Number | str]
"""What an operator makes of a number, or why it cannot be applied to it."""


def _times(factor: int) -> Rule:
    return lambda top, bottom: lowest(top * factor, bottom)


def _divided_by(factor: int) -> Rule:
    return lambda top, bottom: lowest(top, bottom * factor)


OPERATORS: Mapping[str, Rule] = MappingProxyType(
    {
        **{f"*{factor}": _times(factor) for factor in FACTORS},
        **{f"/{factor}": _divided_by(factor) for factor in FACTORS},
        "floor": floor,
        "ceil": ceil,
        "sqrt": sqrt,
        "square": square,
        "reciprocal": reciprocal,
    }
)
"""By the name that the board shows."""
