"""The Gymnasium environments: the engine's own episodes, in the form that Gymnasium checks."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import Error, ResetNeeded
from gymnasium.spaces import Text
from gymnasium.utils.env_checker import check_env

from games.base import Config, End, number
from games.play import Turn, play
from games.registry import GAMES, AnyGame, game_named
from protocol.preset import preset_named, preset_names
from protocol.tokens import estimate
from s3gym.adapters.gym import GameEnv, env_id
from tests.games.episodes import BIG_SEED, Policy, policy

ROOT = Path(__file__).resolve().parents[3]
CASES = [pytest.param(game, config, id=env_id(game, config)) for game in GAMES for config in game.configs]
every_case = pytest.mark.parametrize(("game", "config"), CASES)
SNAKE = game_named("snake")
NAMES = ("random", "idle", "greedy", "nonsense", "mixed")

Told = tuple[str, float, bool, bool, dict[str, object]]


def made(game: AnyGame, config: Config, render_mode: str | None = None) -> GameEnv:
    env = gymnasium.make(env_id(game, config), render_mode=render_mode).unwrapped
    assert isinstance(env, GameEnv)
    return env


def steps(env: GameEnv, chosen: Policy, seed: int) -> Iterator[tuple[str, Told]]:
    """Play a level to its end; the policy sees what a player sees."""
    _, info = env.reset(options={"level": seed})
    for count in range(1_000):
        state = env._state
        assert state is not None
        action = chosen(Turn(count, str(info["feedback"]), str(info["observation"]), state))
        told = env.step(action)
        yield action, told
        info = told[4]
        if told[2] or told[3]:
            return
    raise AssertionError("the episode never ends")


def test_every_game_is_registered_under_every_config() -> None:
    """The version is the rules' version, so a change of rules is another environment."""
    found = sorted(name for name in gymnasium.registry if name.startswith("s3gym/"))
    expected = [
        f"s3gym/{game.id[0].upper()}{game.id[1:]}-{name}-v{game.rules_version}"
        for game in GAMES
        for variant in game.variants
        for name in (variant.explore.id, variant.strict.id)
    ]
    assert found == sorted(expected)
    assert "s3gym/Snake-strict-v2" in found


def test_make_imports_the_module_that_it_is_told(tmp_path: Path) -> None:
    code = (
        "import gymnasium\n"
        "env = gymnasium.make('s3gym.adapters.gym:s3gym/Snake-strict-v2')\n"
        "print(env.reset(seed=1)[0].splitlines()[0])\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert printed == "Current direction: UP\n"


@every_case
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_gymnasium_s_own_check_has_nothing_to_warn_of(game: AnyGame, config: Config, render_mode: str | None) -> None:
    env = made(game, config, render_mode)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(warning.message) for warning in found] == []


@every_case
@pytest.mark.parametrize("name", NAMES)
def test_an_episode_pays_what_the_engine_pays(game: AnyGame, config: Config, name: str) -> None:
    for seed in (0, 1, BIG_SEED):
        env = made(game, config)
        played = [(action, told[1]) for action, told in steps(env, policy(game, name, seed), seed)]
        episode = play(game, config, seed, policy(game, name, seed))
        assert played == [(step.action, number(step.reward)) for step in episode.steps]
        assert all(type(reward) is float for _, reward in played)


@every_case
def test_only_the_step_limit_truncates(game: AnyGame, config: Config) -> None:
    for name in NAMES:
        *before, (_, (_, _, terminated, truncated, info)) = steps(made(game, config), policy(game, name), 1)
        assert not any(told[2] or told[3] or "end" in told[4] for _, told in before)
        assert truncated is (info["end"] == End.STEP_LIMIT)
        assert terminated is not truncated


def test_what_ends_an_episode_is_told_apart() -> None:
    env = gymnasium.make("s3gym/Snake-strict-v2")
    env.reset(seed=0)
    told = next(told for told in (env.step("UP") for _ in range(9)) if told[2])
    assert (told[3], told[4]["end"]) == (False, "lost")
    env.reset(seed=0)
    assert env.step("END")[1:4] == (0.0, True, False)
    trust = gymnasium.make("s3gym/Trust-explore-v2")
    trust.reset(seed=0)
    ends = [trust.step("cheat")[2:4] for _ in range(10)]
    assert ends == [(False, False)] * 9 + [(False, True)]


@every_case
def test_what_is_told_and_what_is_answered_lies_in_the_spaces(game: AnyGame, config: Config) -> None:
    env = made(game, config)
    for name in NAMES:
        told, _ = env.reset(options={"level": 2})
        assert told in env.observation_space
        for action, (text, *_) in steps(env, policy(game, name), 2):
            assert text in env.observation_space
            assert name in ("nonsense", "mixed") or action in env.action_space


@every_case
def test_the_longest_observation_follows_from_the_budgets_of_the_presets(game: AnyGame, config: Config) -> None:
    """No token is estimated for more than six characters, and what exceeds the smallest budget cannot be played."""
    smallest = min(preset_named(name).input_tokens for name in preset_names())
    env = made(game, config)
    assert isinstance(env.observation_space, Text)
    assert env.observation_space.max_length == 6 * smallest
    for name in NAMES:
        for _, (text, *_) in steps(env, policy(game, name), 3):
            assert len(text) <= 6 * estimate(text)
            assert estimate(text) <= smallest


@every_case
def test_info_holds_what_a_player_may_see_and_no_more(game: AnyGame, config: Config) -> None:
    env = made(game, config)
    told, info = env.reset(options={"level": BIG_SEED})
    assert info == {
        "feedback": "",
        "observation": game.observe(game.start(config, BIG_SEED)),
        "rules": game.rules,
        "numbers": game.numbers(config),
        "action_form": game.action_form,
    }
    assert told == info["observation"]
    for _, (text, _, terminated, truncated, after) in steps(env, policy(game, "mixed"), BIG_SEED):
        assert after.keys() == {"feedback", "observation"} | ({"end"} if terminated or truncated else set())
        assert text == f"{after['feedback']}\n\n{after['observation']}"
        assert str(BIG_SEED) not in repr(after)


def documented(seed: int) -> int:
    """The rule of the how-to page, without our code."""
    digest = hashlib.sha256(f"gymnasium\n{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63, 2**200])
def test_a_seed_is_a_level_by_the_documented_rule(seed: int) -> None:
    for game in GAMES:
        env = made(game, game.explore)
        told, _ = env.reset(seed=seed)
        assert env.level == documented(seed)
        assert told == game.observe(game.start(game.explore, documented(seed)))
        assert env.reset(seed=seed)[0] == told


def test_without_a_seed_each_reset_draws_a_level_and_a_seed_before_it_fixes_them_all() -> None:
    def levels(first: int) -> list[int | None]:
        env = made(SNAKE, SNAKE.explore)
        env.reset(seed=first)
        drawn = []
        for _ in range(20):
            env.reset()
            drawn.append(env.level)
        return drawn

    assert levels(5) == levels(5)
    assert len({*levels(5), *levels(6)}) == 40
    assert all(level is not None and 0 <= level < 2**63 for level in levels(7))
    fresh = made(SNAKE, SNAKE.explore), made(SNAKE, SNAKE.explore)
    for env in fresh:
        env.reset()
    assert fresh[0].level != fresh[1].level


@every_case
def test_a_level_can_be_named_whatever_the_seed(game: AnyGame, config: Config) -> None:
    env = made(game, config)
    for seed in (None, 3):
        for level in (0, 7, 2**63 - 1):
            told, _ = env.reset(seed=seed, options={"level": level})
            assert (env.level, told) == (level, game.observe(game.start(config, level)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levle": 1}, r"options: expected only 'level', got \['levle'\]"),
        ({"level": "1"}, r"options\['level'\]: expected an integer in \[0, 2\^63\), got '1'"),
        ({"level": None}, "options"),
        ({"level": True}, r"options\['level'\]: expected an integer in \[0, 2\^63\), got True"),
        ({"level": 1.0}, r"options\['level'\]: expected an integer"),
        ({"level": np.zeros(2, int)}, r"options\['level'\]: expected an integer"),
        ({"level": -1}, "seed: expected an integer"),
        ({"level": 2**63}, "seed: expected an integer"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(SNAKE, SNAKE.explore).reset(options=options)


def test_a_negative_seed_is_refused_by_gymnasium() -> None:
    with pytest.raises(Error, match="greater or equal to zero"):
        made(SNAKE, SNAKE.explore).reset(seed=-1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Snake", "explore"), "game: expected one of .*snake.*, got 'Snake'"),
        (("snake", "easy"), "config: expected one of explore, strict.*, got 'easy'"),
        (("snake", "explore", "human"), "render_mode: expected ansi or None, got 'human'"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameEnv(*arguments)


def test_nothing_is_played_before_a_reset_or_after_the_end() -> None:
    env = made(SNAKE, SNAKE.strict, "ansi")
    with pytest.raises(ResetNeeded):
        env.step("UP")
    with pytest.raises(ResetNeeded):
        env.render()
    env.reset(seed=1)
    env.step("END")
    with pytest.raises(ValueError, match="the episode has ended"):
        env.step("UP")


@every_case
def test_render_gives_what_the_player_is_told(game: AnyGame, config: Config) -> None:
    env, mute = made(game, config, "ansi"), made(game, config)
    assert env.reset(seed=4)[0] == env.render()
    assert env.step("nonsense")[0] == env.render()
    mute.reset(seed=4)
    assert mute.render() is None


def test_environments_side_by_side_do_not_touch_each_other() -> None:
    alone = [list(steps(made(SNAKE, SNAKE.explore), policy(SNAKE, "greedy"), seed)) for seed in (1, 2)]
    pairs = [steps(made(SNAKE, SNAKE.explore), policy(SNAKE, "greedy"), seed) for seed in (1, 2)]
    assert [list(column) for column in zip(*zip(*pairs, strict=True), strict=True)] == alone


def test_a_spec_survives_json() -> None:
    env = gymnasium.make("s3gym/Snake-strict-v2")
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.reset(seed=2)[0] == env.reset(seed=2)[0]


@pytest.mark.parametrize(("mode", "settings"), [("sync", {}), ("async", {"shared_memory": False, "context": "spawn"})])
def test_vectors_of_environments_play(mode: str, settings: dict[str, object]) -> None:
    vector = gymnasium.make_vec("s3gym/Trust-explore-v2", num_envs=2, vectorization_mode=mode, vector_kwargs=settings)
    first, _ = vector.reset(seed=1)
    assert first == ("Round 1 of 10\nNo round has been played.",) * 2
    after, rewards, *_ = vector.step(("collaborate", "cheat"))
    assert all(re.search(r"^Round 1: you (collaborate|cheat), opponent", text, re.MULTILINE) for text in after)
    assert set(rewards) <= {-1.0, 0.0, 2.0, 3.0}
    vector.close()


def test_vectors_with_shared_memory_are_refused_before_they_show_blanks() -> None:
    """Gymnasium reads the texts of a shared memory once, before there are any."""
    with pytest.raises(ValueError, match="shared_memory=False") as refused:
        gymnasium.make_vec("s3gym/Trust-explore-v2", num_envs=2, vectorization_mode="async")
    assert "texts are not carried by shared memory" in str(refused.value.__cause__)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64])
def test_an_integer_of_numpy_is_an_integer(kind: Callable[[int], object]) -> None:
    env = made(SNAKE, SNAKE.strict)
    for seed in (None, 3):
        told, _ = env.reset(seed=seed, options={"level": kind(7)})
        assert (env.level, type(env.level)) == (7, int)
        assert told == SNAKE.observe(SNAKE.start(SNAKE.strict, 7))


@every_case
@pytest.mark.parametrize("action", [None, 3, b"UP", ["UP"], np.int64(0)])
def test_an_action_that_is_no_text_is_told_what_was_expected(game: AnyGame, config: Config, action: object) -> None:
    env = made(game, config)
    before, _ = env.reset(seed=1)
    words = f"action: expected a text in the form {game.action_form}, got {type(action).__name__} {action!r}"
    with pytest.raises(ValueError, match=re.escape(words)):
        env.step(action)
    assert env._told == before


def test_the_how_to_page_runs_as_it_stands(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "use-with-gymnasium.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        command = [sys.executable, "-W", "error", "-c", block]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout
