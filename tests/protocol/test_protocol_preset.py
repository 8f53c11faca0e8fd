"""A preset file of any text is read or refused, in bounded work and with the field named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from games.base import Variant
from games.registry import game_named
from protocol.preset import MAX_LINE, MAX_TEXT, parse_preset, preset_file, preset_named
from protocol.rounds import preset_toml
from tests.games.episodes import varied

GOOD = preset_toml(preset_named("pocket-1"))
SNAKE_TABLE = '[games.snake]\nrules_version = 2\nvariant = "standard"\n'


@pytest.mark.parametrize("unit", ["[", "{a=", "[[", "[1,"])
def test_deep_nesting_is_refused(unit: str) -> None:
    deep = unit * (MAX_LINE // len(unit) - 10)
    with pytest.raises(ValueError, match=r"own\.toml: not a valid preset"):
        parse_preset(f"a = {deep}", "own.toml")


@pytest.mark.parametrize("text", ["a" + ".a" * 400_000 + " = 1", "[" + "a." * 400_000 + "a]", "\n" * (MAX_TEXT + 1)])
def test_what_a_parser_would_take_hours_for_is_refused_unread(text: str) -> None:
    with pytest.raises(ValueError, match="expected at most 65536 characters and 2000 in a line"):
        parse_preset(text, "own.toml")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_A21_numbers_are_finite(value: str) -> None:
    for line in ("temperature = 0.0", "judging_range = [0.0, 1.0]"):
        assert line in GOOD
    for text in (
        GOOD.replace("temperature = 0.0", f"temperature = {value}"),
        GOOD.replace("judging_range = [0.0, 1.0]", f"judging_range = [0.0, {value}]"),
    ):
        with pytest.raises(ValueError, match="finite"):
            parse_preset(text, "own.toml")


def test_a_preset_plays_the_variant_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    snake = game_named("snake")
    wide = Variant("wide", *[varied(config, {"id": f"{config.id}-wide", "size": 20}) for config in snake.configs[:2]])
    game = replace(snake, variants=(snake.variants[0], wide))
    monkeypatch.setattr("protocol.preset.GAMES", (game,))
    preset = parse_preset(GOOD.replace(SNAKE_TABLE, SNAKE_TABLE.replace("standard", "wide")), "own.toml")
    assert preset.games["snake"].variant == "wide"
    for phase, config in (("explore", wide.explore), ("strict", wide.strict)):
        played = preset.config(game, "strict" if phase == "strict" else "explore")
        assert played == varied(config, {"max_steps": 12})
    assert preset.digest != preset_named("pocket-1").digest
    assert parse_preset(preset_toml(preset), "own.toml") == preset


def test_a_variant_that_the_game_has_not_is_refused_with_those_it_has() -> None:
    with pytest.raises(ValueError, match=r"games\.snake\.variant: expected one of standard.*, got 'wide'"):
        parse_preset(GOOD.replace(SNAKE_TABLE, SNAKE_TABLE.replace("standard", "wide")), "own.toml")


def test_many_faults_make_a_short_message_and_names_are_escaped() -> None:
    with pytest.raises(ValueError, match="and 2999 more") as refused:
        parse_preset(
            GOOD.replace("[limits]", "\n".join(f'"\\u001b{number}" = 1' for number in range(3_000)) + "\n[limits]"),
            "own.toml",
        )
    assert len(str(refused.value)) < 500
    assert str(refused.value).isprintable()


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(b"#" * (4 * MAX_TEXT + 1))
    with pytest.raises(ValueError, match="expected at most 65536 characters"):
        preset_file(tmp_path / "own.toml")
