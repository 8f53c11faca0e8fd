"""No game's step may take longer as the episode grows: the last quarter of long episodes beside the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from time import process_time
from typing import NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers.figures import number, quotients, spread
from games.base import Config, State
from games.play import play
from games.registry import GAMES, AnyGame

LIMITS = (512, 48)
"""Step limits to try, the longest first: not every game can be set up for so long an episode."""
SIZES: Mapping[str, Mapping[str, int]] = {"nullify": {"fewest_steps": 64, "most_steps": 64}}
"""What else makes an episode long; in other games the step limit alone does, or nothing can."""
SEEDS = range(8)
ROUNDS = 21


class Quarter(NamedTuple):
    state: State
    actions: Sequence[str]


class Quarters(NamedTuple):
    """The first and the last quarter of every episode; both have the same number of steps."""

    early: list[Quarter]
    late: list[Quarter]
    steps: int
    """Steps of the longest episode."""


def _config(game: AnyGame) -> Config:
    """Return the explore config with the highest step limit that the game takes."""
    for limit in LIMITS:
        try:
            return replace(game.explore, max_steps=limit, **SIZES.get(game.id, {}))
        except ValueError:
            continue
    return game.explore


def _recorded(game: AnyGame, config: Config, baseline: str) -> list[list[str]]:
    def actions(seed: int) -> list[str]:
        chance, choose = Random(seed), game.baselines[baseline]
        episode = play(game, config, seed, lambda turn: choose(turn.observation, chance.randrange).action)
        return [played.action for played in episode.steps]

    return [actions(seed) for seed in SEEDS]


def _quarters(game: AnyGame) -> Quarters:
    """Play with the baseline that lasts longer, and cut."""
    config = _config(game)
    plays = [_recorded(game, config, baseline) for baseline in ("random", "greedy")]
    early, late, longest = list[Quarter](), list[Quarter](), max(plays, key=lambda each: sum(map(len, each)))
    for seed, actions in zip(SEEDS, longest, strict=True):
        state, length = game.start(config, seed), max(1, len(actions) // 4)
        early.append(Quarter(state, actions[:length]))
        for action in actions[:-length]:
            state = game.step(state, action).state
        late.append(Quarter(state, actions[-length:]))
    return Quarters(early, late, max(map(len, longest)))


def _seconds(game: AnyGame, quarters: Sequence[Quarter], observed: bool) -> float:
    step, observe = game.step, game.observe
    begun = process_time()
    for state, actions in quarters:
        for action in actions:
            state = step(state, action).state
            if observed:
                observe(state)
    return process_time() - begun


@pytest.mark.parametrize("observed", [False, True], ids=["step", "step and observe"])
@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_a_late_step_beside_an_early_one(
    benchmark: BenchmarkFixture, game: AnyGame, observed: bool, tell: Callable[[str], None]
) -> None:
    quarters = _quarters(game)
    early, late = list[float](), list[float]()

    def both() -> None:
        early.append(_seconds(game, quarters.early, observed))
        late.append(_seconds(game, quarters.late, observed))

    benchmark.pedantic(both, rounds=ROUNDS, warmup_rounds=2)
    ratio = spread(quotients(late, early))
    benchmark.extra_info["late / early"] = ratio.median
    what = "step and observe" if observed else "step"
    tell(
        f"{game.id}, {what}: a step of the last quarter takes {number(ratio.median)} times as long as one of the first "
        f"({number(ratio.low)} to {number(ratio.high)}; episodes of up to {quarters.steps} steps)"
    )
