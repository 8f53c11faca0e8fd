"""A printed row, and the numbers that it may stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Span:
    """A closed range of numbers."""

    low: Fraction
    high: Fraction

    def wider(self, by: Fraction) -> Span:
        """Return the range with so much more on both sides."""
        return Span(self.low - by, self.high + by)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Fraction) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """Avg, Max and AUC+ of one model in one game, with the digits that they were printed with."""

    game: str
    model: str
    avg: Decimal
    max: Decimal
    auc_plus: Decimal
    pathway: str = ""
    """Empty where the table does not say."""
    line: int = field(default=0, compare=False)
    """Of the table."""


def span_of(number: Decimal) -> Span:
    """Return every number that rounds to these digits, whichever way halves are rounded."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "a printed number is finite"
    half = HALF * Fraction(10) ** exponent
    return Span(Fraction(number) - half, Fraction(number) + half)


def exact_auc_plus(xs: tuple[int, ...], ys: tuple[Fraction, ...]) -> Fraction:
    """Return AUC+ without any rounding (eq. 20), points times exploration episodes.

    The judge of every witness; ``scoring.metrics.curve.auc_plus`` gives the same in floating point.

    Args:
        xs: Shape (checkpoints,), exploration episodes.
        ys: Shape (checkpoints,), points.
    """
    total = Fraction(0)
    for k in range(len(xs) - 1):
        a, b, gap = ys[k] - ys[0], ys[k + 1] - ys[0], xs[k + 1] - xs[k]
        if a >= 0 and b >= 0:
            total += gap * (a + b) / 2
        elif a > 0 or b > 0:
            total += gap * max(a, b) ** 2 / (2 * (abs(a) + abs(b)))
    return total


def rounded(ys: tuple[Fraction, ...], digits: int | None) -> tuple[Fraction, ...]:
    """Return checkpoint means as they were written down before anything was computed from them; None: in full."""
    return ys if digits is None else tuple(round(y, digits) for y in ys)


def reproduces(row: PrintedRow, xs: tuple[int, ...], ys: tuple[Fraction, ...], digits: int | None) -> bool:
    """Return whether a curve gives the printed digits, each number from its means in full or as written down."""
    kept = rounded(ys, digits)
    return (
        any(sum(means) / Fraction(len(means)) in span_of(row.avg) for means in (ys, kept))
        and any(max(means) in span_of(row.max) for means in (ys, kept))
        and any(exact_auc_plus(xs, means) in span_of(row.auc_plus) for means in (ys, kept))
    )
