"""Nullify obeys its written rules."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import End
from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.rules import NULLIFY, NullifyState
from games.nullify.units import merge, reciprocal
from tests.games.episodes import drawer
from tests.games.nullify_boards import BOTH, along, board, contents, played

BOUND = 10**12
NARROW = replace(EXPLORE, largest_unit=20, largest_denominator=1, largest_result=20)


@BOTH
@pytest.mark.parametrize("action", ["0 1", "1 0"])
def test_two_opposite_numbers_clear_the_board_and_pay_1(config: NullifyConfig, action: str) -> None:
    step = NULLIFY.step(board("-19", "+19", config=config), action)
    assert (step.feedback, step.reward, step.end) == ("You cleared the board: -19 and +19 give 0.", 1, End.WON)
    assert NULLIFY.observe(step.state) == "Current game board: empty"


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        ("+3", "+4", "+7"), ("-3", "+4", "+1"), ("-3", "-4", "-7"), ("+1/2", "+1/3", "+5/6"), ("+1/2", "+1/2", "+1"),
        ("+3/4", "-1/4", "+1/2"), ("-7", "+2/3", "-19/3"),
        ("+3", "*4", "+12"), ("+3", "*-10", "-30"), ("-3/4", "*-8", "+6"), ("+5", "*-1", "-5"),
        ("+1/6", "*4", "+2/3"),
        ("+12", "/4", "+3"), ("+3/4", "/-4", "-3/16"), ("-5", "/-1", "+5"), ("+1", "/-10", "-1/10"),
        ("-6", "/9", "-2/3"),
        ("+7/2", "floor", "+3"), ("-7/2", "floor", "-4"), ("+4", "floor", "+4"), ("-4", "floor", "-4"),
        ("-1/5", "floor", "-1"), ("+7/2", "ceil", "+4"), ("-7/2", "ceil", "-3"), ("-4", "ceil", "-4"),
        ("+1/5", "ceil", "+1"),
        ("+25", "sqrt", "+5"), ("+25/16", "sqrt", "+5/4"), ("+1", "sqrt", "+1"), ("+1/9", "sqrt", "+1/3"),
        ("-5", "square", "+25"), ("+5", "square", "+25"), ("-5/2", "square", "+25/4"),
        ("+4", "reciprocal", "+1/4"), ("-3/4", "reciprocal", "-4/3"), ("-1/7", "reciprocal", "-7"),
    ],
)  # fmt: skip
def test_a_merge_gives_what_was_worked_out_by_hand(one: str, other: str, result: str) -> None:
    """In either order; the units that are left keep theirs, and the result comes last."""
    for pair in ((one, other), (other, one)):
        state = board("+1000", pair[0], "floor", pair[1], "*2")
        for action in ("1 3", "3 1"):
            step = NULLIFY.step(state, action)
            assert step.feedback == f"You merged {pair[0]} and {pair[1]} into {result}."
            assert (step.reward, step.end, step.state.steps) == (0, None, 1)
            assert contents(step.state) == ["+1000", "floor", "*2", result]


@pytest.mark.parametrize(
    ("one", "other"),
    [("-19", "+19"), ("+3/4", "-3/4"), ("+1/2", "floor"), ("+4/5", "floor"), ("-1/2", "ceil"), ("-1/5", "ceil")],
)
def test_a_result_of_0_vanishes(one: str, other: str) -> None:
    step = NULLIFY.step(board(one, "+8", other, "*2"), "2 0")
    assert (step.feedback, step.reward) == (f"You merged {one} and {other} into 0, which vanishes.", 0)
    assert (step.end, contents(step.state)) == (None, ["+8", "*2"])


def test_an_operator_may_clear_the_board_as_well() -> None:
    step = NULLIFY.step(board("floor", "+1/2"), "0 1")
    assert (step.feedback, step.reward, step.end) == ("You cleared the board: floor and +1/2 give 0.", 1, End.WON)


@pytest.mark.parametrize(
    ("units", "actions"),
    [
        (("+1/2", "-999/2000"), ["0 1"]),
        (("+1/200", "/10", "*2"), ["0 1", "0 1"]),
        (("+2000", "reciprocal", "*2"), ["0 1", "0 1"]),
        (("+1/1000", "/2", "square"), ["0 1", "0 1"]),
    ],
)
def test_GM_20_a_small_number_is_not_0_however_it_was_reached(units: tuple[str, ...], actions: list[str]) -> None:
    """By an addition, a division, a reciprocal, a square: each ends with one number that is not 0."""
    state = played(board(*units), *actions[:-1])
    step = NULLIFY.step(state, actions[-1])
    assert (step.reward, step.end) == (0, End.LOST)
    assert step.feedback.endswith(" A single number is left.")


def test_GM_20_thirds_add_up_to_1_exactly() -> None:
    """In floating point 1 - 0.1 - 0.2 - 0.7 is not 0."""
    assert played(board("-1", "+1/3", "+1/3", "+1/3"), "0 1", "0 1", "0 1").end is End.WON
    assert played(board("+1", "-1/10", "-1/5", "-7/10"), "0 1", "0 2", "0 1").end is End.WON


@BOTH
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("0 7", "no unit has the index 7"), ("7 0", "no unit has the index 7"), ("-1 0", "no unit has the index -1"),
        ("0 999999", "no unit has the index 999999"), ("7 7", "no unit has the index 7"),
        ("2 2", "a unit cannot be merged with itself"), ("1 2", "two operators cannot be merged"),
        ("2 1", "two operators cannot be merged"), ("0 1", "the number has no rational square root"),
        ("1 3", "the number has no rational square root"), ("1 6", "the number has no rational square root"),
        ("4 5", "the result would be above the limit"), ("2 4", "the result would be above the limit"),
        ("", "expected the indexes of two units, such as 0 1"), ("3",
     "expected the indexes of two units, such as 0 1"),
        ("0 3 4", "expected the indexes of two units, such as 0 1"),
    ],
)  # fmt: skip
def test_an_illegal_merge_is_refused_with_its_reason(config: NullifyConfig, action: str, reason: str) -> None:
    state = board("-1", "sqrt", "square", "+2", f"+{BOUND}", "*2", "+4/3", config=config)
    step = NULLIFY.step(state, action)
    assert (step.feedback, step.reward) == (f"Invalid action: {reason}. Nothing changed.", 0)
    assert step.end is None
    assert step.state == state._replace(steps=1)


@pytest.mark.parametrize(
    "action",
    ["0 1", " 0 1\n", "0, 1", "0,1", "(0, 1)", "(0)(1)", "[0, 1]", "[0 1].", "<0 1>", "0|1", "index 0, index 1",
     ";0 1", "0:1", "`0 1`", '"0 1"',
     "'0', '1'", "**0 1**", "{0, 1}", "00 01", "+0 1", "1 0",
     "\N{FULLWIDTH DIGIT ZERO}\N{IDEOGRAPHIC SPACE}\N{FULLWIDTH DIGIT ONE}", "0\N{FULLWIDTH COMMA}1"],
)  # fmt: skip
def test_two_indexes_are_read_whatever_stands_around_them(action: str) -> None:
    assert NULLIFY.step(board("-19", "+19"), action).end is End.WON


@BOTH
@pytest.mark.parametrize(
    "action",
    ["0 1 2", "0", "01", "0-1", "0 - 1", "0+1", "0 + 1", "0 and 1", "merge 0 1", "0 1, 0 1", "0.0 1.0", "0/1",
     "0;1", ".0 1", "index 0 and 1",
     "zero one", "i j", "<i j>", "-19 +19 0", "a 1", "0 x", "0\N{NO-BREAK SPACE}1", "1e0 0", "0x0 1",
     "0 \N{SUPERSCRIPT ONE}",
     "INVALID", "0000000 1", "0 1 " * 250_000],
)  # fmt: skip
def test_anything_else_is_never_guessed(config: NullifyConfig, action: str) -> None:
    state = board("-19", "+19", config=config)
    step = NULLIFY.step(state, action)
    assert step.feedback == "Invalid action: expected the indexes of two units, such as 0 1. Nothing changed."
    assert step.state == state._replace(steps=1)


def test_GM_22_squares_of_10_are_refused_above_the_bound() -> None:
    """10 to the powers 2, 4 and 8 are within 10^12, the next square is not, however often it is asked for."""
    state = board("+10", *["square"] * 10, "-7")
    sizes = []
    for _ in range(10):
        number = next(place for place, content in enumerate(contents(state)) if content.startswith("+1"))
        step = NULLIFY.step(state, f"{contents(state).index('square')} {number}")
        refused = step.feedback == "Invalid action: the result would be above the limit. Nothing changed."
        sizes.append("refused" if refused else contents(step.state)[-1])
        state = step.state
    assert sizes == ["+100", "+10000", "+100000000", *["refused"] * 7]


@pytest.mark.parametrize(
    ("one", "other", "legal"),
    [
        (f"+{BOUND - 1}", "+1", True), (f"+{BOUND}", "+1", False), (f"-{BOUND - 1}", "-1", True),
        (f"-{BOUND}", "-1", False), (f"+{BOUND // 2}", "*-2", True), (f"+{BOUND // 2 + 1}", "*-2", False),
        (f"+1/{BOUND // 10}", "/10", True), (f"+1/{BOUND // 10 + 1}", "/10", False),
        (f"+1/{BOUND}", "reciprocal", True), ("-1000000", "square", True), ("-1000001", "square", False),
        ("+1/1000001", "square", False), (f"+1/{10**6 + 1}", f"-1/{10**6 + 3}", False), (f"+{BOUND}", "sqrt", True),
    ],
)  # fmt: skip
def test_GM_22_the_bound_holds_for_numerators_and_denominators_and_is_itself_allowed(
    one: str, other: str, legal: bool
) -> None:
    step = NULLIFY.step(board("+5", one, other, "+6"), "1 2")
    assert step.feedback.startswith("You merged" if legal else "Invalid action: the result would be above the limit.")


def test_GM_22_the_reciprocal_of_0_is_refused_though_no_board_holds_a_0() -> None:
    assert reciprocal(0, 1) == merge((0, 1), "reciprocal", 10) == "0 has no reciprocal"


def test_GM_22_the_largest_bound_keeps_feedback_short() -> None:
    largest = replace(STRICT, largest_result=10**100)
    numbers = [f"-{10**100 - 1}/{10**100 - 3}", f"-{10**100 - 5}/{10**100 - 7}"]
    step = NULLIFY.step(board(*numbers, f"+{10**100 - 9}/{10**100 - 3}", config=largest), "0 2")
    assert step.feedback.startswith("You merged")
    assert len(step.feedback) < 1_000
    assert len(NULLIFY.step(board(*numbers, config=largest), "0 1").feedback) < 1_000


@given(seed=st.integers(0, 2**63 - 1), config=st.sampled_from([EXPLORE, STRICT, NARROW]), choice=st.integers(0, 10**9))
def test_every_legal_merge_takes_one_unit_away_or_two_and_leaves_whole_numbers(
    seed: int, config: NullifyConfig, choice: int
) -> None:
    state, draw = NULLIFY.start(config, seed), drawer(choice)
    while state.end is None:
        count = len(state.units)
        one, other = draw(count), draw(count)
        step = NULLIFY.step(state, f"{one} {other}")
        assert step == NULLIFY.step(state, f"{other} {one}")
        lines = NULLIFY.observe(step.state).split("\n")
        assert [line.split(": ")[0] for line in lines[1:]] == [str(index) for index in range(len(step.state.units))]
        if step.feedback.startswith("Invalid"):
            assert step.state.units == state.units
        else:
            gone = "vanishes" in step.feedback or step.end is End.WON
            assert len(step.state.units) == count - (2 if gone else 1)
            kept = [content for place, content in enumerate(state.units) if place not in (one, other)]
            assert list(step.state.units[: count - 2]) == kept
        for content in step.state.units:
            if not isinstance(content, str):
                top, bottom = content
                assert (type(top), type(bottom)) == (int, int)
                assert Fraction(top, bottom).as_integer_ratio() == (top, bottom)
                assert 0 < abs(top) <= config.largest_result
                assert 0 < bottom <= config.largest_result
        state = step.state


@BOTH
@pytest.mark.parametrize(
    ("before", "action", "left", "end"),
    [
        (("-19", "+19"), "0 1", [], End.WON),
        (("-19", "+19", "floor"), "0 1", ["floor"], End.LOST),
        (("-19", "+19", "floor", "sqrt"), "0 1", ["floor", "sqrt"], End.LOST),
        (("+1/2", "floor", "sqrt"), "0 1", ["sqrt"], End.LOST),
        (("-19", "+18"), "0 1", ["-1"], End.LOST),
        (("-19", "floor"), "0 1", ["-19"], End.LOST),
        (("+1", "+1", "sqrt"), "0 1", ["sqrt", "+2"], End.NO_MOVES),
        (("+1", "-5", "sqrt", "sqrt"), "0 1", ["sqrt", "sqrt", "-4"], End.NO_MOVES),
        (("+1", "+1", "sqrt", "square"), "0 1", ["sqrt", "square", "+2"], None),
        (("+1", "+3", "sqrt"), "0 1", ["sqrt", "+4"], None),
        (("+1", "+1", "ceil"), "0 1", ["ceil", "+2"], None),
        (("+1000000", "square", "square"), "0 1", ["square", f"+{BOUND}"], End.NO_MOVES),
        (("+1000000", "square", "*2", "*2", "/-1"), "0 1", ["*2", "*2", "/-1", f"+{BOUND}"], None),
        (("+1000000", "square", "+1"), "0 1", ["+1", f"+{BOUND}"], End.NO_MOVES),
        (("+1000000", "square", "-1"), "0 1", ["-1", f"+{BOUND}"], None),
        (("+2", "-1", f"+{BOUND}", f"+{BOUND}"), "0 1", [f"+{BOUND}", f"+{BOUND}", "+1"], End.NO_MOVES),
        (("+2", "-1", f"+{BOUND}", f"-{BOUND}"), "0 1", [f"+{BOUND}", f"-{BOUND}", "+1"], None),
    ],
)  # fmt: skip
def test_GM_31_what_is_left_decides_the_end_also_in_the_last_step(
    config: NullifyConfig, before: tuple[str, ...], action: str, left: list[str], end: End | None
) -> None:
    for steps, over in ((0, end), (config.max_steps - 1, end or End.STEP_LIMIT)):
        step = NULLIFY.step(board(*before, config=config, steps=steps), action)
        assert contents(step.state) == left
        assert step.end is over
        assert step.reward == (1 if end is End.WON else 0)
        words = {End.WON: "0.", End.LOST: "is left.", End.NO_MOVES: "No merge is possible any more."}
        assert step.feedback.endswith(words[end] if end else step.feedback.split(" into ")[1])


@pytest.mark.parametrize("action", ["", "0 0", "0 2", "END"])
def test_a_refused_action_in_the_last_step_ends_at_the_step_limit(action: str) -> None:
    step = NULLIFY.step(board("-19", "+19", steps=49), action)
    assert step.end is (End.AGENT_END if action == "END" else End.STEP_LIMIT)
    assert step.reward == 0


def test_the_board_is_shown_one_unit_a_line() -> None:
    state = board("+19", "-19", "*3", "/-4", "sqrt", "+3/4", "-1/2")
    assert NULLIFY.observe(state).split("\n") == [
        "Current game board:", "0: +19", "1: -19", "2: *3", "3: /-4", "4: sqrt", "5: +3/4", "6: -1/2",
    ]  # fmt: skip
    assert NULLIFY.recall(state) == NULLIFY.layout(state) == NULLIFY.observe(state)


@BOTH
def test_GM_26_no_text_tells_the_line_of_the_builder(config: NullifyConfig) -> None:
    """A state without the line looks and plays the same."""
    for seed in range(20):
        for state, action in along(NULLIFY.start(config, seed)):
            blind = state._replace(witness=())
            assert NULLIFY.observe(state) == NULLIFY.observe(blind)
            assert NULLIFY.layout(state) == NULLIFY.layout(blind)
            known, unknown = NULLIFY.step(state, action), NULLIFY.step(blind, action)
            assert known._replace(state=known.state._replace(witness=())) == unknown


@BOTH
def test_the_line_is_kept_while_it_is_played_and_dropped_when_it_is_left(config: NullifyConfig) -> None:
    state = NULLIFY.start(config, 5)
    line = state.witness
    one, other = line[0]
    assert played(state, "", "0 0", "99 0").witness == line
    assert played(state, f"{other}, {one}").witness == line[1:]
    left = [
        played(state, f"{first} {second}")
        for first, second in combinations(range(len(state.units)), 2)
        if {first, second} != {one, other}
    ]
    assert {after.witness for after in left if after.units != state.units} == {()}


@BOTH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: NullifyConfig) -> None:
    draw = drawer(3)
    for seed in range(20):
        kept = NULLIFY.start(config, seed)
        while kept.end is None:
            action = NULLIFY.baselines["random"](NULLIFY.observe(kept), draw).action
            units, line = json.loads(json.dumps([kept.units, kept.witness]))
            whole = tuple([content if isinstance(content, str) else tuple(content) for content in units])
            restored = NullifyState(config, kept.steps, None, whole, tuple([tuple(pair) for pair in line]))
            assert restored == kept
            assert NULLIFY.step(kept, action) == NULLIFY.step(restored, action)
            kept = NULLIFY.step(kept, action).state
