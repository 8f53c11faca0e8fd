"""The stored figures of the baselines are those of the games as they play now."""

from __future__ import annotations

from statistics import fmean

import pytest

from benchmarks.calibration import FILE, SAMPLE, Row, names_of, row, scores, stored, written
from games.registry import GAMES, AnyGame

ROWS = stored()
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def test_every_baseline_of_every_game_and_config_has_its_row() -> None:
    wanted = [
        (game.id, game.rules_version, config.id, name)
        for game in GAMES
        for config in game.configs
        for name in names_of(game)
    ]
    assert [(row.game, row.rules_version, row.config, row.baseline) for row in ROWS] == wanted
    assert {row.seeds for row in ROWS} == {1_000}
    assert written(ROWS) == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("stored_row", ROWS, ids=[f"{row.game}-{row.config}-{row.baseline}" for row in ROWS])
def test_the_first_seeds_score_as_stored(stored_row: Row) -> None:
    sample = fmean(scores(stored_row.game, stored_row.config, stored_row.baseline, range(SAMPLE)))
    assert stored_row.sample == pytest.approx(sample, abs=1e-6)


@every_game
@pytest.mark.parametrize("config", ["explore", "strict"])
def test_better_play_scores_more(game: AnyGame, config: str) -> None:
    means = {row.baseline: row.mean for row in ROWS if (row.game, row.config) == (game.id, config)}
    ordered = [means[name] for name in ("random", "greedy", "oracle") if name in means]
    assert ordered == sorted(ordered)


def test_the_figures_of_a_row_are_those_of_its_scores() -> None:
    """Worked by hand: 0, 1, .., 20 has mean 10, percentiles 1, 10 and 19, and variance 38.5."""
    figures = row("snake", "strict", "greedy", [float(score) for score in range(21)])
    assert (figures.mean, figures.p5, figures.median, figures.p95) == (10, 1, 10, 19)
    assert (figures.lowest, figures.highest, figures.seeds) == (0, 20, 21)
    assert figures.sd == pytest.approx(38.5**0.5, abs=1e-6)
    assert figures.sample == 4.5
