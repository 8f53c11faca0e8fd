"""The list of the games says what the registry says."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from games.registry import GAMES, AnyGame
from tests.s3gym.face import Face
from tests.s3gym.terminal import ROOT

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


@every_game
def test_the_list_holds_every_game(face: Face, game: AnyGame) -> None:
    listed = face("games").output
    card = listed[listed.index(f"{game.id}  {game.title}\n") :].partition("\n\n")[0]
    assert game.action_form in card
    assert f"version {game.rules_version}" in card
    assert str(game.explore.max_steps) in card
    assert all(name in card for name in game.baselines)
    assert ("oracle" in card) == (game.oracle is not None)
    assert all(f"\n  {variant.name}  " in card for variant in game.variants[1:])


def test_the_list_tells_in_what_the_configs_differ(face: Face) -> None:
    card = face("games").output.partition("snake  Snake\n")[2].partition("\n\n")[0]
    assert "a collision or an invalid action ends the episode" in card
    assert "a collision or an invalid action is refused and nothing moves" in card
    assert "Apples on the board" not in card


@every_game
def test_a_game_is_shown_with_the_rules_and_numbers_that_a_player_is_told(face: Face, game: AnyGame) -> None:
    shown = face("games", game.id).output
    assert game.rules in shown
    for config in game.configs:
        assert f"Under the {config.id} config:\n{game.numbers(config)}\n" in shown


def test_the_rules_of_all_games_can_be_asked_for(face: Face) -> None:
    shown = face("games", "--rules").output
    assert all(game.rules in shown for game in GAMES)


def test_json_holds_what_the_registry_holds(face: Face) -> None:
    told = json.loads(face("games", "--json").stdout)["games"]
    assert [entry["id"] for entry in told] == [game.id for game in GAMES]
    for entry, game in zip(told, GAMES, strict=True):
        assert entry["rules"] == game.rules
        assert [variant["name"] for variant in entry["variants"]] == [variant.name for variant in game.variants]
        for told_variant, variant in zip(entry["variants"], game.variants, strict=True):
            assert told_variant["strict"]["numbers"] == game.numbers(variant.strict)
            assert told_variant["explore"]["values"]["max_steps"] == variant.explore.max_steps
    (snake,) = json.loads(face("games", "snake", "--json").stdout)["games"]
    assert snake["variants"][0]["differs"] == ["faults_end"]
    assert snake["variants"][0]["strict"]["values"]["faults_end"] is True


_COMPLETE = """\
import contextlib, os, sys
from s3gym.cli import app
sys.argv[0] = "s3gym"
for os.environ["COMP_WORDS"] in sys.argv[1:]:
    with contextlib.suppress(SystemExit):
        app(prog_name="s3gym")
    print("--")
"""
"""What the script that a shell sources asks of the program, once for each line typed."""


def test_a_shell_completes_the_names_of_the_games() -> None:
    typed = ("s3gym play ", "s3gym games ", "s3gym play tru", "s3gym games tru")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "_S3GYM_COMPLETE": "complete_bash", "COMP_CWORD": "2"}
    command = [sys.executable, "-c", _COMPLETE, *typed]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    offered = [part.split() for part in run.stdout.split("--\n")[:-1]]
    names = [game.id for game in GAMES]
    assert offered == [names, names, ["trust"], ["trust"]], run.stderr
