"""Minesweeper ends as its written rules say, and pays what they say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from games.base import End
from games.minesweeper.config import EXPLORE, STRICT, MinesweeperConfig
from games.minesweeper.rules import MINESWEEPER
from tests.games.minesweeper_boards import FOUR, grid, mines, picture, played

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])

MANY = """
X.X.X
.....
.....
....."""


@pytest.mark.parametrize("count", [10, 33, 49])
def test_GM_06_all_flags_right_is_exactly_one(count: int) -> None:
    config = replace(STRICT, rows=11, columns=11, fewest_mines=count, most_mines=count)
    state, total = MINESWEEPER.start(config, 1), Fraction()
    for number, (row, column) in enumerate(sorted(mines(state)), 1):
        step = MINESWEEPER.step(state, f"flag ({row},{column})")
        state, total = step.state, total + step.reward
        assert total == Fraction(number, count)
    assert state.end is End.WON
    assert total == 1
    assert str(float(total)) == "1.0"


@BOTH
def test_GM_08_opening_every_safe_cell_wins_without_a_flag(config: MinesweeperConfig) -> None:
    state, paid = played(picture(FOUR, "???? " * 4, config), "uncover (3,0)", "uncover (0,3)", "uncover (3,3)")
    assert paid == [0, 0, 1]
    assert (state.end, grid(state)) == (End.WON, ["?100", "1111", "001?", "0011"])


@BOTH
def test_GM_08_flags_that_were_right_are_paid_once(config: MinesweeperConfig) -> None:
    state = picture(FOUR, "???? " * 4, config)
    state, paid = played(state, "uncover (3,0)", "flag (0,0)", "uncover (0,3)", "uncover (3,3)")
    assert paid == [0, Fraction(1, 2), 0, Fraction(1, 2)]
    assert state.end is End.WON


@BOTH
def test_GM_08_a_wrong_flag_prevents_both_wins(config: MinesweeperConfig) -> None:
    state = picture(FOUR, "Fooo oooo oo?? ooFo", config)
    assert played(state, "uncover (2,2)")[0].end is None
    state = picture(FOUR, "???F ???? ???? ????", config)
    state, paid = played(state, "flag (0,0)", "flag (2,3)", "unflag (0,3)", "flag (2,3)")
    assert paid == [Fraction(1, 2), 0, 0, Fraction(1, 2)]
    assert state.end is End.WON


@BOTH
def test_GM_08_flags_on_all_mines_win_with_every_safe_cell_hidden(config: MinesweeperConfig) -> None:
    state, paid = played(picture(FOUR, "???? " * 4, config), "flag (2,3)", "flag (0,0)")
    assert paid == [Fraction(1, 2), Fraction(1, 2)]
    assert (state.end, grid(state)) == (End.WON, ["F???", "????", "???F", "????"])


@BOTH
def test_GM_09_a_mine_that_is_uncovered_is_hit(config: MinesweeperConfig) -> None:
    state = picture(MANY, "F???? ????? ooooo ooooo", config)
    step = MINESWEEPER.step(state, "uncover (0,2)")
    assert step.reward == 0
    assert grid(step.state)[0] == "F?X??"
    if config is STRICT:
        assert step.feedback == "You hit a mine at (0,2). No extra life was left: the episode is over."
        assert step.end is End.LOST
    else:
        assert step.feedback == "You hit a mine at (0,2). Extra lives left: 1."
        assert step.end is None
    assert MINESWEEPER.observe(step.state).split("\n")[:3] == [
        "Mines: 3",
        "Flags used: 1",
        f"Extra lives left: {1 if config is EXPLORE else 0}",
    ]


def test_the_third_hit_ends_an_explore_episode_and_keeps_the_score() -> None:
    state = picture("X.X.X X.... ..... .....", "????? ????? ooooo ooooo")
    state, paid = played(state, "flag (1,0)", "uncover (0,0)", "uncover (0,2)")
    assert state.end is None
    assert "\nExtra lives left: 0\n" in MINESWEEPER.observe(state)
    state, feedback, reward = MINESWEEPER.step(state, "uncover (0,4)")
    # every mine that was not hit has a flag, but the last hit is a loss
    assert (state.end, sum(paid), reward) == (End.LOST, Fraction(1, 4), 0)
    assert "\nExtra lives left: 0\n" in MINESWEEPER.observe(state)
    assert grid(state)[:2] == ["X?X?X", "F????"]
    assert "over" in feedback


def test_a_mine_that_was_hit_takes_no_flag_and_stays_counted() -> None:
    state, _ = played(picture(MANY, "????? ????? ooooo ooooo"), "uncover (0,2)")
    for action in ("flag (0,2)", "unflag (0,2)", "uncover (0,2)"):
        step = MINESWEEPER.step(state, action)
        assert step.feedback.startswith("Invalid action: (0,2) ")
        assert step.state._replace(steps=state.steps) == state
    state, _ = played(state, "uncover (1,2)")
    assert grid(state)[1] == "??1??"
    # three flags may be placed, as there are three mines
    _, paid = played(state, "flag (0,1)", "flag (0,3)", "flag (1,0)", "flag (1,1)")
    assert paid == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("seen", "actions", "paid"),
    [
        # by flags: the last one completes them
        ("X???? ????? ooooo ooooo", ("flag (0,2)", "flag (0,4)"), (1, 1)),
        # by opening: a right flag is paid already
        ("X?Fo? ooooo ooooo ooooo", ("uncover (0,1)",), (1,)),
        ("X???? ooooo ooooo ooooo", ("uncover (0,1)", "uncover (0,3)"), (0, 2)),
        # by the removal of a wrong flag
        ("XFF?? ????? ooooo ooooo", ("flag (0,4)", "unflag (0,1)"), (1, 0)),
        # by a hit that leaves only mines with flags
        ("??F?F ????? ooooo ooooo", ("uncover (0,0)",), (0,)),
    ],
)
def test_a_win_after_a_hit_is_worth_the_mines_that_were_not_hit(
    seen: str, actions: tuple[str, ...], paid: tuple[int, ...]
) -> None:
    state, rewards = played(picture(MANY, seen), *actions)
    assert rewards == [Fraction(thirds, 3) for thirds in paid]
    assert state.end is End.WON


LIMIT = [
    ("flag (0,4)", "F?F??", End.WON, End.WON),
    ("uncover (0,1)", "??Fo?", End.WON, End.WON),
    ("uncover (0,0)", "????F", End.STEP_LIMIT, End.LOST),
    ("uncover (0,0)", "??F?F", End.WON, End.LOST),
    ("flag (0,4)", "??F??", End.STEP_LIMIT, End.STEP_LIMIT),
    ("flag (0,4)", "??F?F", End.STEP_LIMIT, End.STEP_LIMIT),
    ("unflag (0,2)", "??F?F", End.STEP_LIMIT, End.STEP_LIMIT),
    ("uncover (0,1)", "????F", End.STEP_LIMIT, End.STEP_LIMIT),
    ("nonsense", "????F", End.STEP_LIMIT, End.STEP_LIMIT),
    ("END", "F?F?F", End.AGENT_END, End.AGENT_END),
]


@pytest.mark.parametrize(("action", "row", "explore", "strict"), LIMIT)
def test_GM_31_every_end_in_the_last_step(action: str, row: str, explore: End, strict: End) -> None:
    rest = " ooooo" * 3 if "o" in row else " ?????" + " ooooo" * 2
    for config, end in ((EXPLORE, explore), (STRICT, strict)):
        state = picture(MANY, row + rest, config, config.max_steps - 1)
        assert MINESWEEPER.step(state, action).end is end


def test_GM_31_a_mine_hit_with_the_last_life_in_the_last_step_is_a_loss() -> None:
    state = picture("X.X.X X.... ..... .....", "X?X?? ????? ooooo ooooo", EXPLORE, EXPLORE.max_steps - 1)
    assert MINESWEEPER.step(state, "uncover (0,4)").end is End.LOST
    assert MINESWEEPER.step(state._replace(steps=0), "uncover (0,4)").end is End.LOST


@BOTH
def test_GM_29_nothing_can_be_done_after_a_win_or_a_loss(config: MinesweeperConfig) -> None:
    won, _ = played(picture(FOUR, "???? " * 4, config), "flag (2,3)", "flag (0,0)")
    lost, _ = played(picture(FOUR, "???? ???? oooo oooo", replace(config, extra_lives=0)), "uncover (0,0)")
    assert (won.end, lost.end) == (End.WON, End.LOST)
    for state in (won, lost):
        for action in ("uncover (1,1)", "flag (1,1)", "unflag (0,0)"):
            with pytest.raises(ValueError, match="the episode has ended"):
                MINESWEEPER.step(state, action)
