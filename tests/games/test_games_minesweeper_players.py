"""Minesweeper reads actions by one written rule, and its baselines play as described."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from games.base import End
from games.minesweeper.config import EXPLORE, STRICT, MinesweeperConfig
from games.minesweeper.rules import MINESWEEPER, MinesweeperState
from games.registry import game_named
from tests.games.episodes import drawer, policy, walk
from tests.games.minesweeper_boards import mines, picture

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
GAME = game_named("minesweeper")


def answer(name: str, state: MinesweeperState, seed: int = 0) -> tuple[str, float]:
    return MINESWEEPER.baselines[name](MINESWEEPER.observe(state), drawer(seed))


@pytest.mark.parametrize(
    "action",
    ["flag (3,4)", "FLAG (3,4)", "Flag [3,4]", "flag(3, 4)", "flag 3 4", "flag 3,4", "flag: 3,4", "flag|3|4",
     "flag row 3 column 4", "FLAG row=3, column=4", "flag - (3,4)", "flag -> 3 4",
     "flag {3 4}",
     "flag<3,4>", "[flag (3,4)]", "(flag 3 4)", "'flag (3,4)'", '"flag", "3", "4"', "`flag (3,4)`", "**flag (3,4)**",
     "flag (3,4).", " flag\t( 3 ,\t4 )\n", "flag (03,+4)", "flag(3)(4)", "flag3,4",
     "flag \N{FULLWIDTH LEFT PARENTHESIS}\N{FULLWIDTH DIGIT THREE}\N{FULLWIDTH COMMA}4)",
     "flag\N{FULLWIDTH COLON}3\N{FULLWIDTH COMMA}4"],
)  # fmt: skip
def test_an_action_is_read_in_the_ways_that_models_write_it(action: str) -> None:
    step = MINESWEEPER.step(MINESWEEPER.start(STRICT, 1), action)
    assert step.feedback == "You placed a flag on (3,4)."


@pytest.mark.parametrize("verb", ["uncover", "flag", "unflag"])
def test_each_action_is_read_in_any_case(verb: str) -> None:
    state = MINESWEEPER.step(MINESWEEPER.start(EXPLORE, 1), "flag (0,0)").state
    place = "(0,0)" if verb == "unflag" else "(8,8)"
    steps = {MINESWEEPER.step(state, f"{said} {place}") for said in (verb, verb.upper(), verb.title())}
    assert len(steps) == 1
    assert not steps.pop().feedback.startswith("Invalid")


@BOTH
@pytest.mark.parametrize(
    "action",
    ["", "flag", "(3,4)", "3 4", "flag 3", "flag (3)", "flag (3,4,5)", "flag 1-2 3", "flag 3-4", "flag (3.4)",
     "flag (3,x)", "flag.3 4", "flag-3 4", "flag .3 4", "flag (3,\n4)", "flag (a,b)", "flag (r,c)",
     "flag (3,4) (5,6)", "flag (3,4), uncover (5,6)", "uncover flag (3,4)",
     "flag flag 3 4",
     "flags (3,4)", "mark (3,4)", "open (3,4)", "un flag (3,4)", "un-flag (3,4)", "flag column 4 row 3", "flag r3 c4",
     "I flag (3,4)", "flag (3,4) please", "please flag (3,4)", "flag (3,4)?", "flag 3;4", "flag 3/4", "flag (1e0,4)",
     "flag (0000003,4)", "- flag (3,4)", "flag - 3 4", "INVALID", "<uncover (r,c) or flag (r,c) or unflag (r,c)>",
     "fl\N{LATIN SMALL LETTER A WITH ACUTE}g 3 4", "\N{FULLWIDTH LATIN SMALL LETTER F}lag 3 4",
     "flag (\N{ARABIC-INDIC DIGIT THREE},4)", "flag 3\N{NO-BREAK SPACE}4", "flag (3,4) " * 90_000, "flag" * 250_000,
     "flag " + "3" * 1_000_000, "flag " + "3," * 500_000, "flag" + " " * 999_990 + "x"],
    ids=range(49),
)  # fmt: skip
def test_anything_else_is_the_documented_invalid_step(config: MinesweeperConfig, action: str) -> None:
    state = MINESWEEPER.start(config, 1)
    step = MINESWEEPER.step(state, action)
    assert step.feedback == "Invalid action: expected exactly one of uncover (r,c), flag (r,c), unflag (r,c)."
    assert (step.reward, step.end) == (0, None)
    assert step.state._replace(steps=0) == state


@pytest.mark.parametrize("verb", ["uncover", "flag", "unflag"])
@pytest.mark.parametrize(
    "place", ["(9,0)", "(0,9)", "(-1,0)", "(0,-1)", "(9,9)", "(999999,999999)", "(\N{MINUS SIGN}1,0)"]
)
def test_GM_32_a_cell_off_the_board_is_refused_and_not_moved_to_the_edge(verb: str, place: str) -> None:
    state = MINESWEEPER.start(EXPLORE, 1)
    step = MINESWEEPER.step(state, f"{verb} {place}")
    plain = place.replace("\N{MINUS SIGN}", "-")
    assert step.feedback == (f"Invalid action: {plain} is not on the board, which has rows 0 to 8 and columns 0 to 8.")
    assert step.state._replace(steps=0) == state


def test_GM_32_row_and_column_are_counted_from_0_and_the_row_comes_first() -> None:
    state = MINESWEEPER.start(STRICT, 1)
    for action, line in (("flag (0,8)", 4), ("flag (8,0)", 12)):
        state = MINESWEEPER.step(state, action).state
        assert "F" in MINESWEEPER.observe(state).split("\n")[line]
    assert MINESWEEPER.observe(state).split("\n")[4] == "0 ? ? ? ? ? ? ? ? F"
    assert MINESWEEPER.observe(state).split("\n")[12] == "8 F ? ? ? ? ? ? ? ?"


@pytest.mark.parametrize(
    ("seen", "action", "reason"),
    [
        ("F???", "uncover (0,0)", "(0,0) has a flag"),
        ("F???", "flag (0,0)", "(0,0) has a flag already"),
        ("?o??", "uncover (0,1)", "(0,1) is uncovered already"),
        ("?o??", "flag (0,1)", "(0,1) is uncovered"),
        ("?o??", "unflag (0,1)", "(0,1) has no flag"),
        ("X???", "uncover (0,0)", "(0,0) is uncovered already"),
        ("X???", "flag (0,0)", "(0,0) is uncovered"),
        ("X???", "unflag (0,0)", "(0,0) has no flag"),
        ("????", "unflag (0,0)", "(0,0) has no flag"),
        ("?FF?", "flag (0,3)", "all flags are used"),
        # a full set of flags comes last in the order of the checks
        ("oFF?", "flag (0,1)", "(0,1) has a flag already"),
        ("?FFo", "flag (0,3)", "(0,3) is uncovered"),
    ],
)
@BOTH
def test_what_cannot_be_done_is_refused_with_its_reason(
    config: MinesweeperConfig, seen: str, action: str, reason: str
) -> None:
    state = picture("X... .... ...X ....", f"{seen} ???? ???? ????", config)
    step = MINESWEEPER.step(state, action)
    assert (step.feedback, step.reward, step.end) == (f"Invalid action: {reason}.", 0, None)
    assert step.state._replace(steps=0) == state


def test_idle_places_one_flag_and_removes_it_again() -> None:
    steps = walk(GAME, STRICT, 5, policy(GAME, "idle"))
    assert [action for _, action, _ in steps] == ["flag (0,0)", "unflag (0,0)"] * 32
    assert sum(step.reward for _, _, step in steps) == 0
    assert steps[-1].step.end is End.STEP_LIMIT


@BOTH
def test_no_baseline_makes_an_illegal_move(config: MinesweeperConfig) -> None:
    for name in ("random", "idle", "greedy", "oracle"):
        for seed in range(15):
            for _, _, step in walk(GAME, config, seed, policy(GAME, name, seed)):
                assert not step.feedback.startswith("Invalid"), name


def test_random_makes_every_legal_move() -> None:
    state = picture("X... .... ...X ....", "F??o oooo oooo oooo")
    answers = {answer("random", state, seed) for seed in range(300)}
    assert answers == {
        ("uncover (0,1)", 0),
        ("uncover (0,2)", 0),
        ("unflag (0,0)", 0),
        ("unflag (0,0)", -0.5),
        ("flag (0,1)", 0),
        ("flag (0,1)", 0.5),
        ("flag (0,2)", 0),
        ("flag (0,2)", 0.5),
    }


def test_greedy_flags_and_uncovers_what_a_number_makes_sure() -> None:
    # the 1 at (1,1) has one hidden neighbour: a mine
    assert answer("greedy", picture("X... .... .... ...X", "?ooo oooo oo?? oo??")) == ("flag (0,0)", 0.5)
    # it has its flag: the other two neighbours are safe
    assert answer("greedy", picture("X... .... .... ...X", "F??? ?o?? ???? ????")) == ("uncover (0,1)", 0)
    # the 1 at (1,2) has its flag, so (0,1) is safe, and nothing else that is safe is hidden
    state = picture("X..X .... .... ....", "??oF oooo oooo oooo")
    assert answer("greedy", state) == ("uncover (0,1)", 0.5)
    assert MINESWEEPER.step(state, "uncover (0,1)").reward == Fraction(1, 2)


def test_greedy_begins_in_the_middle_and_guesses_the_least_likely_mine() -> None:
    assert answer("greedy", MINESWEEPER.start(STRICT, 1)) == ("uncover (4,4)", 0)
    # beside the 1 each cell is a mine with 1/3; far away with 1/12
    state = picture("X... .... .... ....", "???? ?o?? ???? ????")
    guesses = {answer("greedy", state, seed)[0] for seed in range(200)}
    assert guesses == {f"uncover ({y},{x})" for y in range(4) for x in range(4) if max(y, x) == 3}


def test_greedy_still_answers_where_only_flags_are_left() -> None:
    state = picture("X.X.X ..... ..... .....", "XFFoF ooooo ooooo ooooo")
    action, expected = answer("greedy", state)
    assert re.fullmatch(r"unflag \(0,[124]\)", action)
    assert expected == 0


def test_the_oracle_flags_every_mine_within_the_steps() -> None:
    for config in (EXPLORE, STRICT):
        for seed in range(100):
            steps = walk(GAME, config, seed, policy(GAME, "oracle"))
            count = len(mines(MINESWEEPER.start(config, seed)))
            assert len(steps) == count <= config.max_steps
            assert [step.reward for _, _, step in steps] == [Fraction(1, count)] * count
            assert steps[-1].step.end is End.WON


def test_the_oracle_removes_wrong_flags_first_and_spares_mines_that_were_hit() -> None:
    oracle = MINESWEEPER.oracle
    assert oracle is not None
    state, moves = picture("X.X.X ..... ..... .....", "XF?oF ooooo ooooo ooooo"), []
    while state.end is None:
        action, expected = oracle(state, drawer(0))
        state, _, reward = MINESWEEPER.step(state, action)
        assert float(reward) == expected
        moves.append(action)
    assert moves == ["unflag (0,1)", "flag (0,2)"]
    assert state.end is End.WON


def test_what_greedy_expects_of_a_sure_move_is_what_it_gets() -> None:
    for seed in range(40):
        state, draw = MINESWEEPER.start(STRICT, seed), drawer(seed)
        while state.end is None:
            action, expected = MINESWEEPER.baselines["greedy"](MINESWEEPER.observe(state), draw)
            state, _, reward = MINESWEEPER.step(state, action)
            if action.startswith("flag"):
                assert float(reward) == expected
