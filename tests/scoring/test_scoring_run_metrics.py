"""All metrics of a run, under every pattern of failed checkpoints."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.preset import preset_named
from protocol.records import CheckpointRecord
from scoring.measured import Measured
from scoring.metrics.curve import Curve, auc_plus
from scoring.run_metrics import CurveMetrics, curve_metrics, metrics_of, round_orders

XS = range(0, 31, 3)


def checkpoints(ys: list[float | None]) -> tuple[CheckpointRecord, ...]:
    return tuple(
        CheckpointRecord(game="snake", checkpoint=x, valid=0 if y is None else 3, score=y)
        for x, y in zip(XS, ys, strict=False)
    )


def numbers(found: CurveMetrics) -> list[Measured]:
    values = [getattr(found, field.name) for field in dataclasses.fields(found)]
    return [each for each in values if isinstance(each, Measured)] + [found.naba.result]


def test_every_metric_of_a_curve_worked_by_hand() -> None:
    """y = 2, 4, .., 4, 3: AUC+ = 3 + 8 * 6 + 4.5, no area below, NABA = 55.5 / 2."""
    found = curve_metrics(checkpoints([2.0, *[4.0] * 9, 3.0]))
    assert found.y0.value == found.worst.value == 2
    assert found.max.value == 4
    assert found.avg.value == pytest.approx(41 / 11)
    assert found.final_delta.value == 1
    assert found.auc_plus.value == found.net_area.value == pytest.approx(55.5)
    assert found.auc_minus.value == 0
    assert found.naba.result.value == pytest.approx(27.75)
    assert found.never_recovered is False
    assert found.avg.interval is not None
    assert found.avg.interval.low < 41 / 11 < found.avg.interval.high


patterns = st.lists(st.none() | st.sampled_from([0.0, 1 / 3, 1.0, 7.0, 64.0]), min_size=1, max_size=11)


@given(patterns)
def test_failed_checkpoints_never_make_a_nan_a_zero_or_a_gap_without_a_reason(ys: list[float | None]) -> None:
    found = curve_metrics(checkpoints(ys))
    for each in numbers(found):
        assert each.value is None or math.isfinite(each.value)
        assert each.value is not None or each.reason
    valid = [y for y in ys if y is not None]
    assert (found.avg.value is None) == (not valid)
    assert (found.auc_plus.value is None) == (ys[0] is None)
    assert (found.final_delta.value is None) == (ys[0] is None or ys[-1] is None or len(ys) == 1)
    if None in ys and valid:
        assert "failed" in (found.avg.reason or "")
        assert found.avg.n == len(valid)


@given(patterns)
def test_A05_ranks_use_a_value_that_failing_never_raises(ys: list[float | None]) -> None:
    """The lower of the value and the one with floor is at most what the run has if the failed had been its worst."""
    found = curve_metrics(checkpoints(ys))
    valid = [y for y in ys if y is not None]
    if found.auc_plus_floor.value is None or found.avg_floor.value is None:
        return
    filled = [min(valid) if y is None else y for y in ys]
    assert found.avg_floor.value == pytest.approx(sum(filled) / len(filled))
    assert found.auc_plus_floor.value == auc_plus(Curve(tuple(map(float, XS))[: len(ys)], tuple(filled)))


def test_every_entry_of_a_round_is_tested_with_the_same_orders() -> None:
    preset = preset_named("paper-1")
    assert round_orders(preset.round, "snake", 11).places is round_orders(preset.round, "snake", 11).places
    assert (round_orders("other", "snake", 11).places != round_orders(preset.round, "snake", 11).places).any()
    assert round_orders(preset.round, "snake", 5).exact


def test_a_repeated_baseline_shortens_what_contains_it_and_moves_no_value() -> None:
    ys: list[float | None] = [2.0, 3.0, 3.0, 5.0, 4.0, 6.0, 5.0, 5.0, 7.0, 6.0, 7.0]
    preset = preset_named("rigorous-1")
    once, thrice = (
        metrics_of(preset, "snake", checkpoints(ys), (), means) for means in ((2.0, 2.0, 2.0), (1.0, 2.0, 3.0))
    )
    assert (once.curve.repeats, thrice.curve.repeats) == (1, 3)
    for one, other in zip(numbers(once.curve_metrics), numbers(thrice.curve_metrics), strict=True):
        assert one.value == other.value
    assert once.trend == thrice.trend
    longer, shorter = (each.curve_metrics.net_area.interval for each in (once, thrice))
    assert longer is not None
    assert shorter is not None
    assert shorter.high - shorter.low < 0.7 * (longer.high - longer.low)
