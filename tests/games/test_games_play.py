"""One loop plays and replays; it stops where it is told to."""

from __future__ import annotations

import pytest

from games.base import End, limit, refusal
from games.play import Turn, play
from games.registry import game_named
from games.snake.config import STRICT

SNAKE = game_named("snake")


def test_a_policy_that_gives_no_action_stops_the_episode_where_it_stands() -> None:
    episode = play(SNAKE, SNAKE.explore, 1, lambda turn: "UP" if turn.step < 2 else None)
    assert [step.action for step in episode.steps] == ["UP", "UP"]
    assert episode.end is None


def test_a_turn_shows_the_feedback_of_the_action_before_it() -> None:
    turns = list[Turn]()

    def policy(turn: Turn) -> str:
        turns.append(turn)
        return ("LEFT", "north", "END")[turn.step]

    episode = play(SNAKE, SNAKE.explore, 1, policy)
    assert [turn.step for turn in turns] == [0, 1, 2]
    assert [turn.feedback for turn in turns] == ["", *[step.feedback for step in episode.steps[:-1]]]
    assert [turn.observation for turn in turns] == [SNAKE.observe(turn.state) for turn in turns]
    assert episode.end is End.AGENT_END


@pytest.mark.parametrize(
    ("end", "steps", "expected"),
    [(None, 63, None), (None, 64, End.STEP_LIMIT), (End.WON, 64, End.WON), (End.LOST, 64, End.LOST)],
)
def test_the_game_own_end_comes_before_the_step_limit(end: End | None, steps: int, expected: End | None) -> None:
    assert limit(end, steps, STRICT) is expected


def test_a_refusal_is_an_invalid_action_with_its_reason() -> None:
    assert refusal("no such way") == "Invalid action: no such way."
