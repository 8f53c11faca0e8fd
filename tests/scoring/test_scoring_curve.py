"""Avg and AUC+, against the paper's printed digits and against numerical integration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.curve import Curve, auc_plus, average

XS = tuple(float(x) for x in range(0, 31, 3))


def printed(text: str) -> tuple[float, ...]:
    """Read means as printed, with four decimals."""
    return tuple(map(float, text.split()))


@pytest.mark.parametrize(
    ("ys", "area"),
    [
        (".6667 0 .3333 .6667 0 .3333 0 1 .3333 .3333 .6667", 0.4166),
        (".3333 .3333 1 .6667 .6667 0 1 .6667 .3333 .3333 1", 7.41752),
        ("1.3333 11.3333 6 .6667 6 2.6667 3 6.6667 2 5.6667 1.3333", 96.2512),
    ],
)
def test_auc_plus_gives_the_published_areas(ys: str, area: float) -> None:
    assert auc_plus(Curve(XS, printed(ys))) == pytest.approx(area, abs=1e-4)


def test_a_failed_checkpoint_is_bridged_by_its_valid_neighbours() -> None:
    ys = printed("25.6667 46 48 47.6667 36.6667 48 45.3333 48 47.3333 47.6667")
    xs = (0.0, *XS[2:])
    assert auc_plus(Curve(xs, ys)) == pytest.approx(548.4992, abs=1e-4)


def test_auc_plus_of_the_training_vector() -> None:
    ys = printed("0 4 6 8 30 12 10 9 8 7 0 9 10 12 11 9 7 6 4 3")
    assert auc_plus(Curve(tuple(map(float, range(20))), ys)) == pytest.approx(163.5)
    assert average(ys[1:]) == pytest.approx(165 / 19)


def test_a_crossing_counts_its_triangle_only() -> None:
    """From -1 to +1 over a gap of 2 the line is above zero for 1: a triangle of area 1/2."""
    assert auc_plus(Curve((0.0, 1.0, 3.0), (0.0, -1.0, 1.0))) == pytest.approx(0.5)


def test_no_gain_is_zero_not_missing() -> None:
    assert auc_plus(Curve(XS, (1.0,) * 11)) == 0.0


def test_avg_holds_the_baseline_too() -> None:
    assert average((1.0, 2.0, 6.0)) == 3.0


scores = st.floats(-100, 100, allow_nan=False)


@given(st.lists(scores, min_size=11, max_size=11))
def test_auc_plus_equals_numerical_integration(ys: list[float]) -> None:
    import numpy as np

    grid = np.linspace(0, 30, 30_001)
    height = np.clip(np.interp(grid, XS, ys) - ys[0], 0, None)
    rough = float(((height[1:] + height[:-1]) / 2).sum() * (grid[1] - grid[0]))
    assert auc_plus(Curve(XS, tuple(ys))) == pytest.approx(rough, rel=1e-3, abs=1e-2)


@given(st.lists(scores, min_size=2, max_size=11), st.floats(-10, 10))
def test_auc_plus_does_not_change_when_all_scores_shift(ys: list[float], shift: float) -> None:
    curve = Curve(XS[: len(ys)], tuple(ys))
    moved = Curve(curve.xs, tuple(y + shift for y in ys))
    assert auc_plus(moved) == pytest.approx(auc_plus(curve), rel=1e-6, abs=1e-6)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md"
ROWS = re.findall(
    r"^\| (0, [36], [^|]+?) \| ([-.\d ]+) \| ([.\d]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(("checkpoints", "ys", "area"), ROWS)
def test_the_worked_examples_of_the_docs_are_what_the_code_computes(checkpoints: str, ys: str, area: str) -> None:
    xs = XS if checkpoints.startswith("0, 3") else (0.0, *XS[2:])
    assert auc_plus(Curve(xs, printed(ys))) == pytest.approx(float(area), abs=1e-4)


def test_the_docs_hold_all_four_worked_examples() -> None:
    assert len(ROWS) == 4
