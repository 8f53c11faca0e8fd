"""Chess obeys its written rules."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.base import End
from games.chess.config import EXPLORE, STRICT, ChessConfig
from games.chess.library import LIBRARY, Rule, fitting, path, settled
from games.chess.rules import CHESS, ChessState, lay_out
from tests.games.episodes import drawer, varied

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
SMALL = ChessConfig("explore", size=9, pieces=3, history=3, max_steps=3)


def walk(kind: str, *vectors: tuple[int, int], start: tuple[int, int], size: int = 9, moves: int = 6) -> list[str]:
    """Where a rule leads, as ``row column``."""
    cells = path(Rule(kind, vectors), start[0] * size + start[1], size, moves)
    return [f"{cell // size} {cell % size}" for cell in cells]


def scene() -> ChessState:
    """Three pieces side by side; in the step to time 1 ``a`` goes to (0,4), ``B`` to (1,4) and ``k`` to (2,4)."""
    right = ((0, 1),)
    paths = tuple(path(Rule("wrap", right), row * 9, 9, SMALL.moves) for row in range(3))
    return ChessState(SMALL, 0, None, "aBk", paths)


def answer(state: ChessState) -> str:
    oracle = CHESS.oracle
    assert oracle is not None
    return oracle(state, drawer(0)).action


def boards(text: str) -> dict[int, list[str]]:
    """The boards of an observation by their times, rows without blanks."""
    found = {}
    for part in text.split("\nTime ")[1:]:
        time, *rows = part.split("\n")
        found[int(time.removesuffix(":"))] = [row.replace(" ", "") for row in rows]
    return found


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (walk("wrap", (1, -2), start=(7, 1)), "7 1, 8 8, 0 6, 1 4, 2 2, 3 0, 4 7"),
        # 1 - 2 is -1, so 1, and the way is turned; 7 + 2 is 9, so 2 * 8 - 9 = 7, and it is turned again
        (walk("bounce", (-2, 0), start=(1, 4)), "1 4, 1 4, 3 4, 5 4, 7 4, 7 4, 5 4"),
        # a side may be stood on without being crossed
        (walk("bounce", (-1, 1), start=(1, 7)), "1 7, 0 8, 1 7, 2 6, 3 5, 4 4, 5 3"),
        (walk("bounce", (2, 2), start=(8, 7)), "8 7, 6 7, 4 5, 2 3, 0 1, 2 1, 4 3"),
        (walk("knight", (-2, 1), start=(3, 8)), "3 8, 1 0, 8 1, 6 2, 4 3, 2 4, 0 5"),
        (walk("zigzag", (0, 2), (-1, 0), start=(1, 6)), "1 6, 1 8, 0 8, 0 1, 8 1, 8 3, 7 3"),
        (walk("triple", (1, 1), (1, 1), (-2, 0), start=(0, 0)), "0 0, 1 1, 2 2, 0 2, 1 3, 2 4, 0 4"),
        (walk("pause", (2, -1), (0, 0), start=(6, 1)), "6 1, 8 0, 8 0, 1 8, 1 8, 3 7, 3 7"),
        (walk("ramp", (0, -1), (0, -2), (0, -3), start=(5, 3)), "5 3, 5 2, 5 0, 5 6, 5 5, 5 3, 5 0"),
    ],
)
def test_a_rule_moves_as_worked_out_by_hand(found: list[str], expected: str) -> None:
    assert found == expected.split(", ")


@BOTH
def test_an_episode_starts_as_the_rules_say(config: ChessConfig) -> None:
    for seed in range(100):
        state = CHESS.start(config, seed)
        text = CHESS.observe(state)
        assert text.startswith("Step 1 of 5\nTime -7:\n")
        shown = boards(text)
        assert list(shown) == [-7, -6, -5, -4, -3, -2, -1, 0]
        letters = set(state.labels)
        assert len(state.labels) == len(letters) == len({letter.lower() for letter in letters}) == config.pieces
        for rows in shown.values():
            flat = "".join(rows)
            assert [len(row) for row in rows] == [15] * 15
            assert sorted(flat.replace(".", "")) == sorted(letters)


@BOTH
def test_no_two_pieces_are_ever_on_one_cell(config: ChessConfig) -> None:
    for seed in range(100):
        state = CHESS.start(config, seed)
        for cells in zip(*state.paths, strict=True):
            assert len(set(cells)) == config.pieces
        assert {len(track) for track in state.paths} == {13}


@BOTH
def test_what_is_seen_first_settles_every_move(config: ChessConfig) -> None:
    for seed in range(100):
        for track in CHESS.start(config, seed).paths:
            ways = {path(rule, track[0], 15, 12) for rule in fitting(track[:8], 15)}
            assert ways == {track}


def test_a_piece_that_two_rules_fit_is_settled_only_while_they_agree() -> None:
    """Straight on in the middle of the board may be a bounce; the side tells them apart when it is too late."""
    straight = Rule("wrap", ((0, 1),))
    for start, moves, agreed in ((0, 12, True), (2, 12, True), (3, 12, False), (3, 11, True), (7, 12, False)):
        cells = path(straight, start, 15, moves)
        assert {rule.kind for rule in fitting(cells[:8], 15)} == {"wrap", "bounce"}
        assert settled(cells, 8, 15) is agreed
    beyond = path(straight, 10, 15, 12)
    assert fitting(beyond[:8], 15) == [straight]
    assert settled(beyond, 8, 15)


def test_all_letters_cases_and_kinds_come_up() -> None:
    letters, kinds = set[str](), set[str]()
    for seed in range(60):
        state = CHESS.start(STRICT, seed)
        letters.update(state.labels)
        kinds.update(rule.kind for track in state.paths for rule in fitting(track, 15))
    assert len(letters) == 52
    assert kinds == set(LIBRARY)


@settings(deadline=None, max_examples=50)
@given(
    st.integers(7, 50), st.integers(3, 24), st.integers(1, 64), st.floats(0, 1, exclude_max=True), st.integers(0, 2**32)
)
def test_every_setting_that_is_allowed_can_be_drawn(
    size: int, history: int, steps: int, share: float, seed: int
) -> None:
    """A board of as many pieces as fit needs less than a fifth of the draws that there are."""
    room = min(26, 3 * size**2 // (history + steps + 1))
    config = ChessConfig("explore", size, 1 + int(share * room), history, steps)
    paths = lay_out(config, Random(seed))
    assert len(paths) == config.pieces
    assert paths == lay_out(config, Random(seed), most=2_000)


@settings(deadline=None, max_examples=50)
@given(st.integers(7, 20), st.integers(3, 9), st.integers(1, 20), st.integers(0, 2**32), st.integers(0, 3))
def test_pieces_march_in_step_where_no_draw_is_left(size: int, history: int, steps: int, seed: int, most: int) -> None:
    config = ChessConfig("explore", size, min(26, 3 * size**2 // (history + steps + 1)), history, steps)
    if most >= config.pieces:
        return
    paths = lay_out(config, Random(seed), most=most)
    assert len(paths) == config.pieces
    for cells in zip(*paths, strict=True):
        assert len(set(cells)) == config.pieces
    for track in paths:
        assert track[1] != track[0]
        assert [rule.kind for rule in fitting(track, size)] == ["pause"]
        assert settled(track, history + 1, size)


@pytest.mark.parametrize(
    ("name", "value"),
    [("size", 6), ("size", 51), ("pieces", 0), ("pieces", 27), ("history", 2), ("history", 25), ("max_steps", 0),
     ("max_steps", 65)],
)  # fmt: skip
def test_a_setting_that_cannot_be_played_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected"):
        varied(EXPLORE, {name: value})


def test_a_crowded_setting_is_refused() -> None:
    assert ChessConfig("explore", size=10, pieces=23, history=7, max_steps=5).pieces == 23
    with pytest.raises(ValueError, match="pieces: expected 1 to 23 on a board of 10 over 13 times, got 24"):
        ChessConfig("explore", size=10, pieces=24, history=7, max_steps=5)


@BOTH
def test_the_boards_slide_by_one_and_show_where_the_pieces_went(config: ChessConfig) -> None:
    state = CHESS.start(config, 4)
    seen = boards(CHESS.observe(state))
    for step in range(1, 6):
        before = state
        state = CHESS.step(state, "no prediction").state
        shown = boards(CHESS.observe(state))
        assert list(shown) == list(range(step - 7, step + 1))
        assert all(seen[time] == rows for time, rows in shown.items() if time in seen)
        seen |= shown
        for entry in answer(before).split(", "):
            letter, cell = entry.split(":")
            row, column = cell.strip("()").split(",")
            assert shown[step][int(row)][int(column)] == letter


@BOTH
def test_a_carried_history_prints_each_board_once(config: ChessConfig) -> None:
    state = CHESS.start(config, 4)
    texts, last = [CHESS.recall(state)], CHESS.observe(state)
    while state.end is None:
        state = CHESS.step(state, "").state
        texts.append(CHESS.recall(state))
        last = CHESS.observe(state)
    assert [list(boards(text)) for text in texts] == [list(range(-7, 1)), [1], [2], [3], [4], [5]]
    assert [text.split("\n")[0] for text in texts[:-1]] == [f"Step {step} of 5" for step in range(1, 6)]
    together = {time: rows for text in texts for time, rows in boards(text).items()}
    assert boards(last).items() <= together.items()


def test_the_layout_tells_where_each_piece_goes_in_the_whole_episode() -> None:
    assert CHESS.layout(scene()).split("\n") == [
        "a: (0,0) (0,1) (0,2) (0,3) (0,4) (0,5) (0,6)",
        "B: (1,0) (1,1) (1,2) (1,3) (1,4) (1,5) (1,6)",
        "k: (2,0) (2,1) (2,2) (2,3) (2,4) (2,5) (2,6)",
    ]


@pytest.mark.parametrize(
    "action",
    ["a:(0,4), B:(1,4)", "A:(0,4), b:(1,4)", "a: 0,4 B: 1,4", "a=(0,4); B=(1,4)", "a (0 4)\nB (1 4)",
     "a->(0,4), B->(1,4)", "a \u2192 (0, 4) B \u2192 (1, 4)", "a=>0,4|B=>1,4", "a - (0,4), B - (1,4)", "a0,4 B1,4",
     '{"a": [0, 4], "B": [1, 4]}', "[['a', 0, 4], ['B', 1, 4]]", "(a,0,4),(B,1,4)", "a:(0,4) & B:(1,4)!",
     "**a**: `(0,4)` and **B**: `(1,4)`.", "a:(0,4). And B:(+1,04).", "Predictions: a:(0,4), B:(1,4)",
     "a\N{FULLWIDTH COLON}\N{FULLWIDTH LEFT PARENTHESIS}\N{FULLWIDTH DIGIT ZERO}\N{FULLWIDTH COMMA}4) B:(1,4)",
     "{a:<0,4>;B:<1,4>}", "a:(0,4), B:(1,4), and", "a:(0|4), B:(1:4)", "a: row 0, column 4; B: row 1, column 4",
     "a:(0)(4) B:[1][4]"],
)  # fmt: skip
def test_GM_34_predictions_are_read_in_the_written_forms(action: str) -> None:
    step = CHESS.step(scene(), action)
    assert (step.feedback, step.reward) == ("You predicted 2 of 3 pieces.", Fraction(2, 9))


@pytest.mark.parametrize(
    "entry",
    ["a:(0,4) or (0,5)", "a:(0,4)->(0,5)", "a:(0,4,1)", "a:(0.0,4)", "a:(0,4).5", "a:0-4", "a:04", "a:(0,?)", "a:?",
     "a goes to (0,4)", "a: column 4, row 0", "a-0,4", "a0,4b", "a:(0,4) maybe", "a - 0,4",
     "a:(0000000,4)", "a:(0/4)", "a::=:->", "a",
     "a:(0,4)\N{HORIZONTAL ELLIPSIS}", "a:(\N{SUPERSCRIPT ZERO},4)", "a:(0x4)", "a:(0,4) to", "a:(0--4)",
     "a:(0,4),5", "a:(0,4) andy"],
)  # fmt: skip
def test_an_entry_that_is_no_single_cell_is_never_guessed(entry: str) -> None:
    """Beside it a readable one still counts; alone it makes the action invalid."""
    step = CHESS.step(scene(), f"{entry}, B:(1,4)")
    assert step.feedback == "You predicted 1 of 3 pieces. Ignored: 1 unreadable."
    assert step.reward == Fraction(1, 9)
    assert CHESS.step(scene(), entry).feedback.startswith("Invalid action: ")


@pytest.mark.parametrize(
    "action",
    ["", "INVALID", "(0,4) a, (1,4) B", "Step 1: a:(0,4)", "a:(0;4), B:(1,4)", "0-0", "e2e4", "E2-E4", "Nf3+",
     "a1a1", "0000", "--",
     "(0,4)", "LABEL:(ROW,COLUMN), LABEL:(ROW,COLUMN), ...", "<LABEL:(ROW,COLUMN), LABEL:(ROW,COLUMN), ...>",
     "aB:(0,4)", "\N{FULLWIDTH LATIN SMALL LETTER A}:(0,4)", "a:(0,4), " * 445, "a:(0,4)" + " " * 4_000, "1" * 10**6],
    ids=range(20),
)  # fmt: skip
def test_GM_35_anything_else_is_an_invalid_step_and_time_goes_on(action: str) -> None:
    step = CHESS.step(scene(), action)
    assert step.feedback == (
        "Invalid action: expected predictions such as A:(3,4), b:(0,12) in at most 4000 characters. The pieces moved."
    )
    assert (step.reward, step.end) == (0, None)
    assert step.state == scene()._replace(steps=1)


def test_an_action_of_exactly_4000_characters_is_read() -> None:
    action = "a:(0,4)".ljust(4_000)
    assert CHESS.step(scene(), action).reward == Fraction(1, 9)
    assert CHESS.step(scene(), action + " ").feedback.startswith("Invalid action: ")


@pytest.mark.parametrize("unit", ["a:(0,4),", "a", "a ", "a -", "- ", "a:((((", "a:(0,4)and", "a:1,", "a" + "-" * 90])
def test_the_longest_actions_that_are_read_take_no_time(unit: str) -> None:
    """A pattern that went back and forth over them would not come to an end."""
    for action in (unit * (4_000 // len(unit)), f"a:{unit[1:] * 4_000}"[:4_000]):
        assert len(CHESS.step(scene(), action).feedback) < 1_000


@pytest.mark.parametrize(
    ("action", "feedback", "right"),
    [
        ("a:(0,4), a:(0,5)", "1 of 3 pieces. Ignored: 1 repeated.", 1),
        ("a:(0,5), A:(0,4), a:(0,4)", "1 of 3 pieces. Ignored: 2 repeated.", 0),
        ("a:(0,9), a:(0,4)", "1 of 3 pieces. Ignored: 1 off the board.", 1),
        ("a:(-1,4), B:(9,4), k:(2,-4)", "0 of 3 pieces. Ignored: 3 off the board.", 0),
        ("c:(0,4), Z:(1,4), b:(1,4)", "1 of 3 pieces. Ignored: 2 of an unknown letter.", 1),
        ("z:(9,9)", "0 of 3 pieces. Ignored: 1 of an unknown letter.", 0),
        (
            "a:(0,4), b, c:(1,1), K:(2,4), d:(99,99), k:(2,4), a:(4,400), B:(1,4), t=1",
            "3 of 3 pieces. Ignored: 2 unreadable, 2 of an unknown letter, 1 off the board, 1 repeated.",
            3,
        ),
    ],
)
def test_GM_32_what_does_not_count_is_ignored_and_reported(action: str, feedback: str, right: int) -> None:
    step = CHESS.step(scene(), action)
    assert step.feedback == f"You predicted {feedback}"
    assert step.reward == Fraction(right, 9)


@BOTH
def test_GM_04_right_and_wrong_predictions_look_the_same(config: ChessConfig) -> None:
    state = CHESS.start(config, 2)
    right = CHESS.step(state, answer(state))
    wrong = CHESS.step(state, ", ".join(f"{letter}:(0,0)" for letter in state.labels))
    assert right.reward == Fraction(1, 5)
    assert wrong.reward <= Fraction(1, 5 * config.pieces)
    assert right.feedback == wrong.feedback
    assert right.state == wrong.state


@BOTH
def test_GM_26_the_observation_holds_nothing_of_what_is_to_come(config: ChessConfig) -> None:
    state = CHESS.start(config, 1)
    for step in range(5):
        blind = state._replace(paths=tuple((*track[: 8 + step], *[0] * (5 - step)) for track in state.paths))
        assert CHESS.observe(state) == CHESS.observe(blind)
        assert CHESS.recall(state) == CHESS.recall(blind)
        state = CHESS.step(state, answer(state)).state


@pytest.mark.parametrize(("pieces", "steps"), [(12, 5), (22, 5), (7, 7), (11, 3), (1, 1), (13, 9)])
def test_GM_06_all_right_is_exactly_one(pieces: int, steps: int) -> None:
    config = replace(EXPLORE, pieces=pieces, max_steps=steps)
    for seed in range(20):
        state, total, count = CHESS.start(config, seed), Fraction(0), 0
        while state.end is None:
            state, _, reward = CHESS.step(state, answer(state))
            total, count = total + reward, count + 1
        assert (total, float(total), count) == (Fraction(1), 1.0, steps)


@BOTH
def test_GM_25_exactly_as_many_steps_are_played_as_the_prompt_says(config: ChessConfig) -> None:
    for steps in (1, 2, 5, 8):
        short = replace(config, max_steps=steps)
        assert f"Step limit: {steps}\n" in CHESS.numbers(short)
        state = CHESS.start(short, 7)
        for count in range(1, steps + 1):
            assert state.end is None
            assert CHESS.observe(state).startswith(f"Step {count} of {steps}\n")
            state = CHESS.step(state, answer(state) if count % 2 else "nonsense").state
        assert state.end is End.STEP_LIMIT


@BOTH
def test_GM_31_the_last_step_counts_like_any_other(config: ChessConfig) -> None:
    state = CHESS.start(config, 3)
    for _ in range(4):
        state = CHESS.step(state, "").state
    step = CHESS.step(state, answer(state))
    assert (step.reward, step.end) == (Fraction(1, 5), End.STEP_LIMIT)
    assert CHESS.step(state, "").end is End.STEP_LIMIT
    assert CHESS.step(state, "END").end is End.AGENT_END


@BOTH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: ChessConfig) -> None:
    kept = CHESS.start(config, 3)
    while kept.end is None:
        saved = json.loads(json.dumps([kept.steps, kept.labels, kept.paths]))
        restored = ChessState(config, saved[0], None, saved[1], tuple(tuple(track) for track in saved[2]))
        assert restored == kept
        action = CHESS.baselines["greedy"](CHESS.observe(kept), drawer(3)).action
        step, again = CHESS.step(kept, action), CHESS.step(restored, action)
        assert step == again
        kept = step.state


def test_one_config_of_the_numbers_is_told_in_full() -> None:
    assert CHESS.numbers(replace(STRICT, size=16, pieces=3, history=8, max_steps=4)).split("\n") == [
        "Board: 16 x 16 cells",
        "Pieces: 3",
        "Boards shown: the present one and the 8 before it",
        "Step limit: 4",
        "One right prediction: 1/12",
        "Strict rules apply: only the number of pieces differs from permissive rules.",
    ]


def greedy_on(kind: str, *vectors: tuple[int, int], start: tuple[int, int]) -> tuple[str, float]:
    """What greedy answers about one piece on a board of 9 x 9, after seven moves of its rule."""
    config = ChessConfig("explore", size=9, pieces=1, history=7, max_steps=5)
    track = path(Rule(kind, vectors), start[0] * 9 + start[1], 9, config.moves)
    return CHESS.baselines["greedy"](CHESS.observe(ChessState(config, 0, None, "q", (track,))), drawer(0))


def test_greedy_repeats_cycles_and_turns_back_at_the_sides() -> None:
    assert greedy_on("wrap", (0, 1), start=(0, 3)) == ("q:(0,2)", 0.2)
    assert greedy_on("knight", (-2, 1), start=(0, 0)) == ("q:(2,8)", 0.2)
    # the next move has number 7: odd, and the second of three
    assert greedy_on("zigzag", (1, 0), (0, 2), start=(0, 0)) == ("q:(4,8)", 0.2)
    assert greedy_on("triple", (1, 0), (1, 0), (0, 2), start=(0, 0)) == ("q:(6,4)", 0.2)
    assert greedy_on("pause", (1, 0), (0, 0), start=(0, 0)) == ("q:(4,0)", 0.2)
    assert greedy_on("ramp", (0, 1), (0, 2), (0, 3), start=(0, 0)) == ("q:(0,6)", 0.2)
    # columns 6 7 8 7 6 5 4 3: no cycle, on to 2
    assert greedy_on("bounce", (0, 1), start=(2, 6)) == ("q:(2,2)", 0)
    # rows 2 0 2 4 6 8 6 4 and columns 7 8 7 6 5 4 3 2
    assert greedy_on("bounce", (-2, 1), start=(2, 7)) == ("q:(2,1)", 0)
    # rows 1 3 5 7 7 5 3 1 and columns 2 1 0 1 2 3 4 5: rows cannot go on to -1 and turn to 3, where the rule stays on 1
    assert greedy_on("bounce", (2, -1), start=(1, 2)) == ("q:(3,6)", 0)


def test_idle_and_random_and_the_oracle_play_as_described() -> None:
    text = CHESS.observe(scene())
    assert CHESS.baselines["idle"](text, drawer(0)) == ("B:(1,3), a:(0,3), k:(2,3)", 0)
    oracle = CHESS.oracle
    assert oracle is not None
    assert oracle(scene(), drawer(0)) == ("a:(0,4), B:(1,4), k:(2,4)", 1 / 3)
    seen, scores = set(), set()
    for seed in range(400):
        move = CHESS.baselines["random"](text, drawer(seed))
        scores.add(move.score)
        (cell,) = [(int(row), int(column)) for row, column in re.findall(r"\ba:\((\d+),(\d+)\)", move.action)]
        seen.add(cell)
    assert seen == {(row, column) for row in (7, 8, 0, 1, 2) for column in (1, 2, 3, 4, 5)}
    assert scores == {0, 1 / 3}
