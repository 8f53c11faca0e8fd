"""The auditor: a curve proves feasible, a broken bound impossible; what can be is never called impossible."""

from __future__ import annotations

import csv
import itertools
import random
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.published_curves import CURVES, NUMBERS, PLAN, RATES, changed, found_out, printed_row, verdict_of
from scoring.audit.blend import candidates
from scoring.audit.bounds import Case, area_bounds
from scoring.audit.grids import Grid, episode_grid, published_grid
from scoring.audit.printed import PrintedRow, Span, exact_auc_plus, reproduces, rounded, span_of
from scoring.audit.table import grid_of, parse_grid, parse_rows
from scoring.audit.verdict import Plan, audit
from scoring.audit.witness import Target
from scoring.metrics.curve import Curve, auc_plus
from scoring.published.tables import MainRow, main_table

XS = tuple(range(0, 31, 3))
GAMES = ("chess", "minesweeper", "nullify", "tetris", "snake", "pvz", "trust")
EXACT = Plan(XS, 0, None)


def grid_named(game: str) -> Grid:
    grid = published_grid(game)
    assert grid is not None
    return grid


def printed(value: Fraction, rounding: str) -> Decimal:
    """Round a fraction to three decimals by hand."""
    return (Decimal(value.numerator) / Decimal(value.denominator)).quantize(Decimal("0.001"), rounding)


def row_of(game: str, xs: tuple[int, ...], ys: tuple[Fraction, ...], rounding: str = ROUND_HALF_EVEN) -> PrintedRow:
    avg, top, area = sum(ys, Fraction(0)) / len(ys), max(ys), exact_auc_plus(xs, ys)
    return PrintedRow(game, "m", printed(avg, rounding), printed(top, rounding), printed(area, rounding))


@st.composite
def played(draw: st.DrawFn) -> tuple[PrintedRow, Plan]:
    """Draw a run on the grid of a game, failed checkpoints too, and print it."""
    game = draw(st.sampled_from(GAMES))
    grid = grid_named(game)
    failed = draw(st.lists(st.sampled_from(XS[1:]), max_size=1))
    xs = tuple(x for x in XS if x not in failed)
    top = draw(st.sampled_from([grid.step, 2 * grid.step, 5 * grid.step, grid.high / 9, grid.high]))
    means = grid.multiples(-top, top)
    if grid.shares:
        levels = grid.levels(means[-1]).tolist()
        means = levels[: draw(st.sampled_from([2, 3, 40, 2_000, len(levels)]))]
    places = draw(st.lists(st.integers(0, len(means) - 1), min_size=len(xs), max_size=len(xs)))
    digits = draw(st.sampled_from([None, 4]))
    used = rounded(tuple(means[place] * grid.step for place in places), digits)
    rounding = draw(st.sampled_from([ROUND_HALF_EVEN, ROUND_HALF_UP]))
    return row_of(game, xs, used, rounding), Plan(XS, len(failed), digits)


@given(played())
@settings(max_examples=20, deadline=None)
def test_a_row_printed_from_a_curve_is_never_called_impossible(drawn: tuple[PrintedRow, Plan]) -> None:
    row, plan = drawn
    assert audit(row, grid_named(row.game), plan, rounds=(0,)).kind != "impossible"


@given(played())
@settings(max_examples=40, deadline=None)
def test_of_a_row_printed_from_a_curve_a_curve_is_found(drawn: tuple[PrintedRow, Plan]) -> None:
    row, plan = drawn
    verdict = audit(row, grid_named(row.game), plan)
    assert verdict.kind == "feasible"
    assert reproduces(row, verdict.xs, verdict.ys, plan.digits)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 4_000))
@settings(max_examples=10, deadline=None)
def test_where_every_curve_can_be_tried_the_verdict_is_exact(counts: list[int], more: int) -> None:
    """Four checkpoints of a 0/1 game: all 4^4 curves are counted here, and the auditor agrees on any three numbers."""
    xs, grid = (0, 3, 6, 9), grid_named("nullify")
    row = row_of("nullify", xs, tuple(Fraction(count, 3) for count in counts))
    copy = PrintedRow("nullify", "m", row.avg, row.max, row.auc_plus + Decimal(more) / 1000)
    for each in (row, copy):
        curves = itertools.product(range(4), repeat=4)
        real = any(reproduces(each, xs, tuple(Fraction(n, 3) for n in curve), None) for curve in curves)
        assert audit(each, grid, Plan(xs, 0, None)).kind == ("feasible" if real else "impossible")


@given(st.lists(st.integers(0, 12), min_size=11, max_size=11))
def test_the_exact_area_is_that_of_the_metric(counts: list[int]) -> None:
    ys = tuple(Fraction(count, 3) for count in counts)
    metric = auc_plus(Curve(tuple(map(float, XS)), tuple(map(float, ys))))
    assert float(exact_auc_plus(XS, ys)) == pytest.approx(metric, abs=1e-9)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=11))
def test_bounds_hold_for_every_curve(counts: list[int]) -> None:
    xs, ys = XS[: len(counts)], tuple(Fraction(count, 3) for count in counts)
    total, top = sum(ys, Fraction(0)), max(ys)
    bounds = area_bounds(Case(Span(ys[0], ys[0]), Span(top, top), Span(total, total), Fraction(0)), xs)
    assert bounds is not None
    assert bounds.low <= exact_auc_plus(xs, ys) <= bounds.high


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (("0.516", "1.667", "8.500"), "Avg 0.516 is no mean"),
        (("0.515", "1.700", "8.500"), "Max 1.700 is no multiple of 1/3"),
        (("2.000", "1.667", "8.500"), "Avg 2.000 is above Max"),
        (("0.515", "1.667", "-1.000"), "below 0"),
        (("0.515", "1.667", "80.500"), "allow an AUC+ of at most"),
        (("9.091", "10.000", "0.001"), "allow an AUC+ of at most 0 or at least 0.0166667"),
    ],
)
def test_an_impossible_row_names_what_it_breaks(numbers: tuple[str, str, str], words: str) -> None:
    avg, top, area = map(Decimal, numbers)
    verdict = audit(PrintedRow("snake", "m", avg, top, area), grid_named("snake"), EXACT)
    assert verdict.kind == "impossible"
    assert words in verdict.reason


def test_the_bound_on_a_peak_worked_by_hand() -> None:
    """y_0 = 1, Max = 3, lowest 0: the peak's last segment from 0 adds at least 3 * 2^2 / (2 * 3) = 2."""
    one = Fraction(1)
    bounds = area_bounds(Case(Span(one, one), Span(3 * one, 3 * one), Span(4 * one, 5 * one), 0 * one), XS)
    assert bounds is not None
    assert bounds.low == 2


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    span = span_of(Decimal("0.030"))
    assert (span.low, span.high) == (Fraction(295, 10_000), Fraction(305, 10_000))
    assert span_of(Decimal("30")).high == Fraction(61, 2)


with CURVES.open(encoding="utf-8", newline="") as file:
    STORED = list(csv.DictReader(file))


def test_every_published_row_has_a_curve() -> None:
    wanted = [(row.pathway, row.game, row.model) for row in main_table()]
    assert [(each["pathway"], each["game"], each["model"]) for each in STORED] == wanted
    assert {each["verdict"] for each in STORED} == {"feasible"}


@pytest.mark.parametrize(
    ("row", "stored"),
    list(zip(main_table(), STORED, strict=False)),
    ids=[f"{each['pathway']}-{each['game']}-{each['model']}" for each in STORED],
)
def test_the_curve_of_a_published_row_lies_on_the_grid_and_gives_its_digits(
    row: MainRow, stored: dict[str, str]
) -> None:
    """Checked without the auditor: means to four decimals or in full, through the metric itself."""
    xs = tuple(map(int, stored["xs"].split()))
    ys = tuple(map(Fraction, stored["ys"].split()))
    grid = grid_named(row.game)
    assert xs[0] == 0
    assert set(xs) <= set(XS)
    assert len(xs) >= 10
    assert all(y / grid.step == int(y / grid.step) and grid.low <= y <= grid.high for y in ys)
    digits = []
    for means in (ys, tuple(Fraction(round(y, 4)) for y in ys)):
        area = auc_plus(Curve(tuple(map(float, xs)), tuple(map(float, means))))
        digits.append((float(sum(means)) / len(means), float(max(means)), area))
    for place, wanted in enumerate((row.avg, row.max, row.auc_plus)):
        assert min(abs(each[place] - float(wanted)) for each in digits) <= 0.0005 + 1e-9


@pytest.mark.parametrize("place", [14, 27, 35, 57])
def test_the_auditor_finds_a_curve_of_a_published_row(place: int) -> None:
    row = printed_row(main_table()[place])
    verdict = verdict_of(row)
    assert verdict.kind == "feasible"
    assert reproduces(row, verdict.xs, verdict.ys, PLAN.digits)


def test_blends_of_two_curves_are_found_on_the_grid_and_give_the_wanted_numbers() -> None:
    """Sum 40 to 44, Max 9, area 30 to 31 on whole steps, from the definition of each."""
    target = Target((40, 44), (30.0, 31.0), 9)
    found = list(candidates(XS, np.arange(10), target, range(10), 6, random.Random(3)))
    assert found
    for steps in found:
        assert 40 <= sum(steps) <= 44
        assert max(steps) == 9
        assert 30 <= exact_auc_plus(XS, tuple(map(Fraction, steps))) <= 31


def test_a_grid_of_very_many_steps_is_audited_with_a_part_of_them() -> None:
    """A row of an untrusted table must not ask for more memory than there is."""
    _, grid = parse_grid("poker=1/1000:0:1000000", 3)
    row = PrintedRow("poker", "m", Decimal("400000.5"), Decimal("900000.0"), Decimal("6000000.0"))
    assert len(grid.levels(2_700_000_000)) <= 200_001
    assert audit(row, grid, Plan(XS, 0, None), rounds=(1,)).kind != "impossible"


def test_means_of_many_shares_are_a_part_of_all_with_both_ends() -> None:
    """All means of 16 shares would fill the memory; each that is kept is a sum of 16 shares of 10 to 20."""
    grid = published_grid("minesweeper", 16)
    assert grid is not None
    levels = grid.levels(int(grid.high / grid.step))
    assert len(levels) <= 1_000_000
    assert (int(levels[0]), int(levels[-1])) == (0, int(1 / grid.step))
    assert levels[1] * grid.step == Fraction(1, 20 * 16)


@pytest.mark.parametrize("area", ["7.418", "5.584", "8.501", "10.084"])
def test_the_papers_areas_come_from_means_of_four_decimals(area: str) -> None:
    """7.418, for one, is no area of thirds, and is one of .3333 and .6667, even with one failed checkpoint."""
    (row,) = [row for row in main_table() if str(row.auc_plus) == area]
    grid = grid_named(row.game)
    assert audit(printed_row(row), grid, Plan(XS, 1, None)).kind == "impossible"
    assert audit(printed_row(row), grid, Plan(XS, 0, 4)).kind == "feasible"


def test_the_stored_rates_cover_every_game_number_and_change() -> None:
    with RATES.open(encoding="utf-8", newline="") as rates:
        rows = list(csv.DictReader(rates))
    assert {(each["game"], each["number"]) for each in rows} == {(game, number) for game in GAMES for number in NUMBERS}
    assert all(0 <= int(each["found"]) <= int(each["copies"]) <= 14 for each in rows)
    copies = sum(len(changed(row)) for row in main_table())
    assert sum(int(each["copies"]) for each in rows) == copies
    nullify = {(each["number"], each["change"]): each for each in rows if each["game"] == "nullify"}
    found = sum(
        found_out(copy.row)
        for row in main_table()
        if row.game == "nullify"
        for copy in changed(row)
        if (copy.number, copy.change) == ("avg", "digit")
    )
    assert int(nullify["avg", "digit"]["found"]) == found


def test_a_table_is_read_whatever_the_order_of_its_columns() -> None:
    text = "model,auc_plus,Game,max,avg,note\nm,1.0,TrustEvo,2.5,0.030,x\n"
    assert parse_rows(text, "t.csv") == (PrintedRow("trust", "m", Decimal("0.030"), Decimal("2.5"), Decimal("1.0")),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1"),
        ("game,model,avg,max\n", "auc_plus"),
        ("game,model,avg,max,auc_plus,avg\n", "avg"),
        ("game,model,avg,max,auc_plus\nsnake,m,1,2\n", "line 2: expected 5 cells"),
        ("game,model,avg,max,auc_plus\nsnake,m,1,2,nan\n", "plain decimal"),
        ("game,model,avg,max,auc_plus\nsnake,m,1,2,1e999999\n", "plain decimal"),
        ('game,model,avg,max,auc_plus\n"snake,m,1,2,3\n', "not a CSV file"),
        ("game,model,avg,max,auc_plus\n" + "snake,m,1,2,3\n" * 2_001, "at most 2,000 rows"),
        ("x" * 1_000_001, "characters"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"t\.csv") as refused:
        parse_rows(text, "t.csv")
    assert words in str(refused.value)


def test_a_grid_may_be_given_for_any_game() -> None:
    assert parse_grid("poker=1/2:-1:9", 4) == ("poker", episode_grid(Fraction(1, 2), Fraction(-1), Fraction(9), 4))
    assert grid_of("poker", {"poker": grid_named("snake")}, 3) == grid_named("snake")
    with pytest.raises(ValueError, match="--grid poker=STEP"):
        grid_of("poker", {}, 3)


@pytest.mark.parametrize(
    "text",
    [
        "poker",
        "=1",
        "poker=0",
        "poker=-1",
        "poker=1:2",
        "poker=1:5:5",
        "poker=1e-99",
        "poker=1/0",
        "poker=1/1000000:0:1000000",
    ],
)
def test_a_grid_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="--grid"):
        parse_grid(text, 3)
