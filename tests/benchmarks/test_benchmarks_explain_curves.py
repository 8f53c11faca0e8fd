"""The page on learning curves prints what the scorer gives for the stored runs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from statistics import fmean

import pytest

from benchmarks.calibration import stored as calibrated
from benchmarks.metric_plots import trends
from benchmarks.metric_runs import PRESET, stored
from protocol.records import CheckpointRecord
from scoring.metrics.curve import Curve, auc_minus, auc_plus, average, net_area, never_recovered
from scoring.metrics.naba import naba
from scoring.run_metrics import CurveMetrics, curve_metrics, round_orders
from scoring.statistics.trend import reference_band
from tests.benchmarks.explained import Page, curve_of, naba_of, value_of

PARTS = ((0, 3), (3, 4), (4, 5), (5, 6), (6, 10))
"""The rows of the table of areas, by checkpoint."""


def raised(curve: Curve, by: float) -> Curve:
    """Return a curve with another baseline."""
    return Curve(curve.xs, (curve.ys[0] + by, *curve.ys[1:]))


def with_failed(curve: Curve, failed: float) -> CurveMetrics:
    """Return the metrics of a curve with one checkpoint failed."""
    return curve_metrics(
        [
            CheckpointRecord(game="trust", checkpoint=int(x), valid=2 + (x != failed), score=None if x == failed else y)
            for x, y in zip(curve.xs, curve.ys, strict=True)
        ]
    )


def part(curve: Curve, first: int, last: int) -> float:
    """Return the area above the baseline between two checkpoints, in exact fractions, by similar triangles."""
    heights = [Fraction(y - curve.ys[0]).limit_denominator(100) for y in curve.ys]
    total = Fraction(0)
    for a, b in pairwise(heights[first : last + 1]):
        top, low = max(a, b), min(a, b)
        total += Fraction(3) * ((a + b) / 2 if low >= 0 else top * (top / (top - low)) / 2 if top > 0 else 0)
    return float(total)


def levels(page: Page) -> None:
    tetris, noisy = curve_of("greedy", "tetris"), curve_of("greedy", "minesweeper")
    assert len(set(tetris.ys)) == 1
    assert max(noisy.ys) == pytest.approx(1)
    chosen = ("minesweeper", "strict", "greedy")
    (row,) = [each for each in calibrated() if (each.game, each.config, each.baseline) == chosen]
    page.says(
        f"Greedy has an Avg of {average(tetris.ys):.2f} in Tetris",
        f"greedy has a Max of {max(noisy.ys):.2f}: the highest score there is.",
        f"Its Avg is {average(noisy.ys):.2f}.",
        f"has an Avg of {average(noisy.ys):.2f} in Minesweeper; over 1,000 seeds it scores [{row.mean:.2f}]",
    )


def areas(page: Page) -> None:
    curve = curve_of("learner", "trust")
    plus, minus = auc_plus(curve), auc_minus(curve)
    clipped = Curve(curve.xs, tuple(max(y, curve.ys[0]) for y in curve.ys))
    parts = [part(curve, *each) for each in PARTS]
    assert sum(parts) == pytest.approx(plus)
    assert [round(part(curve, 3, 4), 2), round(3 * (1 / 3) ** 2 / (2 * (2 / 3 + 1 / 3)), 2)] == [0.17, 0.17]
    assert (max(curve.ys), min(curve.ys)) == (curve.ys[5], curve.ys[7])
    assert curve.ys[0] - curve.ys[-1] == pytest.approx(1 / 3)
    page.says(
        f"starts at {curve.ys[0]:.2f}, falls to {curve.ys[1]:.2f} at x = 3, peaks at {curve.ys[5]:.2f} at x = 15, "
        f"drops to {curve.ys[7]:.2f} at x = 21 and ends at {curve.ys[10]:.2f}, a third of a point below where it began",
        f"AUC+ = {plus:.2f}, AUC- = {minus:.2f} and the net area is {plus - minus:.2f}",
        "3 · (1/3)² / (2 · (2/3 + 1/3)) = 0.17",
        f"3 · (0 + 1/3) / 2 = {3 * (1 / 3) / 2:.2f}",
        f"| **{plus:.4f}** |",
        f"the sum would be {auc_plus(clipped):.2f}.",
    )
    for (first, last), area in zip(PARTS, parts, strict=True):
        heights = [Fraction(y - curve.ys[0]).limit_denominator(100) for y in curve.ys[first : last + 1]]
        page.says(f"| {3 * first} to {3 * last} | {', '.join(map(str, heights))} | {area:.4f} |")


def luck(page: Page) -> None:
    rows = [
        ("learner", "snake"),
        ("random", "snake"),
        ("random", "trust"),
        ("learner", "trust"),
        ("greedy", "minesweeper"),
    ]
    for player, game in rows:
        found, p = curve_of(player, game), trends(stored(), player, "history")[game]
        plus, minus = auc_plus(found), auc_minus(found)
        numbers = (found.ys[0], average(found.ys), plus, minus, net_area(found))
        page.says(
            f"| {player}, {game.title()} | " + " | ".join(f"{each:.2f}" for each in numbers) + f" | {p:.3f} |",
        )
    snake, trust = curve_of("random", "snake"), curve_of("random", "trust")
    assert never_recovered(snake)
    assert 5 <= auc_plus(trust) / auc_plus(curve_of("learner", "trust")) < 5.5
    assert min(curve_of("learner", "snake").ys[3:]) >= 8
    assert max(curve_of("learner", "snake").ys[3:]) < 17
    wavering = curve_of("greedy", "minesweeper")
    redrawn = curve_of("random", "trust", "summary")
    assert len(set(redrawn.ys[1:])) == 1
    band = reference_band(trust, round_orders(PRESET.round, "trust", 11))
    page.says(
        f"of checkpoints in random order, {trends(stored(), 'random', 'history')['trust']:.0%} rise as much",
        f"and AUC- is {auc_minus(snake):.2f}. Its first checkpoint was lucky: {snake.ys[0]:.2f} apples, where the ten "
        f"later ones, on the same seeds, have a mean of {fmean(snake.ys[1:]):.2f}.",
        f"The random player starts at {snake.ys[0]:.2f} and never gets above {max(snake.ys[1:]):.2f} again, "
        "under its own dashed baseline",
        f"its curve wavers between {min(wavering.ys):.2f} and {max(wavering.ys):.2f}.",
        f"does not fall for it, at {trends(stored(), 'greedy', 'history')['minesweeper']:.3f}.",
        f"is {redrawn.ys[0]:.2f} once and {redrawn.ys[1]:.2f} ten times",
        f"an AUC+ of {auc_plus(redrawn):.2f} out of a single redraw",
        f"for random in Trust its median is {band.median:.2f} and its 95% point {band.high:.2f}.",
    )


def failures(page: Page) -> None:
    curve = curve_of("learner", "trust")
    failed = with_failed(curve, 21)
    assert min(curve.ys) == curve.ys[7]
    assert value_of(failed.avg_floor) < value_of(failed.avg)
    page.says(
        f"Avg would be {value_of(failed.avg):.2f} instead of {average(curve.ys):.2f}.",
        f"Here that is {value_of(failed.avg_floor):.2f}.",
    )


def relative(page: Page) -> None:
    history, summary = curve_of("learner", "snake"), curve_of("learner", "snake", "summary")
    more, more_summary = raised(history, 1 / 3), raised(summary, 1 / 3)
    mines, trust = curve_of("random", "minesweeper"), curve_of("random", "trust")
    nullify = curve_of("learner", "nullify", "summary")
    assert history.ys[0] == summary.ys[0] == pytest.approx(1 / 3)
    assert naba_of(mines) > naba_of(trust)
    assert next(x for x, y in zip(nullify.xs, nullify.ys, strict=True) if y > 0) == 15
    assert naba(nullify).eps == pytest.approx(1 / 3)
    change = naba_of(summary) - naba_of(history)
    page.says(
        f"NABA = {auc_plus(history):.1f} / (1/3) = {naba_of(history):.1f}.",
        f"the area {auc_plus(history):.1f} - 28.5 · 1/3 = {auc_plus(more):.1f} and NABA {naba_of(more):.1f}: half",
        f"gained more in Minesweeper ({naba_of(mines):.2f}, from an AUC+ of {auc_plus(mines):.2f}) than in Trust "
        f"({naba_of(trust):.2f}, from {auc_plus(trust):.2f})",
        f"has AUC+ {auc_plus(nullify):.2f}, so NABA = {auc_plus(nullify):.2f} / (1/3) = {naba_of(nullify):.2f}.",
        f"{naba_of(summary):.2f} - {naba_of(history):.2f} = {change:.2f}.",
        f"The areas are {auc_plus(summary):.2f} and {auc_plus(history):.2f},",
        f"with one apple more there it would be {naba_of(more_summary) - naba_of(more):.2f}.",
    )


def test_the_page_on_learning_curves_prints_what_the_runs_give() -> None:
    page = Page("learning-curves.md")
    for check in (levels, areas, luck, failures, relative):
        check(page)
    page.has_no_other_decimals()
