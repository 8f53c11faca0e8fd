"""Snake plays as a second, plain implementation of its rules does."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from games.snake.config import EXPLORE, STRICT, SnakeConfig
from games.snake.rules import SNAKE
from tests.games.episodes import drawer
from tests.games.snake_reference import ReferenceSnake

actions = st.one_of(st.sampled_from(["LEFT", "RIGHT", "UP", "DOWN"]), st.sampled_from(["LEFT", "UP UP", "north", ""]))


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> SnakeConfig:
    base = draw(st.sampled_from([EXPLORE, STRICT]))
    size = draw(st.integers(4, 10))
    empty = replace(base, size=size, obstacles=0)
    obstacles = draw(st.integers(0, min(empty.room, 12)))
    return replace(empty, obstacles=obstacles, apples=draw(st.integers(1, 6)), max_steps=draw(st.integers(1, 80)))


def compare(config: SnakeConfig, seed: int, given_actions: list[str] | None) -> str | None:
    """Play both, by the list or by a greedy policy, and return how it ended."""
    state = SNAKE.start(config, seed)
    other = ReferenceSnake(
        SNAKE.observe(state),
        config=config.id,
        seed=seed,
        apples=config.apples,
        max_steps=config.max_steps,
        strict=config.faults_end,
    )
    draw, count = drawer(seed), 0
    while state.end is None and (given_actions is None or count < len(given_actions)):
        if given_actions is None:
            action = SNAKE.baselines["greedy"](SNAKE.observe(state), draw).action
        else:
            action = given_actions[count]
        event, reward = other.play(action)
        state, feedback, paid = SNAKE.step(state, action)
        assert feedback.startswith(event)
        assert paid == reward
        assert state.end == other.end
        assert state.steps == other.steps
        assert SNAKE.observe(state) == other.observation()
        count += 1
    return state.end


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(actions, max_size=80))
@example(EXPLORE, 1, ["UP", "LEFT", "DOWN", "RIGHT"] * 16)
def test_every_action_does_what_the_reference_does(config: SnakeConfig, seed: int, given_actions: list[str]) -> None:
    compare(config, seed, given_actions)


@given(settings_of_the_game(), st.integers(0, 2**63 - 1))
def test_greedy_episodes_are_those_of_the_reference(config: SnakeConfig, seed: int) -> None:
    """Greedy play grows long snakes and fills small boards, which random actions do not."""
    compare(config, seed, None)


def test_the_comparison_reaches_full_boards() -> None:
    small = replace(EXPLORE, size=4, obstacles=0, apples=2)
    assert "won" in {compare(small, seed, None) for seed in range(10)}
