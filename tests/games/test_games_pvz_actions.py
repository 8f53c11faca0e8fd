"""Plants-vs-Zombies: actions are read by the written rule, and what they place is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.pvz.config import EXPLORE, STRICT, PvzConfig
from games.pvz.placing import read
from games.pvz.rules import PVZ
from tests.games.pvz_pictures import LOST, SURVIVED, after, drawing, picture, plants, sun, turn

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])


def test_GM_32_a_cell_takes_one_plant_and_sun_is_spent_in_the_order_given() -> None:
    state = picture("..... .....", sun=160)
    step = turn(state, "X 1 4; W 1 4; W 0 0; X 0 1; J 0 2")
    assert step.feedback == (
        f"{SURVIVED} Placed: X 1 4, W 0 0. "
        "Skipped: W 1 4 (the cell is taken), X 0 1 (not enough sun), J 0 2 (not enough sun)."
    )
    assert plants(step.state) == ["W 0 0 2", "X 1 4 2"]
    assert sun(step.state) == 20
    dear_first = turn(state, "S 0 0; W 0 0; J 0 1")
    assert dear_first.feedback == f"{SURVIVED} Placed: W 0 0, J 0 1. Skipped: S 0 0 (not enough sun)."


@BOTH
def test_GM_32_rows_and_columns_count_from_0(config: PvzConfig) -> None:
    rows, columns = config.rows, config.columns
    state = PVZ.start(replace(config, start_sun=1_000), 1)
    for outside in (f"J {rows} {columns}", f"J {rows} 0", f"J 0 {columns}", "J -1 0", "J 0 -1", "J 999999 999999"):
        step = turn(state, outside)
        assert step.feedback.endswith(f"Invalid action: nothing was placed. Skipped: {outside} (outside the field).")
        assert step.reward == 1
    corner = after(state, f"J {rows - 1} {columns - 1}; W 0 0")
    assert PVZ.observe(corner).split("\n")[3].startswith("W ")
    assert PVZ.observe(corner).split("\n")[2 + rows].endswith(("J", "*"))
    assert f"{rows} rows (0 to {rows - 1}), {columns} columns (0 to {columns - 1})" in PVZ.numbers(config)


@pytest.mark.parametrize(
    "action", ["", " ", "\n", "NONE", "none", "None.", "[]", "()", '""', ";", "<none>", "{}", "[none]"]
)
def test_an_empty_action_is_a_turn_without_placements(action: str) -> None:
    step = turn(picture("...", "N 0 2 4", sun=500), action)
    assert (step.feedback, step.reward) == (SURVIVED, 1)
    assert (drawing(step.state), sun(step.state)) == (".z.", 500)


@pytest.mark.parametrize(
    "action",
    ["X 0 1; W 2 0", "x 0 1;w 2 0", "X 0 1;\nW 2 0", "X 0 1\nW 2 0", "X (0, 1); W (2, 0)", "X,0,1;W,2,0",
     "[X 0 1]; [W 2 0]", "X 0 1, W 2 0", "X 0 1 W 2 0", "(X,0,1),(W,2,0)", '[["X", 0, 1], ["W", 2, 0]]',
     "`X 0 1; W 2 0`", "**X 0 1; W 2 0**", "X: 0 1; W: 2 0.", "X[0][1]; W[2][0];", ";; X 0 1 ;;; W 2 0 ;",
     "X +0 01; W 002 -0", "<X 0 1; W 2 0>", "X\t0\t1;W\t2\t0", "X 0 1. ; W 2 0!", "X0 1, W2 0", "X|0|1 & W|2|0",
     "X = 0 1; W -> (2,0)",
     "X 0 1 and W 2 0", "X (row 0, column 1); W row 2 column 0", "- X 0 1\n- W 2 0", "Place X 0 1; then W 2 0",
     "X 0 1; W 2 0; ...",
     "X \N{FULLWIDTH DIGIT ZERO} \N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH SEMICOLON} W 2 0",
     "X \N{FULLWIDTH LEFT PARENTHESIS}0\N{FULLWIDTH COMMA}1\N{FULLWIDTH RIGHT PARENTHESIS}; W 2 0"],
)  # fmt: skip
def test_placements_are_read_in_the_ways_that_models_write_them(action: str) -> None:
    step = turn(picture("... ... ...", sun=500), action)
    assert step.feedback == f"{SURVIVED} Placed: X 0 1, W 2 0."
    assert plants(step.state) == ["X 0 1 2", "W 2 0 2"]


UNREADABLE = "(expected the letter of a plant, a row and a column)"


@pytest.mark.parametrize(
    "action",
    ["INVALID", "X", "X 0", "X 0 1 2", "0 1 X", "X 0-1", "X01", "X 0.0 1", "X 0 1e0",
     "X 1/2 0", "X - 1 0", "pass", "NONE NONE", "X 0 1 because it is near",
     "1. X 0 1", "0 1 X, 2 0 W", "X at 0 1", "X (column 0, row 1)", "X-0 1", "X.0 1",
     "sunflower 0 1", "XX 0 1", "END 0 1", "X 0 1..2", "\N{SNOWMAN}", "X \N{SUPERSCRIPT TWO} 1",
     "X \N{ARABIC-INDIC DIGIT ONE} 1", "X 0 1234567", "\N{CYRILLIC CAPITAL LETTER HA} 0 1", "END now"],
)  # fmt: skip
def test_what_cannot_be_read_places_nothing_and_the_turn_is_played(action: str) -> None:
    step = turn(picture("...", "N 0 2 4", sun=500), action)
    assert step.feedback == f"{SURVIVED} Invalid action: nothing was placed. Skipped: placement 1 {UNREADABLE}."
    assert (step.reward, drawing(step.state), sun(step.state)) == (1, ".z.", 500)


@pytest.mark.parametrize("action", ["Q 0 1", "O 0 1", "N 0 1"])
def test_a_plant_that_there_is_not_is_named_as_such(action: str) -> None:
    step = turn(picture("...", sun=500), action)
    assert step.feedback == f"{SURVIVED} Invalid action: nothing was placed. Skipped: placement 1 (no such plant)."


def test_a_bad_part_spoils_no_other_part() -> None:
    step = turn(picture("... ... ...", sun=500), "X 0 0; plant a W; J 0 1, J 0; Q 1 1; W 1 0")
    assert step.feedback == (
        f"{SURVIVED} Placed: X 0 0, J 0 1, W 1 0. Skipped: placement 2 {UNREADABLE}, placement 3 {UNREADABLE}, "
        f"placement 5 {UNREADABLE}, placement 6 (no such plant)."
    )
    assert plants(step.state) == ["X 0 0 2", "J 0 1 10", "W 1 0 2"]


def test_invalid_is_said_where_nothing_could_be_placed_and_only_there() -> None:
    state = picture("J..", "N 0 0 4", sun=60)
    for action, invalid in (("J 0 0", True), ("W 0 1", True), ("J 0 0; J 0 1", False), ("", False), ("none", False)):
        assert ("Invalid action: nothing was placed." in turn(state, action).feedback) is invalid
    breach = picture("...", "N 0 0 4")
    assert turn(breach, "J 0 0").feedback.startswith(f"{LOST} 0. Invalid action: nothing was placed. Skipped: J 0 0")


def test_as_many_placements_are_read_as_the_field_has_cells() -> None:
    state = picture("... ...", sun=5_000)
    cells = [f"J {row} {column}" for row in (0, 1) for column in (0, 1, 2)]
    full = turn(state, "; ".join(cells))
    assert drawing(full.state) == "JJJ JJJ"
    assert full.feedback == f"{SURVIVED} Placed: {', '.join(cells)}."
    for between in ("; ", ", "):
        step = turn(state, between.join([*["J 0 0"] * 5, "J 1 1", "J 1 2", "what is this?"]))
        assert drawing(step.state) == "J.. .J."
        assert step.feedback.endswith(" Only the first 6 placements were read.")
    bad = turn(state, "; ".join(["nonsense"] * 6 + ["J 0 0"]))
    assert drawing(bad.state) == "... ..."
    assert bad.feedback.endswith("placement 6 " + UNREADABLE + ". Only the first 6 placements were read.")


def test_a_feedback_tells_six_of_each_and_how_many_more_there_are() -> None:
    state = PVZ.start(replace(STRICT, start_sun=5_000), 1)
    taken = "; ".join(f"J {row} {column}" for row in (0, 1) for column in range(6))
    step = turn(state, f"{taken}; {taken}")
    assert step.feedback == (
        f"{SURVIVED} Placed: J 0 0, J 0 1, J 0 2, J 0 3, J 0 4, J 0 5 and 6 more. Skipped: "
        f"{', '.join(f'J 0 {column} (the cell is taken)' for column in range(6))} and 6 more."
    )


@pytest.mark.parametrize(
    "config", [STRICT, replace(STRICT, rows=20, columns=20, start_sun=100_000)], ids=["5x6", "20x20"]
)
@pytest.mark.parametrize(
    "unit",
    ["X 0 0;", "X 0 0,", "x 19 19;", ";", "; ", "X", "X ", "0 ", "Q 999999 -999999;", "\N{FULLWIDTH SEMICOLON}X",
     "X 0 0 0;", "((((", "X(((", "\n", "\N{SNOWMAN};", "none;", " , X"],
)  # fmt: skip
def test_a_megabyte_of_placements_is_one_turn_with_a_short_feedback(config: PvzConfig, unit: str) -> None:
    action = unit * (1_000_000 // len(unit))
    step = turn(PVZ.start(config, 1), action)
    assert (step.reward, step.state.steps) == (1, 1)
    assert len(step.feedback) < 1_000
    assert len(read(action, 30)[0]) <= 30


def test_END_is_no_placement() -> None:
    assert turn(picture("...", sun=50), "X 0 0; END").feedback == (
        f"{SURVIVED} Placed: X 0 0. Skipped: placement 2 {UNREADABLE}."
    )
