"""Nullify plays as a second, plain implementation of its rules does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.rules import NULLIFY
from games.play import Turn
from games.registry import game_named
from tests.games.episodes import policy
from tests.games.nullify_reference import ReferenceNullify

Action = tuple[str, tuple[int, int] | None]
"""What is played, and the two indexes that it names."""
Chooser = Callable[[Turn], Action | None]

REFUSED = "Invalid action: "
SEEDS = st.integers(0, 2**63 - 1)
FORMS = ("{} {}", "{}, {}", "({},{})", "[{}: {}].", "index {}, index {}", " {}  {}\n")
NONSENSE = ("", "0", "0 1 2", "0+1", "0-1", "zero one", "0/1", "INVALID", "0 and 1", "x" * 5_000)
indexes = st.one_of(st.integers(0, 5), st.integers(-1, 12))
pairs = st.builds(
    lambda form, one, other: (form.format(one, other), (one, other)), st.sampled_from(FORMS), indexes, indexes
)
actions: st.SearchStrategy[Action] = st.one_of(
    pairs, pairs, pairs, st.sampled_from([(text, None) for text in NONSENSE])
)


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> NullifyConfig:
    base = draw(st.sampled_from([EXPLORE, STRICT]))
    fewest = draw(st.integers(1, 8))
    unit, denominator = draw(st.integers(20, 20_000)), draw(st.integers(1, 200))
    return replace(
        base,
        fewest_steps=fewest,
        most_steps=draw(st.integers(fewest, 14)),
        fewest_operators=draw(st.integers(0, fewest - 1)),
        largest_unit=unit,
        largest_denominator=denominator,
        largest_result=unit * denominator * draw(st.sampled_from([1, 1, 2, 10**6, 10**9])),
        max_steps=draw(st.integers(1, 60)),
    )


def reference(config: NullifyConfig, seed: int) -> ReferenceNullify:
    return ReferenceNullify(
        config=config.id,
        seed=seed,
        steps=(config.fewest_steps, config.most_steps),
        operators=config.fewest_operators,
        largest_unit=config.largest_unit,
        largest_denominator=config.largest_denominator,
        largest_result=config.largest_result,
        max_steps=config.max_steps,
    )


def listed(given_actions: list[Action]) -> Chooser:
    return lambda turn: given_actions[turn.step] if turn.step < len(given_actions) else None


def playing(name: str, seed: int) -> Chooser:
    """A baseline by its name."""
    chosen = policy(game_named("nullify"), name, seed)

    def choose(turn: Turn) -> Action:
        text = chosen(turn)
        one, other = text.split(" ")
        return text, (int(one), int(other))

    return choose


def compare(config: NullifyConfig, seed: int, chosen: Chooser) -> str | None:
    """Play both and return how it ended."""
    state, other, feedback = NULLIFY.start(config, seed), reference(config, seed), ""
    assert NULLIFY.observe(state) == NULLIFY.layout(state) == other.observation()
    assert state.witness == tuple(other.line)
    while state.end is None and (action := chosen(Turn(state.steps, feedback, NULLIFY.observe(state), state))):
        text, pair = action
        expected, reward = other.play(pair)
        state, feedback, paid = NULLIFY.step(state, text)
        assert feedback == expected or (expected == REFUSED and feedback.startswith(REFUSED))
        assert paid == reward
        assert (state.end, state.steps) == (other.end, other.steps)
        assert NULLIFY.observe(state) == other.observation()
    return state.end


@given(settings_of_the_game(), SEEDS, st.lists(actions, max_size=60))
@example(EXPLORE, 1, [("0 1", (0, 1)), ("1, 2", (1, 2)), ("0 0", (0, 0))])
def test_every_action_does_what_the_reference_does(
    config: NullifyConfig, seed: int, given_actions: list[Action]
) -> None:
    compare(config, seed, listed(given_actions))


@given(settings_of_the_game(), SEEDS, st.sampled_from(["random", "idle", "greedy", "oracle"]))
def test_episodes_of_the_baselines_are_those_of_the_reference(config: NullifyConfig, seed: int, name: str) -> None:
    """The oracle's wins, and long lines of legal merges, which indexes drawn at random seldom are."""
    compare(config, seed, playing(name, seed))


@pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
def test_the_shipped_boards_are_those_of_the_reference(config: NullifyConfig) -> None:
    for seed in range(300):
        state, other = NULLIFY.start(config, seed), reference(config, seed)
        assert NULLIFY.observe(state) == other.observation()
        assert state.witness == tuple(other.line)


def test_the_comparison_reaches_every_end() -> None:
    tight = replace(EXPLORE, largest_unit=20, largest_denominator=1, largest_result=20)
    ends = {compare(config, seed, playing("random", seed)) for config in (EXPLORE, tight) for seed in range(60)}
    ends.add(compare(replace(EXPLORE, max_steps=1), 1, playing("random", 1)))
    assert ends == {"won", "lost", "no_moves", "step_limit"}
