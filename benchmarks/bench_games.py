"""Steps a second of every game, alone and with the observation after each step."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from games.base import Draw
from games.play import play
from games.registry import GAMES, AnyGame
from games.rng import bounded, stream

SEEDS = range(50)
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def _recorded(game: AnyGame, seed: int) -> list[str]:
    """Return the actions of greedy play under the explore config, so that choosing them is not measured."""
    draw = _drawer(seed)
    episode = play(game, game.explore, seed, lambda turn: game.baselines["greedy"](turn.observation, draw).action)
    return [step.action for step in episode.steps]


def _drawer(seed: int) -> Draw:
    return bounded(stream("bench", 1, "explore", seed, "player"))


def _note(benchmark: BenchmarkFixture, what: str, count: int) -> None:
    if benchmark.stats is not None:
        benchmark.extra_info[what] = round(count / benchmark.stats.stats.median)


@every_game
@pytest.mark.parametrize("observed", [False, True], ids=["step", "step and observe"])
def test_steps_a_second(benchmark: BenchmarkFixture, game: AnyGame, observed: bool) -> None:
    starts = [(game.start(game.explore, seed), _recorded(game, seed)) for seed in SEEDS]
    step, observe = game.step, game.observe

    def run() -> None:
        for state, actions in starts:
            for action in actions:
                state = step(state, action).state
                if observed:
                    observe(state)

    benchmark(run)
    _note(benchmark, "steps_per_second", sum(len(actions) for _, actions in starts))


@every_game
def test_starts_a_second(benchmark: BenchmarkFixture, game: AnyGame) -> None:
    benchmark(lambda: [game.start(game.explore, seed) for seed in SEEDS])
    _note(benchmark, "starts_per_second", len(SEEDS))
