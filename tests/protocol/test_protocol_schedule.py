"""Seeds and the order of episodes, against the written protocol."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from protocol.preset import Preset, preset_named, preset_names
from protocol.schedule import explore_seeds, memory_indexes, schedule, seed_of, strict_seeds


def test_a_seed_is_the_first_63_bits_of_a_hash() -> None:
    text = b"paper-1\nsnake\nexplore\n7"
    expected = int(bin(int.from_bytes(hashlib.sha256(text).digest(), "big"))[2:].zfill(256)[:63], 2)
    assert seed_of("paper-1", "snake", "explore", 7) == expected


def test_RP_03_a_seed_equals_a_constant() -> None:
    """sha256 of "paper-1\\nsnake\\nexplore\\n0" begins with these 16 hex digits (printf | sha256sum), one bit cut."""
    digest = hashlib.sha256(b"paper-1\nsnake\nexplore\n0").hexdigest()
    assert seed_of("paper-1", "snake", "explore", 0) == int(digest[:16], 16) >> 1


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("game", ["snake", "trust"])
def test_phases_share_no_seed(name: str, game: str) -> None:
    preset = preset_named(name)
    explore, strict = explore_seeds(preset, game), strict_seeds(preset, game)
    assert not set(explore) & set(strict)
    assert len(set(explore)) == len(explore)
    assert len(set(strict)) == len(strict)
    assert all(0 <= seed < 2**63 for seed in (*explore, *strict))


def test_a_strict_seed_of_trust_is_60_hash_bits_and_3_bits_of_the_preset() -> None:
    for index in range(32):
        plain = seed_of("r", "trust", "strict", index)
        assert seed_of("r", "trust", "strict", index, strata=8) >> 3 == plain >> 3


def test_every_block_of_eight_strict_seeds_of_trust_meets_each_opponent_once() -> None:
    seeds = [seed_of("r", "trust", "strict", index, strata=8) for index in range(32)]
    for block in range(4):
        assert sorted(seed % 8 for seed in seeds[8 * block : 8 * block + 8]) == list(range(8))
    assert len({tuple(seed % 8 for seed in seeds[8 * block : 8 * block + 8]) for block in range(4)}) > 1


def test_rigorous_meets_the_opponents_as_often_as_their_weights_say() -> None:
    counts = Counter(seed % 16 for seed in strict_seeds(preset_named("rigorous-1"), "trust"))
    assert counts == dict.fromkeys(range(16), 1)


def test_explore_seeds_of_trust_are_whole_hashes() -> None:
    assert seed_of("r", "trust", "explore", 3, strata=8) == seed_of("r", "trust", "explore", 3)


def test_the_paper_protocol_has_30_explorations_and_11_checkpoints_of_3() -> None:
    slots = schedule(preset_named("paper-1"), "snake")
    assert [slot.index for slot in slots if slot.phase == "explore"] == list(range(30))
    strict = Counter(slot.checkpoint for slot in slots if slot.phase == "strict")
    assert strict == dict.fromkeys(range(0, 31, 3), 3)
    assert len(slots) == 63


def test_the_loop_begins_with_the_baseline_and_alternates() -> None:
    names = [slot.name for slot in schedule(preset_named("paper-1"), "snake")]
    assert names[:9] == [
        "strict x=0 #0",
        "strict x=0 #1",
        "strict x=0 #2",
        "explore 0",
        "explore 1",
        "explore 2",
        "strict x=3 #0",
        "strict x=3 #1",
        "strict x=3 #2",
    ]
    assert names[-4:] == ["explore 29", "strict x=30 #0", "strict x=30 #1", "strict x=30 #2"]


def test_the_same_strict_seeds_serve_every_checkpoint() -> None:
    by_checkpoint: dict[int | None, list[int]] = {}
    for slot in schedule(preset_named("rigorous-1"), "trust"):
        if slot.phase == "strict":
            by_checkpoint.setdefault(slot.checkpoint, []).append(slot.seed)
    baseline = by_checkpoint.pop(0)
    assert len(baseline) == 48
    assert baseline[:16] == baseline[16:32] == baseline[32:]
    assert all(seeds == baseline[:16] for seeds in by_checkpoint.values())


@pytest.mark.parametrize(
    ("name", "explore", "checkpoints", "strict", "repeats", "steps", "tokens_in", "tokens_out"),
    [
        ("paper-1", 30, tuple(range(0, 31, 3)), 3, 1, 64, 100_000, 14_000),
        ("rigorous-1", 30, tuple(range(0, 31, 3)), 16, 3, 64, 100_000, 14_000),
        ("pocket-1", 12, (0, 3, 6, 9, 12), 3, 1, 12, 6_500, 400),
        ("smoke-1", 2, (0, 2), 1, 1, 8, 6_500, 400),
    ],
)
def test_presets_hold_the_written_numbers(
    name: str,
    explore: int,
    checkpoints: tuple[int, ...],
    strict: int,
    repeats: int,
    steps: int,
    tokens_in: int,
    tokens_out: int,
) -> None:
    preset = preset_named(name)
    assert (preset.explore_episodes, preset.checkpoints) == (explore, checkpoints)
    assert (preset.strict_episodes, preset.baseline_repeats, preset.max_steps) == (strict, repeats, steps)
    assert (preset.input_tokens, preset.output_tokens) == (tokens_in, tokens_out)
    assert preset.rankable == (name != "smoke-1")
    assert len(preset.games) == 7


def test_small_presets_fix_temperature_zero_and_large_ones_leave_it() -> None:
    found = {name: preset_named(name).temperature for name in preset_names()}
    assert found == {"paper-1": None, "rigorous-1": None, "pocket-1": 0.0, "smoke-1": 0.0}


def test_a_memory_is_made_after_every_exploration_episode() -> None:
    assert memory_indexes(preset_named("paper-1")) == tuple(range(1, 31))


def test_a_preset_keeps_the_smaller_limit_of_the_game() -> None:
    from games.registry import game_named

    preset: Preset = preset_named("pocket-1")
    assert preset.config(game_named("snake"), "strict").max_steps == 12
    assert preset.config(game_named("trust"), "strict").max_steps == 10
    assert preset_named("paper-1").config(game_named("snake"), "explore").max_steps == 64
