"""What holds for every game under every config."""

from __future__ import annotations

import copy

import pytest

from games import rng
from games.base import Config, End, State, is_strict
from games.play import Episode, play, turns
from games.registry import GAMES, AnyGame, game_named
from games.rng import stream_seed
from protocol.names import check_name
from tests.games.episodes import BIG_SEED, NONSENSE, Played, policy, values, varied, walk

SEEDS = (0, 1, 2, BIG_SEED)
NAMES = ("random", "idle", "greedy", "nonsense", "mixed")
CASES = [pytest.param(game, config, id=f"{game.id}-{config.id}") for game in GAMES for config in game.configs]
every_case = pytest.mark.parametrize(("game", "config"), CASES)


def episodes(game: AnyGame, config: Config, seeds: tuple[int, ...] = SEEDS) -> list[list[Played]]:
    return [walk(game, config, seed, policy(game, name, seed)) for seed in seeds for name in NAMES]


@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_a_game_is_found_by_its_id(game: AnyGame) -> None:
    assert game_named(game.id) is game
    assert game.rules_version >= 1


@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_every_variant_has_configs_of_its_own_named_after_it(game: AnyGame) -> None:
    """Ids key the random streams, so two configs of a game never share one; and numbers that agree need no variant."""
    assert game.variants[0] == game.variant("standard")
    assert (game.explore.id, game.strict.id) == ("explore", "strict")
    for variant in game.variants[1:]:
        assert check_name(variant.name) == variant.name
        assert (variant.explore.id, variant.strict.id) == (f"explore-{variant.name}", f"strict-{variant.name}")
    assert len({config.id for config in game.configs}) == 2 * len(game.variants)
    assert len({tuple(values(config).items()) for config in game.configs}) == 2 * len(game.variants)
    assert [is_strict(config) for config in game.configs] == [False, True] * len(game.variants)
    assert all(game.config(config.id) is config for config in game.configs)


def test_an_unknown_variant_or_config_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"variant: expected one of standard.* of game snake, got 'Standard'"):
        game_named("snake").variant("Standard")
    with pytest.raises(ValueError, match=r"config: expected one of explore, strict.* of game snake, got 'standard'"):
        game_named("snake").config("standard")


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"game: expected one of .*snake.*, got 'Snake'"):
        game_named("Snake")


@every_case
def test_equal_seeds_and_actions_give_equal_episodes(game: AnyGame, config: Config) -> None:
    assert episodes(game, config) == episodes(game, config)


@every_case
def test_RP_07_later_episodes_repeat_as_the_first_does(game: AnyGame, config: Config) -> None:
    first = [walk(game, config, seed, policy(game, "mixed", seed)) for seed in range(5)]
    second = [walk(game, config, seed, policy(game, "mixed", seed)) for seed in range(5)]
    assert first == second


@every_case
def test_RP_09_other_seeds_are_other_starts(game: AnyGame, config: Config) -> None:
    layouts = [game.layout(game.start(config, seed)) for seed in range(20)]
    assert len(set(layouts)) == 20 if game.distinct_layouts else len(set(layouts)) > 1


@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_every_stream_that_an_episode_draws_from_is_named(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the games name is what verification compares between the phases."""
    drawn: set[str] = set()

    def noting(game: str, rules_version: int, config: str, seed: int, name: str) -> int:
        drawn.add(name)
        return stream_seed(game, rules_version, config, seed, name)

    monkeypatch.setattr(rng, "stream_seed", noting)
    for config in game.configs:
        episodes(game, config)
    assert drawn == set(game.streams)
    assert len(set(game.streams)) == len(game.streams)


@every_case
def test_RP_01_interleaved_episodes_do_not_touch_each_other(game: AnyGame, config: Config) -> None:
    alone = [play(game, config, seed, policy(game, "mixed", seed)) for seed in SEEDS]
    loops = {seed: turns(game, config, seed) for seed in SEEDS}
    policies = {seed: policy(game, "mixed", seed) for seed in SEEDS}
    waiting = {seed: next(loop) for seed, loop in loops.items()}
    ended: dict[int, Episode] = {}
    while waiting:
        for seed, turn in list(waiting.items()):
            try:
                waiting[seed] = loops[seed].send(policies[seed](turn))
            except StopIteration as stop:
                ended[seed] = stop.value
                del waiting[seed]
    assert [ended[seed] for seed in SEEDS] == alone


@every_case
def test_a_step_leaves_the_state_before_it_as_it_was(game: AnyGame, config: Config) -> None:
    for name in NAMES:
        for before, action, step in walk(game, config, 1, policy(game, name)):
            twin, mark = copy.deepcopy(before), hash(before)
            assert game.step(before, action) == step
            assert (before, hash(before)) == (twin, mark)


@every_case
def test_a_copied_state_goes_on_as_the_original(game: AnyGame, config: Config) -> None:
    for name in ("mixed", "greedy"):
        steps = walk(game, config, 2, policy(game, name))
        for start in range(len(steps)):
            state = copy.deepcopy(steps[start].before)
            for before, action, step in steps[start:]:
                assert game.observe(state) == game.observe(before)
                again = game.step(state, action)
                assert again == step
                state = copy.deepcopy(again.state)


@every_case
def test_no_episode_is_longer_than_the_step_limit(game: AnyGame, config: Config) -> None:
    for steps in episodes(game, config):
        assert 1 <= len(steps) <= config.max_steps
        last = steps[-1].step
        assert (last.end is End.STEP_LIMIT) <= (len(steps) == config.max_steps)


@every_case
@pytest.mark.parametrize("limit", [1, 2, 8, 12])
def test_a_shorter_step_limit_is_kept(game: AnyGame, config: Config, limit: int) -> None:
    short = varied(config, {"max_steps": limit})
    for steps in episodes(game, short, SEEDS[:2]):
        assert len(steps) <= limit
        assert steps[-1].step.done


@every_case
def test_every_action_uses_up_one_step(game: AnyGame, config: Config) -> None:
    for steps in episodes(game, config):
        for count, (before, _, step) in enumerate(steps):
            assert (before.steps, step.state.steps) == (count, count + 1)


@every_case
@pytest.mark.parametrize("action", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_uses_up_a_step_and_never_raises(game: AnyGame, config: Config, action: str) -> None:
    state: State = game.start(config, 3)
    for count in range(config.max_steps):
        assert state.steps == count
        state = game.step(state, action).state
        if state.end is not None:
            break
    assert state.end is not None


@every_case
@pytest.mark.parametrize("unit", ["x", "UP, ", "collaborate ", "[", "\N{FULLWIDTH DIGIT ONE}", "\N{MINUS SIGN}\n", "9"])
def test_a_reply_of_a_megabyte_is_one_more_action(game: AnyGame, config: Config, unit: str) -> None:
    step = game.step(game.start(config, 3), unit * (1_000_000 // len(unit)))
    assert step.state.steps == 1
    assert len(step.feedback) < 1_000


@every_case
@pytest.mark.parametrize("action", ["END", "end", "  End\n"])
def test_END_ends_the_episode_and_keeps_the_score(game: AnyGame, config: Config, action: str) -> None:
    for steps in ([], walk(game, config, 1, policy(game, "greedy"))[:-1]):
        state = steps[-1].step.state if steps else game.start(config, 1)
        step = game.step(state, action)
        assert (step.done, step.end, step.reward) == (True, End.AGENT_END, 0)
        assert step.state.steps == state.steps + 1


@every_case
def test_GM_29_nothing_happens_after_the_end(game: AnyGame, config: Config) -> None:
    for name in NAMES:
        state = walk(game, config, 1, policy(game, name))[-1].step.state
        twin = copy.deepcopy(state)
        for action in ("END", "", "UP"):
            with pytest.raises(ValueError, match="the episode has ended"):
                game.step(state, action)
        assert state == twin


@every_case
def test_the_score_is_the_sum_of_the_rewards(game: AnyGame, config: Config) -> None:
    for seed in SEEDS:
        for name in NAMES:
            steps = walk(game, config, seed, policy(game, name, seed))
            episode = play(game, config, seed, policy(game, name, seed))
            assert episode.score == sum(played.step.reward for played in steps)
            assert [played.reward for played in episode.steps] == [played.step.reward for played in steps]
            assert episode.end is steps[-1].step.end


@every_case
@pytest.mark.parametrize("seed", [True, "7", 7.0, None, -1, 2**63])
def test_only_integers_from_0_to_2_to_the_63_are_seeds(game: AnyGame, config: Config, seed: int) -> None:
    with pytest.raises(ValueError, match="seed: expected an integer"):
        game.start(config, seed)


@every_case
def test_the_largest_seed_is_played(game: AnyGame, config: Config) -> None:
    assert walk(game, config, 2**63 - 1, policy(game, "random"))
