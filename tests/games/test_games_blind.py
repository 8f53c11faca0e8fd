"""Blind play: a plan for every config, played by the number of the step alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.blind_plans import played
from benchmarks.calibration import stored
from games.base import Config
from games.blind import blind, plan_of, plans
from games.registry import GAMES, AnyGame, game_named
from games.trust.config import STRICT as TRUST_STRICT
from protocol.context import Budget, RunContext
from protocol.reply import read_reply
from runner.models.builtin import Builtin

CASES = [
    pytest.param(game, config, id=f"{game.id}-{config.id}-{config.max_steps}")
    for game in GAMES
    for config in played(game)
]


def test_there_is_one_plan_for_everything_that_a_ranked_preset_plays() -> None:
    wanted = [(game.id, game.rules_version, config.id, config.max_steps) for game in GAMES for config in played(game)]
    assert [plan[:4] for plan in plans()] == wanted
    assert all(1 <= len(plan.actions) <= plan.max_steps for plan in plans())


def test_the_score_of_a_plan_is_that_of_the_calibration() -> None:
    told = {(row.game, row.config, row.max_steps): row.mean for row in stored() if row.baseline == "blind"}
    for plan in plans():
        key = plan.game, plan.config, plan.max_steps
        assert key not in told or told[key] == pytest.approx(plan.score, abs=1e-6), key


@pytest.mark.parametrize(("game", "config"), CASES)
def test_the_built_in_player_plays_the_plan_of_the_config_that_it_is_told_of(game: AnyGame, config: Config) -> None:
    """What it sees makes no difference: two levels are answered alike, step by step."""
    plan = plan_of(game.id, config)
    assert plan.max_steps == config.max_steps
    for seed in (1, 2):
        context = RunContext(game, "history", Budget(100_000, 4_000, 80)).episode(config)
        state, feedback = game.start(config, seed), ""
        for step in range(min(4, config.max_steps)):
            context.turn(feedback, game.observe(state))
            answer = Builtin("blind").answer(context.messages(), 4_000).text
            context.answered(answer)
            reply = read_reply(answer)
            assert reply.action == plan.actions[step % len(plan.actions)]
            state, feedback, _ = game.step(state, reply.action)
            if state.end is not None:
                break


def test_a_plan_begins_again_when_it_is_through() -> None:
    length = len(plan_of("trust", TRUST_STRICT).actions)
    assert blind("trust", TRUST_STRICT, length) == blind("trust", TRUST_STRICT, 0)


def test_a_step_limit_without_a_plan_of_its_own_takes_the_nearest() -> None:
    snake = game_named("snake").strict
    assert plan_of("snake", replace(snake, max_steps=13)).max_steps == 12  # type: ignore[type-var]  # a dataclass
    assert plan_of("snake", replace(snake, max_steps=63)).max_steps == 64  # type: ignore[type-var]  # a dataclass


def test_a_config_without_a_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="blind: expected a config of trust that a plan was made for, got 'mine'"):
        plan_of("trust", replace(TRUST_STRICT, id="mine"))
