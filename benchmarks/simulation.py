"""How often intervals hold, tests err and tests find: made-up runs whose truth is known.

Run with ``python -m benchmarks.simulation record``. The figures go to ``docs/reference/simulation.csv``, from which
``python -m tests.pages record`` makes the page. Every row is made from the seed of its own scenario; NumPy does not
promise the same stream in every version, so a row made elsewhere may differ within its binomial error.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.rng import hashed
from scoring.metrics.curve import Curve, areas_plus
from scoring.statistics.noise import (
    average_weights,
    delta_weights,
    independent_repeats,
    linear_interval,
    net_area_weights,
)
from scoring.statistics.orders import orders
from scoring.statistics.ties import Weights, difference
from scoring.statistics.trend import trend_shares

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "simulation.csv"
XS = tuple(float(x) for x in range(0, 31, 3))
RUNS = 2_000
AREA_RUNS = 500
"""Runs on which the permutation test of AUC+ itself is tried, with as many orders less one."""
FAILED = 4
"""The checkpoint that failed (x = 12)."""
REPEATS = 3
SHORT = 5
BASE = 0.3
"""Mean chance to win an episode of the 0/1 game before any learning."""
SHARED = 0.5
"""Standard deviation of what all episodes of a checkpoint share."""
Floats = NDArray[np.float64]


class Scenario(NamedTuple):
    """A kind of run. The unit is the standard deviation of one strict episode about its level's expected score."""

    game: str
    """``gaussian``, or ``0/1``: episodes are won or lost."""
    strict: int
    """Strict episodes a checkpoint."""
    learner: str
    """``none``, ``linear`` (one unit by x = 30) or ``step`` (one unit from x = 15 on)."""
    trouble: str
    """``plain``, ``shared`` (noise of half a unit that all episodes of a checkpoint share), ``failed`` (x = 12),
    ``repeats`` (x = 0 played three times) or ``short`` (five checkpoints, up to x = 12, where the gain is one unit)."""

    def xs(self) -> tuple[float, ...]:
        """Return where checkpoints stand, failed ones too."""
        return XS[:SHORT] if self.trouble == "short" else XS


class Figures(NamedTuple):
    """Shares of runs, each with a binomial error."""

    runs: int
    beyond_noise: float
    """Trend test at most 0.05: its level without learning, its power with it."""
    avg: float
    """The interval of Avg holds the truth on this round's seeds."""
    delta: float
    """The interval of the final delta holds it."""
    net: float
    """The interval of the net area holds it."""
    separated: float
    """A second run of the same kind on the same seeds is called separable: a false alarm."""
    positive: float
    """AUC+ > 0: the naive count."""
    area_test: float
    """A permutation test on AUC+ itself gives at most 0.05."""
    seeds_resampled: float | None
    """The 95% bootstrap interval over three seeds holds the expected Avg over all levels; None for more seeds."""


class Played(NamedTuple):
    """Runs and their truth."""

    episodes: Floats
    """Shape (2, runs, checkpoints, strict): two runs of the same kind on the same seeds."""
    again: Floats
    """Shape (2, runs, further plays of x = 0, strict)."""
    expected: Floats
    """Shape (runs, checkpoints): expected checkpoint means on these seeds."""
    overall: float
    """Expected Avg over all levels."""


def scenarios() -> list[Scenario]:
    """Return all scenarios, in the order of the file."""
    kinds = [("plain", 3), ("plain", 12), ("plain", 16), ("shared", 3), ("shared", 16), ("failed", 3), ("failed", 16)]
    kinds += [("repeats", 3), ("repeats", 16), ("plain", 6), ("plain", 8), ("short", 3), ("short", 12), ("short", 16)]
    return [
        Scenario(game, strict, learner, trouble)
        for game in ("0/1", "gaussian")
        for trouble, strict in kinds
        for learner in ("none", "linear", "step")
    ]


def expected_scores(scenario: Scenario, levels: Floats, noise: Floats) -> Floats:
    """Return expected episode scores.

    Args:
        scenario: The kind of run.
        levels: Difficulty of each seed in [-0.5, 0.5), any shape that ends with (1, strict).
        noise: What a checkpoint's episodes share, standard normal, any shape that ends with (checkpoints, 1).
    """
    xs = np.array(scenario.xs())[:, None]
    share = xs / xs[-1]
    gain = {"none": 0 * xs, "linear": share, "step": 1.0 * (share >= 0.5)}[scenario.learner]
    moved = gain + SHARED * noise
    if scenario.game == "gaussian":
        wide: Floats = 2 * levels + moved
        return wide
    chance: Floats = np.clip(BASE + 0.4 * levels + np.sqrt(BASE * (1 - BASE)) * moved, 0, 1)
    return chance


def play(scenario: Scenario, runs: int, generator: np.random.Generator) -> Played:
    """Return pairs of runs, each pair on seeds of its own."""
    k, n = len(scenario.xs()), scenario.strict
    levels = generator.random((runs, 1, n)) - 0.5
    noise = generator.standard_normal((2, runs, k, 1)) if scenario.trouble == "shared" else np.zeros((2, runs, k, 1))
    scores = expected_scores(scenario, levels, noise)

    def drawn(expected: Floats) -> Floats:
        if scenario.game == "gaussian":
            return expected + generator.standard_normal(expected.shape)
        return (generator.random(expected.shape) < expected).astype(np.float64)

    episodes = drawn(scores)
    further = REPEATS - 1 if scenario.trouble == "repeats" else 0
    again = drawn(np.repeat(scores[:, :, :1], further, axis=2))
    every_level = (np.arange(1000)[None, :] + 0.5) / 1000 - 0.5
    return Played(episodes, again, _truth(scenario, levels).mean(axis=2), float(_truth(scenario, every_level).mean()))


def _truth(scenario: Scenario, levels: Floats) -> Floats:
    """Return expected scores with the shared noise, which is no part of the truth, averaged out."""
    if scenario.trouble != "shared":
        return expected_scores(scenario, levels, np.zeros((len(scenario.xs()), 1)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(25)
    pairs = zip(nodes, weights / weights.sum(), strict=True)
    parts = [
        weight * expected_scores(scenario, levels, np.full((len(scenario.xs()), 1), node)) for node, weight in pairs
    ]
    total: Floats = np.sum(parts, axis=0)
    return total


def simulate(scenario: Scenario, runs: int = RUNS) -> Figures:
    """Return the figures of a scenario."""
    seed = hashed("simulation", *map(str, scenario))
    stable = random.Random(seed)
    played = play(scenario, runs, np.random.Generator(np.random.PCG64(seed)))
    kept = [k for k in range(len(scenario.xs())) if scenario.trouble != "failed" or k != FAILED]
    xs = tuple(XS[k] for k in kept)
    episodes, truth = played.episodes[:, :, kept], played.expected[:, kept]
    repeats = np.concatenate([episodes[:, :, :1], played.again], axis=2).mean(axis=3)
    means, others = np.concatenate([repeats.mean(axis=2, keepdims=True), episodes.mean(axis=3)[:, :, 1:]], axis=2)
    drawn = orders(len(xs), stable)
    shares = np.concatenate([trend_shares(xs, part, drawn) for part in np.array_split(means, max(1, runs // 200))])
    curves, rivals = (
        [
            Curve(xs, tuple(row), independent_repeats(each))
            for row, each in zip(ys.tolist(), plays.tolist(), strict=True)
        ]
        for ys, plays in zip((means, others), repeats, strict=True)
    )
    separated = [difference(one, other).separable for one, other in zip(curves, rivals, strict=True)]
    return Figures(
        runs=runs,
        beyond_noise=float((shares <= 0.05).mean()),
        avg=_held(curves, truth, average_weights),
        delta=_held(curves, truth, delta_weights),
        net=_held(curves, truth, net_area_weights),
        separated=float(np.mean(separated)),
        positive=float((areas_plus(xs, means) > 0).mean()),
        area_test=_area_test(xs, means[:AREA_RUNS], stable),
        seeds_resampled=_resampled(episodes[0], played.overall) if scenario.trouble == "plain" else None,
    )


def _held(curves: list[Curve], truth: Floats, weights: Weights) -> float:
    """Return the share of intervals that hold the truth; a run without variation has none and is not counted."""
    used = weights(curves[0].xs)
    found = [(linear_interval(curve, used), value) for curve, value in zip(curves, truth @ np.array(used), strict=True)]
    inside = [each.low <= value <= each.high for each, value in found if not isinstance(each, str)]
    return float(np.mean(inside))


def _area_test(xs: tuple[float, ...], means: Floats, generator: random.Random) -> float:
    places = orders(len(xs), generator, AREA_RUNS - 1).places
    seen = areas_plus(xs, means)
    hits = [(areas_plus(xs, row[places]) >= area - 1e-9).sum() for row, area in zip(means, seen, strict=True)]
    return float(np.mean([(1 + hit) / (1 + len(places)) <= 0.05 for hit in hits]))


def _resampled(episodes: Floats, overall: float) -> float | None:
    """Of 27 equally likely draws of three seeds one is all the lowest: the 2.5% and 97.5% points are the extremes."""
    if episodes.shape[2] != 3:
        return None
    averages = episodes.mean(axis=1)
    return float(((averages.min(axis=1) <= overall) & (overall <= averages.max(axis=1))).mean())


class Row(NamedTuple):
    """One line of the file."""

    scenario: Scenario
    figures: Figures


def written(rows: Iterable[Row]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*Scenario._fields, *Figures._fields])
    for row in rows:
        shares = ["" if share is None else f"{share:.3f}" for share in row.figures[1:]]
        table.writerow([*row.scenario, row.figures.runs, *shares])
    return text.getvalue()


def stored() -> list[Row]:
    """Return the rows of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = []
        for each in csv.DictReader(file):
            scenario = Scenario(each["game"], int(each["strict"]), each["learner"], each["trouble"])
            shares = [float(each[name]) for name in Figures._fields[1:-1]]
            last = each[Figures._fields[-1]]
            figures = Figures._make([int(each["runs"]), *shares, float(last) if last else None])
            rows.append(Row(scenario, figures))
        return rows


def main(arguments: list[str]) -> int:
    """Record the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation", description=__doc__)
    parser.add_argument("command", choices=["record"])
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each scenario (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    rows = [Row(scenario, simulate(scenario, chosen.runs)) for scenario in scenarios()]
    FILE.write_text(written(rows), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
