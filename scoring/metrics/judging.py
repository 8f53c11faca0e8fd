"""Self-judging: how self-scores s meet the verifier's rewards r, step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.measured import Measured, missing
from scoring.statistics.rates import wilson

NO_SCORES = "no step has a self-score"
SUMMABLE = 1e100
"""Self-scores come from outside: a sum of larger ones may have no number."""
TENTHS = 10


class JudgedStep(NamedTuple):
    """One exploration step as it enters the judging metrics; both numbers in points of immediate reward."""

    self_score: float | None
    """s; None if the reply gave none."""
    reward: float
    """r, as replayed."""
    ended: bool
    """Whether the action was END, whose agreement is free: such steps are left out."""


@dataclass(frozen=True, slots=True)
class Judging:
    """Self-judging over a set of steps; ``n`` counts steps with a self-score, END left out.

    Rates carry Wilson intervals as if steps were independent; steps of one episode are not, so they are too narrow.
    """

    agreement: Measured
    """A = Pr[(s > 0) = (r > 0)] (eq. 21)."""
    over: Measured
    """Pr(s > 0 and r <= 0), a joint share: A + over + under = 1."""
    under: Measured
    """Pr(s <= 0 and r > 0), a joint share."""
    self_rate: Measured
    """p_s = Pr(s > 0); p_s - p_r = over - under."""
    reward_rate: Measured
    """p_r = Pr(r > 0)."""
    always_zero: Measured
    """Agreement of a judge that always says 0: the base rate 1 - p_r."""
    nmae: Measured
    """Mean |s' - r'|, both scaled by the game's judging range and clipped to [0, 1] (eq. 22)."""
    mae: Measured
    """Mean |s - r|, points."""
    bias: Measured
    """Mean s - r, points: positive where the model thinks too well of itself."""
    missing_share: Measured
    """Share of steps without a self-score; ``n`` counts all steps but END."""


def judging(steps: Sequence[JudgedStep], judging_range: tuple[float, float]) -> Judging:
    """Return the self-judging metrics of a set of steps.

    Args:
        steps: Exploration steps of a run or of a block of it.
        judging_range: Lowest and highest immediate reward, points, as the protocol file freezes them.
    """
    counted = [step for step in steps if not step.ended]
    pairs = [(step.self_score, step.reward) for step in counted if step.self_score is not None]
    n = len(pairs)
    over = sum(s > 0 and r <= 0 for s, r in pairs)
    under = sum(s <= 0 and r > 0 for s, r in pairs)
    rewarded = sum(r > 0 for _, r in pairs)
    return Judging(
        agreement=_rate(n - over - under, n),
        over=_rate(over, n),
        under=_rate(under, n),
        self_rate=_rate(sum(s > 0 for s, _ in pairs), n),
        reward_rate=_rate(rewarded, n),
        always_zero=_rate(n - rewarded, n),
        nmae=_nmae(pairs, judging_range),
        mae=_mean([abs(s - r) for s, r in pairs]),
        bias=_mean([s - r for s, r in pairs]),
        missing_share=_rate(len(counted) - n, len(counted), "there is no step but END"),
    )


class Quality(NamedTuple):
    """How well a set of steps is judged: the two numbers that enter the coupling."""

    agreement: float
    """A."""
    nmae: float
    """E."""


def quality(steps: Sequence[JudgedStep], judging_range: tuple[float, float]) -> Quality | None:
    """Return agreement and NMAE as ``judging`` does, without all else; None where one of the two is missing.

    Args:
        steps: Exploration steps.
        judging_range: Lowest and highest immediate reward, points.
    """
    pairs = [(step.self_score, step.reward) for step in steps if step.self_score is not None and not step.ended]
    error = _nmae(pairs, judging_range).value
    if error is None:
        return None
    return Quality(sum((s > 0) == (r > 0) for s, r in pairs) / len(pairs), error)


class Calibrated(NamedTuple):
    """Steps whose self-scores lie in one tenth of the judging range; both means are scaled to [0, 1]."""

    place: int
    """0 to 9."""
    steps: int
    self_score: float
    """Mean s'."""
    reward: float
    """Mean r'."""


def calibration(steps: Sequence[JudgedStep], judging_range: tuple[float, float]) -> tuple[Calibrated, ...]:
    """Return what the rules paid where the model said so much, tenth by tenth; empty tenths are left out.

    Args:
        steps: Exploration steps; END and those without a self-score are left out.
        judging_range: Lowest and highest immediate reward, points; what lies outside is clipped to it.
    """
    scaled = _scale(judging_range)
    groups: dict[int, list[tuple[float, float]]] = {}
    for step in steps:
        if step.self_score is not None and not step.ended:
            self_score = scaled(step.self_score)
            groups.setdefault(min(int(self_score * TENTHS), TENTHS - 1), []).append((self_score, scaled(step.reward)))
    return tuple(
        Calibrated(
            place,
            len(pairs),
            math.fsum(s for s, _ in pairs) / len(pairs),
            math.fsum(r for _, r in pairs) / len(pairs),
        )
        for place, pairs in sorted(groups.items())
    )


def _rate(count: int, n: int, none: str = NO_SCORES) -> Measured:
    if n == 0:
        return missing(none)
    return Measured(count / n, n).within(wilson(count, n))


def _mean(values: Sequence[float]) -> Measured:
    if not values:
        return missing(NO_SCORES)
    n = len(values)
    if max(map(abs, values)) > SUMMABLE:
        return missing("a self-score is too large for a mean", n)
    return Measured(math.fsum(values) / n, n)


def _nmae(pairs: Sequence[tuple[float, float]], judging_range: tuple[float, float]) -> Measured:
    low, high = judging_range
    if not low < high:
        return missing(f"the judging range is empty: {low:g} to {high:g}", len(pairs))
    scaled = _scale(judging_range)
    return _mean([abs(scaled(s) - scaled(r)) for s, r in pairs])


def _scale(judging_range: tuple[float, float]) -> Callable[[float], float]:
    """Return what scales a reward to [0, 1] by the judging range and clips it there."""
    return _Scaled(*judging_range).__getitem__


class _Scaled(dict[float, float]):
    """Scaled values by the values: games pay few different rewards, and models write few different self-scores."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self._low, self._high = low, high

    def __missing__(self, value: float) -> float:
        scaled = (min(max(value, self._low), self._high) - self._low) / (self._high - self._low)
        self[value] = scaled
        return scaled
