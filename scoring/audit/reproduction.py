"""Whether a row's printed digits follow from the curve that comes with it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from scoring.audit.curves import GivenCurve
from scoring.audit.grids import Grid
from scoring.audit.printed import PrintedRow, Span, exact_auc_plus, rounded, span_of
from scoring.audit.verdict import Verdict

Name = Literal["Avg", "Max", "AUC+"]
NAMES: tuple[Name, ...] = ("Avg", "Max", "AUC+")


class _Number(NamedTuple):
    """One of the three printed numbers, and what the curve makes of it."""

    name: Name
    printed: Decimal
    again: Decimal
    """As it would be printed."""
    plain: bool
    """Whether the printed digits follow from the means as they stand, in full or as written down."""
    room: Span
    """What the means leave open for the decimals that they are written with."""

    def follows(self) -> bool:
        """Return whether the printed digits follow."""
        span = span_of(self.printed)
        return self.plain or (span.low <= self.room.high and self.room.low <= span.high)


def reproduction(row: PrintedRow, curve: GivenCurve, digits: int | None, grid: Grid | None = None) -> Verdict:
    """Return whether Avg, Max and AUC+ of a curve have the printed digits; all in exact fractions.

    Args:
        row: What was printed.
        curve: The checkpoint means that came with it.
        digits: Decimals that means may have been rounded to before anything was computed from them.
        grid: Means that the game can give, if that is known.
    """
    numbers = [_number(name, row, curve, digits) for name in NAMES]
    wrong = [number for number in numbers if not number.follows()]
    again = tuple(str(number.again) for number in numbers)
    if wrong:
        parts = [f"{each.name} would be printed as {each.again}, not {each.printed}" for each in wrong]
        return Verdict("not reproduced", "; ".join(parts) + _off_grid(curve, grid), curve.xs, curve.ys, again)
    loose = [number for number in numbers if not number.plain]
    reason = "Avg, Max and AUC+ follow from the curve that was given"
    if loose:
        rooms = [f"{each.name} of {float(each.room.low):.6g} to {float(each.room.high):.6g}" for each in loose]
        reason = f"the digits follow within the decimals of the means, which leave open {' and '.join(rooms)}"
    return Verdict("reproduced", reason + _off_grid(curve, grid), curve.xs, curve.ys, again)


def _computed(name: Name, xs: tuple[int, ...], ys: tuple[Fraction, ...]) -> Fraction:
    if name == "AUC+":
        return exact_auc_plus(xs, ys)
    return max(ys) if name == "Max" else sum(ys, Fraction(0)) / len(ys)


def _number(name: Name, row: PrintedRow, curve: GivenCurve, digits: int | None) -> _Number:
    xs, ys, blur = curve.xs, curve.ys, curve.blur
    printed = {"Avg": row.avg, "Max": row.max, "AUC+": row.auc_plus}[name]
    plain = any(_computed(name, xs, means) in span_of(printed) for means in (ys, rounded(ys, digits)))
    # Each number rises with every mean, but AUC+ falls as the baseline rises: its ends are at two corners.
    sign = -1 if name == "AUC+" else 1
    low, high = ((ys[0] + sign * side, *(y + side for y in ys[1:])) for side in (-blur, blur))
    room = Span(_computed(name, xs, low), _computed(name, xs, high))
    return _Number(name, printed, _printed_as(_computed(name, xs, ys), printed), plain, room)


def _printed_as(value: Fraction, like: Decimal) -> Decimal:
    """Return a number with the decimals of another, halves to the even digit."""
    exponent = like.as_tuple().exponent
    assert isinstance(exponent, int), "a printed number is finite"
    return Decimal(round(value * 10**-exponent)).scaleb(exponent)


def _off_grid(curve: GivenCurve, grid: Grid | None) -> str:
    """Return a note on means that the game cannot give; of a repeated x = 0 the grid is finer and nothing is said."""
    if grid is None:
        return ""
    places = zip(curve.xs, curve.ys, strict=True)
    odd = [
        f"x = {x}"
        for x, y in places
        if not (x == 0 and curve.repeated) and not grid.multiples(y - curve.blur, y + curve.blur)
    ]
    return f"; no mean on the game's grid at {', '.join(odd)}" if odd else ""
