"""Nullify: every board can be cleared and keeps to the bounds that the prompt states."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import End
from games.nullify.builder import splits, undone
from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.rules import NULLIFY
from games.nullify.units import merge, read, show
from tests.games.episodes import varied
from tests.games.nullify_boards import BOTH, OPERATORS, along, contents


@BOTH
def test_GM_19_every_board_is_won_by_its_witness(config: NullifyConfig) -> None:
    """Ten thousand boards, each within the bounds that the prompt states."""
    sizes = Counter[int]()
    for seed in range(10_000):
        state = first = NULLIFY.start(config, seed)
        score = 0
        for one, other in first.witness:
            state, _, reward = NULLIFY.step(state, f"{one} {other}")
            score += int(reward)
        assert (state.end, score, state.steps, state.witness) == (End.WON, 1, len(first.units) - 1, ())
        operators = [content for content in first.units if isinstance(content, str)]
        assert len(operators) >= config.fewest_operators
        assert set(operators) <= set(OPERATORS)
        for content in first.units:
            if not isinstance(content, str):
                assert 0 < abs(content[0]) <= 10**4 * content[1]
                assert content[1] <= 100
        sizes[len(first.units) - 1] += 1
    # each number of construction steps is equally likely: 2,000 or 1,667 expected, with a standard deviation of 40
    low, high = (3, 7) if config is EXPLORE else (5, 10)
    assert set(sizes) == set(range(low, high + 1))
    assert all(abs(count - 10_000 / len(sizes)) < 200 for count in sizes.values())


@BOTH
def test_every_kind_of_unit_comes_up(config: NullifyConfig) -> None:
    seen = Counter(content for seed in range(2_000) for content in contents(NULLIFY.start(config, seed)))
    assert set(OPERATORS) <= set(seen)
    numbers = [content for content in seen if content not in OPERATORS]
    assert {content[0] for content in numbers} == {"+", "-"}
    assert {"/" in content for content in numbers} == {False, True}


@BOTH
def test_a_line_of_the_builder_keeps_to_the_bounds_of_its_numbers(config: NullifyConfig) -> None:
    """So the bound on results, which is never below them, refuses no merge of the line."""
    for seed in range(300):
        for state, _ in along(NULLIFY.start(config, seed)):
            for content in state.units:
                assert isinstance(content, str) or (abs(content[0]) <= 10**4 * content[1] <= 10**6)


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> NullifyConfig:
    fewest = draw(st.integers(1, 99))
    unit_bound, denominator = draw(st.integers(20, 10**6)), draw(st.integers(1, 10**6))
    return replace(
        draw(st.sampled_from([EXPLORE, STRICT])),
        fewest_steps=fewest,
        most_steps=draw(st.integers(fewest, 99)),
        fewest_operators=draw(st.integers(0, fewest - 1)),
        largest_unit=unit_bound,
        largest_denominator=denominator,
        largest_result=unit_bound * denominator,
        max_steps=99,
    )


@given(settings_of_the_game(), st.integers(0, 2**63 - 1))
def test_every_valid_config_gives_a_board_that_its_witness_wins(config: NullifyConfig, seed: int) -> None:
    """Also under the narrowest bounds, and with as many operators as there can be."""
    state = NULLIFY.start(config, seed)
    assert config.fewest_steps <= len(state.units) - 1 <= config.most_steps
    assert sum(isinstance(content, str) for content in state.units) >= config.fewest_operators
    for before, action in along(state):
        state = NULLIFY.step(before, action).state
    assert state.end is End.WON


numbers_of_a_board = st.builds(
    lambda fraction: fraction.as_integer_ratio(),
    st.fractions(-(10**4), 10**4, max_denominator=100).filter(lambda fraction: fraction != 0),
)


@given(numbers_of_a_board)
def test_every_way_to_undo_a_merge_gives_the_number_back(number: tuple[int, int]) -> None:
    ways = [way for kind in undone(number, STRICT) for way in kind] + splits(number, STRICT)
    assert {"*-1", "/-1"} < {show(other) for _, other in ways}
    assert splits(number, STRICT)
    assert len(set(ways)) == len(ways)
    for one, other in ways:
        assert merge(one, other, 10**6) == merge(other, one, 10**6) == number


@given(st.one_of(st.fractions().filter(bool), st.sampled_from(OPERATORS)))
def test_a_unit_is_read_as_it_is_shown(content: Fraction | str) -> None:
    held = content if isinstance(content, str) else content.as_integer_ratio()
    assert read(show(held)) == held
    if not isinstance(content, str):
        assert show(held) == f"{'+' if content > 0 else ''}{content}"


@pytest.mark.parametrize(
    ("name", "value"),
    [("fewest_steps", 0), ("fewest_steps", 8), ("most_steps", 2), ("most_steps", 100), ("fewest_operators", -1),
     ("fewest_operators", 3), ("largest_unit", 19), ("largest_denominator", 0), ("largest_result", 10**6 - 1),
     ("largest_result", 10**100 + 1), ("max_steps", 0)],
)  # fmt: skip
def test_a_setting_that_cannot_be_played_is_refused(name: str, value: int) -> None:
    blamed = "most_steps" if (name, value) == ("fewest_steps", 8) else name
    with pytest.raises(ValueError, match=rf"^{blamed}: expected .*, got {'7' if blamed != name else value}$"):
        varied(EXPLORE, {name: value})
