"""How numbers of the results are written for people: in plain ASCII, by the same rounding as on the pages of a site."""

from __future__ import annotations

NONE = "-"
"""What stands for a missing value; its reason stands in the remarks."""
_LONG = 1e7
"""From here on a number is written in powers of ten: a self-score may have a hundred digits."""


def number(value: float | None) -> str:
    """Return a number with three decimals; what is not zero is never written as zero."""
    if value is None:
        return NONE
    if value == 0:
        return "0"
    if abs(value) >= _LONG:
        return f"{value:.3e}"
    return f"{value:.1e}" if abs(value) < 0.0005 else f"{value:.3f}"


def signed(value: float | None) -> str:
    """Return a difference, with its sign."""
    return f"+{number(value)}" if value is not None and value > 0 else number(value)


def span(low: float | None, high: float | None) -> str:
    """Return the bounds of a number."""
    return NONE if low is None or high is None else f"{number(low)} to {number(high)}"


def percent(value: float | None) -> str:
    """Return a share in percent; only none is 0% and only all are 100%."""
    if value is None:
        return NONE
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 0.0005:
        return "<0.1%"
    return ">99.9%" if value >= 0.9995 else f"{100 * value:.1f}%"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
