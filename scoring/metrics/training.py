"""Metrics of parameter training: the same curve over epochs, with its own Avg and Max."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.metrics.curve import Curve, auc_plus, average, deltas


@dataclass(frozen=True, slots=True)
class TrainingMetrics:
    """What the paper's section 6.1 reports of one game."""

    y0: float
    """Score of the original model, epoch 0, points."""
    avg: float
    """Mean over the updated models, epochs 1 to the last; epoch 0 is left out (pinned: 165 / 19 = 8.684)."""
    max: float
    """Highest score of an updated model."""
    delta_final: float
    """y at the last epoch - y_0."""
    auc_plus: float
    """Points times epochs."""
    above: int
    """Updated models that score above y_0."""


def training_metrics(curve: Curve) -> TrainingMetrics:
    """Return the metrics of a training run.

    Args:
        curve: ``xs`` in epochs, 0 first, ``ys`` in points.

    Raises:
        ValueError: If there is no updated model, or the curve does not start at epoch 0.
    """
    if len(curve.ys) < 2 or curve.xs[0] != 0:
        raise ValueError(f"curve: expected epoch 0 and at least one later, got epochs {curve.xs[:3]}")
    gains = deltas(curve)
    return TrainingMetrics(
        y0=curve.ys[0],
        avg=average(curve.ys[1:]),
        max=max(curve.ys[1:]),
        delta_final=gains[-1],
        auc_plus=auc_plus(curve),
        above=sum(gain > 0 for gain in gains),
    )
