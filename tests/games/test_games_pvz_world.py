"""Plants-vs-Zombies: starts, waves, states and baselines."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import End
from games.pvz.config import EXPLORE, SIGHTED_EXPLORE, SIGHTED_STRICT, STRICT, PvzConfig
from games.pvz.rules import PVZ, PvzState
from games.registry import game_named
from tests.games.episodes import drawer, policy, varied, walk
from tests.games.pvz_pictures import HP, LOST, after, drawing, picture, plants, sun, turn, zombies

PVZ_ANY = game_named("pvz")
COST = {"X": 50, "W": 100, "S": 325, "J": 50, "H": 125, "F": 300}
SIZES = ((EXPLORE, 3, 7), (STRICT, 5, 6), (SIGHTED_EXPLORE, 7, 4), (SIGHTED_STRICT, 8, 3))
SUN = {"explore": 50, "strict": 50, "explore-sighted": 25, "strict-sighted": 25}
EACH = pytest.mark.parametrize("config", PVZ.configs, ids=[config.id for config in PVZ.configs])


@pytest.mark.parametrize(("config", "rows", "columns"), SIZES)
def test_an_episode_starts_with_an_empty_field_and_its_sun(config: PvzConfig, rows: int, columns: int) -> None:
    board = "\n".join([" ".join("." * columns)] * rows)
    expected = f"Turn: 0\nSun: {SUN[config.id]}\nField, row 0 and column 0 first:\n{board}\nPlants: none\nZombies: none"
    assert {PVZ.observe(PVZ.start(config, seed)) for seed in range(50)} == {expected}


@pytest.mark.parametrize(("config", "_rows", "turns"), SIZES)
def test_idle_play_survives_exactly_as_many_turns_as_there_are_columns(
    config: PvzConfig, _rows: int, turns: int
) -> None:
    for seed in range(100):
        steps = walk(PVZ_ANY, config, seed, policy(PVZ_ANY, "idle"))
        assert [played.step.reward for played in steps] == [1] * turns + [0]
        assert steps[-1].step.end is End.LOST
        assert steps[-1].step.feedback.startswith(LOST)


@pytest.mark.parametrize(
    "line",
    [
        "- X Sunflower: 50 sun, 2 hp; gives 10 sun a turn.",
        "- W Peashooter: 100 sun, 2 hp; one shot a turn along its own row, 1 damage.",
        "- S Three-Line Shooter: 325 sun, 2 hp; ",
        "- J Wall-nut: 50 sun, 10 hp; ",
        "- H Torch Stump: 125 sun, 2 hp; each shot of the shooter directly left of it does 1 damage more.",
        "- F Fire Chili: 300 sun; kills every zombie in its row in the turn in which it is placed, and is gone.",
        "- N: 4 hp, 1 damage.",
        "- R: 8 hp, 1 damage.",
        "- B: 12 hp, 1 damage.",
        "- I: 6 hp, 3 damage.",
    ],
)
def test_GM_05_the_prompt_holds_the_tables(line: str) -> None:
    assert f"\n{line}" in PVZ.rules


@pytest.mark.parametrize(("letter", "cost"), COST.items())
def test_a_plant_costs_what_the_table_says_and_not_one_less(letter: str, cost: int) -> None:
    enough, short = picture("...", sun=cost), picture("...", sun=cost - 1)
    assert sun(after(enough, f"{letter} 0 1")) == (10 if letter == "X" else 0)
    assert turn(short, f"{letter} 0 1").feedback.endswith(f"Skipped: {letter} 0 1 (not enough sun).")
    assert sun(after(short, f"{letter} 0 1")) == cost - 1
    assert drawing(after(short, f"{letter} 0 1")) == "..."


@pytest.mark.parametrize(("letter", "hp"), [("X", 2), ("W", 2), ("S", 2), ("J", 10), ("H", 2)])
def test_a_plant_is_placed_with_the_hp_of_the_table(letter: str, hp: int) -> None:
    assert plants(after(picture("... ...", sun=400), f"{letter} 1 2")) == [f"{letter} 1 2 {hp}"]


def expected_waves(config: PvzConfig, seed: int) -> dict[int, list[str]]:
    """The waves by the turn at the end of which they appear, worked out from the hash of the stream."""
    key = hashlib.sha256(f"pvz\n2\n{config.id}\n{seed}\nwaves".encode()).digest()
    draw = Random(int.from_bytes(key, "big")).random
    found = {}
    for index in range(0, config.max_steps, 5 if config in (EXPLORE, STRICT) else 3):
        tens, found[index] = index // 10, list[str]()
        for _ in range(1 + tens):
            row = int(draw() * config.rows)
            kinds = ["N", "NR", "NRBI", "NRBI", "NRBI", "NRBI", "NRBI"][tens]
            kind = kinds[int(draw() * len(kinds))]
            hp = {"N": 4, "R": 8, "B": 12, "I": 6}[kind] + 4 * tens
            found[index].append(f"{kind} {row} {config.columns - 1} hp {hp}")
    return found


EVERY_5 = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]
EVERY_3 = [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7]
"""Waves of 64 turns: one zombie more from every tenth turn on."""


@EACH
def test_the_waves_are_those_of_the_written_rule(config: PvzConfig) -> None:
    for seed in range(60):
        waves = expected_waves(config, seed)
        assert [len(wave) for wave in waves.values()] == (EVERY_5 if config in (EXPLORE, STRICT) else EVERY_3)
        lines = [f"Turn {index}: {'; '.join(wave)}" for index, wave in waves.items()]
        assert PVZ.layout(PVZ.start(config, seed)) == "\n".join(lines)


@EACH
@pytest.mark.parametrize("actions", [["F 0 0; F 1 0; F 2 0; F 3 0; F 4 0"], ["J 0 0; J 1 0; J 2 0", "W 0 1", ""], [""]])
def test_what_the_player_does_does_not_change_what_appears(config: PvzConfig, actions: list[str]) -> None:
    """No plant stands in the last column, so what is seen there after a turn has just appeared."""
    rich = replace(config, start_sun=100_000)
    for seed in range(5):
        state, waves = PVZ.start(rich, seed), expected_waves(config, seed)
        while state.end is None:
            index = state.steps
            state = PVZ.step(state, actions[index % len(actions)]).state
            if state.end is not End.LOST:
                listed = PVZ.observe(state).rpartition("Zombies: ")[2].split("; ")
                fresh = [unit for unit in listed if re.match(rf"\w \d {config.columns - 1} ", unit)]
                assert Counter(fresh) == Counter(waves.get(index, []))


@EACH
@pytest.mark.parametrize("limit", [1, 5, 6, 40])
def test_a_shorter_episode_meets_the_same_waves(config: PvzConfig, limit: int) -> None:
    whole, short = PVZ.start(config, 9), PVZ.start(replace(config, max_steps=limit), 9)
    assert short.waves == whole.waves[:limit]


def test_every_row_and_kind_appears_about_equally_often() -> None:
    rows, kinds = Counter[str](), Counter[str]()
    for seed in range(300):
        for line in PVZ.layout(PVZ.start(STRICT, seed)).split("\n"):
            for unit in line.partition(": ")[2].split("; "):
                rows[unit.split()[1]] += 1
                if int(line.split()[1].rstrip(":")) >= 20:
                    kinds[unit.split()[0]] += 1
    assert sum(rows.values()) == 300 * 49
    # standard deviations of about 48 and 50
    assert all(abs(count - 300 * 49 / 5) < 200 for count in rows.values())
    assert all(abs(count - 300 * 43 / 4) < 200 for count in kinds.values())


def test_a_zombie_that_appears_neither_moves_nor_is_shot_in_that_turn() -> None:
    state = picture("W...", sun=0)._replace(steps=0, waves=(((0, ("N", 3, 4)),), *((),) * 63))
    state = after(state)
    assert zombies(state) == ["N 0 3 4"]
    assert zombies(after(state)) == ["N 0 2 3"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("rows", 0), ("rows", 21), ("columns", 0), ("columns", 21), ("start_sun", -1), ("sun_a_turn", -1),
     ("sun_a_turn", 100_001), ("spawn_every", 0), ("stage_turns", 0), ("stage_hp", -1), ("stage_hp", 1_001),
     ("max_steps", 0), ("max_steps", 1_001)],
)  # fmt: skip
def test_a_setting_that_cannot_be_played_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"{name}: expected \d+ to \d+, got {value}"):
        varied(EXPLORE, {name: value})


def test_an_episode_of_too_many_zombies_is_refused() -> None:
    """With a wave in every turn and a stage of one turn, n turns bring 1 + 2 + ... + n zombies."""
    crowded = replace(EXPLORE, spawn_every=1, stage_turns=1, max_steps=99)
    assert sum(len(wave) for wave in PVZ.start(crowded, 1).waves) == 99 * 100 // 2
    with pytest.raises(ValueError, match="max_steps: expected at most 5000 zombies in an episode, got 5050"):
        replace(crowded, max_steps=100)


# What a state is and what it shows.


@EACH
def test_GM_26_the_observation_holds_nothing_of_the_waves_to_come(config: PvzConfig) -> None:
    state = after(PVZ.start(config, 1), "X 0 0", turns=3)
    assert PVZ.observe(state) == PVZ.observe(state._replace(waves=((),) * 64))
    assert turn(state).feedback == turn(state._replace(waves=((),) * 64)).feedback


@EACH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: PvzConfig) -> None:
    kept = PVZ.start(config, 3)
    while kept.end is None:
        action = PVZ.baselines["greedy"](PVZ.observe(kept), drawer(3)).action
        rows, waves = json.loads(json.dumps([kept.rows, kept.waves]))
        restored = kept._replace(
            rows=tuple((row[0], tuple(row[1]), tuple(map(tuple, row[2]))) for row in rows),
            waves=tuple(tuple((row, tuple(zombie)) for row, zombie in wave) for wave in waves),
        )
        assert restored == kept
        step, again = PVZ.step(kept, action), PVZ.step(restored, action)
        assert step == again
        kept = step.state
    assert kept.steps > 20


@given(
    st.sampled_from([EXPLORE, STRICT]),
    st.integers(0, 2**63 - 1),
    st.integers(0, 3000),
    st.sampled_from(["random", "greedy", "mixed"]),
)
def test_in_every_state_plants_and_zombies_are_whole(config: PvzConfig, seed: int, riches: int, name: str) -> None:
    """Hp is positive and no more than the table gives, all stand on the field, and sun is never owed."""
    config = replace(config, start_sun=riches)
    survived = 0
    for before, _, step in walk(PVZ_ANY, config, seed, policy(PVZ_ANY, name, seed)):
        state = step.state
        assert isinstance(state, PvzState)
        assert isinstance(before, PvzState)
        survived += int(step.reward)
        assert state.sun >= 0
        assert survived == state.steps - (state.end is End.LOST)
        for row in state.rows:
            assert len(row[0]) == len(row[1]) == config.columns
            assert all(
                0 <= hp <= HP[plant] and (hp > 0) == (plant != ".") for plant, hp in zip(row[0], row[1], strict=True)
            )
            assert all(hp > 0 and 0 <= column < config.columns for _, column, hp in row[2])
        here, there = (Counter(zombie[0] for row in each.rows for zombie in row[2]) for each in (state, before))
        came = (
            Counter(kind for _, (kind, _, _) in state.waves[before.steps]) if state.end is not End.LOST else Counter()
        )
        assert here <= there + came


# Baselines.


def test_idle_places_nothing_and_random_places_one_affordable_plant_or_nothing() -> None:
    state = picture("X.. .J.", "N 0 1 4; N 1 1 4", sun=124)
    observation = PVZ.observe(state)
    assert PVZ.baselines["idle"](observation, drawer(0)) == ("NONE", 1)
    answers = {PVZ.baselines["random"](observation, drawer(seed)) for seed in range(800)}
    free = ("0 1", "0 2", "1 0", "1 2")
    actions = {"NONE", *(f"{letter} {cell}" for letter in "XWJ" for cell in free)}
    assert answers == {(action, guess) for action in actions for guess in (0, 1)}
    assert all("Invalid" not in turn(state, action).feedback for action in actions)
    full = picture("XX", sun=9_999)
    assert PVZ.baselines["random"](PVZ.observe(full), drawer(1)).action == "NONE"


def test_greedy_helps_the_row_that_would_fall_first_and_knows_when_it_is_lost() -> None:
    """A wall holds the R for ten turns more; against 40 hp a chili is worth its sun; what is far off can wait."""

    def answer(rows: str, units: str, sun: int) -> tuple[str, float]:
        return PVZ.baselines["greedy"](PVZ.observe(picture(rows, units, sun=sun)), drawer(0))

    assert answer("...... ......", "R 1 3 8", 50) == ("J 1 3", 1)
    assert answer("...... ......", "B 1 3 40", 300) == ("F 1 0", 1)
    assert answer("...... ......", "N 0 5 4; R 1 2 8", 50) == ("J 1 2", 1)
    assert answer("......... .........", "R 0 8 8", 50) == ("X 0 0", 1)
    assert answer("...... ......", "", 50) == ("X 0 0", 1)
    assert answer("...... ......", "N 0 0 4", 0) == ("NONE", 0)
    assert answer("WWW... WWW...", "N 0 5 4", 40) == ("NONE", 1)


@EACH
def test_the_baselines_ask_for_nothing_that_is_skipped(config: PvzConfig) -> None:
    for seed in range(10):
        for name in ("idle", "random", "greedy"):
            for played in walk(PVZ_ANY, config, seed, policy(PVZ_ANY, name, seed)):
                assert "Skipped" not in played.step.feedback


def test_GM_05_the_numbers_of_the_paper_are_those_of_the_prompt() -> None:
    """The standard field, the sun of a turn and the turns from wave to wave, and the step limit."""
    for config, rows, columns in ((EXPLORE, 3, 7), (STRICT, 5, 6)):
        assert re.search(rf"^Field: {rows} rows .*, {columns} columns ", PVZ.numbers(config), re.MULTILINE)
        for line in ("Sun at the start: 50", "Sun of a turn: 25", "Turns from wave to wave: 5", "Step limit: 64"):
            assert f"\n{line}\n" in PVZ.numbers(config)
