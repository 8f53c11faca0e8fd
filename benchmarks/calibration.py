"""Floor and ceiling of every game: what each baseline scores on many seeds.

Run with ``python -m benchmarks.calibration record``. The figures go to ``docs/reference/calibration.csv``, from which
``python -m tests.pages record`` makes the page. Episodes depend on the seed alone, so the file is the same on every
machine; a game whose figures stand in the file under its present rules version is not played again, unless --all asks
for it.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, quantiles, stdev
from typing import NamedTuple

from rich.progress import Progress

from games.play import Turn, play
from games.registry import GAMES, AnyGame, game_named
from games.rng import bounded, stream

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "calibration.csv"
SEEDS = 1_000
SAMPLE = 10
"""How many first seeds the column ``sample`` is the mean of: enough to see at once that a game plays otherwise now."""


class Row(NamedTuple):
    """One baseline on one game under one config, over the seeds from 0 on; in points."""

    game: str
    rules_version: int
    config: str
    baseline: str
    seeds: int
    mean: float
    sd: float
    lowest: float
    p5: float
    median: float
    p95: float
    highest: float
    sample: float


def names_of(game: AnyGame) -> list[str]:
    """Return a game's baselines, from the floor to the ceiling."""
    return [*sorted(game.baselines, key=("idle", "random", "greedy").index), *(["oracle"] if game.oracle else [])]


def scores(game_id: str, config_id: str, baseline: str, seeds: Iterable[int]) -> list[float]:
    """Return the episode score of each seed."""
    game = game_named(game_id)
    config = game.config(config_id)
    return [float(play(game, config, seed, _policy(game, config_id, baseline, seed)).score) for seed in seeds]


def _policy(game: AnyGame, config_id: str, baseline: str, seed: int) -> Callable[[Turn], str]:
    draw = bounded(stream("calibration", game.rules_version, config_id, seed, baseline))
    if baseline == "oracle":
        oracle = game.oracle
        assert oracle is not None
        return lambda turn: oracle(turn.state, draw).action
    chosen = game.baselines[baseline]
    return lambda turn: chosen(turn.observation, draw).action


def row(game_id: str, config_id: str, baseline: str, found: Sequence[float]) -> Row:
    """Return the figures of one list of episode scores, one a seed."""
    parts = quantiles(found, n=20, method="inclusive")
    figures = (fmean(found), stdev(found), min(found), parts[0], parts[9], parts[-1], max(found), fmean(found[:SAMPLE]))
    rounded = [round(figure, 6) for figure in figures]
    return Row(game_id, game_named(game_id).rules_version, config_id, baseline, len(found), *rounded)


def written(rows: Iterable[Row]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(Row._fields)
    table.writerows(rows)
    return text.getvalue()


def stored() -> list[Row]:
    """Return the rows of the file; none where there is no file."""
    if not FILE.is_file():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                each["game"], int(each["rules_version"]), each["config"], each["baseline"], int(each["seeds"]),
                *[float(each[name]) for name in Row._fields[5:]],
            )
            for each in csv.DictReader(file)
        ]  # fmt: skip


def record(games: Sequence[AnyGame], seeds: int, *, anew: bool) -> None:
    """Play what is not in the file yet, and write the file."""
    known = {} if anew else {(each.game, each.rules_version, each.config, each.baseline): each for each in stored()}
    jobs = [
        (game.id, game.rules_version, config.id, name)
        for game in GAMES
        for config in game.configs
        for name in names_of(game)
    ]
    due = [job for job in jobs if job[0] in {game.id for game in games} and job not in known]
    batches = [(job, range(first, min(first + 50, seeds))) for job in due for first in range(0, seeds, 50)]
    found: dict[tuple[str, int, str, str], list[float]] = {job: [] for job in due}
    with ProcessPoolExecutor() as pool, Progress() as progress:
        task = progress.add_task("episodes", total=len(due) * seeds)
        results = [(job, pool.submit(scores, job[0], job[2], job[3], batch)) for job, batch in batches]
        for job, result in results:
            found[job] += result.result()
            progress.advance(task, len(result.result()))
    known |= {job: row(job[0], job[2], job[3], figures) for job, figures in found.items()}
    FILE.write_text(written([known[job] for job in jobs if job in known]), encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    """Record the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("command", choices=["record"])
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many seeds, from 0 on (default: %(default)s)")
    parser.add_argument("--game", action="append", choices=[game.id for game in GAMES], help="only this game (repeat)")
    parser.add_argument("--all", action="store_true", help="play again what the file already holds")
    chosen = parser.parse_args(arguments)
    games = [game for game in GAMES if not chosen.game or game.id in chosen.game]
    record(games, chosen.seeds, anew=chosen.all)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
