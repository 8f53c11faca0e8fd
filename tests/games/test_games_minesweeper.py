"""Minesweeper obeys its written rules."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from games.base import End
from games.minesweeper.config import EXPLORE, LARGEST, SIGHTED_STRICT, STRICT, MinesweeperConfig
from games.minesweeper.rules import MINESWEEPER, MinesweeperState
from tests.games.episodes import drawer, varied
from tests.games.minesweeper_boards import FOUR, around, counted, framed, grid, mines, picture, played

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])


@BOTH
def test_GM_05_an_episode_starts_as_the_rules_say(config: MinesweeperConfig) -> None:
    counts = Counter[int]()
    for seed in range(2_200):
        state = MINESWEEPER.start(config, seed)
        count = len(mines(state))
        head = f"Mines: {count}\nFlags used: 0\nExtra lives left: {2 if config is EXPLORE else 0}\n"
        assert MINESWEEPER.observe(state) == head + framed(["?" * 9] * 9)
        counts[count] += 1
    # each of the eleven numbers 200 times on average, with a standard deviation of 13.5
    assert sorted(counts) == list(range(10, 21))
    assert all(abs(times - 200) < 60 for times in counts.values())


def test_mines_lie_on_every_cell_alike() -> None:
    """Fifteen of 81 cells hold one on average."""
    times = Counter(mine for seed in range(2_000) for mine in mines(MINESWEEPER.start(STRICT, seed)))
    # 370 times on average, with a standard deviation of 17.4
    assert len(times) == 81
    assert all(abs(count - 2_000 * 15 / 81) < 80 for count in times.values())


def test_the_layout_is_the_board_with_every_mine_and_number() -> None:
    state = picture(FOUR, "???? ???? ???? ????")
    assert MINESWEEPER.layout(state) == "  0 1 2 3\n0 X 1 0 0\n1 1 1 1 1\n2 0 0 1 X\n3 0 0 1 1"
    for seed in range(20):
        field = MINESWEEPER.layout(MINESWEEPER.start(EXPLORE, seed))
        rows = ["".join(line.split()[1:]) for line in field.split("\n")[1:]]
        assert rows == counted(" ".join(rows))


def test_the_numbers_of_columns_and_rows_stand_at_their_cells() -> None:
    top, *rows = MINESWEEPER.observe(MINESWEEPER.start(EXPLORE, 1)).split("\n")[3:]
    for column in range(9):
        assert {row[top.index(str(column))] for row in rows} == {"?"}
    assert [row[0] for row in rows] == list("012345678")


@pytest.mark.parametrize(("rows", "columns"), [(1, 12), (12, 1), (11, 12), (100, 100)])
def test_a_large_board_keeps_one_sign_for_each_cell_and_number(rows: int, columns: int) -> None:
    config = replace(EXPLORE, rows=rows, columns=columns, fewest_mines=1, most_mines=1)
    top, *lines = MINESWEEPER.observe(MINESWEEPER.start(config, 1)).split("\n")[3:]
    assert top.split() == [str(column) for column in range(columns)]
    assert [line.split() for line in lines] == [[str(row), *"?" * columns] for row in range(rows)]
    assert len({len(line) for line in lines}) == 1
    assert not any("  " in line.strip() for line in (top, *lines))


@BOTH
@pytest.mark.parametrize("cell", [(0, 0), (4, 4), (8, 3)])
def test_GM_01_the_first_cell_and_its_neighbours_are_safe(config: MinesweeperConfig, cell: tuple[int, int]) -> None:
    row, column = cell
    block = {cell, *around(cell, 9, 9)}
    for seed in range(500):
        before = MINESWEEPER.start(config, seed)
        state, _, reward = MINESWEEPER.step(before, f"uncover ({row},{column})")
        assert (state.end, reward) == (None, 0)
        assert grid(state)[row][column] == "0"
        assert not mines(state) & block
        assert len(mines(state)) == len(mines(before))
        assert mines(state) >= mines(before) - block
        assert MINESWEEPER.step(MINESWEEPER.start(config, seed), f"uncover ({row},{column})").state == state


@pytest.mark.parametrize(
    ("before", "cell", "draws", "after"),
    [
        # three mines move to the first free cells, past the mine that lies there already
        ("..X.. ..... ..... ...XX ....X", "(4,4)", (0.0, 0.0, 0.0), "XXXX. ..... ..... ..... ....."),
        # the block itself is passed over
        ("X.... .X... ..... ..... .....", "(0,0)", (0.0, 0.0), "..XX. ..... ..... ..... ....."),
        # no mine there: nothing moves
        ("..X.. ..... ..... ..... .....", "(4,4)", (0.0, 0.0), "..X.. ..... ..... ..... ....."),
        # 20 free cells: the last one, then of the 19 left number 9 (from 0), past the mine at its place
        ("..X.. ..... ..... ...XX .....", "(4,4)", (0.999, 0.5), "..X.. ..... X.... ..... ..X.."),
    ],
)
@BOTH
def test_mines_move_to_the_free_cells_that_their_draws_name(
    config: MinesweeperConfig, before: str, cell: str, draws: tuple[float, ...], after: str
) -> None:
    state = MINESWEEPER.step(picture(before, "????? " * 5, config, moves=draws), f"uncover {cell}").state
    assert MINESWEEPER.layout(state) == framed(counted(after))


def test_mines_lie_on_every_other_cell_alike_after_the_first_uncovering() -> None:
    """No cell is worth a flag for being where mines move to."""
    states = [MINESWEEPER.step(MINESWEEPER.start(STRICT, seed), "uncover (4,4)").state for seed in range(2_000)]
    times = Counter(mine for state in states for mine in mines(state))
    # 15 mines on 72 cells: 417 times on average, with a standard deviation of 18.2
    assert len(times) == 72
    assert all(abs(count - 2_000 * 15 / 72) < 85 for count in times.values())


@BOTH
def test_only_the_first_uncovering_moves_mines(config: MinesweeperConfig) -> None:
    """A refused one is none; flags alone change no mine."""
    state = MINESWEEPER.start(config, 3)
    before = mines(state)
    state, _ = played(state, "flag (4,4)", "uncover (4,4)", "uncover (9,9)", "unflag (4,4)")
    assert mines(state) == before
    state, _ = played(state, "uncover (4,4)")
    moved = mines(state)
    row, column = min(cell for cell in moved if grid(state)[cell[0]][cell[1]] == "?")
    assert mines(played(state, f"uncover ({row},{column})")[0]) == moved


@BOTH
def test_a_flag_whose_mine_moves_away_is_wrong_and_its_share_is_taken_back(config: MinesweeperConfig) -> None:
    state = picture("XX... ....X ..... ..... .....", "????? " * 5, config)
    state, paid = played(state, "flag (0,0)", "flag (0,1)", "flag (0,2)", "uncover (1,1)")
    assert paid == [Fraction(1, 3), Fraction(1, 3), 0, -Fraction(2, 3)]
    assert MINESWEEPER.layout(state) == framed(counted("...XX ....X ..... ..... ....."))
    assert grid(state)[0] == "FFF??"
    # the three flags are wrong now, and stay as they are
    assert played(state, "unflag (0,0)", "flag (0,3)", "unflag (0,1)")[1] == [0, Fraction(1, 3), 0]


@BOTH
def test_no_mine_moves_to_a_flag(config: MinesweeperConfig) -> None:
    state = picture("..... ..... ..... ...XX ...X.", "????? " * 5, config)
    state, paid = played(state, "flag (0,0)", "flag (0,2)", "uncover (4,4)")
    assert paid == [0, 0, 0]
    assert MINESWEEPER.layout(state) == framed(counted(".X.XX ..... ..... ..... ....."))


@pytest.mark.parametrize("rows", range(1, 7))
@pytest.mark.parametrize("columns", range(1, 7))
def test_GM_02_the_most_mines_and_flags_still_leave_room_for_the_mines_that_move(rows: int, columns: int) -> None:
    """Each first cell, with as many wrong flags outside its block as there can be."""
    room = (rows * columns - min(3, rows) * min(3, columns)) // 2
    if room == 0:
        with pytest.raises(ValueError, match="most_mines: expected at most 0"):
            replace(EXPLORE, rows=rows, columns=columns, fewest_mines=1, most_mines=1)
        return
    config = replace(EXPLORE, rows=rows, columns=columns, fewest_mines=room, most_mines=room)
    with pytest.raises(ValueError, match=f"most_mines: expected at most {room} on a board of {rows} x {columns}"):
        replace(config, most_mines=room + 1)
    for number, cell in enumerate((y, x) for y in range(rows) for x in range(columns)):
        state = MINESWEEPER.start(config, number)
        block = {cell, *around(cell, rows, columns)}
        every = {(y, x) for y in range(rows) for x in range(columns)}
        wrong = sorted(every - block - mines(state))[:room]
        state, _ = played(state, *[f"flag ({y},{x})" for y, x in wrong], "uncover ({},{})".format(*cell))
        assert grid(state)[cell[0]][cell[1]] == "0"
        assert len(mines(state)) == room
        assert not mines(state) & {*block, *wrong}


def test_GM_03_the_largest_board_with_one_mine_opens_at_once() -> None:
    config = replace(EXPLORE, rows=LARGEST, columns=LARGEST, fewest_mines=1, most_mines=1)
    step = MINESWEEPER.step(MINESWEEPER.start(config, 1), "uncover (50,50)")
    assert "".join(grid(step.state)).count("?") == 1
    assert (step.end, step.reward) == (End.WON, 1)


@pytest.mark.parametrize(
    "changes",
    [{"rows": 0}, {"columns": 0}, {"rows": LARGEST + 1}, {"columns": LARGEST + 1}, {"fewest_mines": 0},
     {"most_mines": 37}, {"most_mines": 9}, {"fewest_mines": 21}, {"extra_lives": -1}, {"max_steps": 0}],
    ids=str,
)  # fmt: skip
def test_a_setting_that_cannot_be_played_is_refused(changes: dict[str, int]) -> None:
    (name,) = changes
    with pytest.raises(ValueError, match=rf"^{'most_mines' if 'mines' in name and changes[name] else name}: expected"):
        varied(EXPLORE, changes)


@BOTH
def test_one_right_flag_among_16_mines_pays_a_sixteenth(config: MinesweeperConfig) -> None:
    state = MINESWEEPER.start(replace(config, fewest_mines=16, most_mines=16), 1)
    row, column = min(mines(state))
    _, paid = played(state, f"flag ({row},{column})", f"unflag ({row},{column})", f"flag ({row},{column})")
    assert paid == [Fraction(1, 16), -Fraction(1, 16), Fraction(1, 16)]


@BOTH
def test_a_wrong_flag_pays_nothing_at_any_time(config: MinesweeperConfig) -> None:
    assert played(picture(FOUR, "???? " * 4, config), "flag (0,1)", "unflag (0,1)")[1] == [0, 0]


def test_where_wrong_flags_cost_one_takes_as_much_as_a_right_one_gives_until_it_is_removed() -> None:
    board = picture(FOUR, "???? " * 4, SIGHTED_STRICT)
    rewards = played(board, "flag (0,1)", "flag (0,0)", "unflag (0,1)", "unflag (0,0)")[1]
    assert rewards == [Fraction(-1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(-1, 2)]


def test_where_wrong_flags_cost_a_flag_whose_mine_moves_away_loses_its_share_and_the_cost() -> None:
    board = picture("XX... ....X ..... ..... .....", "????? " * 5, SIGHTED_STRICT)
    rewards = played(board, "flag (0,0)", "uncover (0,1)")[1]
    assert rewards == [Fraction(1, 3), Fraction(-2, 3)]


@BOTH
@pytest.mark.parametrize("seen", ["???? " * 4, "???? oooo ooo? ooo?"], ids=["before", "after the first cell"])
def test_GM_04_flag_look_unflag_finds_no_mine(config: MinesweeperConfig, seen: str) -> None:
    """The same cell with a mine and without one: every text is the same, only the reward differs."""
    right, wrong = picture(FOUR, seen, config), picture(FOUR.replace("X...", ".X..", 1), seen, config)
    wrong = wrong._replace(view=right.view)
    for action in ("flag (0,0)", "flag (0,0)", "uncover (0,0)", "unflag (0,0)", "unflag (0,0)"):
        (right, *said), (wrong, *also) = MINESWEEPER.step(right, action), MINESWEEPER.step(wrong, action)
        assert said[0] == also[0]
        assert MINESWEEPER.observe(right) == MINESWEEPER.observe(wrong)
        assert said[1] in (0, Fraction(1, 2), -Fraction(1, 2))
        assert also[1] == 0


@BOTH
def test_GM_07_a_number_opens_alone(config: MinesweeperConfig) -> None:
    """The 1 at (1,0) lies beside cells that are 0."""
    state = picture(FOUR, "???? ??o? ???? ????", config)
    step = MINESWEEPER.step(state, "uncover (1,0)")
    assert step.feedback == "You uncovered a safe cell at (1,0). Cells opened: 1."
    assert grid(step.state) == ["????", "1?1?", "????", "????"]


@BOTH
def test_a_0_opens_its_region_and_the_numbers_around_it(config: MinesweeperConfig) -> None:
    state = picture("...X. ...X. ...X. .....", "????? " * 4, config)._replace(steps=1)
    step = MINESWEEPER.step(state, "uncover (0,0)")
    assert step.feedback == "You uncovered a safe cell at (0,0). Cells opened: 12."
    assert grid(step.state) == ["002??", "003??", "002??", "001??"]


@BOTH
def test_flags_are_passed_by_and_stop_what_opens_by_itself(config: MinesweeperConfig) -> None:
    """Below a row of flags nothing opens; a flag that is removed later opens nothing by itself."""
    state = picture("XX .. .. .. .. ..", "?? ?? ?? FF ?? ??", config)
    state, _ = played(state, "uncover (2,0)")
    assert grid(state) == ["??", "22", "00", "FF", "??", "??"]
    state, _ = played(state, "unflag (3,1)")
    assert grid(state) == ["??", "22", "00", "F?", "??", "??"]
    step = MINESWEEPER.step(state, "uncover (3,1)")
    assert step.feedback == "You uncovered a safe cell at (3,1). Cells opened: 5."
    assert (grid(step.state), step.end) == (["??", "22", "00", "F0", "00", "00"], None)


@BOTH
def test_there_are_as_many_flags_as_mines(config: MinesweeperConfig) -> None:
    state, _ = played(picture(FOUR, "???? " * 4, config), "flag (1,1)", "flag (1,2)")
    step = MINESWEEPER.step(state, "flag (0,0)")
    assert (step.feedback, step.reward) == ("Invalid action: all flags are used.", 0)
    assert step.state._replace(steps=2) == state
    assert played(state, "unflag (1,1)", "flag (0,0)")[1] == [0, Fraction(1, 2)]


@BOTH
def test_GM_26_what_is_shown_is_the_same_whatever_lies_under_the_hidden_cells(config: MinesweeperConfig) -> None:
    """Two boards with as many mines that agree in every open cell look alike, whatever is flagged."""
    for seen in ("???? " * 4, "F??? ???? ???? ????", "?F?? F??? ???? ????"):
        texts = {MINESWEEPER.observe(picture(drawing, seen, config)) for drawing in (FOUR, ".XX. .... .... ....")}
        assert len(texts) == 1


@BOTH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: MinesweeperConfig) -> None:
    draw = drawer(3)
    state = MINESWEEPER.start(config, 3)
    while state.end is None:
        action = MINESWEEPER.baselines["greedy"](MINESWEEPER.observe(state), draw).action
        saved = json.loads(json.dumps([state.field, state.view, state.moves]))
        restored = MinesweeperState(config, state.steps, None, saved[0], saved[1], tuple(saved[2]))
        assert restored == state
        step, again = MINESWEEPER.step(state, action), MINESWEEPER.step(restored, action)
        assert step == again
        state = step.state
    assert state.steps > 5
