"""Presets are frozen, and a new round is a new preset without colliding levels."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from games.registry import GAMES
from protocol import rounds
from protocol.preset import parse_preset, preset_file, preset_named, preset_names
from protocol.rounds import layout_collisions, new_round, preset_toml
from protocol.schedule import explore_seeds, strict_seeds

RELEASED = {
    "paper-1": "c115c20c0c9c",
    "pocket-1": "6c49d18b8723",
    "rigorous-1": "cba72dd36a5d",
    "smoke-1": "ab63549f1084",
}
"""The beginning of each released preset's digest, noted when it was released."""


def test_a_released_preset_never_changes() -> None:
    assert {name: preset_named(name).digest[:12] for name in preset_names()} == RELEASED


@pytest.mark.parametrize("name", preset_names())
def test_no_two_levels_of_a_released_preset_collide(name: str) -> None:
    assert layout_collisions(preset_named(name)) == ()


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_read_back_from_its_toml(name: str) -> None:
    preset = preset_named(name)
    assert parse_preset(preset_toml(preset), name) == preset


def test_a_new_round_shares_everything_but_name_and_seeds() -> None:
    base = preset_named("pocket-1")
    preset, text = new_round(base, "pocket-2", "Second")
    assert parse_preset(text, "pocket-2.toml") == preset
    assert preset.model_copy(update={"id": base.id, "round": base.round, "title": base.title}) == base
    for game in ("snake", "trust"):
        old = {*explore_seeds(base, game), *strict_seeds(base, game)}
        assert not old & {*explore_seeds(preset, game), *strict_seeds(preset, game)}


@pytest.mark.parametrize("name", ["pocket-1", "Pocket 2", "", "../x"])
def test_an_id_that_is_taken_or_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"round|id"):
        new_round(preset_named("pocket-1"), name, "x")


def test_A13_a_round_whose_phases_share_a_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    snake = GAMES[0]
    monkeypatch.setattr(rounds, "GAMES", (dataclasses.replace(snake, layout=lambda state: "one level for all"),))
    with pytest.raises(ValueError, match="collide"):
        new_round(preset_named("smoke-1"), "smoke-2", "x")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("explore_per_cycle = 4", "multiple of explore_per_cycle"),
        ("strict_episodes = 0", "strict_episodes"),
        ("max_steps = 65", "max_steps"),
        ("bonus = 1", "bonus"),
    ],
)
def test_an_invalid_preset_is_refused_by_field(change: str, words: str) -> None:
    name = change.split(" = ", maxsplit=1)[0]
    lines = [line for line in preset_toml(preset_named("paper-1")).splitlines() if not line.startswith(f"{name} =")]
    with pytest.raises(ValueError, match=words):
        parse_preset("\n".join([change, *lines]), "own.toml")


@pytest.mark.parametrize("name", ["paper-9", "own.toml", "../presets/paper-1"])
def test_a_name_from_a_bundle_never_reads_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(preset_toml(preset_named("paper-1")))
    with pytest.raises(ValueError, match="expected one of paper-1"):
        preset_named(name)


def test_a_preset_file_is_read_where_a_person_points_at_it(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(preset_toml(preset_named("paper-1")))
    assert preset_file(path) == preset_named("paper-1")
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="UTF-8"):
        preset_file(path)
    with pytest.raises(ValueError, match="nowhere"):
        preset_file(tmp_path / "nowhere.toml")
