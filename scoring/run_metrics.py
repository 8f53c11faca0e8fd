"""All metrics of one verified run, each with its reason where there is none."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from games.base import END_ACTION
from games.rng import hashed
from games.text import word
from protocol.checkpoints import checkpoint_records
from protocol.preset import Preset
from protocol.records import CheckpointRecord, EpisodeRecord
from scoring.measured import Interval, Measured, missing
from scoring.metrics.coupling import ExploredEpisode
from scoring.metrics.curve import Curve, auc_minus, auc_plus, average, deltas, net_area, never_recovered
from scoring.metrics.judging import JudgedStep, Judging, judging
from scoring.metrics.naba import Naba, naba
from scoring.statistics.noise import (
    average_weights,
    delta_weights,
    independent_repeats,
    net_area_weights,
    repeats_band,
    with_interval,
)
from scoring.statistics.orders import Orders, orders
from scoring.statistics.trend import Band, reference_band, trend_test
from scoring.verified import VerifiedRun

NO_BASELINE = "the x = 0 checkpoint failed, so there is no baseline"
ALL_FAILED = "every checkpoint failed"


@dataclass(frozen=True, slots=True)
class CurveMetrics:
    """What the checkpoints of a run say; ``n`` counts the valid ones. Points, and points times exploration episodes."""

    y0: Measured
    avg: Measured
    max: Measured
    worst: Measured
    last: Measured
    final_delta: Measured
    auc_plus: Measured
    auc_minus: Measured
    net_area: Measured
    naba: Naba
    avg_floor: Measured
    """With each failed checkpoint set to the run's worst, the lowest of the valid ones."""
    auc_plus_floor: Measured
    never_recovered: bool | None
    """Whether every later checkpoint lies below y_0; None where there is no baseline or no later checkpoint."""


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """Everything that is measured of one run."""

    game: str
    curve: Curve
    """Valid checkpoints."""
    curve_metrics: CurveMetrics
    trend: Measured
    """One-sided p-value of a gain beyond noise, not yet adjusted over an entry's games."""
    band: Band | None
    """AUC+ of the same checkpoints in random order; None without a baseline."""
    noise_band: Interval | str
    """Where a further x = 0 checkpoint would lie by its repeats, or why that cannot be told."""
    judging: Judging
    explored: tuple[ExploredEpisode, ...]
    """Valid exploration episodes, for the coupling over runs."""


@lru_cache(maxsize=64)
def round_orders(round_name: str, game: str, size: int) -> Orders:
    """Return the orders of a round's permutation tests: the same for every entry of a game, and in every run."""
    return orders(size, random.Random(hashed("s3gym trend test", round_name, game)))


def run_metrics(preset: Preset, run: VerifiedRun) -> RunMetrics:
    """Return every metric of a verified run.

    Args:
        preset: The protocol that it was verified against.
        run: One game's run.
    """
    records = [episode.record for episode in run.episodes]
    checkpoints = checkpoint_records(preset, run.game.id, records)
    repeats = _repeat_means(records, preset.strict_episodes)
    return metrics_of(preset, run.game.id, checkpoints, explored_episodes(run), repeats)


def metrics_of(
    preset: Preset,
    game: str,
    checkpoints: Sequence[CheckpointRecord],
    explored: tuple[ExploredEpisode, ...],
    repeats: Sequence[float],
) -> RunMetrics:
    """Return every metric of a run from what it rests on.

    Args:
        preset: The protocol.
        game: The game's id.
        checkpoints: Every checkpoint of the protocol, failed ones too, x = 0 first.
        explored: Valid exploration episodes.
        repeats: Mean of each valid repeat of x = 0, points.
    """
    plays = independent_repeats(repeats)
    curve = valid_curve(checkpoints, plays)
    drawn = round_orders(preset.round, game, len(curve.xs)) if curve.xs else None
    return RunMetrics(
        game=game,
        curve=curve,
        curve_metrics=curve_metrics(checkpoints, plays),
        trend=trend_test(curve, drawn) if drawn else missing(ALL_FAILED),
        band=reference_band(curve, drawn) if drawn and checkpoints[0].score is not None else None,
        noise_band=repeats_band(repeats),
        judging=judging([step for each in explored for step in each.steps], preset.games[game].judging_range),
        explored=explored,
    )


def valid_curve(checkpoints: Sequence[CheckpointRecord], repeats: int = 1) -> Curve:
    """Return the valid checkpoints as a curve, y(0) the mean of so many plays; empty if every one failed."""
    valid = [(float(each.checkpoint), each.score) for each in checkpoints if each.score is not None]
    return Curve(tuple(x for x, _ in valid), tuple(y for _, y in valid), repeats)


def curve_metrics(checkpoints: Sequence[CheckpointRecord], repeats: int = 1) -> CurveMetrics:
    """Return what the checkpoints of a run say.

    Args:
        checkpoints: Every checkpoint of the protocol, failed ones too, x = 0 first.
        repeats: Of how many independent plays y(0) is the mean.
    """
    curve = valid_curve(checkpoints, repeats)
    if not curve.ys:
        return _nothing(ALL_FAILED)
    n, ys = len(curve.ys), curve.ys
    failed = len(checkpoints) - n
    note = f"{failed} failed checkpoints left out" if failed else None
    whole = _nothing(NO_BASELINE)
    based = checkpoints[0].score is not None
    last = checkpoints[-1]
    covered = note if last.score is not None else f"area up to x = {curve.xs[-1]:g} of {last.checkpoint}"
    floor = _floor(checkpoints, min(ys))
    return CurveMetrics(
        y0=Measured(ys[0], 1) if based else whole.y0,
        avg=with_interval(average(ys), curve, average_weights(curve.xs), note),
        max=Measured(max(ys), n, note),
        worst=Measured(min(ys), n, note),
        last=missing(_last_failed(last), n) if last.score is None else Measured(last.score, 1),
        final_delta=_final_delta(curve, last) if based else whole.final_delta,
        auc_plus=Measured(auc_plus(curve), n, covered) if based else whole.auc_plus,
        auc_minus=Measured(auc_minus(curve), n, covered) if based else whole.auc_minus,
        net_area=with_interval(net_area(curve), curve, net_area_weights(curve.xs), covered)
        if based
        else whole.net_area,
        naba=naba(curve) if based else whole.naba,
        avg_floor=Measured(average(floor.ys), len(checkpoints)),
        auc_plus_floor=Measured(auc_plus(floor), len(checkpoints)) if based else whole.auc_plus_floor,
        never_recovered=never_recovered(curve) if based and n > 1 else None,
    )


def explored_episodes(run: VerifiedRun) -> tuple[ExploredEpisode, ...]:
    """Return the valid exploration episodes with what the model judged and what the rules paid."""
    return tuple(
        ExploredEpisode(
            episode.record.index,
            tuple(
                JudgedStep(reply.score, float(played.reward), word(played.action) == END_ACTION)
                for reply, played in zip(episode.replayed.replies, episode.replayed.episode.steps, strict=True)
            ),
        )
        for episode in run.episodes
        if episode.record.phase == "explore" and episode.record.status == "valid"
    )


def _final_delta(curve: Curve, last: CheckpointRecord) -> Measured:
    if last.score is None:
        return missing(_last_failed(last), len(curve.xs))
    if len(curve.xs) < 2:
        return missing("there is no checkpoint after x = 0", len(curve.xs))
    return with_interval(deltas(curve)[-1], curve, delta_weights(curve.xs))


def _last_failed(last: CheckpointRecord) -> str:
    return f"the last checkpoint (x = {last.checkpoint}) failed"


def _floor(checkpoints: Sequence[CheckpointRecord], worst: float) -> Curve:
    return Curve(
        tuple(float(each.checkpoint) for each in checkpoints),
        tuple(worst if each.score is None else each.score for each in checkpoints),
    )


def _repeat_means(records: Sequence[EpisodeRecord], strict_episodes: int) -> tuple[float, ...]:
    """Return the mean of each repeat of the x = 0 checkpoint whose episodes are all valid."""
    groups: dict[int, list[float]] = {}
    for record in records:
        if record.checkpoint == 0 and record.score is not None:
            groups.setdefault(record.replicate, []).append(record.score)
    return tuple(math.fsum(group) / len(group) for group in groups.values() if len(group) == strict_episodes)


def _nothing(reason: str) -> CurveMetrics:
    none = missing(reason)
    return CurveMetrics(
        y0=none, avg=none, max=none, worst=none, last=none, final_delta=none, auc_plus=none, auc_minus=none,
        net_area=none, naba=Naba(none, None), avg_floor=none, auc_plus_floor=none, never_recovered=None,
    )  # fmt: skip
