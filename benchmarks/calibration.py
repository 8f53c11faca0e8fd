"""Floor and ceiling of every game: what each baseline scores on many seeds.

Run with ``python -m benchmarks.calibration record``. The figures go to ``docs/reference/calibration.csv``, from which
``python -m tests.pages record`` makes the page. Episodes depend on the seed alone, so the file is the same on every
machine; a game whose figures stand in the file under its present rules version is not played again, unless --all asks
for it. Blind play always is: its plans may be new.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean, quantiles, stdev
from typing import NamedTuple

from rich.progress import Progress

from games.base import Config
from games.blind import blind
from games.play import Turn, play
from games.registry import GAMES, AnyGame, game_named
from games.rng import bounded, stream
from protocol.players import BLIND
from protocol.preset import preset_named
from protocol.records import Phase

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "calibration.csv"
SEEDS = 1_000
SHORT = "pocket-1"
"""The preset that cuts episodes short."""
COMPARED = [BLIND, "greedy"]
"""What is played under a shorter limit."""
PHASES: tuple[Phase, ...] = ("explore", "strict")
SAMPLE = 10
"""How many first seeds the column ``sample`` is the mean of: enough to see at once that a game plays otherwise now."""


class Row(NamedTuple):
    """One baseline on one game under one config and step limit, over the seeds from 0 on; in points."""

    game: str
    rules_version: int
    config: str
    max_steps: int
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


class Job(NamedTuple):
    """What one row is about."""

    game: str
    rules_version: int
    config: str
    max_steps: int
    baseline: str


def names_of(game: AnyGame) -> list[str]:
    """Return a game's baselines, from the floor to the ceiling."""
    return ["idle", "random", BLIND, "greedy", *(["oracle"] if game.oracle else [])]


def jobs() -> list[Job]:
    """Return what the file holds a row for: every config, and what is compared where ``pocket-1`` cuts it short."""
    found = []
    for game in GAMES:
        short = [preset_named(SHORT).config(game, phase) for phase in PHASES]
        short = [config for config in short if config.max_steps < game.config(config.id).max_steps]
        for config, names in [(each, names_of(game)) for each in game.configs] + [(each, COMPARED) for each in short]:
            found += [Job(game.id, game.rules_version, config.id, config.max_steps, name) for name in names]
    return found


def job_of(row: Row) -> Job:
    """Return what a row is about."""
    return Job(row.game, row.rules_version, row.config, row.max_steps, row.baseline)


def scores(job: Job, seeds: Iterable[int]) -> list[float]:
    """Return the episode score of each seed."""
    game = game_named(job.game)
    config: Config = replace(game.config(job.config), max_steps=job.max_steps)  # type: ignore[type-var]  # a dataclass
    return [float(play(game, config, seed, _policy(game, config, job.baseline, seed)).score) for seed in seeds]


def _policy(game: AnyGame, config: Config, baseline: str, seed: int) -> Callable[[Turn], str]:
    if baseline == BLIND:
        return lambda turn: blind(game.id, config, turn.step).action
    draw = bounded(stream("calibration", game.rules_version, config.id, seed, baseline))
    if baseline == "oracle":
        oracle = game.oracle
        assert oracle is not None
        return lambda turn: oracle(turn.state, draw).action
    chosen = game.baselines[baseline]
    return lambda turn: chosen(turn.observation, draw).action


def row(job: Job, found: Sequence[float]) -> Row:
    """Return the figures of one list of episode scores, one a seed."""
    parts = quantiles(found, n=20, method="inclusive")
    figures = (fmean(found), stdev(found), min(found), parts[0], parts[9], parts[-1], max(found), fmean(found[:SAMPLE]))
    rounded = [round(figure, 6) for figure in figures]
    return Row(*job, len(found), *rounded)


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
                each["game"], int(each["rules_version"]), each["config"], int(each["max_steps"]), each["baseline"],
                int(each["seeds"]), *[float(each[name]) for name in Row._fields[6:]],
            )
            for each in csv.DictReader(file)
        ]  # fmt: skip


def record(games: Sequence[AnyGame], seeds: int, *, anew: bool) -> None:
    """Play what is not in the file yet, and write the file."""
    known = {} if anew else {job_of(each): each for each in stored()}
    every = jobs()
    ids = {game.id for game in games}
    due = [job for job in every if job.game in ids and (job.baseline == BLIND or job not in known)]
    batches = [(job, range(first, min(first + 50, seeds))) for job in due for first in range(0, seeds, 50)]
    found: dict[Job, list[float]] = {job: [] for job in due}
    with ProcessPoolExecutor() as pool, Progress() as progress:
        task = progress.add_task("episodes", total=len(due) * seeds)
        results = [(job, pool.submit(scores, job, batch)) for job, batch in batches]
        for job, result in results:
            found[job] += result.result()
            progress.advance(task, len(result.result()))
    known |= {job: row(job, figures) for job, figures in found.items()}
    FILE.write_text(written([known[job] for job in every if job in known]), encoding="utf-8", newline="\n")


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
