"""Runs of the built-in players under paper-1, and what the explanation pages need of them, as CSV.

The built-in players answer by the messages alone, so the same code plays the same runs on every machine.
"""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from games.registry import GAMES
from games.rng import hashed
from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.preset import preset_named
from protocol.signing import team_key, write_team_key
from runner.entry import BUNDLE, Plan, play_entry
from runner.models.builtin import Builtin
from runner.retry import Asker
from scoring.metrics.coupling import ExploredEpisode
from scoring.metrics.curve import Curve
from scoring.metrics.judging import JudgedStep
from scoring.registry import Registry
from scoring.run_metrics import run_metrics
from scoring.submitting import KEYS
from scoring.verify import verify
from tests.bundles import Unwatched

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
CURVES = REFERENCE / "metric-curves.csv"
STEPS = REFERENCE / "metric-steps.csv"
PLAYERS = ("random", "idle", "greedy", "learner")
PATHWAYS: tuple[Pathway, ...] = ("history", "summary")
PRESET = preset_named("paper-1")
TEAM = "pictures"


class RunName(NamedTuple):
    """One player, one pathway, one game."""

    player: str
    pathway: str
    game: str


class Judged(NamedTuple):
    """Steps that were judged and paid alike within one block of exploration."""

    run: RunName
    after: int
    """x of the checkpoint before the block."""
    self_score: float | None
    reward: float
    ended: bool
    steps: int


class Runs(NamedTuple):
    """What is kept of all runs."""

    curves: Mapping[RunName, Curve]
    steps: tuple[Judged, ...]


ALL = tuple(game.id for game in GAMES)


class Entry(NamedTuple):
    """One player under one pathway."""

    player: str
    pathway: Pathway
    games: tuple[str, ...] = ALL

    @property
    def plan(self) -> Plan:
        """Return what is to be played."""
        return Plan(
            entry=f"{self.player}-{self.pathway}",
            team=TEAM,
            model=f"builtin:{self.player}",
            preset=PRESET,
            games=self.games,
            pathway=self.pathway,
            decoding=decoding_at(PRESET.temperature),
        )


ENTRIES = tuple(Entry(*each) for each in itertools.product(PLAYERS, PATHWAYS))


def _key() -> Ed25519PrivateKey:
    """Return a key that protects nothing."""
    return Ed25519PrivateKey.from_private_bytes(hashed("the key of runs made for pictures").to_bytes(32, "big"))


def _play_entry(folder: Path, entry: Entry) -> str:
    plan = entry.plan
    asyncio.run(play_entry(plan, Builtin(entry.player), folder / plan.entry, _key(), Unwatched(), Asker()))
    return plan.entry


def play(folder: Path, workers: int, entries: Sequence[Entry] = ENTRIES) -> None:
    """Play entries into a folder; one whose bundle is there is not played again."""
    (folder / KEYS).mkdir(parents=True, exist_ok=True)
    (folder / KEYS / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, _key())))
    due = [entry for entry in entries if not _bundle(folder, entry).exists()]
    with ProcessPoolExecutor(workers) as pool:
        spread = pool.map if workers > 1 else map
        for played in spread(_play_entry, itertools.repeat(folder), due):
            print(played, flush=True)


def _bundle(folder: Path, entry: Entry) -> Path:
    return folder / entry.plan.entry / BUNDLE


def read_runs(folder: Path, entries: Sequence[Entry] = ENTRIES) -> Runs:
    """Return the runs of a folder's bundles, each verified by replay."""
    curves: dict[RunName, Curve] = {}
    steps: list[Judged] = []
    for entry in entries:
        for run in verify(_bundle(folder, entry), Registry(folder / KEYS)).runs:
            name, found = RunName(entry.player, entry.pathway, run.game.id), run_metrics(PRESET, run)
            curves[name] = found.curve
            for after in PRESET.checkpoints[:-1]:
                inside = range(after, after + PRESET.explore_per_cycle)
                same = Counter(step for each in found.explored if each.after in inside for step in each.steps)
                steps += [Judged(name, after, *step, count) for step, count in sorted(same.items(), key=_place)]
    return Runs(curves, tuple(steps))


def _place(each: tuple[JudgedStep, int]) -> tuple[bool, bool, float, float]:
    (score, reward, ended), _ = each
    return ended, score is None, score or 0.0, reward


def curves_csv(runs: Runs) -> str:
    """Return the checkpoint means as CSV, every number in full."""
    rows = (
        [*name, " ".join(f"{x:g}" for x in curve.xs), " ".join(map(repr, curve.ys))]
        for name, curve in runs.curves.items()
    )
    return _csv(("player", "pathway", "game", "xs", "ys"), rows)


def steps_csv(runs: Runs) -> str:
    """Return the judged steps as CSV, every number in full; a missing self-score is an empty cell."""
    rows = (
        [*run, after, "" if score is None else repr(score), repr(reward), int(ended), count]
        for run, after, score, reward, ended, count in runs.steps
    )
    return _csv(("player", "pathway", "game", "after", "self_score", "reward", "ended", "steps"), rows)


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    return text.getvalue()


@cache
def stored() -> Runs:
    """Return the runs of the files."""
    with CURVES.open(encoding="utf-8", newline="") as file:
        curves = {
            _name(row): Curve(tuple(map(float, row["xs"].split())), tuple(map(float, row["ys"].split())))
            for row in csv.DictReader(file)
        }
    with STEPS.open(encoding="utf-8", newline="") as file:
        steps = tuple(
            Judged(
                _name(row),
                int(row["after"]),
                float(row["self_score"]) if row["self_score"] else None,
                float(row["reward"]),
                row["ended"] == "1",
                int(row["steps"]),
            )
            for row in csv.DictReader(file)
        )
    return Runs(curves, steps)


def _name(row: Mapping[str, str]) -> RunName:
    return RunName(row["player"], row["pathway"], row["game"])


def explored(runs: Runs, name: RunName) -> tuple[ExploredEpisode, ...]:
    """Return the steps of a run as the coupling takes them; a block stands as one episode, which changes nothing."""
    blocks: dict[int, list[JudgedStep]] = {}
    for each in runs.steps:
        if each.run == name:
            step = JudgedStep(each.self_score, each.reward, each.ended)
            blocks.setdefault(each.after, []).extend([step] * each.steps)
    return tuple(ExploredEpisode(after, tuple(steps)) for after, steps in blocks.items())


def judged_steps(runs: Runs, name: RunName) -> tuple[JudgedStep, ...]:
    """Return every judged step of a run."""
    return tuple(step for each in explored(runs, name) for step in each.steps)
