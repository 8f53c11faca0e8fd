"""Curves that come with a table: the paper's own, three forms of files, and what does not follow."""

from __future__ import annotations

import contextlib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.audit.curves import GivenCurve, RunKey, matched, parse_curves
from scoring.audit.grids import published_grid
from scoring.audit.printed import PrintedRow, exact_auc_plus, reproduces
from scoring.audit.reproduction import reproduction
from scoring.audit.table import parse_rows
from scoring.published.tables import main_table

XS = tuple(range(0, 31, 3))
PAPER = {
    "0.417": ".6667 0 .3333 .6667 0 .3333 0 1 .3333 .3333 .6667",
    "7.418": ".3333 .3333 1 .6667 .6667 0 1 .6667 .3333 .3333 1",
    "96.251": "1.3333 11.3333 6 .6667 6 2.6667 3 6.6667 2 5.6667 1.3333",
    "548.499": "25.6667 - 46 48 47.6667 36.6667 48 45.3333 48 47.3333 47.6667",
}
"""The curves that the paper prints, by the AUC+ of their row in its main table."""


def curve_of(ys: str) -> GivenCurve:
    (curve,) = parse_curves(f"game,model,ys\nsnake,m,{ys}\n", "c.csv", XS, 3)
    return curve


def row(avg: str, top: str, area: str) -> PrintedRow:
    return PrintedRow("snake", "m", Decimal(avg), Decimal(top), Decimal(area))


@pytest.mark.parametrize("area", PAPER)
def test_the_papers_rows_are_reproduced_from_its_curves(area: str) -> None:
    rows = [each for each in main_table() if str(each.auc_plus) == area]
    (found,) = rows
    verdict = reproduction(
        row(str(found.avg), str(found.max), area), curve_of(PAPER[area]), 4, published_grid(found.game)
    )
    assert (verdict.kind, verdict.again) == ("reproduced", (str(found.avg), str(found.max), area))
    assert verdict.reason == "Avg, Max and AUC+ follow from the curve that was given"


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        (("0.576", "1.000", "7.419"), "AUC+ would be printed as 7.417, not 7.419"),
        (("0.577", "1.000", "7.418"), "Avg would be printed as 0.576, not 0.577"),
        (("0.576", "0.667", "7.5"), "Max would be printed as 1.000, not 0.667; AUC+ would be printed as 7.4, not 7.5"),
    ],
)
def test_a_number_that_does_not_follow_is_named_with_what_would_be_printed(
    numbers: tuple[str, str, str], reason: str
) -> None:
    """Thirds as fractions: 7.41667 in full and 7.41752 from means of four decimals, 19/33 = 0.57576."""
    thirds = "1/3 1/3 1 2/3 2/3 0 1 2/3 1/3 1/3 1"
    verdict = reproduction(row(*numbers), curve_of(thirds), 4)
    assert verdict.kind == "not reproduced"
    assert verdict.reason == reason


def test_digits_that_follow_within_the_decimals_of_the_means_are_reproduced_with_the_room() -> None:
    """y = 0.3, 0.7: heights 0.4 +- 0.1, so that the area 3 * 0.4 / 2 = 0.6 is anything from 0.45 to 0.75."""
    (curve,) = parse_curves("game,model,ys\nsnake,m,0.3 0.7\n", "c.csv", (0, 3), 3)
    verdict = reproduction(row("0.5", "0.667", "0.500"), curve, None)
    assert verdict.kind == "reproduced"
    assert "Max of 0.65 to 0.75 and AUC+ of 0.45 to 0.75" in verdict.reason
    assert reproduction(row("0.5", "0.667", "0.760"), curve, None).kind == "not reproduced"


def test_whole_numbers_and_fractions_leave_no_room() -> None:
    (curve,) = parse_curves("game,model,ys\nsnake,m,1 3\n", "c.csv", (0, 3), 3)
    assert reproduction(row("2.000", "3.000", "3.000"), curve, None).kind == "reproduced"
    assert reproduction(row("2.000", "3.000", "3.100"), curve, None).kind == "not reproduced"


def test_a_mean_that_the_game_cannot_give_is_pointed_at() -> None:
    (curve,) = parse_curves("game,model,ys\nsnake,m,1 2.5\n", "c.csv", (0, 3), 3)
    verdict = reproduction(row("1.75", "2.5", "2.25"), curve, None, published_grid("snake"))
    assert verdict.kind == "reproduced"
    assert verdict.reason.endswith("; no mean on the game's grid at x = 3")


@given(st.lists(st.integers(0, 20), min_size=11, max_size=11), st.sampled_from([None, 4]))
def test_what_is_printed_from_a_curve_is_reproduced_by_it(counts: list[int], digits: int | None) -> None:
    ys = tuple(Fraction(count, 3) for count in counts)
    numbers = (sum(ys, Fraction(0)) / 11, max(ys), exact_auc_plus(XS, ys))
    printed = row(*(f"{float(number):.3f}" for number in numbers))
    assert reproduces(printed, XS, ys, None)
    verdict = reproduction(printed, curve_of(" ".join(map(str, ys))), digits)
    assert verdict.kind == "reproduced"


def lines(column: str, cells: dict[str, list[str]]) -> str:
    """Write a file of one run with one line a cell."""
    rows = [f"snake,m,{x},{cell}" for x, several in cells.items() for cell in several]
    return "\n".join([f"game,model,x,{column}", *rows, ""])


def test_strict_scores_are_averaged_and_a_missing_one_fails_its_checkpoint() -> None:
    scores = {"6": ["1", "2", "2"], "0": ["0", "1", "1"], "3": ["4", "", "4"]}
    (curve,) = parse_curves(lines("score", scores), "c.csv", (0, 3, 6), 3)
    assert (curve.xs, curve.ys) == ((0, 6), (Fraction(2, 3), Fraction(5, 3)))


def test_x_0_may_be_repeated_and_enters_as_the_mean_of_all_its_episodes() -> None:
    scores = {"0": ["0", "1", "1", "1"], "3": ["2", "2"], "6": ["3", "3"]}
    (curve,) = parse_curves(lines("score", scores), "c.csv", (0, 3, 6), 2)
    assert curve.ys[0] == Fraction(3, 4)
    assert curve.repeated
    assert "no mean" not in reproduction(row("1.9", "3", "10"), curve, None, published_grid("snake", 2)).reason


def test_means_may_stand_on_lines_of_their_own() -> None:
    (curve,) = parse_curves(lines("mean", {"0": ["0.5"], "3": ["-"], "6": ["1.5"]}), "c.csv", (0, 3, 6), 3)
    assert (curve.xs, curve.ys, curve.blur) == ((0, 6), (Fraction(1, 2), Fraction(3, 2)), Fraction(1, 20))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game,model\nsnake,m\n", "line 1: expected a column ys, or x and mean, or x and score"),
        ("game,model,mean\nsnake,m,1\n", "line 1"),
        ("game,model,ys\nsnake,m,1 2\n", "line 2, ys: expected 3 means for x = 0, 3, 6"),
        ("game,model,xs,ys\nsnake,m,0 4,1 2\n", "line 2, xs: expected one of 0, 3, 6, got '4'"),
        ("game,model,xs,ys\nsnake,m,3 0,1 2\n", "rising"),
        ("game,model,ys\nsnake,m,1 2 nan\n", "line 2, ys: expected a number such as 0.6667 or 2/3, got 'nan'"),
        ("game,model,ys\nsnake,m,1 2 1e9\n", "1e9"),
        ("game,model,ys\nsnake,m,1 2 1/0\n", "1/0"),
        ("game,model,ys\nsnake,m,- 2 3\n", "line 2: expected x = 0 and a later checkpoint to be valid, got x = 3, 6"),
        ("game,model,ys\nsnake,m,1 2 3\nsnake,m,1 2 3\n", "line 3: expected one curve a run"),
        ('game,model,ys\n"snake\n",m,1 2 3\nsnake,m,1\n', "line 4, ys"),
        ('game,model,ys\nsnake,"m,1 2 3\n', "line 2: not a CSV file"),
        (lines("mean", {"0": ["1"], "3": ["1", "1"], "6": ["1"]}), "expected 1 lines for x = 3"),
        (lines("mean", {"0": ["1"], "6": ["1"]}), "with an empty mean where it failed"),
        (lines("score", {"0": ["1"] * 3, "3": ["1"] * 2, "6": ["1"] * 3}), "their number as --episodes"),
        (lines("score", {"0": ["1"] * 4, "3": ["1"] * 3, "6": ["1"] * 3}), "expected 3 lines for x = 0"),
        (lines("score", {"0": ["1"] * 3, "9": ["1"] * 3}), "line 5, x: expected one of 0, 3, 6"),
        ("x" * 1_000_001, "split the file"),
    ],
)
def test_a_file_of_curves_that_cannot_be_read_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"c\.csv") as refused:
        parse_curves(text, "c.csv", (0, 3, 6), 3)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 700


def named(model: str, pathway: str = "") -> GivenCurve:
    return GivenCurve(RunKey("snake", model, pathway), "c.csv, line 2", (0, 3), (Fraction(0),) * 2, Fraction(0), False)


def test_curves_are_matched_by_game_model_and_pathway() -> None:
    rows = parse_rows(
        "pathway,game,model,avg,max,auc_plus\nhistory_icl,Snake,m,1,1,1\nsummary_memory,Snake,m,2,2,2\n", "t.csv"
    )
    assert [each.pathway for each in rows] == ["history", "summary"]
    summary = named("m", "summary")
    assert matched(rows, [summary]) == (None, summary)
    assert matched(rows[:1], [named("m")]) == (named("m"),)


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        ([named("other")], "expected a row of the table for 'other'"),
        ([named("m", "history"), named("m", "summary")], "got 2 curves"),
        ([named("m")], "got one that the row in line 2 has"),
    ],
)
def test_a_curve_without_its_row_is_refused(curves: list[GivenCurve], words: str) -> None:
    rows = parse_rows("game,model,avg,max,auc_plus\nsnake,m,1,1,1\nsnake,m,2,2,2\n", "t.csv")
    with pytest.raises(ValueError, match=r"c\.csv, line 2") as refused:
        matched(rows, curves)
    assert words in str(refused.value)


GOOD = "game,model,pathway,xs,ys\nsnake,m,history,0 3 6,1/3 .5 2\ntrust,n,summary,0 6,-1 2.25\n"


def spliced(cut: tuple[int, str]) -> str:
    """Return the good file with a text set in somewhere."""
    place, text = cut
    return GOOD[:place] + text + GOOD[place + 1 :]


@given(st.text(max_size=200) | st.tuples(st.integers(0, len(GOOD)), st.text(max_size=5)).map(spliced))
@settings(max_examples=200)
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(text: str) -> None:
    for read in (lambda: parse_curves(text, "c.csv", (0, 3, 6), 3), lambda: parse_rows(text, "c.csv")):
        with contextlib.suppress(ValueError):
            read()
            continue
        with pytest.raises(ValueError, match=r"^c\.csv.{5,2000}$"):
            read()
