"""How much builtin:learner gains from what it carries, and how often one run of paper-1 shows it.

Run with ``python -m benchmarks.learner_gain --rounds 20``. Every round has its own seeds. The control plays the last
checkpoint with its carried text blanked.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from games.registry import game_named
from protocol.context import Pathway, RunContext
from protocol.preset import Preset, preset_named
from protocol.schedule import explore_seeds, strict_seeds
from runner.models.builtin import Builtin
from tests.runner.simulated import explore, strict_scores

GAMES = ("snake", "trust")
PATHWAYS: tuple[Pathway, ...] = ("history", "summary")
PERMUTATIONS = 999


class Job(NamedTuple):
    protocol: str
    game: str
    pathway: Pathway
    round: int


class Curve(NamedTuple):
    checkpoints: list[float]
    """Mean strict score by checkpoint."""
    blanked: float
    """The last checkpoint without its carried text."""


def strict_mean(run: RunContext, model: Builtin, preset: Preset) -> float:
    config = preset.config(run.game, "strict")
    return fmean(strict_scores(run, model, config, strict_seeds(preset, run.game.id)))


def curve_of(job: Job) -> Curve:
    preset = preset_named(job.protocol).model_copy(update={"round": f"learner-gain-{job.round}"})
    game = game_named(job.game)
    budget = preset.budget(preset.input_tokens)
    run, model = RunContext(game, job.pathway, budget), Builtin("learner")
    checkpoints = [strict_mean(run, model, preset)]
    for done, seed in enumerate(explore_seeds(preset, game.id), 1):
        explore(run, model, preset.config(game, "explore"), seed)
        if done in preset.checkpoints:
            checkpoints.append(strict_mean(run, model, preset))
    return Curve(checkpoints, strict_mean(RunContext(game, job.pathway, budget), model, preset))


def trend_p(scores: Sequence[float], xs: Sequence[int], shuffler: random.Random) -> float:
    """Return the one-sided permutation p of T = sum (sqrt(x) - mean) y."""
    roots = [sqrt(x) for x in xs]
    centred = [root - fmean(roots) for root in roots]

    def trend(values: Sequence[float]) -> float:
        return sum(root * value for root, value in zip(centred, values, strict=True))

    observed, values, reached = trend(scores), list(scores), 1
    for _ in range(PERMUTATIONS):
        shuffler.shuffle(values)
        reached += trend(values) >= observed - 1e-9
    return reached / (PERMUTATIONS + 1)


def report(protocol: str, game: str, pathway: Pathway, curves: Sequence[Curve]) -> str:
    xs = preset_named(protocol).checkpoints
    means = [fmean(column) for column in zip(*(curve.checkpoints for curve in curves), strict=True)]
    gains = [curve.checkpoints[-1] - curve.checkpoints[0] for curve in curves]
    error = stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else float("nan")
    shuffler = random.Random(1)
    passed = sum(trend_p(curve.checkpoints, xs, shuffler) <= 0.05 for curve in curves)
    blanked = fmean(curve.blanked for curve in curves)
    return (
        f"{protocol} {game} {pathway}: strict means at x = 0, 3, ..: {' '.join(f'{mean:.2f}' for mean in means)}\n"
        f"  gain {fmean(gains):.2f} (standard error {error:.2f}, {len(gains)} rounds), last checkpoint blanked "
        f"{blanked:.2f}, trend at p <= 0.05 in {passed} of {len(curves)} rounds"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--protocol", default="paper-1")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.workers) as pool:
        for game in GAMES:
            for pathway in PATHWAYS:
                jobs = [Job(options.protocol, game, pathway, index) for index in range(options.rounds)]
                print(report(options.protocol, game, pathway, list(pool.map(curve_of, jobs))), flush=True)


if __name__ == "__main__":
    main()
