"""Nullify's baselines play as described, and the oracle wins every board."""

from __future__ import annotations

from dataclasses import replace

from games.base import End
from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.rules import NULLIFY, NullifyState
from tests.games.episodes import drawer
from tests.games.nullify_boards import BOTH, board

BOUND = 10**12


def answers(name: str, state: NullifyState, count: int = 1) -> set[tuple[str, float]]:
    return {NULLIFY.baselines[name](NULLIFY.observe(state), drawer(seed)) for seed in range(count)}


def test_idle_makes_the_first_legal_merge() -> None:
    assert answers("idle", board("sqrt", "-4", "floor", "+9")) == {("0 3", 0)}
    assert answers("idle", board("-4", "sqrt", "floor", "+9")) == {("0 2", 0)}


def test_random_makes_every_legal_merge_and_no_other() -> None:
    state = board("sqrt", "-4", "floor", "+9", f"+{BOUND}")
    legal = ["0 3", "0 4", "1 2", "1 3", "1 4", "2 3", "2 4"]
    assert answers("random", state, 200) == {(action, coin) for action in legal for coin in (0, 1)}


def test_greedy_clears_every_board_of_up_to_five_units() -> None:
    for config in (replace(EXPLORE, most_steps=4), replace(EXPLORE, fewest_steps=2, most_steps=2)):
        for seed in range(200):
            state, reward = NULLIFY.start(config, seed), 0
            while state.end is None:
                action, expected = NULLIFY.baselines["greedy"](NULLIFY.observe(state), drawer(0))
                state, _, paid = NULLIFY.step(state, action)
                assert paid == expected
                reward += int(paid)
            assert reward == 1


def test_greedy_makes_the_smallest_result_of_many_units_but_keeps_a_number() -> None:
    assert answers("greedy", board("+900", "*7", "+5/4", "-3", "-1000", "*9")) == {("2 3", 0)}
    assert answers("greedy", board("+900", "-900", "*7", "*8", "*9", "*10")) == {("0 2", 0)}


def test_a_higher_bound_than_the_shipped_one_stops_no_baseline() -> None:
    state = board(f"+{BOUND}", f"+{BOUND}", config=replace(STRICT, largest_result=10**100))
    assert {answer for name in NULLIFY.baselines for answer in answers(name, state, 20)} >= {("0 1", 0)}
    for name in NULLIFY.baselines:
        assert {action for action, _ in answers(name, state, 20)} == {"0 1"}


@BOTH
def test_the_oracle_wins_every_board_and_knows_when(config: NullifyConfig) -> None:
    oracle = NULLIFY.oracle
    assert oracle is not None
    for seed in range(500):
        state, score = NULLIFY.start(config, seed), 0
        while state.end is None:
            action, expected = oracle(state, drawer(0))
            state, _, paid = NULLIFY.step(state, action)
            assert paid == expected
            score += int(paid)
        assert (state.end, score) == (End.WON, 1)


def test_the_oracle_is_greedy_off_the_line() -> None:
    oracle = NULLIFY.oracle
    assert oracle is not None
    for state in (board("+900", "*7", "+5/4", "-3", "-1000", "square"), board("-4", "square", "-16")):
        assert {oracle(state, drawer(0))} == answers("greedy", state)
