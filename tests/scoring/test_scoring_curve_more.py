"""What a learning curve says beside Avg and AUC+: the area below, the net area, the base always the original one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.curve import (
    Curve,
    areas_plus,
    areas_plus_in_order,
    auc_minus,
    auc_plus,
    average,
    deltas,
    net_area,
    never_recovered,
)
from scoring.metrics.naba import delta_naba, naba
from scoring.metrics.training import training_metrics
from scoring.published.tables import training_table
from scoring.statistics.noise import net_area_weights

XS = tuple(float(x) for x in range(0, 31, 3))
points = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 6))


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    """Draw any valid subset of the paper's checkpoints, with any scores."""
    xs = draw(st.lists(st.sampled_from(XS), min_size=1, max_size=11, unique=True).map(sorted))
    ys = draw(st.lists(points, min_size=len(xs), max_size=len(xs)))
    return Curve(tuple(xs), tuple(ys))


def test_a_curve_worked_by_hand() -> None:
    """y = 2, 4, 0, 2: +2, then through the base to -2, then back. Gap 3: above 3 + 1.5, below 1.5 + 3."""
    curve = Curve((0.0, 3.0, 6.0, 9.0), (2.0, 4.0, 0.0, 2.0))
    assert auc_plus(curve) == 4.5
    assert auc_minus(curve) == 4.5
    assert net_area(curve) == 0
    assert deltas(curve) == (2.0, -2.0, 0.0)
    assert not never_recovered(curve)


def test_never_recovered_asks_every_later_checkpoint_to_be_below() -> None:
    assert never_recovered(Curve((0.0, 3.0), (2.0, 1.9)))
    assert not never_recovered(Curve((0.0, 3.0, 6.0), (2.0, 1.0, 2.0)))
    assert not never_recovered(Curve((0.0,), (2.0,)))


@given(curves())
def test_the_net_area_is_above_minus_below(curve: Curve) -> None:
    scale = 1 + max(map(abs, curve.ys))
    assert net_area(curve) == pytest.approx(auc_plus(curve) - auc_minus(curve), abs=1e-9 * scale)
    assert auc_plus(curve) >= 0
    assert auc_minus(curve) >= 0


@given(curves())
def test_the_mirror_of_the_area_above_is_the_area_below(curve: Curve) -> None:
    assert auc_minus(curve) == auc_plus(Curve(curve.xs, tuple(-y for y in curve.ys)))


@given(curves())
def test_the_net_area_is_linear_in_the_checkpoints_whichever_are_valid(curve: Curve) -> None:
    weighed = sum(w * y for w, y in zip(net_area_weights(curve.xs), curve.ys, strict=True))
    assert weighed == pytest.approx(net_area(curve), abs=1e-8 * (1 + max(map(abs, curve.ys))))
    assert sum(net_area_weights(curve.xs)) == pytest.approx(0, abs=1e-9)


def test_the_weights_of_the_papers_checkpoints() -> None:
    """Trapezoids of width 3 have weights 1.5, 3, .., 3, 1.5, and the baseline is taken off over 30."""
    assert net_area_weights(XS) == (-28.5, *[3.0] * 9, 1.5)


@given(st.lists(st.lists(points, min_size=11, max_size=11), min_size=1, max_size=6))
def test_areas_of_many_curves_are_those_of_each(table: list[list[float]]) -> None:
    together = areas_plus(XS, np.array(table))
    for row, area in zip(table, together, strict=True):
        assert area == pytest.approx(auc_plus(Curve(XS, tuple(row))), rel=1e-12, abs=1e-9)


@given(curves(), st.data())
def test_areas_of_many_orders_are_those_of_each_order_to_the_bit(curve: Curve, data: st.DataObject) -> None:
    size = len(curve.ys)
    places = np.array(data.draw(st.lists(st.permutations(range(size)), min_size=1, max_size=5)), dtype=np.intp)
    together = areas_plus_in_order(curve, places)
    assert together.tolist() == areas_plus(curve.xs, np.array(curve.ys)[places]).tolist()


@given(curves(), st.integers(1, 5))
def test_areas_grow_with_the_scores_and_do_not_depend_on_more_points_of_a_line(curve: Curve, factor: int) -> None:
    scaled = Curve(curve.xs, tuple(factor * y for y in curve.ys))
    assert auc_plus(scaled) == pytest.approx(factor * auc_plus(curve), rel=1e-9, abs=1e-6)
    if len(curve.xs) > 1:
        (x0, x1), (y0, y1) = curve.xs[:2], curve.ys[:2]
        finer = Curve((x0, (x0 + x1) / 2, *curve.xs[1:]), (y0, (y0 + y1) / 2, *curve.ys[1:]))
        assert auc_plus(finer) == pytest.approx(auc_plus(curve), rel=1e-9, abs=1e-6)


def test_naba_divides_by_the_baseline() -> None:
    """y_0 = 2, AUC+ = 3 * 2 / 2 + 3 * 2 = 9."""
    found = naba(Curve((0.0, 3.0, 6.0), (2.0, 4.0, 4.0)))
    assert found.result.value == 4.5
    assert found.eps is None


def test_naba_without_a_positive_baseline_uses_the_first_positive_score_and_keeps_it() -> None:
    """y = 0, 0, 0.5, 1: AUC+ = 0.75 + 2.25 = 3, eps = 0.5."""
    found = naba(Curve((0.0, 3.0, 6.0, 9.0), (0.0, 0.0, 0.5, 1.0)))
    assert (found.result.value, found.eps) == (6.0, 0.5)


def test_naba_of_a_run_that_never_scores_is_zero_and_of_one_that_only_loses_less_is_missing() -> None:
    assert naba(Curve((0.0, 3.0), (0.0, 0.0))).result.value == 0.0
    assert naba(Curve((0.0, 3.0), (0.0, -1.0))).result.value == 0.0
    lost = naba(Curve((0.0, 3.0), (-2.0, -1.0))).result
    assert lost.value is None
    assert lost.reason


def test_naba_of_a_baseline_too_small_to_divide_by_is_missing() -> None:
    assert naba(Curve((0.0, 3.0), (5e-324, 1e9))).result.value is None


def test_delta_naba_names_the_side_that_is_missing() -> None:
    full = naba(Curve((0.0, 3.0), (1.0, 3.0))).result
    lost = naba(Curve((0.0, 3.0), (-2.0, -1.0))).result
    assert delta_naba(full, full).value == 0
    assert "history" in (delta_naba(full, lost).reason or "")
    assert "summary" in (delta_naba(lost, full).reason or "")


@given(curves())
def test_naba_is_never_negative(curve: Curve) -> None:
    value = naba(curve).result.value
    assert value is None or value >= 0


def test_training_metrics_are_those_that_the_paper_prints_of_trust() -> None:
    ys = (0, 4, 6, 8, 30, 12, 10, 9, 8, 7, 0, 9, 10, 12, 11, 9, 7, 6, 4, 3)
    found = training_metrics(Curve(tuple(map(float, range(20))), tuple(map(float, ys))))
    (trust,) = [row for row in training_table() if row.game == "trust"]
    assert f"{found.avg:.3f}" == str(trust.avg)
    assert found.max == float(trust.max or 0)
    assert found.auc_plus == float(trust.auc_plus or 0)
    assert found.above == 18
    assert found.delta_final == 3


def test_training_avg_leaves_the_original_model_out() -> None:
    found = training_metrics(Curve((0.0, 1.0, 2.0), (23.0, 6.0, 6.0)))
    assert (found.avg, found.max, found.auc_plus, found.delta_final) == (6.0, 6.0, 0.0, -17.0)
    assert average((23.0, 6.0, 6.0)) != found.avg


@pytest.mark.parametrize("curve", [Curve((0.0,), (1.0,)), Curve((1.0, 2.0), (1.0, 2.0))])
def test_training_without_an_original_or_updated_model_is_refused(curve: Curve) -> None:
    with pytest.raises(ValueError, match="epoch 0"):
        training_metrics(curve)
