"""The stored figures of the baselines are those of the games as they play now."""

from __future__ import annotations

from statistics import fmean

import pytest

from benchmarks.calibration import FILE, SAMPLE, Job, Row, job_of, jobs, row, scores, stored, written
from benchmarks.ceilings import ceiling
from games.registry import GAMES, AnyGame, game_named
from tests.pages.calibration import WHYS, Share, easier, shares

ROWS = stored()
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def test_every_baseline_of_every_game_and_config_has_its_row() -> None:
    assert [job_of(row) for row in ROWS] == jobs()
    assert {row.seeds for row in ROWS} == {1_000}
    assert written(ROWS) == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("stored_row", ROWS, ids=["-".join(map(str, job_of(row))) for row in ROWS])
def test_the_first_seeds_score_as_stored(stored_row: Row) -> None:
    assert stored_row.sample == pytest.approx(fmean(scores(job_of(stored_row), range(SAMPLE))), abs=1e-6)


@every_game
def test_better_play_scores_more(game: AnyGame) -> None:
    for config in game.configs:
        wanted = game.id, config.id, config.max_steps
        means = {row.baseline: row.mean for row in ROWS if (row.game, row.config, row.max_steps) == wanted}
        for order in (("random", "greedy", "oracle"), ("blind", "greedy")):
            ordered = [means[name] for name in order if name in means]
            assert ordered == sorted(ordered), config.id


@pytest.mark.parametrize("share", list(shares(ROWS)), ids=lambda share: f"{share.game}-{share.preset}-{share.phase}")
def test_blind_play_stays_below_60_percent_of_greedy_where_a_preset_is_not_the_papers(share: Share) -> None:
    assert share.preset == "paper-1" or share.share < 0.6


def test_greedy_stays_below_what_can_be_reached_at_best() -> None:
    for each in ROWS:
        config = game_named(each.game).config(each.config)
        if each.baseline == "greedy" and each.max_steps == config.max_steps:
            oracle = {(row.game, row.config): row.mean for row in ROWS if row.baseline == "oracle"}
            most = ceiling(config, oracle.get((each.game, each.config)))
            assert each.mean <= most + 4 * each.sd / each.seeds**0.5


def test_a_reason_is_given_wherever_strict_rules_are_not_the_harder_ones() -> None:
    assert {game.id for game, *_ in easier(ROWS)} <= set(WHYS)


def test_the_figures_of_a_row_are_those_of_its_scores() -> None:
    """Worked by hand: 0, 1, .., 20 has mean 10, percentiles 1, 10 and 19, and variance 38.5."""
    figures = row(Job("snake", 2, "strict", 64, "greedy"), [float(score) for score in range(21)])
    assert (figures.mean, figures.p5, figures.median, figures.p95) == (10, 1, 10, 19)
    assert (figures.lowest, figures.highest, figures.seeds) == (0, 20, 21)
    assert figures.sd == pytest.approx(38.5**0.5, abs=1e-6)
    assert figures.sample == 4.5
