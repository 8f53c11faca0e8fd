"""NABA: the area above the baseline in units of the baseline, so that runs of one game can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.measured import Measured, missing
from scoring.metrics.curve import Curve, auc_plus


@dataclass(frozen=True, slots=True)
class Naba:
    """NABA of a run and what it was divided by."""

    result: Measured
    """In exploration episodes; ``n`` counts valid checkpoints."""
    eps: float | None
    """The stand-in for a baseline that is not positive, in points; None if the baseline itself divided."""


def naba(curve: Curve) -> Naba:
    """Return NABA = AUC+ / max(y_0, eps) (the paper's section 6.2).

    eps stands in where y_0 <= 0: the run's first positive checkpoint score. Without any positive score NABA is 0 where
    AUC+ is 0, and otherwise (scores that rise and stay below 0) there is none.

    Args:
        curve: Valid checkpoints, x = 0 first.
    """
    area, n = auc_plus(curve), len(curve.ys)
    if curve.ys[0] > 0:
        return Naba(_divided(area, curve.ys[0], n), None)
    eps = next((y for y in curve.ys if y > 0), None)
    if eps is not None:
        return Naba(_divided(area, eps, n), eps)
    if area == 0:
        return Naba(Measured(0.0, n), None)
    return Naba(missing("no checkpoint score is positive, so there is nothing to divide by", n), None)


def _divided(area: float, scale: float, n: int) -> Measured:
    value = area / scale
    if value == float("inf"):
        return missing(f"the baseline scale {scale:g} is too small to divide by", n)
    return Measured(value, n)


def delta_naba(summary: Measured, history: Measured) -> Measured:
    """Return Delta-NABA = NABA(summary) - NABA(history) of one model and game (the paper's section 6.3).

    Its ``n`` is the smaller of the two.
    """
    n = min(summary.n, history.n)
    if summary.value is None:
        return missing(f"summary has no NABA: {summary.reason}", n)
    if history.value is None:
        return missing(f"history has no NABA: {history.reason}", n)
    return Measured(summary.value - history.value, n)
