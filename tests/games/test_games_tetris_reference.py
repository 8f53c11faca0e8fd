"""Tetris plays as a second, plain implementation of its rules does."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from games.tetris.config import EXPLORE, STRICT, TetrisConfig
from games.tetris.rules import TETRIS
from tests.games.episodes import NONSENSE, drawer
from tests.games.tetris_reference import ReferenceTetris


class Written(NamedTuple):
    """An action, and the numbers that it was written for, None if for none."""

    text: str
    numbers: tuple[int, ...] | None


FORMS = (
    "{} {}",
    "({}, {})",
    "[{}][{}].",
    "column {} rotation {}",
    "Column: {}, rotation = {} degrees",
    "{}|{}\N{DEGREE SIGN}",
)
UNREADABLE = (*NONSENSE, "3", "1 2 3", "3.0 90", "rotation 90 column 3", "left", "1-2 90", "3 90 rotation", "3 90 x")


def legal() -> st.SearchStrategy[Written]:
    """Mostly legal, so that the stack grows."""
    numbers = st.tuples(st.integers(1, 8), st.sampled_from([0, 90, 180, 270]))
    return numbers.map(lambda pair: Written("{} {}".format(*pair), pair))


def odd() -> st.SearchStrategy[Written]:
    numbers = st.tuples(st.integers(-1, 13), st.sampled_from([0, 90, 180, 270, 45, -90, 360, 450]))
    written = st.tuples(st.sampled_from(FORMS), numbers).map(lambda pair: Written(pair[0].format(*pair[1]), pair[1]))
    unreadable = st.sampled_from(UNREADABLE).map(lambda text: Written(text, None))
    return st.one_of(written, unreadable)


def settings_of_the_game() -> st.SearchStrategy[TetrisConfig]:
    return st.builds(
        replace,
        st.sampled_from([EXPLORE, STRICT]),
        width=st.one_of(st.integers(4, 6), st.integers(7, 12)),
        height=st.integers(4, 12),
        invalid_limit=st.integers(0, 4),
        max_steps=st.integers(1, 80),
    )


def compare(config: TetrisConfig, seed: int, given_actions: list[Written] | None) -> tuple[str | None, int]:
    """Play both, by the list or by the greedy policy, and return how it ended and what was scored."""
    state = TETRIS.start(config, seed)
    other = ReferenceTetris(
        config=config.id,
        seed=seed,
        width=config.width,
        height=config.height,
        invalid_limit=config.invalid_limit,
        max_steps=config.max_steps,
    )
    score = count = 0
    while state.end is None and (given_actions is None or count < len(given_actions)):
        observation = TETRIS.observe(state)
        assert observation == other.observation()
        action = greedy(observation) if given_actions is None else given_actions[count]
        feedback, reward = other.play(action.numbers)
        step = TETRIS.step(state, action.text)
        assert (step.feedback, step.reward, step.end) == (feedback, reward, other.end)
        state, count, score = step.state, count + 1, score + reward
        assert state.steps == count
    assert TETRIS.observe(state) == other.observation()
    return state.end, score


def greedy(observation: str) -> Written:
    action = TETRIS.baselines["greedy"](observation, drawer(0)).action
    return Written(action, tuple(map(int, action.split())))


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(st.one_of(legal(), legal(), odd()), max_size=80))
@example(EXPLORE, 1, [Written("1 0", (1, 0)), Written("", None), Written("3 90", (3, 90))] * 22)
def test_every_action_does_what_the_reference_does(config: TetrisConfig, seed: int, actions: list[Written]) -> None:
    compare(config, seed, actions)


@given(settings_of_the_game(), st.integers(0, 2**63 - 1))
@example(EXPLORE, 2**63 - 1)
@example(STRICT, 0)
def test_greedy_episodes_are_those_of_the_reference(config: TetrisConfig, seed: int) -> None:
    """Greedy play clears rows, which random actions hardly do."""
    compare(config, seed, None)


def test_the_comparison_reaches_cleared_rows_and_every_end() -> None:
    ends = [compare(replace(STRICT, width=6, height=height), seed, None) for height in (4, 8) for seed in range(5)]
    assert {end for end, _ in ends} == {"lost", "step_limit"}
    assert max(score for _, score in ends) > 10


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(st.one_of(legal(), odd()), max_size=80))
def test_what_was_dropped_and_not_cleared_lies_on_the_board(
    config: TetrisConfig, seed: int, actions: list[Written]
) -> None:
    """Four cells a block, a width a row; what is left has no full row, and no empty one under a filled one."""
    state, score, dropped = TETRIS.start(config, seed), 0, 0
    for action in actions:
        if state.end is not None:
            break
        before = state
        state, feedback, reward = TETRIS.step(before, action.text)
        score += int(reward)
        if feedback.startswith(("The block was dropped", "Rows cleared")):
            dropped += 1
            assert state.blocks == before.blocks
        else:
            assert TETRIS.observe(state) == TETRIS.observe(before)
        lines = TETRIS.observe(state).split("\nNext Block")[0].split("\n")
        board = [line.split(" ") for line in lines[-config.height :]]
        assert sum(row.count("*") for row in board) == 4 * dropped - config.width * score
        assert all("." in row for row in board)
        assert [("*" in row) for row in board] == sorted("*" in row for row in board)
