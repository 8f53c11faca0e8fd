"""Starts and levels are identified by what they are, on every machine the same."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.registry import GAMES, AnyGame
from protocol.digests import canonical, layout_digest, start_digest

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
ROOT = Path(__file__).resolve().parents[2]


@every_game
def test_a_level_is_digested_without_seed_and_config(game: AnyGame) -> None:
    state = game.start(game.explore, 5)
    text = f"{game.id}\n{game.layout(state)}"
    assert layout_digest(game, state) == hashlib.sha256(text.encode()).hexdigest()


@every_game
def test_a_start_is_digested_with_everything_that_decides_it(game: AnyGame) -> None:
    digests = {
        start_digest(game, config, seed, game.start(config, seed)) for config in game.configs for seed in (1, 2, 3)
    }
    assert len(digests) == 3 * len(game.configs)


@every_game
def test_a_state_has_one_canonical_text(game: AnyGame) -> None:
    state = game.start(game.strict, 9)
    text = canonical(state)
    assert text == canonical(game.start(game.strict, 9))
    assert json.loads(text)


@every_game
def test_RP_02_RP_03_digests_do_not_depend_on_the_process(game: AnyGame) -> None:
    code = (
        "from games.registry import game_named\n"
        "from protocol.digests import layout_digest, start_digest\n"
        f"game = game_named({game.id!r})\n"
        "for seed in range(3):\n"
        "    state = game.start(game.strict, seed)\n"
        "    print(start_digest(game, game.strict, seed, state), layout_digest(game, state))\n"
    )
    outputs = set()
    for hash_seed, zone in (("0", "UTC"), ("1", "Pacific/Kiritimati"), ("random", "Pacific/Honolulu")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)
        outputs.add(run.stdout)
    assert len(outputs) == 1
