"""How long a run takes: what can be at once is, and nothing is faster than the pace."""

from __future__ import annotations

import pytest

from games.registry import game_named
from protocol.budgets import budgets
from protocol.preset import preset_named
from protocol.records import Endpoint
from runner.entry import Plan
from runner.forecast import Forecast, forecast, most_requests, seconds_of

ONE = Forecast("one", 60, 60, 0, 0, 0, 30, ((10, 10, 10),))
"""30 requests in a row, and one checkpoint of three episodes of 10."""
OTHER = Forecast("other", 20, 20, 0, 0, 0, 20, ())


@pytest.mark.parametrize(
    ("games", "concurrency", "replies"),
    [
        ((ONE,), 1, 60),
        ((ONE,), 2, 30 + 15),
        ((ONE,), 3, 30 + 10),
        ((ONE,), 100, 30 + 10),
        ((ONE, OTHER), 1, 80),
        ((ONE, OTHER), 2, 45),
        ((OTHER, OTHER, OTHER), 2, 30),
    ],
)
def test_exploration_is_in_a_row_and_a_checkpoint_at_once(
    games: tuple[Forecast, ...], concurrency: int, replies: int
) -> None:
    assert seconds_of(games, 2.0, concurrency=concurrency) == 2 * replies


def test_no_run_is_faster_than_its_pace() -> None:
    assert seconds_of((ONE,), 0.5, concurrency=3, requests_per_minute=6) == 600
    assert seconds_of((ONE,), 100.0, concurrency=1, requests_per_minute=6) == 6000


def test_a_rehearsal_counts_every_request_once_in_its_place() -> None:
    preset = preset_named("smoke-1")
    plan = Plan("e", "t", "m", preset, ("trust",), "summary")
    room = budgets(preset, Endpoint(kind="openai_chat", model="m", context_tokens=None))
    (found,) = forecast(plan, room)
    # Trust plays on to the step limit: two explorations and two checkpoints of one episode, each of 8 steps, and two
    # summary calls.
    assert (found.in_a_row, found.checkpoints) == (2 * 8 + 2, ((8,), (8,)))
    assert found.requests == most_requests(plan, game_named("trust")) == found.in_a_row + 16
