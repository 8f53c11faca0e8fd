"""Pictures and data of the pages on metrics: drawn from the files, and the files are of the games as they are."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from xml.etree import ElementTree

import pytest

from benchmarks.metric_pictures import IMAGES
from benchmarks.metric_plots import PICTURES
from benchmarks.metric_runs import (
    CURVES,
    PATHWAYS,
    PLAYERS,
    PRESET,
    STEPS,
    Entry,
    RunName,
    curves_csv,
    explored,
    read_runs,
    steps_csv,
    stored,
)
from benchmarks.metric_runs import play as play_entries
from games.play import Turn, play
from games.registry import game_named
from protocol.schedule import explore_seeds, strict_seeds

DOCS = Path(__file__).resolve().parents[2] / "docs"
STEADY = [("idle", game) for game in PRESET.games] + [("greedy", "snake"), ("greedy", "trust"), ("greedy", "nullify")]
"""Players that draw nothing, so that what they play depends on the game alone."""


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_from_the_files_byte_for_byte(name: str) -> None:
    assert PICTURES[name](stored()) == (IMAGES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_well_formed_and_says_what_it_shows(name: str) -> None:
    root = ElementTree.fromstring((IMAGES / name).read_text(encoding="utf-8"))
    space = "{http://www.w3.org/2000/svg}"
    title = root.find(f"{space}title")
    assert title is not None
    assert title.text
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    for text in root.iter(f"{space}text"):
        assert 0 <= float(text.attrib["x"]) <= width
        assert 0 <= float(text.attrib["y"]) <= height
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_stands_on_one_page_with_words_in_its_place(name: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "explanation").glob("*.md")]
    said = [words for page in pages for words in re.findall(rf"!\[([^\]]*)\]\(\.\./images/{re.escape(name)}\)", page)]
    assert len(said) == 1
    assert len(said[0]) > 60


def test_the_files_are_written_as_they_are_read() -> None:
    assert curves_csv(stored()) == CURVES.read_text(encoding="utf-8")
    assert steps_csv(stored()) == STEPS.read_text(encoding="utf-8")


def test_every_player_has_a_run_of_every_game_and_pathway() -> None:
    wanted = {RunName(player, pathway, game) for player in PLAYERS for pathway in PATHWAYS for game in PRESET.games}
    assert set(stored().curves) == wanted
    assert {each.run for each in stored().steps} == wanted
    assert {curve.xs for curve in stored().curves.values()} == {tuple(map(float, PRESET.checkpoints))}


@pytest.mark.parametrize(("player", "game_id"), STEADY)
def test_a_player_that_draws_nothing_scores_as_stored(player: str, game_id: str) -> None:
    game = game_named(game_id)

    def policy(turn: Turn) -> str:
        return game.baselines[player](turn.observation, lambda _: 0).action

    config = PRESET.config(game, "strict")
    strict = [float(play(game, config, seed, policy).score) for seed in strict_seeds(PRESET, game_id)]
    config = PRESET.config(game, "explore")
    rewards = [
        float(step.reward) for seed in explore_seeds(PRESET, game_id) for step in play(game, config, seed, policy).steps
    ]
    for pathway in PATHWAYS:
        name = RunName(player, pathway, game_id)
        assert stored().curves[name].ys == pytest.approx([fmean(strict)] * 11)
        kept = [step.reward for each in explored(stored(), name) for step in each.steps]
        assert sorted(kept) == pytest.approx(sorted(rewards))


def test_a_run_that_is_played_and_verified_anew_is_the_stored_one(tmp_path: Path) -> None:
    entry = Entry("idle", "history", ("trust",))
    play_entries(tmp_path, 1, [entry])
    runs, name = read_runs(tmp_path, [entry]), RunName("idle", "history", "trust")
    assert runs.curves == {name: stored().curves[name]}
    assert runs.steps == tuple(each for each in stored().steps if each.run == name)
