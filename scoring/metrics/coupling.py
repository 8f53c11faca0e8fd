"""Coupling of judging and gain: does a run that judges a block well play better after it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.measured import Measured, missing
from scoring.metrics.curve import Curve
from scoring.metrics.judging import JudgedStep, quality
from scoring.statistics.correlation import mean_gap, pearson, spearman


class Block(NamedTuple):
    """The exploration between two neighbouring valid checkpoints of a run."""

    run: str
    game: str
    t: float
    """x of the checkpoint after it, exploration episodes."""
    agreement: float
    """A_t."""
    error: float
    """E_t: NMAE on the block."""
    gain: float
    """g_t = (y_t - y_{t-1}) / range of y in the game over the included runs (eq. 23)."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """How judging quality and the gain after it go together; ``n`` counts blocks.

    The intervals take blocks as independent. Neighbouring blocks of a run share a checkpoint, with opposite signs in
    their gains, so they are rough.
    """

    rho_agreement: Measured
    """Spearman's rho(A, g)."""
    rho_error: Measured
    """Spearman's rho(-E, g)."""
    r_agreement: Measured
    """Pearson's r(A, g)."""
    r_error: Measured
    """Pearson's r(-E, g)."""
    gap_agreement: Measured
    """Mean gain of the third of blocks with the highest A minus that of the third with the lowest."""
    gap_error: Measured
    """The same by -E."""


class ExploredEpisode(NamedTuple):
    """A valid exploration episode."""

    after: int
    """i: it is played after i episodes, so it lies between checkpoints x and x' if x <= i < x'."""
    steps: tuple[JudgedStep, ...]


def score_range(runs: Iterable[Sequence[float]]) -> float:
    """Return max - min of all checkpoint scores of a game over the included runs, points (denominator of eq. 23).

    Args:
        runs: The scores of the valid checkpoints of each run, points.
    """
    ys = [y for run in runs for y in run]
    return max(ys) - min(ys) if ys else 0.0


def blocks(
    run: str,
    game: str,
    curve: Curve,
    explored: Sequence[ExploredEpisode],
    judging_range: tuple[float, float],
    score_span: float,
) -> tuple[Block, ...]:
    """Return the blocks of a run that have both a judgment and a gain.

    A block whose steps hold no self-score is left out, as is every block of a game whose scores never vary.

    Args:
        run: The run's id; ties of tertiles are broken by it.
        game: The game's id.
        curve: Valid checkpoints; a failed one joins its two blocks.
        explored: Valid exploration episodes.
        judging_range: Lowest and highest immediate reward, points.
        score_span: What ``score_range`` gives over the included runs of the game, points.
    """
    found = []
    for k in range(1, len(curve.xs)):
        steps = [step for each in explored if curve.xs[k - 1] <= each.after < curve.xs[k] for step in each.steps]
        judged = quality(steps, judging_range)
        if judged is None or score_span <= 0:
            continue
        gain = (curve.ys[k] - curve.ys[k - 1]) / score_span
        found.append(Block(run, game, curve.xs[k], judged.agreement, judged.nmae, gain))
    return tuple(found)


def coupling(pooled: Sequence[Block]) -> Coupling:
    """Return the coupling over a set of blocks: of one game, or of all."""
    gains = [block.gain for block in pooled]
    agreement = [block.agreement for block in pooled]
    accuracy = [-block.error for block in pooled]
    return Coupling(
        rho_agreement=spearman(agreement, gains),
        rho_error=spearman(accuracy, gains),
        r_agreement=pearson(agreement, gains),
        r_error=pearson(accuracy, gains),
        gap_agreement=_tertile_gap(pooled, agreement),
        gap_error=_tertile_gap(pooled, accuracy),
    )


def _tertile_gap(pooled: Sequence[Block], quality: Sequence[float]) -> Measured:
    """Return the gain of the best third minus that of the worst, floor(n / 3) blocks each, ties by run id and t."""
    n = len(pooled)
    third = n // 3
    if third == 0:
        return missing(f"{n} blocks have no thirds", n)
    if min(quality) == max(quality):
        return missing("all blocks are judged equally well", n)
    ordered = [block for _, block in sorted(zip(quality, pooled, strict=True), key=_place)]
    gap = mean_gap([block.gain for block in ordered[-third:]], [block.gain for block in ordered[:third]])
    return Measured(gap.value, n, gap.reason, gap.interval, gap.no_interval)


def _place(pair: tuple[float, Block]) -> tuple[float, str, float]:
    quality, block = pair
    return quality, block.run, block.t


class RunPoint(NamedTuple):
    """One run in the run-level analysis; None where it has no such number."""

    agreement: float | None
    self_rate: float | None
    reward_rate: float | None
    naba: float | None


@dataclass(frozen=True, slots=True)
class RunLevel:
    """Correlations with NABA over runs (the paper's section 6.2), rho and r of each; ``n`` counts runs with both."""

    rho_agreement: Measured
    r_agreement: Measured
    rho_self_rate: Measured
    r_self_rate: Measured
    rho_reward_rate: Measured
    r_reward_rate: Measured


def run_level(runs: Sequence[RunPoint]) -> RunLevel:
    """Return how agreement and the rates of positive self-scores and rewards go with NABA over runs."""
    agreement = [(run.agreement, run.naba) for run in runs if run.agreement is not None and run.naba is not None]
    selfs = [(run.self_rate, run.naba) for run in runs if run.self_rate is not None and run.naba is not None]
    rewards = [(run.reward_rate, run.naba) for run in runs if run.reward_rate is not None and run.naba is not None]
    sides = [([a for a, _ in pairs], [b for _, b in pairs]) for pairs in (agreement, selfs, rewards)]
    (a, na), (s, ns), (r, nr) = sides
    return RunLevel(
        rho_agreement=spearman(a, na),
        r_agreement=pearson(a, na),
        rho_self_rate=spearman(s, ns),
        r_self_rate=pearson(s, ns),
        rho_reward_rate=spearman(r, nr),
        r_reward_rate=pearson(r, nr),
    )
