"""Tetris obeys its written rules."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from games.base import End, Step
from games.tetris.config import EXPLORE, STRICT, TetrisConfig
from games.tetris.rules import TETRIS, TetrisState
from tests.games.episodes import drawer, varied
from tests.games.tetris_reference import DRAWN, cells, drawing, turned

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
every_block = pytest.mark.parametrize("block", DRAWN)
ANGLES = (0, 90, 180, 270)
DROPPED = "The block was dropped."
ABOVE = "The block came to rest above the top row. The episode is over."


def picture(config: TetrisConfig, rows: str, blocks: str, height: int = 0) -> TetrisState:
    """A state from a drawing, the top row first; ``height`` adds empty rows above it."""
    lines = rows.split()
    board = replace(config, width=len(lines[0]), height=max(len(lines), height))
    stack = [sum(1 << place for place, mark in enumerate(line) if mark == "*") for line in reversed(lines)]
    return TetrisState(board, 0, None, tuple(row for row in stack if row), blocks + "OOOO", 0, 0)


def grid(state: TetrisState) -> list[str]:
    """The rows of the board that is shown, without the column numbers."""
    lines = TETRIS.observe(state).split("\nNext Block")[0].split("\n")
    return [line.replace(" ", "") for line in lines[-state.config.height :]]


def played(state: TetrisState, *actions: str) -> TetrisState:
    for action in actions:
        state = TETRIS.step(state, action).state
    return state


def legal(state: TetrisState) -> Iterator[tuple[str, Step[TetrisState]]]:
    """Every action that is carried out, with its step."""
    for rotation in ANGLES:
        for column in range(-1, state.config.width + 3):
            step = TETRIS.step(state, f"{column} {rotation}")
            if not step.feedback.startswith("Invalid action: "):
                yield f"{column} {rotation}", step


@BOTH
def test_an_episode_starts_with_an_empty_board(config: TetrisConfig) -> None:
    size = 10 if config is EXPLORE else 8
    for seed in range(20):
        assert grid(TETRIS.start(config, seed)) == ["." * size] * size


@BOTH
@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_the_blocks_are_the_draws_of_their_stream(config: TetrisConfig, seed: int) -> None:
    """Worked out here from the hash; a shorter episode meets the same blocks."""
    key = hashlib.sha256(f"tetris\n2\n{config.id}\n{seed}\npieces".encode()).digest()
    generator = Random(int.from_bytes(key, "big"))
    expected = "".join(list(DRAWN)[int(generator.random() * 7)] for _ in range(66))
    assert TETRIS.layout(TETRIS.start(config, seed)) == expected
    assert expected.startswith(TETRIS.layout(TETRIS.start(replace(config, max_steps=5), seed)))


def test_every_block_is_as_likely_as_any_other_after_any_other() -> None:
    pairs = [TETRIS.layout(TETRIS.start(STRICT, seed))[10:12] for seed in range(4_900)]
    counts = [pairs.count(first + second) for first in DRAWN for second in DRAWN]
    # 100 expected for each pair, with a standard deviation of 10
    assert all(50 < count < 150 for count in counts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("width", 3), ("width", 100), ("height", 3), ("height", 100), ("invalid_limit", -1), ("max_steps", 0)],
)
def test_a_setting_that_cannot_be_played_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected"):
        varied(EXPLORE, {name: value})


@pytest.mark.parametrize(("width", "height"), [(4, 4), (4, 99), (99, 4), (99, 99)])
def test_the_smallest_and_the_largest_board_are_played(width: int, height: int) -> None:
    state = TETRIS.start(replace(STRICT, width=width, height=height), 2)
    assert TETRIS.step(state, TETRIS.baselines["greedy"](TETRIS.observe(state), drawer(0)).action).feedback == DROPPED
    assert grid(state) == ["." * width] * height


# What is shown.


def test_the_board_and_both_blocks_are_shown() -> None:
    state = picture(STRICT, "..... ..... ..... *..*. *****", "LI")
    assert TETRIS.observe(state).split("\n") == [
        "Board:",
        "1 2 3 4 5",
        ". . . . .",
        ". . . . .",
        ". . . . .",
        "* . . * .",
        "* * * * *",
        "Next Block, rotation 0:",
        ". . #",
        "# # #",
        "Next Block, rotation 90:",
        "# .",
        "# .",
        "# #",
        "Next Block, rotation 180:",
        "# # #",
        "# . .",
        "Next Block, rotation 270:",
        "# #",
        ". #",
        ". #",
        "Following Block, rotation 0:",
        "# # # #",
    ]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (9, ["1 2 3 4 5 6 7 8 9"]),
        (10, ["1 2 3 4 5 6 7 8 9 10"]),
        (12, ["                  1 1 1", "1 2 3 4 5 6 7 8 9 0 1 2"]),
    ],
)
def test_every_column_number_stands_above_its_column(width: int, lines: list[str]) -> None:
    shown = TETRIS.observe(TETRIS.start(replace(EXPLORE, width=width), 1)).split("\n")
    assert shown[1 : len(lines) + 2] == [*lines, " ".join("." * width)]


@every_block
def test_a_block_is_shown_as_the_readme_draws_it(block: str) -> None:
    """The README's table and the observation against turning the cells by hand."""
    readme = (Path(__file__).resolve().parents[2] / "games" / "tetris" / "README.md").read_text(encoding="utf-8")
    table = re.findall(rf"^{block}    .*\n(?:     .*\n)*", readme, re.MULTILINE)[0].split("\n")
    shown = TETRIS.observe(picture(STRICT, "........", block, 8))
    for place, rotation in enumerate(ANGLES):
        expected = drawing(turned(cells(DRAWN[block]), rotation))
        column = [line[5 + 8 * place : 13 + 8 * place].strip() for line in table]
        assert [" ".join(line) for line in column if line] == expected
        assert f"Next Block, rotation {rotation}:\n" + "\n".join(expected) + "\n" in shown


@BOTH
def test_the_following_block_becomes_the_next_one(config: TetrisConfig) -> None:
    state = TETRIS.start(config, 4)
    for count in range(4):
        parts = re.split(r"\n?(?:Next|Following) Block, rotation \d+:\n", TETRIS.observe(state))
        assert parts[1] == "\n".join(drawing(cells(DRAWN[state.blocks[count]])))
        assert parts[5] == "\n".join(drawing(cells(DRAWN[state.blocks[count + 1]])))
        state = played(state, "1 0", "nonsense")


@BOTH
def test_GM_26_the_observation_holds_nothing_of_the_blocks_to_come(config: TetrisConfig) -> None:
    state = TETRIS.start(config, 1)
    other = state._replace(blocks=state.blocks[:2] + "I" * 64)
    assert TETRIS.observe(state) == TETRIS.observe(other)
    assert TETRIS.step(state, "1 0").feedback == TETRIS.step(other, "1 0").feedback


# Where a block comes to rest.


@pytest.mark.parametrize(
    ("block", "counts"),
    [("I", (7, 10, 7, 10)), ("O", (9, 9, 9, 9)), ("S", (8, 9, 8, 9)), ("Z", (8, 9, 8, 9)), ("L", (8, 9, 8, 9)),
     ("J", (8, 9, 8, 9)), ("T", (8, 9, 8, 9))],
)  # fmt: skip
def test_GM_11_the_legal_drops_on_an_empty_board_of_ten_columns(block: str, counts: tuple[int, ...]) -> None:
    """An upright I fits in every column; blocks that look alike in two rotations make no more different boards."""
    steps = dict(legal(picture(EXPLORE, "..........", block, 10)))
    assert list(steps) == [
        f"{column} {rotation}" for rotation, count in zip(ANGLES, counts, strict=True) for column in range(1, count + 1)
    ]
    boards = {step.state.stack for step in steps.values()}
    assert len(boards) == {"I": 17, "O": 9, "S": 17, "Z": 17}.get(block, 34)


@pytest.mark.parametrize(
    ("rows", "block", "action", "after"),
    [
        ("..... ..... ..... .....", "S", "3 0", "..... ..... ...** ..**."),
        ("..... ..... ..... .....", "S", "1 90", "..... *.... **... .*..."),
        ("..... ..... ..... .....", "I", "1 90", "*.... *.... *.... *...."),
        # it stops on the highest cell under it and leaves the hole
        ("..... ..... ..... .*...", "I", "1 0", "..... ..... ****. .*..."),
        # it never slides in under an overhang
        ("..... ..... **... *....", "J", "2 0", ".*... .***. **... *...."),
        # one cell of it goes down into the gap
        ("...... ...... **.*.. **.*..", "T", "2 180", "...... .***.. ****.. **.*.."),
        # the same block rests on its left column or on its right one
        ("..... ..... ..... *....", "J", "1 90", "**... *.... *.... *...."),
        ("..... ..... *.... *....", "L", "1 270", "..... **... **... **..."),
    ],
)
def test_a_block_falls_straight_down_until_something_is_under_it(
    rows: str, block: str, action: str, after: str
) -> None:
    step = TETRIS.step(picture(STRICT, rows, block), action)
    assert (step.feedback, step.reward, step.end) == (DROPPED, 0, None)
    assert grid(step.state) == after.split()


# Full rows.


@BOTH
@pytest.mark.parametrize(
    ("rows", "block", "action", "after", "cleared"),
    [
        ("....... ....... ....... ......* ****..*", "O", "5 0", "....... ....... ....... ....... ....***", 1),
        ("....... ....... *...... *****.. *****..", "O", "6 0", "....... ....... ....... ....... *......", 2),
        ("....... ....... ......* ***.*** ***.*** ***.***", "I", "4 90", "....... " * 5 + "...*..*", 3),
        ("....... *...... ***.*** ***.*** ***.*** ***.***", "I", "4 90", "....... " * 5 + "*......", 4),
        # a row between them that is not full comes down by one, the row above them by two
        ("....... ....... *.....* ***.*** **..*** ***.***", "I", "4 90", "....... " * 4 + "*..*..* **.****", 2),
        # what comes down does not fall into the hole under it, where it would fill another row
        ("..... ..... ..... ..*.. ****. **.**", "I", "5 90", "..... ..... ....* ....* ..*.* **.**", 1),
    ],
)
def test_GM_12_every_full_row_counts_once(
    config: TetrisConfig, rows: str, block: str, action: str, after: str, cleared: int
) -> None:
    step = TETRIS.step(picture(config, rows, block), action)
    assert (step.feedback, step.reward, step.end) == (f"Rows cleared: {cleared}.", cleared, None)
    assert grid(step.state) == after.split()
    assert TETRIS.step(step.state, "1 0").reward == 0


# Above the top row.


@BOTH
@every_block
@pytest.mark.parametrize("room", range(5))
def test_GM_13_a_block_is_lost_only_where_it_rests_above_the_top_row(
    config: TetrisConfig, block: str, room: int
) -> None:
    """On a flat stack under so many free rows it fits in exactly the rotations in which it is no higher."""
    state = picture(config, "........ " * room + "*******. " * (8 - room), block)
    for rotation in ANGLES:
        step = TETRIS.step(state, f"1 {rotation}")
        if len(drawing(turned(cells(DRAWN[block]), rotation))) <= room:
            assert (step.feedback, step.reward, step.end) == (DROPPED, 0, None)
        else:
            assert (step.feedback, step.reward, step.end) == (ABOVE, 0, End.LOST)
            assert TETRIS.observe(step.state) == TETRIS.observe(state)


@BOTH
def test_GM_13_a_gap_is_used_up_to_the_top_row(config: TetrisConfig) -> None:
    state = picture(config, "**.* *..* *..* *..*", "IJ")
    assert TETRIS.step(state, "3 90").end is None
    assert TETRIS.step(state, "2 90").end is End.LOST


@BOTH
def test_a_row_that_a_block_fills_while_it_lies_above_the_top_is_not_cleared(config: TetrisConfig) -> None:
    above = TETRIS.step(picture(config, "*****.. *.***** *.***** *.*****", "O"), "6 0")
    assert (above.feedback, above.reward, above.end) == (ABOVE, 0, End.LOST)
    within = TETRIS.step(picture(config, "*.... *.*** *.*** *.***", "I"), "2 0")
    assert (within.feedback, within.reward, within.end) == ("Rows cleared: 1.", 1, None)


@BOTH
def test_GM_31_at_the_step_limit_a_drop_counts_and_a_loss_is_a_loss(config: TetrisConfig) -> None:
    last = config.max_steps - 1
    full = picture(config, "..... ..... ..... ....*", "I")._replace(steps=last)
    high = picture(config, "..... ..... ....* ....*", "I")._replace(steps=last)
    assert TETRIS.step(full, "1 0")[1:] == ("Rows cleared: 1.", 1)
    assert TETRIS.step(full, "1 0").end is TETRIS.step(full, "2 0").end is End.STEP_LIMIT
    assert TETRIS.step(high, "5 90").end is End.LOST
    assert TETRIS.step(high, "").end is End.STEP_LIMIT
    assert TETRIS.step(high, "END").end is End.AGENT_END
    assert TETRIS.step(high._replace(invalid=2), "").end is (End.LOST if config is STRICT else End.STEP_LIMIT)


# Invalid actions.


@BOTH
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("99 90", "at rotation 90 the column must be from 1 to 8, not 99"),
        ("-5 90", "at rotation 90 the column must be from 1 to 8, not -5"),
        ("0 90", "at rotation 90 the column must be from 1 to 8, not 0"),
        ("9 90", "at rotation 90 the column must be from 1 to 8, not 9"),
        ("6 0", "at rotation 0 the column must be from 1 to 5, not 6"),
        ("6 180", "at rotation 180 the column must be from 1 to 5, not 6"),
        ("3 45", "the rotation must be one of 0, 90, 180, 270, not 45"),
        ("3 -90", "the rotation must be one of 0, 90, 180, 270, not -90"),
        ("3 450", "the rotation must be one of 0, 90, 180, 270, not 450"),
        ("3 360", "the rotation must be one of 0, 90, 180, 270, not 360"),
        ("99 45", "the rotation must be one of 0, 90, 180, 270, not 45"),
        ("3", "expected two integers, the column and the rotation"),
    ],
)
def test_GM_10_no_column_or_rotation_is_moved_to_a_valid_one(config: TetrisConfig, action: str, reason: str) -> None:
    state = picture(config, "........ " * 7 + "*.******", "I")
    step = TETRIS.step(state, action)
    assert step.feedback.startswith(f"Invalid action: {reason}. Nothing was dropped.")
    assert (step.reward, step.end) == (0, None)
    assert step.state == state._replace(steps=1, invalid=1)


def test_three_invalid_actions_in_a_row_end_a_strict_episode() -> None:
    state = TETRIS.start(STRICT, 1)
    ends = []
    for action in ("", "0 0", "1 0", "1 45", "x", "9 9"):
        step = TETRIS.step(state, action)
        ends.append((re.sub(r"^Invalid action: .+ dropped\. ", "", step.feedback), step.end))
        state = step.state
    assert ends == [
        ("Invalid actions in a row: 1 of 3.", None),
        ("Invalid actions in a row: 2 of 3.", None),
        (DROPPED, None),
        ("Invalid actions in a row: 1 of 3.", None),
        ("Invalid actions in a row: 2 of 3.", None),
        ("Invalid actions in a row: 3 of 3. The episode is over.", End.LOST),
    ]


@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_limit_of_invalid_actions_is_that_of_the_config(most: int) -> None:
    state, count = TETRIS.start(replace(EXPLORE, invalid_limit=most), 1), 0
    while state.end is None:
        state, count = TETRIS.step(state, "x").state, count + 1
    assert (state.end, count) == (End.LOST, most)


def test_invalid_actions_never_end_an_explore_episode_before_the_step_limit() -> None:
    state = TETRIS.start(EXPLORE, 1)
    first = TETRIS.observe(state)
    for _ in range(64):
        assert state.end is None
        state, feedback, _ = TETRIS.step(state, "x")
        assert feedback == "Invalid action: expected two integers, the column and the rotation. Nothing was dropped."
        assert TETRIS.observe(state) == first
    assert state.end is End.STEP_LIMIT


# How an action is read.


@pytest.mark.parametrize(
    "action",
    ["3 90", " 3 90\n", "3,90", "(3, 90)", "[3] [90]", "(3)(90)", "3|90", ";3 90;", "3: 90", "`3 90`", "**3 90**",
     "3 90.",
     "'3' '90'", "03 090", "+3 +90", "{3 90}", "<3 90>",
     "\N{FULLWIDTH DIGIT THREE}\N{FULLWIDTH COMMA}\N{FULLWIDTH DIGIT NINE}\N{FULLWIDTH DIGIT ZERO}",
     "column 3 rotation 90", "Column: 3, Rotation: 90", "(column 3, rotation 90)", "column=3, rotation=90",
     "COLUMN = 3, ROTATION => 90", "column 3 90", "3 rotation 90", "column 3, rotation 90 degrees.", "3 90 degrees",
     "3 90\N{DEGREE SIGN}", "[3, 90\N{DEGREE SIGN}]", "column 3, rotation (90 degrees)", "column3 rotation90"],
)  # fmt: skip
def test_two_integers_are_read_whatever_stands_around_them(action: str) -> None:
    state = TETRIS.start(STRICT, 1)
    assert TETRIS.step(state, action) == TETRIS.step(state, "3 90")
    assert TETRIS.step(state, action).feedback == DROPPED


@BOTH
@pytest.mark.parametrize(
    "action",
    ["", "3", "3 90 0", "column 3", "rotation 90", "rotation 90 column 3", "rotation 90, 3", "90 rotation, column 3",
     "column column 3 90", "column rotation 3 90", "column 3 rotation 90 180", "column 3 4 rotation 90",
     "3 90 rotation", "3.0 90", "3 90.0", "3-90", "3/90", "3=90", "= 3 90", "3 90 = 0", "3 or 90", "col 3, rot 90",
     "three ninety", "3 degrees 90", "3 9\N{DEGREE SIGN}0", "3 90 90\N{DEGREE SIGN}", "3 90 degrees clockwise",
     "drop at 3 90", "3 90 degreesdegrees", "3 -", "3;90", "column 3; rotation 90", "3\n90", ".5 90", "column-3 90",
     "1e0 90", "3 1_80", "<column rotation>", "3 90, 4 90", "3 90 3 90", "INVALID", "1234567 90",
     "\N{ARABIC-INDIC DIGIT THREE} 90", "\N{SUPERSCRIPT THREE} 90", "3\N{NO-BREAK SPACE}90",
     "3 90 degree\N{LATIN SMALL LETTER LONG S}"],
)  # fmt: skip
def test_anything_else_is_invalid(config: TetrisConfig, action: str) -> None:
    state = TETRIS.start(config, 1)
    step = TETRIS.step(state, action)
    assert step.feedback.startswith("Invalid action: expected two integers, the column and the rotation. Nothing was")
    assert (step.reward, step.end) == (0, None)
    assert step.state == state._replace(steps=1, invalid=1)


@pytest.mark.parametrize("head", ["", "column", "column 1", "1 rotation", "column 1 rotation 1"])
@pytest.mark.parametrize(
    "unit", ["1", "1 ", " ", "=", " =", "[", "column ", "rotation ", "1 rotation ", "\N{DEGREE SIGN}"]
)
def test_a_long_action_that_almost_reads_is_refused_at_once(head: str, unit: str) -> None:
    """A reading that goes back and forth would take hours."""
    step = TETRIS.step(TETRIS.start(STRICT, 1), head + unit * (1_000_000 // len(unit)) + "x")
    assert step.feedback.startswith("Invalid action: expected two integers")


def test_the_usual_way_to_write_an_action_is_read_as_any_other() -> None:
    state = TETRIS.start(replace(STRICT, width=99), 1)
    for column in range(-1, 102):
        for rotation in (*ANGLES, 9, 360):
            assert TETRIS.step(state, f"{column} {rotation}") == TETRIS.step(state, f"({column},{rotation})")


# States and baselines.


@BOTH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: TetrisConfig) -> None:
    kept = TETRIS.start(config, 3)
    while kept.end is None:
        action = TETRIS.baselines["greedy"](TETRIS.observe(kept), drawer(3)).action if kept.steps % 5 else "x"
        stack, *rest = json.loads(json.dumps([kept.stack, kept.blocks, kept.dropped, kept.invalid]))
        restored = TetrisState(config, kept.steps, None, tuple(stack), *rest)
        assert restored == kept
        step, again = TETRIS.step(kept, action), TETRIS.step(restored, action)
        assert step == again
        kept = step.state
    assert kept.dropped > 40


def test_what_the_player_does_changes_no_block() -> None:
    first, second = TETRIS.start(STRICT, 6), played(TETRIS.start(STRICT, 6), "1 0", "x", "4 90", "x")
    assert first.blocks == second.blocks
    assert second.dropped == 2


@every_block
def test_random_play_takes_every_legal_drop_and_no_other(block: str) -> None:
    state = picture(STRICT, "......", block, 5)
    moves = {TETRIS.baselines["random"](TETRIS.observe(state), drawer(seed)) for seed in range(1_000)}
    assert moves == {(action, coin) for action, _ in legal(state) for coin in (0, 1)}


@every_block
def test_idle_play_is_always_legal(block: str) -> None:
    state = picture(STRICT, ".....", block, 4)
    assert TETRIS.baselines["idle"](TETRIS.observe(state), drawer(0)) == ("1 0", 0)
    assert TETRIS.step(state, "1 0").feedback == DROPPED


def test_greedy_takes_the_rows_that_are_there() -> None:
    state = picture(STRICT, "....... ....... ***.*** ***.*** ***.*** ***.***", "I")
    assert TETRIS.baselines["greedy"](TETRIS.observe(state), drawer(0)) == ("4 90", 4)


@pytest.mark.parametrize(
    ("rows", "feedback"), [("*.*.* *.*.* *.*.* *.*.*", ABOVE), ("*..*. *..*. *.*.* *.*.*", DROPPED)]
)
def test_a_player_without_a_way_on_still_answers(rows: str, feedback: str) -> None:
    """No drop goes on, or one does but none after it."""
    state, oracle = picture(STRICT, rows, "OO"), TETRIS.oracle
    assert oracle is not None
    for answer in (TETRIS.baselines["greedy"](TETRIS.observe(state), drawer(0)), oracle(state, drawer(0))):
        assert answer.score == 0
        assert TETRIS.step(state, answer.action).feedback == feedback


@BOTH
def test_the_oracle_plays_to_the_last_step_and_expects_what_it_gets(config: TetrisConfig) -> None:
    state, oracle, total = TETRIS.start(config, 2), TETRIS.oracle, 0
    assert oracle is not None
    while state.end is None:
        action, expected = oracle(state, drawer(0))
        state, _, reward = TETRIS.step(state, action)
        assert reward == expected
        total += int(reward)
    assert (state.end, state.steps) == (End.STEP_LIMIT, 64)
    assert 20 < total <= 64 * 4 // config.width


def test_in_the_last_step_the_oracle_does_not_look_at_blocks_that_will_never_fall() -> None:
    oracle = TETRIS.oracle
    assert oracle is not None
    for block in DRAWN:
        state = picture(STRICT, "...... ...... ...... *..... *..*.. *.**.*", block)
        last = state._replace(steps=state.config.max_steps - 1)
        assert len({oracle(last._replace(blocks=block + 4 * other), drawer(0)) for other in DRAWN}) == 1
