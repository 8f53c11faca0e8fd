"""Every world is drawn from seeds that anybody can compute with a hash tool alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rng import SEED_LIMIT, below, check_seed, draws, hashed, shuffled, stream, stream_seed

# printf 'snake\n1\nstrict\n7\nfood' | sha256sum, and so on
BY_SHA256SUM = {
    ("snake", 1, "strict", 7, "food"): 0x8A60775A5FE1A3677016E579D3BECE75AD5964EF936E75A6FD18EF50F49F1EA9,
    ("snake", 1, "explore", 7, "food"): 0xF5175F235E9745C000D360F94670E45A89D0E38F533BFE1650CE775BB1C0017D,
    ("trust", 1, "explore", 0, "opponent"): 0x8972984A0FAB5518B2B6102F4C56922F0C1AD47B402541A12E6BF02A1A3484CA,
    ("trust", 1, "strict", 2**63 - 1, "coins"): 0xC157C7B17E946A97C6F5CA960F42BAD3DB5EE57A6DAEACA77355F96A293D6D45,
}

seeds = st.integers(0, SEED_LIMIT - 1)
names = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)


@pytest.mark.parametrize("key", BY_SHA256SUM)
def test_RP_03_a_stream_seed_equals_a_constant_of_another_tool(key: tuple[str, int, str, int, str]) -> None:
    assert stream_seed(*key) == BY_SHA256SUM[key]


@given(names, st.integers(0, 10**6), names, seeds, names)
def test_a_stream_seed_is_the_sha256_of_its_lines(game: str, version: int, config: str, seed: int, name: str) -> None:
    text = f"{game}\n{version}\n{config}\n{seed}\n{name}"
    assert stream_seed(game, version, config, seed, name) == int(hashlib.sha256(text.encode()).hexdigest(), 16)


def test_hashed_reads_the_digest_big_endian() -> None:
    digest = hashlib.sha256(b"a\n1").digest()
    assert hashed("a", 1) == sum(byte << 8 * place for place, byte in enumerate(reversed(digest)))


@pytest.mark.parametrize("seed", [True, False, "7", 7.0, None, b"7", -1, 2**63])
def test_only_integers_from_0_to_2_to_the_63_are_seeds(seed: int) -> None:
    with pytest.raises(ValueError, match=r"seed: expected an integer in \[0, 2\^63\), got "):
        check_seed(seed)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_the_ends_of_the_range_are_seeds(seed: int) -> None:
    assert check_seed(seed) == seed


def test_a_bad_seed_makes_no_stream() -> None:
    with pytest.raises(ValueError, match="seed"):
        stream("snake", 1, "strict", -1, "food")


def test_draws_are_the_first_numbers_of_the_generator() -> None:
    generator = Random(BY_SHA256SUM["snake", 1, "strict", 7, "food"])
    assert draws("snake", 1, "strict", 7, "food", 5) == tuple(generator.random() for _ in range(5))


@given(seeds, st.integers(0, 20), st.integers(0, 20))
def test_more_draws_do_not_change_the_first(seed: int, few: int, more: int) -> None:
    long = draws("snake", 1, "strict", seed, "food", few + more)
    assert long[:few] == draws("snake", 1, "strict", seed, "food", few)


def test_streams_of_other_games_versions_configs_seeds_and_names_differ() -> None:
    keys = [
        ("snake", 1, "strict", 7, "food"),
        ("trust", 1, "strict", 7, "food"),
        ("snake", 2, "strict", 7, "food"),
        ("snake", 1, "explore", 7, "food"),
        ("snake", 1, "strict", 8, "food"),
        ("snake", 1, "strict", 7, "layout"),
    ]
    assert len({draws(*key, 3) for key in keys}) == len(keys)


def test_two_streams_do_not_touch_each_other() -> None:
    alone = draws("snake", 1, "strict", 7, "food", 4)
    food, layout = (stream("snake", 1, "strict", 7, name) for name in ("food", "layout"))
    mixed = []
    for _ in range(4):
        layout.random()
        mixed.append(food.random())
        layout.random()
    assert tuple(mixed) == alone


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 1000))
def test_a_draw_stands_for_an_integer_below_the_bound(draw: float, bound: int) -> None:
    assert 0 <= below(draw, bound) < bound


def test_equal_parts_of_the_range_stand_for_equal_integers() -> None:
    assert [below(part / 12, 3) for part in range(12)] == [0] * 4 + [1] * 4 + [2] * 4


@given(st.integers(0, 30), st.integers())
def test_a_shuffle_keeps_every_number_once(count: int, seed: int) -> None:
    assert sorted(shuffled(count, Random(seed))) == list(range(count))


def test_every_order_of_three_is_shuffled_equally_often() -> None:
    generator = Random(1)
    counts = Counter(tuple(shuffled(3, generator)) for _ in range(6_000))
    assert len(counts) == 6
    # 1,000 expected; the standard deviation of each count is 29
    assert all(abs(count - 1_000) < 5 * 29 for count in counts.values())
