"""The page on training prints what the formulas give for the published numbers, and says what the code does."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest

from benchmarks.calibration import stored as calibrated
from benchmarks.metric_plots import PVZ_PRINTED, SNAKE_PRINTED, TITLES, TRUST_STAND_IN
from protocol.context import Pathway
from scoring.metrics.curve import Curve, auc_minus, never_recovered
from scoring.metrics.training import TrainingMetrics, training_metrics
from scoring.published.tables import TrainingRow, printed, training_table
from tests.benchmarks.explained import Page

ROWS = {row.game: row for row in training_table()}


def curve_of(ys: tuple[int, ...]) -> Curve:
    """Return a curve over epochs."""
    return Curve(tuple(map(float, range(len(ys)))), tuple(map(float, ys)))


def fits(found: TrainingMetrics, row: TrainingRow) -> bool:
    """Return whether a curve has every number that was printed, to the printed digits."""
    pairs = (
        (found.y0, row.y0),
        (found.avg, row.avg),
        (found.max, row.max),
        (found.delta_final, row.delta_final),
        (found.auc_plus, row.auc_plus),
    )
    return all(
        value is None or abs(number - float(value)) <= 0.5 * 10 ** float(value.as_tuple().exponent)
        for number, value in pairs
    )


def the_curve_for_trust(page: Page) -> None:
    found, total = training_metrics(curve_of(TRUST_STAND_IN)), sum(TRUST_STAND_IN)
    assert fits(found, ROWS["trust"])
    assert (found.above, found.max, min(TRUST_STAND_IN)) == (18, 30, 0)
    assert not any(f"{thirds / 60:.3f}" == "8.684" for thirds in range(3 * 165, 3 * 185))
    page.says(
        f"`{','.join(map(str, TRUST_STAND_IN))}`",
        f"an Avg of {ROWS['trust'].avg}: that is {total} / 19. Over 20 epochs the sum would have to be about "
        f"8.684 · 20 = {8.684 * 20:.2f},",
        f"so Avg = {total} / 19 = {found.avg:.3f}. With epoch 0 it would be {total} / 20 = {total / 20:.3f}.",
        f"0 / 2 + {total} - {TRUST_STAND_IN[-1]} / 2 = {found.auc_plus:.1f}.",
        f"then {ROWS['trust'].auc_plus} = {total} - y(19) / 2, so y(19) = {2 * (total - found.auc_plus):.0f} and the "
        f"final Δ is {found.delta_final:.0f},",
    )


@pytest.mark.parametrize("epoch", range(1, 19))
def test_the_peak_of_trust_may_stand_at_any_inner_epoch(epoch: int) -> None:
    ys = list(TRUST_STAND_IN)
    ys[4], ys[epoch] = ys[epoch], ys[4]
    assert training_metrics(curve_of(tuple(ys))) == training_metrics(curve_of(TRUST_STAND_IN))


def published(page: Page) -> None:
    for game, row in ROWS.items():
        numbers = [
            "" if each is None else printed(each) for each in (row.y0, row.avg, row.max, row.delta_final, row.auc_plus)
        ]
        cells = " ".join(f"| {number}" if number else "|" for number in numbers)
        page.says(f"| {TITLES[game]} {cells} | {row.note} |")


def what_follows(page: Page) -> None:
    snake, pvz = (training_metrics(curve_of(ys)) for ys in (SNAKE_PRINTED, PVZ_PRINTED))
    assert fits(snake, ROWS["snake"])
    assert fits(pvz, ROWS["pvz"])
    assert [epoch for epoch, y in enumerate(SNAKE_PRINTED) if y] == [8, 12, 15]
    assert never_recovered(curve_of(PVZ_PRINTED))
    assert sum((a + b) / 2 for a, b in pairwise(SNAKE_PRINTED)) == snake.auc_plus
    (idle,) = [row for row in calibrated() if (row.game, row.config, row.baseline) == ("pvz", "strict", "idle")]
    assert idle.mean == ROWS["pvz"].avg
    page.says(
        f"AUC+ = {snake.auc_plus:.0f}, Avg = 3 / 19 = {snake.avg:.3f}, final Δ = {snake.delta_final:.0f}.",
        f"costs {-pvz.delta_final:.0f} of {pvz.y0:.0f} points",
        f"AUC+ = {pvz.auc_plus:.0f}, AUC- = 17 / 2 + 17 · 18 = {auc_minus(curve_of(PVZ_PRINTED)):.1f}, final Δ = "
        f"{pvz.delta_final:.0f}:",
        f"a mean over games would let the {ROWS['trust'].auc_plus} hide the loss",
    )


def today(page: Page) -> None:
    assert get_args(Pathway) == ("history", "summary")
    page.says("`s3gym run --pathway` knows `history` and `summary` and refuses anything else")


def test_the_page_on_training_prints_what_the_formulas_give() -> None:
    page = Page("training.md")
    for check in (the_curve_for_trust, published, what_follows, today):
        check(page)
    page.has_no_other_decimals()
