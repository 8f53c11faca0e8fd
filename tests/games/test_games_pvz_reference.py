"""Plants-vs-Zombies plays as a second, plain implementation of its rules does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from games.pvz.config import EXPLORE, SIGHTED_STRICT, STRICT, PvzConfig
from games.pvz.rules import PVZ
from tests.games.episodes import NONSENSE, drawer
from tests.games.pvz_reference import ATTACK, ReferencePvz

FORMS = (
    "{} {} {}",
    "{},{},{}",
    "({}, {}, {})",
    "[{}] ({},{})",
    "{}: {} {}.",
    '"{}" +{} {}',
    "{} {}",
    "{} {} {} 1",
    "{}{} {}",
)
ODD = (
    *NONSENSE,
    "none",
    "X 0 1 and W 1 1",
    ";;",
    "X 0 0\n\nW 1 0",
    "X 0 0, W 1 0; J",
    "X -1 0; W 0 1000000",
    "F 0 0; F 0 0",
)

one_placement = st.builds(
    lambda form, letter, row, column: form.format(letter, row, column),
    st.one_of(st.just(FORMS[0]), st.sampled_from(FORMS)),
    st.one_of(st.sampled_from("XWSJHF"), st.sampled_from("XWSJHFxwsjhfQN")),
    st.integers(-1, 6),
    st.integers(-1, 8),
)
lists = st.builds(
    lambda between, parts: between.join(parts),
    st.sampled_from(["; ", ";", "\n", ", "]),
    st.lists(one_placement, max_size=8),
)
actions = st.one_of(lists, lists, st.sampled_from(ODD))


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> PvzConfig:
    base = draw(st.sampled_from(PVZ.configs))
    return replace(
        base,
        rows=draw(st.integers(1, 6)),
        columns=draw(st.integers(1, 8)),
        start_sun=draw(st.integers(0, 3000)),
        sun_a_turn=draw(st.integers(0, 300)),
        spawn_every=draw(st.integers(1, 6)),
        stage_turns=draw(st.integers(1, 12)),
        stage_hp=draw(st.integers(0, 8)),
        max_steps=draw(st.integers(1, 64)),
    )


def compare(config: PvzConfig, seed: int, choose: Callable[[int, str], str | None]) -> str | None:
    """Play both with chosen actions and return how the episode ended, None if the actions ran out."""
    state = PVZ.start(config, seed)
    numbers = {name: value for name, value in asdict(config).items() if name != "id"}
    other = ReferencePvz(config=config.id, seed=seed, **numbers)
    while state.end is None:
        assert PVZ.observe(state) == other.observation()
        action = choose(state.steps, PVZ.observe(state))
        if action is None:
            return None
        expected = other.play(action)
        state, feedback, reward = PVZ.step(state, action)
        assert (feedback, reward) == expected
        assert (state.end, state.steps) == (other.end, other.turn)
    assert PVZ.observe(state) == other.observation()
    return state.end


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(actions, max_size=40))
@example(replace(STRICT, start_sun=2000), 1, ["S 0 0; S 4 0; W 2 0; H 2 1; J 2 5"] + [""] * 40)
@example(EXPLORE, 2, ["F 0 0"] * 30)
@example(
    replace(EXPLORE, rows=1, columns=2, start_sun=3000), 3, ["X 0 0, X 0 1, X 0 0, X 0 1", "x 0 0; ; ; J 0 1; W"] * 4
)
def test_every_action_does_what_the_reference_does(config: PvzConfig, seed: int, given_actions: list[str]) -> None:
    compare(config, seed, lambda turn, _: given_actions[turn] if turn < len(given_actions) else None)


@settings(max_examples=30)
@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.sampled_from(["greedy", "random"]))
@example(STRICT, 0, "greedy")
@example(EXPLORE, 0, "greedy")
@example(SIGHTED_STRICT, 0, "greedy")
def test_baseline_episodes_are_those_of_the_reference(config: PvzConfig, seed: int, name: str) -> None:
    """Sensible play fills the field and meets the late waves, which random actions do not."""
    draw = drawer(seed)
    compare(config, seed, lambda _, observation: PVZ.baselines[name](observation, draw).action)


def test_the_comparison_reaches_both_ends() -> None:
    def greedy(_turn: int, observation: str) -> str:
        return PVZ.baselines["greedy"](observation, drawer(0)).action

    assert {compare(replace(STRICT, sun_a_turn=sun), 0, greedy) for sun in (0, 25)} == {"lost", "step_limit"}


class ByAppearance(ReferencePvz):
    """The zombies of all rows act in the order in which they appeared."""

    def walk(self) -> int | None:
        for zombie in self.zombies:
            plant = self.plant_at(zombie["row"], zombie["column"])
            if plant is None and zombie["column"] == 0:
                return zombie["row"]
            if plant is None:
                zombie["column"] -= 1
                continue
            plant["hp"] -= ATTACK[zombie["letter"]]
            if plant["hp"] <= 0:
                self.plants.remove(plant)
        return None


@settings(max_examples=30)
@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.sampled_from(["greedy", "random"]))
def test_whether_rows_or_appearance_order_the_zombies_changes_no_turn_that_is_survived(
    config: PvzConfig, seed: int, name: str
) -> None:
    numbers = {field: value for field, value in asdict(config).items() if field != "id"}
    other, state, draw = ByAppearance(config=config.id, seed=seed, **numbers), PVZ.start(config, seed), drawer(seed)
    while state.end is None:
        assert PVZ.observe(state) == other.observation()
        action = PVZ.baselines[name](PVZ.observe(state), draw).action
        _, expected = other.play(action)
        state, _, reward = PVZ.step(state, action)
        assert (reward, state.end) == (expected, other.end)
