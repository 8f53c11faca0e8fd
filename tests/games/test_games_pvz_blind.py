"""Plants-vs-Zombies: what a list of plants reaches that is given every turn without looking."""

from __future__ import annotations

from statistics import mean

import pytest

from benchmarks.blind import score
from games.base import Config
from games.play import play
from games.pvz.config import EXPLORE, STRICT, PvzConfig
from games.registry import game_named
from protocol.preset import preset_named
from protocol.records import Phase
from tests.games.episodes import policy

PVZ = game_named("pvz")
SEEDS = range(20)


def greedy(config: Config) -> float:
    return mean(float(play(PVZ, config, seed, policy(PVZ, "greedy")).score) for seed in SEEDS)


def blind(config: PvzConfig) -> float:
    """The best of some lists: sunflowers in the first columns of every row, none to all, and walls in the others."""
    lists = [
        "; ".join(
            f"{'X' if column < sunny else 'J'} {row} {column}"
            for column in range(config.columns)
            for row in range(config.rows)
        )
        for sunny in range(config.columns + 1)
    ]
    return max(mean(score(PVZ, PVZ.start(config, seed), [each]) for seed in SEEDS) for each in lists)


@pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
def test_the_standard_game_is_nearly_survived_without_looking_and_greedy_survives_it(config: PvzConfig) -> None:
    """What stands already and what cannot be paid is skipped free, so one list repairs all that is eaten."""
    assert 50 < blind(config) < greedy(config) == config.max_steps


@pytest.mark.parametrize("phase", ["explore", "strict"])
@pytest.mark.parametrize("protocol", ["rigorous-1", "pocket-1"])
def test_no_such_list_reaches_60_percent_of_greedy_in_the_sighted_variant(protocol: str, phase: Phase) -> None:
    config = preset_named(protocol).config(PVZ, phase)
    assert config.id == f"{phase}-sighted"
    assert isinstance(config, PvzConfig)
    assert blind(config) < 0.6 * greedy(config)
