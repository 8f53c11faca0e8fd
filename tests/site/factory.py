"""Results that look like real ones: ties, zeros, failures, missing games, hostile names, several protocols."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from leaderboard.site_entry import SiteEntry
from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.preset import Preset, is_released, preset_named
from protocol.records import CheckpointRecord, Endpoint, Totals
from scoring.measured import Measured
from scoring.metrics.coupling import ExploredEpisode
from scoring.metrics.judging import JudgedStep
from scoring.report import CheckReport, Report
from scoring.results import (
    CurvePoint,
    EntryResult,
    ExplorePoint,
    Results,
    Row,
    RunResult,
)
from scoring.run_metrics import NO_BASELINE, RunMetrics, metrics_of
from scoring.run_rows import block_points, calibration_bins, curve_points, measured, run_row
from scoring.score import Parts, assembled
from scoring.statistics.trend import adjusted, beyond_noise
from scoring.verify import scorer_version

SCORER = scorer_version()
GAMES = ("chess", "minesweeper", "nullify", "tetris", "snake", "pvz", "trust")
SCALES = {"chess": 1.0, "minesweeper": 1.0, "nullify": 1.0, "tetris": 6.0, "snake": 14.0, "pvz": 40.0, "trust": 25.0}
WHOLE = {"tetris", "snake", "pvz", "trust"}
Scores = tuple[float, ...]
PointT = TypeVar("PointT")
TOTALS = Totals(
    steps=5021, requests=5344, tokens_in=81_234_567, tokens_out=912_345, tokens_cached=None, seconds=40_211.5
)


@dataclass(frozen=True)
class Spec:
    """An entry to make results for."""

    entry: str
    pathway: Pathway = "history"
    protocol: str = "paper-1"
    team: str = "team-a"
    model: str = "Model A"
    skill: float = 0.3
    gain: float = 0.2
    seed: int = 0
    games: tuple[str, ...] = GAMES
    failed: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Failed checkpoints of a game, by x."""
    curves: dict[str, tuple[Scores, ...]] = field(default_factory=dict)
    """Written strict scores of a game, in place of drawn ones."""
    marks: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    rules: dict[str, int] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.entry.encode()).hexdigest()


def curve(spec: Spec, game: str) -> list[tuple[int, Scores]]:
    """Return x and the valid strict scores of each checkpoint; none where it failed."""
    preset = preset_named(spec.protocol)
    if game in spec.curves:
        return list(zip(preset.checkpoints, spec.curves[game], strict=True))
    draw = Random(f"{spec.seed}/{game}")
    points: list[tuple[int, Scores]] = []
    for x in preset.checkpoints:
        if x in spec.failed.get(game, ()):
            points.append((x, ()))
            continue
        level = spec.skill + spec.gain * x / preset.explore_episodes
        scores = [SCALES[game] * max(0.0, level + draw.uniform(-0.25, 0.25)) for _ in range(preset.strict_episodes)]
        points.append((x, tuple(float(round(score)) if game in WHOLE else round(score, 2) for score in scores)))
    return points


def mean(scores: Scores) -> float | None:
    return sum(scores) / len(scores) if scores else None


def checkpoints(spec: Spec, game: str) -> tuple[CheckpointRecord, ...]:
    return tuple(
        CheckpointRecord(game=game, checkpoint=x, valid=len(scores), score=mean(scores))
        for x, scores in curve(spec, game)
    )


def explored(spec: Spec, game: str) -> tuple[ExploredEpisode, ...]:
    """Return exploration episodes of a model that judges itself by a coin more often, the less its skill."""
    preset = preset_named(spec.protocol)
    low, high = preset.games[game].judging_range
    draw = Random(f"judge/{spec.seed}/{game}")

    def step() -> JudgedStep:
        reward = draw.choice((0.0, 0.0, low, low + 0.4 * (high - low), high))
        blurred = round(draw.gauss(reward, 0.15 * (high - low)), 2)
        said = blurred if draw.random() < spec.skill else draw.choice((0.0, high, low, 2 * high))
        return JudgedStep(None if draw.random() < 0.05 else said, reward, draw.random() < 0.02)

    return tuple(ExploredEpisode(i, tuple(step() for _ in range(5))) for i in range(preset.explore_episodes))


def metrics(spec: Spec) -> "Measurements":
    """Return the metrics of each game; what is made up is what they rest on."""
    preset = preset_named(spec.protocol)
    return {game: metrics_of(preset, game, checkpoints(spec, game), explored(spec, game), ()) for game in spec.games}


def run_reason(spec: Spec, game: str) -> str | None:
    preset = preset_named(spec.protocol)
    if not preset.rankable:
        return f"protocol {spec.protocol} is never ranked"
    if 0 in spec.failed.get(game, ()):
        return NO_BASELINE
    if len(spec.failed.get(game, ())) > 1:
        return f"{len(spec.failed[game])} checkpoints failed; at most 1 may"
    return None


Measurements = dict[str, RunMetrics]
"""The metrics of an entry, by game."""


def make_results(specs: Sequence[Spec]) -> Results:
    """Return the results of these entries."""
    both = [(spec, metrics(spec)) for spec in specs]
    return assembled(
        Parts(
            entries=tuple(_entry(spec, found) for spec, found in both),
            rows=tuple(row for spec, found in both for row in _rows(spec, found)),
            curves=tuple(point for spec, found in both for point in _curves(spec, found)),
            explorations=tuple(point for spec in specs for point in _explorations(spec)),
            blocks=_of_each(both, block_points),
            calibration=_of_each(both, calibration_bins),
        )
    )


def _of_each(
    both: Sequence[tuple[Spec, Measurements]], make: Callable[[str, Preset, RunMetrics], tuple[PointT, ...]]
) -> tuple[PointT, ...]:
    return tuple(
        point
        for spec, measurements in both
        for found in measurements.values()
        for point in make(spec.entry, preset_named(spec.protocol), found)
    )


def levels(measurements: Measurements) -> dict[str, Measured]:
    """Return the p-value of each game, adjusted over the games that have one."""
    known = {game: found.trend.value for game, found in measurements.items() if found.trend.value is not None}
    values = adjusted(known)
    note = f"adjusted over {len(known)} games"
    return {
        game: Measured(values[game], found.trend.n, note) if game in values else found.trend
        for game, found in measurements.items()
    }


def _rows(spec: Spec, measurements: Measurements) -> Iterator[Row]:
    level = levels(measurements)
    for game, found in measurements.items():
        for metric, each in measured(found, level[game]).items():
            yield run_row(spec.entry, spec.protocol, spec.pathway, game, metric, each)


def _curves(spec: Spec, measurements: Measurements) -> Iterator[CurvePoint]:
    for game, found in measurements.items():
        strict = {x: scores or (None,) * preset_named(spec.protocol).strict_episodes for x, scores in curve(spec, game)}
        yield from curve_points(spec.entry, found, checkpoints(spec, game), strict)


def _explorations(spec: Spec) -> Iterator[ExplorePoint]:
    for game in spec.games:
        draw = Random(f"explore/{spec.seed}/{game}")
        for index in range(preset_named(spec.protocol).explore_episodes):
            score = None if draw.random() < 0.02 else round(SCALES[game] * draw.random(), 2)
            yield ExplorePoint(entry=spec.entry, game=game, index=index, score=score)


def _outside(spec: Spec) -> str | None:
    reasons = [f"{game}: {reason}" for game in spec.games if (reason := run_reason(spec, game))]
    if missing := sorted(set(preset_named(spec.protocol).games) - set(spec.games)):
        reasons.append(f"incomplete: no run of {', '.join(missing)}")
    return "; ".join(reasons) or None


def _improved(found: RunMetrics) -> bool | None:
    area = found.curve_metrics.auc_plus.value
    return None if area is None else area > 0


def _run_totals(place: int) -> Totals:
    """Return what a run took; no two numbers of it are equal."""
    steps = 700 + place
    return Totals(
        steps=steps,
        requests=steps + 40,
        tokens_in=11_600_000 + place,
        tokens_out=130_000 + place,
        tokens_cached=None if place == 0 else 9_000_000 + place,
        seconds=5_700.5 + place,
    )


def _entry(spec: Spec, measurements: Measurements) -> EntryResult:
    level = levels(measurements)
    preset = preset_named(spec.protocol)
    runs = tuple(
        RunResult(
            game=game,
            rules_version=spec.rules.get(game, 1),
            ranked=run_reason(spec, game) is None,
            reason=run_reason(spec, game),
            marks=spec.marks,
            steps=700 + place,
            unreadable=3 + place,
            truncated=2,
            empty=1,
            filtered=0,
            cut_off=6,
            second_answers=4,
            missing_scores=5,
            failed_explorations=0,
            failed_checkpoints=len(spec.failed.get(game, ())),
            improved=_improved(found),
            beyond_noise=beyond_noise(_improved(found), level[game]),
            never_recovered=found.curve_metrics.never_recovered,
            totals=_run_totals(place),
        )
        for place, (game, found) in enumerate(measurements.items())
    )
    return EntryResult(
        entry=spec.entry,
        team=spec.team,
        model=spec.model,
        pathway=spec.pathway,
        protocol=spec.protocol,
        protocol_digest=preset.digest,
        protocol_title=preset.title,
        rankable=preset.rankable,
        released=is_released(preset),
        bundle_digest=spec.digest,
        keyid=hashlib.sha256(spec.team.encode("utf-8", "replace")).hexdigest(),
        endpoint=Endpoint(kind="openai_chat", model=spec.model, context_tokens=131072),
        decoding=decoding_at(preset.temperature),
        input_budget=preset.input_tokens,
        output_budget=preset.output_tokens,
        deviations=spec.deviations,
        totals=TOTALS,
        runs=runs,
        outside_main_table=_outside(spec),
    )


STEPS = (
    ("limits", "Sizes, counts and ratios are within bounds"),
    ("signature", "The envelope is signed by the team's key"),
    ("files", "The list of files is closed and every digest holds"),
    ("parsing", "Every record is strict JSON of a known version"),
    ("complete", "Games, phases, seeds and checkpoints are exactly the protocol's"),
    ("phases", "Explored and strict seeds and levels are disjoint"),
    ("replay", "Every episode, played again, gives what is recorded"),
    ("contexts", "Every prompt, rebuilt, has the recorded digest"),
    ("claims", "Derived claims equal what was derived"),
)


def make_report(spec: Spec) -> Report:
    checks = tuple(
        CheckReport(
            number=number, code=code, title=title, status="passed", detail=f"{100 * (number + 1)} items", faults=()
        )
        for number, (code, title) in enumerate(STEPS)
    )
    return Report(
        verdict="accepted",
        scorer=SCORER,
        bundle_digest=spec.digest,
        entry=spec.entry,
        team=spec.team,
        checks=checks,
    )


def site_entry(spec: Spec, bundle: Path | None = None) -> SiteEntry:
    return SiteEntry(spec.entry, make_report(spec), f"s3gym score {spec.entry}", bundle)


def flat(value: float) -> tuple[Scores, ...]:
    """Return a curve of `paper-1` that stays where it is."""
    return ((value,) * 3,) * 11


def realistic() -> tuple[Spec, ...]:
    """Return entries with ties, zeros, failures, missing games, long and hostile names, under three protocols."""
    long_model = "An-Open-Model-With-A-Rather-Long-Name-70B-Instruct-2026-08"
    tie = {"nullify": flat(0.0)}
    history = (
        Spec("alpha-large-history", team="alpha", model="Alpha Large 2", skill=0.55, gain=0.3, seed=1),
        Spec("alpha-small-history", team="alpha", model="Alpha Small 2", skill=0.25, gain=0.1, seed=2, curves=tie),
        Spec("birch-history", team="birch", model=long_model, skill=0.3, gain=0.35, seed=3, curves=tie),
        Spec("cedar-history", team="cedar", model="Cedar", skill=0.4, gain=-0.2, seed=4, failed={"snake": (6,)}),
        Spec("dune-history", team="dune", model="Dune 8B", skill=0.1, gain=0.05, seed=5, marks=("episode window",)),
        Spec("elm-history", team="elm", model="Elm", skill=0.4, seed=6, failed={"tetris": (3, 9), "pvz": (0,)}),
        Spec("fern-history", team="fern", model="Fern 3B", skill=0.2, seed=7, games=("chess", "snake")),
    )
    summary = (
        Spec("alpha-large-summary", "summary", team="alpha", model="Alpha Large 2", skill=0.5, gain=0.35, seed=11),
        Spec("birch-summary", "summary", team="birch", model=long_model, skill=0.35, gain=0.2, seed=12),
        Spec("cedar-summary", "summary", team="cedar", model="Cedar", skill=0.3, gain=0.0, seed=13),
    )
    others = (
        Spec("tiny-pocket", protocol="pocket-1", team="gale", model="<b>Tiny</b> & Co", skill=0.1, seed=21),
        Spec("tiny-pocket-2", protocol="pocket-1", team="gale", model="Tiny \u202eodd", skill=0.12, seed=22),
        Spec("trial-smoke", protocol="smoke-1", team="gale", model="Trial", seed=23),
    )
    return (*history, *summary, *others)


def few() -> tuple[Spec, ...]:
    """Return the four of the realistic entries that have the most to show."""
    chosen = ("birch-history", "birch-summary", "elm-history", "trial-smoke")
    return tuple(spec for spec in realistic() if spec.entry in chosen)


def many(count: int) -> tuple[Spec, ...]:
    """Return that many complete entries, half of them of each pathway."""
    pathways: tuple[Pathway, Pathway] = ("history", "summary")
    return tuple(
        Spec(f"entry-{place:04d}", pathways[place % 2], team=f"team-{place % 17}", model=f"Model {place}", seed=place)
        for place in range(count)
    )
