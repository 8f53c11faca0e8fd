"""Plants-vs-Zombies: a turn runs as the rules say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.base import End
from games.pvz.config import EXPLORE, STRICT, PvzConfig
from games.pvz.rules import PVZ
from tests.games.pvz_pictures import LOST, SURVIVED, after, drawing, picture, plants, seen, sun, turn, zombies

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])


# Sun.


@BOTH
def test_each_turn_brings_25_sun_and_10_for_each_sunflower_placed_until_then(config: PvzConfig) -> None:
    state = PVZ.start(config, 1)
    assert [sun(state := after(state, action)) for action in ("", "X 0 0", "X 0 1", "", "X 1 0; X 1 1")] == [
        75,
        75 - 50 + 25 + 10,
        60 - 50 + 25 + 20,
        55 + 45,
        100 - 100 + 25 + 40,
    ]


def test_the_sun_of_a_turn_cannot_be_spent_in_it() -> None:
    state = PVZ.start(EXPLORE, 1)
    assert turn(state, "X 0 0; X 0 1").feedback == f"{SURVIVED} Placed: X 0 0. Skipped: X 0 1 (not enough sun)."


def test_a_sunflower_that_is_eaten_has_still_given_its_sun_in_that_turn() -> None:
    state = after(picture("X..", "N 0 0 4", hurt={(0, 0): 1}))
    assert (sun(state), drawing(state)) == (10, "z..")
    assert sun(after(picture("X..", "", hurt={(0, 0): 1}), turns=3)) == 30


# Shooters.


@pytest.mark.parametrize(
    ("row", "before", "left"),
    [
        # the nearest at or right of the shooter, never behind it
        ("W.....", "N 0 5 4; N 0 3 4", "N 0 4 4; N 0 2 3"),
        ("..W...", "N 0 1 4; N 0 4 4", "N 0 0 4; N 0 3 3"),
        ("..W...", "N 0 1 4", "N 0 0 4"),
        ("..W...", "N 0 2 4; N 0 4 4", "N 0 2 3; N 0 3 4"),
        # of two in one cell, the one that appeared first
        ("W.....", "R 0 3 4; N 0 3 4", "R 0 2 3; N 0 2 4"),
        # one shot each, and a zombie without hp is out of the way of the next
        ("WW....", "N 0 3 4", "N 0 2 2"),
        ("WW....", "N 0 3 1; R 0 3 8", "R 0 2 7"),
        ("WWW...", "N 0 3 1; R 0 3 1; B 0 4 9", "B 0 3 8"),
        ("WWW...", "N 0 3 1; R 0 4 1", "none"),
        # damage beyond the hp of a zombie is lost
        ("WH....", "N 0 3 1; R 0 3 8", "R 0 2 8"),
        # a shooter left of a zombie and one right of it
        ("W..W..", "N 0 2 4", "N 0 1 3"),
        ("W..W..", "N 0 2 1; N 0 4 4", "N 0 3 3"),
        ("W..W..", "N 0 2 9; N 0 4 4", "N 0 1 8; N 0 3 3"),
        # only shooters shoot
        ("XJH...", "N 0 4 4", "N 0 3 4"),
    ],
)
def test_a_shot_hits_the_nearest_zombie_before_the_shooter(row: str, before: str, left: str) -> None:
    assert zombies(after(picture(row, before))) == left.split("; ")


@pytest.mark.parametrize(
    ("row", "damage"),
    [("WH....", 2), ("W.H...", 1), ("HW....", 1), ("WHH...", 2), ("WWH...", 3), ("WHWH..", 4), ("SH....", 2),
     ("WSH...", 3), ("WX....", 1), ("H.....", 0)],
)  # fmt: skip
def test_a_torch_adds_one_to_the_shooter_directly_left_of_it(row: str, damage: int) -> None:
    assert zombies(after(picture(row, "B 0 5 20"))) == [f"B 0 4 {20 - damage}"]


def test_a_torch_at_the_start_of_a_row_does_nothing_for_the_end_of_the_row_above() -> None:
    state = picture("...W H...", "B 0 3 20")
    assert zombies(after(state)) == ["B 0 3 19"]
    assert plants(after(state))[0] == "W 0 3 1"


@pytest.mark.parametrize(
    ("rows", "hit"),
    [
        ("S.. ... ... ...", [1, 1, 0, 0]),
        ("... S.. ... ...", [1, 1, 1, 0]),
        ("... ... S.. ...", [0, 1, 1, 1]),
        ("... ... ... S..", [0, 0, 1, 1]),
        ("SH. ... ... ...", [2, 2, 0, 0]),
        ("... SH. ... ...", [2, 2, 2, 0]),
        ("... ... ... SH.", [0, 0, 2, 2]),
        ("S.. S.. S.. S..", [2, 3, 3, 2]),
        ("S.. W.. ... ...", [1, 2, 0, 0]),
    ],
)
def test_GM_27_a_three_line_shooter_hits_each_row_that_there_is_once(rows: str, hit: list[int]) -> None:
    state = after(picture(rows, "; ".join(f"B {row} 2 9" for row in range(4))))
    assert zombies(state) == [f"B {row} 1 {9 - damage}" for row, damage in enumerate(hit)]


def test_GM_27_in_a_single_row_it_shoots_once() -> None:
    assert zombies(after(picture("S..", "B 0 2 9"))) == ["B 0 1 8"]


def test_a_three_line_shooter_hits_nothing_behind_it_in_any_row() -> None:
    state = picture("..... ..S.. .....", "N 0 1 4; N 0 4 4; N 1 1 4; N 2 2 4; N 2 1 4")
    assert zombies(after(state)) == ["N 0 0 4", "N 0 3 3", "N 1 0 4", "N 2 1 3", "N 2 0 4"]


def test_the_shooters_of_the_upper_row_shoot_first() -> None:
    """The S above (2 damage) wastes one on the first zombie; were the W first, the S would take 2 from the second."""
    state = picture("SH. W..", "N 1 1 1; R 1 2 8")
    assert zombies(after(state)) == ["R 1 1 7"]
    state = picture("W.. SH.", "N 0 1 1; R 0 2 8")
    assert zombies(after(state)) == ["R 0 1 6"]


def test_a_plant_shoots_in_the_turn_in_which_it_is_placed_and_in_the_one_in_which_it_is_eaten() -> None:
    assert zombies(after(picture("...", "N 0 2 4", sun=100), "W 0 0")) == ["N 0 1 3"]
    state = after(picture("W..", "I 0 0 4"))
    assert (zombies(state), drawing(state)) == (["I 0 0 3"], "z..")


# Zombies.


@pytest.mark.parametrize(("kind", "damage"), [("N", 1), ("R", 1), ("B", 1), ("I", 3)])
def test_a_zombie_in_a_cell_with_a_plant_attacks_it_and_stays(kind: str, damage: int) -> None:
    state = after(picture(".J..", f"{kind} 0 1 9"))
    assert seen(state) == ([f"J 0 1 {10 - damage}"], [f"{kind} 0 1 9"])
    assert drawing(state) == ".*.."


def test_a_zombie_enters_a_cell_with_a_plant_and_attacks_in_the_next_turn() -> None:
    state = after(picture(".J..", "N 0 2 9"))
    assert seen(state) == (["J 0 1 10"], ["N 0 1 9"])
    assert plants(after(state)) == ["J 0 1 9"]


def test_a_wall_holds_one_zombie_for_ten_turns_and_ten_zombies_for_one() -> None:
    state = picture(".J..", "N 0 1 9")
    assert drawing(after(state, turns=9)) == ".*.."
    assert (drawing(after(state, turns=10)), drawing(after(state, turns=11))) == (".z..", "z...")
    assert plants(after(picture(".J..", "; ".join(["N 0 1 9"] * 9)))) == ["J 0 1 1"]
    assert plants(after(picture(".J..", "; ".join(["N 0 1 9"] * 10)))) == ["none"]


def test_the_zombie_that_eats_a_plant_stays_and_the_next_one_in_the_cell_steps_on() -> None:
    state = after(picture(".X..", "N 0 1 4; R 0 1 8; B 0 1 12", hurt={(0, 1): 2}))
    assert seen(state) == (["none"], ["N 0 1 4", "R 0 1 8", "B 0 0 12"])
    state = after(picture(".X..", "I 0 1 6; R 0 1 8"))
    assert seen(state) == (["none"], ["I 0 1 6", "R 0 0 8"])


def test_zombies_that_share_a_cell_later_keep_the_order_in_which_they_appeared() -> None:
    """The second one passes the first, which catches up at the wall: and there the first one is shot."""
    state = after(picture(".J.X..", "N 0 3 9; R 0 3 9", hurt={(0, 3): 1}))
    assert zombies(state) == ["N 0 3 9", "R 0 2 9"]
    state = after(state, turns=2)
    assert seen(state) == (["J 0 1 9"], ["N 0 1 9", "R 0 1 9"])
    assert seen(after(state._replace(sun=100), "W 0 0")) == (["W 0 0 2", "J 0 1 7"], ["N 0 1 8", "R 0 1 9"])


def test_zombies_are_listed_row_by_row_and_drawn_as_one_sign_a_cell() -> None:
    state = picture("X..J WW..", "N 1 2 4; R 0 3 8; B 1 2 12; I 1 0 6; N 0 1 4")
    assert PVZ.observe(state).split("\n") == [
        "Turn: 1",
        "Sun: 0",
        "Field, row 0 and column 0 first:",
        "X z . *",
        "* W z .",
        "Plants: X 0 0 hp 2; J 0 3 hp 10; W 1 0 hp 2; W 1 1 hp 2",
        "Zombies: R 0 3 hp 8; N 0 1 hp 4; N 1 2 hp 4; B 1 2 hp 12; I 1 0 hp 6",
    ]


# Chilis.


def test_a_chili_kills_every_zombie_of_its_row_alone_and_is_gone() -> None:
    state = picture("X.. ... ...", "B 0 0 99; N 0 2 4; N 1 2 4; B 0 1 12", sun=300)
    step = turn(state, "F 0 1")
    assert step.feedback == f"{SURVIVED} Placed: F 0 1."
    assert seen(step.state) == (["X 0 0 2"], ["N 1 1 4"])
    assert sun(step.state) == 10


def test_a_chili_goes_off_before_shots_and_before_zombies_act() -> None:
    """The zombie at the door is gone, and the shot along the row of the chili is not needed any more."""
    state = picture("... W..", "N 0 0 9; N 1 0 1", sun=300)
    step = turn(state, "F 0 2")
    assert (step.reward, zombies(step.state)) == (1, ["none"])


@pytest.mark.parametrize("action", ["F 0 0; W 0 0", "F 0 0; F 0 0", "F 0 0; J 0 0"])
def test_the_cell_of_a_chili_is_taken_until_all_placements_are_made(action: str) -> None:
    step = turn(picture("...", "N 0 2 4", sun=1_000), action)
    assert step.feedback == f"{SURVIVED} Placed: F 0 0. Skipped: {action[7:]} (the cell is taken)."
    assert drawing(step.state) == "..."
    assert drawing(after(step.state, "W 0 0")) == "W.."


@pytest.mark.parametrize("action", ["F 0 2; W 0 0", "W 0 0; F 0 2"])
def test_it_does_not_matter_where_in_the_action_a_chili_stands(action: str) -> None:
    state = after(picture("... ...", "N 0 2 4; N 1 2 4", sun=1_000), action)
    assert (drawing(state), zombies(state)) == ("W.. .z.", ["N 1 1 4"])


def test_two_chilis_clear_two_rows_and_one_without_zombies_is_wasted() -> None:
    state = picture("... ... ...", "N 0 2 4; N 2 2 4; N 2 1 4", sun=900)
    assert zombies(after(state, "F 0 0; F 2 0; F 1 1")) == ["none"]
    assert sun(after(state, "F 0 0; F 2 0; F 1 1")) == 0
    assert zombies(after(state, "F 2 0; F 2 1")) == ["N 0 1 4"]


def test_a_chili_does_not_touch_the_wave_of_its_own_turn() -> None:
    state = picture("...", "N 0 1 4", sun=300)._replace(steps=0, waves=(((0, ("N", 2, 4)),), *((),) * 63))
    assert zombies(after(state, "F 0 0")) == ["N 0 2 4"]


# The end.


@pytest.mark.parametrize(
    ("rows", "units", "feedback", "left"),
    [
        # two reach the house: the first row ends it, and no zombie acts after that
        ("... ...", "N 0 0 4; N 1 0 4; N 0 2 4", f"{LOST} 0.", ["N 0 0 4", "N 0 2 4", "N 1 0 4"]),
        # one of the two is shot before it steps: the other one still ends it
        ("W.. ... ...", "N 1 0 4; N 2 0 4", f"{LOST} 1.", ["N 1 0 4", "N 2 0 4"]),
        (".W. ... S..", "N 2 2 4; N 1 0 1; N 0 0 4", f"{LOST} 0.", ["N 0 0 4", "N 2 2 3"]),
        # what acts before it has acted, shots in all rows have been fired, and the later zombies stay
        ("..J ... W..", "N 0 2 4; N 1 2 4; N 1 0 4; N 2 2 4", f"{LOST} 1.",
         ["N 0 2 4", "N 1 1 4", "N 1 0 4", "N 2 2 3"]),
        # a plant eaten in the same turn lets the next zombie of the cell out at once
        ("X..", "I 0 0 6; N 0 0 4", f"{LOST} 0.", ["I 0 0 6", "N 0 0 4"]),
    ],
)  # fmt: skip
def test_GM_30_a_zombie_that_steps_out_of_column_0_ends_it_at_once(
    rows: str, units: str, feedback: str, left: list[str]
) -> None:
    """Sun has come in before; no wave appears; the turn pays nothing."""
    state = picture(rows, units)
    wave = ((0, ("N", state.config.columns - 1, 4)),)
    state = state._replace(steps=5, config=replace(state.config, sun_a_turn=25), waves=(wave,) * 64)
    step = turn(state)
    assert (step.feedback, step.reward, step.end) == (feedback, 0, End.LOST)
    assert zombies(step.state) == left
    assert sun(step.state) == 25 + 10 * rows.count("X")
    assert PVZ.observe(step.state).startswith("Turn: 6\n")


@pytest.mark.parametrize(
    ("rows", "units"), [("W..", "N 0 0 1"), ("SH. ...", "N 1 0 2; N 0 0 2"), ("WW.", "N 0 1 1"), ("J..", "N 0 0 99")]
)
def test_GM_30_a_zombie_at_the_house_that_is_killed_or_held_up_in_the_turn_does_not_end_it(
    rows: str, units: str
) -> None:
    step = turn(picture(rows, units))
    assert (step.feedback, step.reward, step.end) == (SURVIVED, 1, None)


def test_GM_30_a_plant_may_be_placed_before_a_zombie_at_the_last_moment() -> None:
    state = picture("...", "N 0 0 4", sun=50)
    assert (turn(state).end, turn(state, "J 0 0").end) == (End.LOST, None)
    assert seen(after(state, "J 0 0")) == (["J 0 0 9"], ["N 0 0 4"])
    assert turn(state, "J 0 1").feedback == f"{LOST} 0. Placed: J 0 1."


def test_GM_31_in_the_last_turn_a_breach_is_a_loss_and_a_survived_turn_counts() -> None:
    last = picture("...", "N 0 0 4")._replace(steps=STRICT.max_steps - 1)
    assert turn(last)[1:] == (f"{LOST} 0.", 0)
    assert turn(last).end is End.LOST
    calm = picture("...", "N 0 1 4")._replace(steps=STRICT.max_steps - 1)
    assert turn(calm)[1:] == (SURVIVED, 1)
    assert turn(calm).end is End.STEP_LIMIT
    assert turn(last, "END").end is turn(calm, "end").end is End.AGENT_END
