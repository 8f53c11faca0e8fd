"""The rows of one verified run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from protocol.checkpoints import checkpoint_records
from protocol.context import Pathway
from protocol.preset import Preset
from protocol.records import CheckpointRecord, EpisodeRecord
from scoring.measured import Interval, Measured, missing
from scoring.metric_terms import RunMetric
from scoring.metrics.coupling import blocks
from scoring.metrics.judging import calibration
from scoring.results import BlockPoint, CalibrationBin, CurvePoint, ExplorePoint, Row, RunResult
from scoring.run_metrics import NO_BASELINE, RunMetrics, run_metrics
from scoring.standing import Gain, run_result
from scoring.statistics.noise import delta_weights, linear_interval, residual_sd
from scoring.statistics.trend import Band, adjusted, beyond_noise
from scoring.verified import VerifiedBundle, VerifiedRun

_UNSCALED = 1.0


class RunRows(NamedTuple):
    """What the results hold of one run."""

    result: RunResult
    rows: tuple[Row, ...]
    curve: tuple[CurvePoint, ...]
    explorations: tuple[ExplorePoint, ...]
    blocks: tuple[BlockPoint, ...]
    calibration: tuple[CalibrationBin, ...]


def bundle_rows(bundle: VerifiedBundle) -> tuple[RunRows, ...]:
    """Return what the results hold of each run of a bundle, in its order.

    p-values are adjusted over all games of the bundle that have one.
    """
    metrics = [run_metrics(bundle.preset, run) for run in bundle.runs]
    shares = {each.game: each.trend.value for each in metrics if each.trend.value is not None}
    levels = adjusted(shares)
    return tuple(
        _run_rows(bundle, run, each, _adjusted(each, levels)) for run, each in zip(bundle.runs, metrics, strict=True)
    )


def _adjusted(found: RunMetrics, levels: Mapping[str, float]) -> Measured:
    """Return the adjusted p-value of a run; the note on its own smallest value is not one on this."""
    if found.trend.value is None:
        return found.trend
    games = len(levels)
    return Measured(levels[found.game], found.trend.n, f"adjusted over {games} game{'s' * (games > 1)}")


def _run_rows(bundle: VerifiedBundle, run: VerifiedRun, found: RunMetrics, level: Measured) -> RunRows:
    entry, game = bundle.manifest.entry, run.game.id
    records = [episode.record for episode in run.episodes]
    checkpoints = checkpoint_records(bundle.preset, game, records)
    area = found.curve_metrics.auc_plus.value
    improved = None if area is None else area > 0
    gain = Gain(improved, beyond_noise(improved, level), found.curve_metrics.never_recovered)
    return RunRows(
        run_result(bundle.manifest, bundle.preset, run, checkpoints, gain),
        tuple(
            run_row(entry, bundle.manifest.protocol, bundle.manifest.options.pathway, game, name, each)
            for name, each in measured(found, level).items()
        ),
        curve_points(entry, found, checkpoints, strict_scores(records)),
        tuple(
            ExplorePoint(entry=entry, game=game, index=record.index, score=record.score)
            for record in records
            if record.phase == "explore"
        ),
        block_points(entry, bundle.preset, found),
        calibration_bins(entry, bundle.preset, found),
    )


def measured(found: RunMetrics, level: Measured) -> dict[RunMetric, Measured]:
    """Return every metric of a run by its name in the results, in their written order.

    Args:
        found: The metrics of the run.
        level: Its p-value, adjusted over the entry's games.
    """
    curve, judged = found.curve_metrics, found.judging
    return {
        "y0": curve.y0 if curve.y0.value is None else curve.y0.within(found.noise_band),
        "avg": curve.avg,
        "max": curve.max,
        "worst": curve.worst,
        "last": curve.last,
        "final_delta": curve.final_delta,
        "auc_plus": curve.auc_plus,
        "auc_minus": curve.auc_minus,
        "net_area": curve.net_area,
        "naba": curve.naba.result,
        "naba_eps": _eps(found),
        "avg_floor": curve.avg_floor,
        "auc_plus_floor": curve.auc_plus_floor,
        "noise": _noise(found),
        "auc_plus_luck_median": _by_luck(found, lambda band: band.median),
        "auc_plus_luck_high": _by_luck(found, lambda band: band.high),
        "trend_p": found.trend,
        "trend_p_adjusted": level,
        "agreement": judged.agreement,
        "over_confidence": judged.over,
        "under_confidence": judged.under,
        "self_rate": judged.self_rate,
        "reward_rate": judged.reward_rate,
        "base_rate": judged.always_zero,
        "nmae": judged.nmae,
        "mae": judged.mae,
        "bias": judged.bias,
        "missing_scores": judged.missing_share,
    }


def run_row(entry: str, protocol: str, pathway: Pathway, game: str, metric: RunMetric, each: Measured) -> Row:
    """Return one metric of a run as a row."""
    return Row(
        entry=entry,
        protocol=protocol,
        pathway=pathway,
        game=game,
        metric=metric,
        **each.fields,
    )


def _eps(found: RunMetrics) -> Measured:
    naba, n = found.curve_metrics.naba, len(found.curve.xs)
    if naba.eps is not None:
        return Measured(naba.eps, n)
    if found.curve_metrics.y0.value is None:
        return missing(found.curve_metrics.y0.reason or NO_BASELINE)
    return missing("y(0) itself divides" if found.curve.ys[0] > 0 else "no checkpoint is positive", n)


def _noise(found: RunMetrics) -> Measured:
    sigma, n = residual_sd(found.curve), len(found.curve.xs)
    return missing(sigma, n) if isinstance(sigma, str) else Measured(sigma, n)


def _by_luck(found: RunMetrics, point: Callable[[Band], float]) -> Measured:
    area = found.curve_metrics.auc_plus
    return missing(area.reason or NO_BASELINE, area.n) if found.band is None else replace(area, value=point(found.band))


def strict_scores(records: Sequence[EpisodeRecord]) -> dict[int, list[float | None]]:
    """Return the scores of the strict episodes of each checkpoint, None for one that failed, by x."""
    found: dict[int, list[float | None]] = {}
    for record in records:
        if record.checkpoint is not None:
            found.setdefault(record.checkpoint, []).append(record.score)
    return found


def curve_points(
    entry: str,
    found: RunMetrics,
    checkpoints: Sequence[CheckpointRecord],
    strict: Mapping[int, Sequence[float | None]],
) -> tuple[CurvePoint, ...]:
    """Return every checkpoint of a run with its difference from y(0).

    Args:
        entry: The entry's id.
        found: The metrics of the run.
        checkpoints: Every checkpoint of the protocol, failed ones too, x = 0 first.
        strict: The scores of the strict episodes of each, None for one that failed, by x.
    """
    deltas = _deltas(found) if checkpoints[0].score is not None else {}
    points = []
    for each in checkpoints:
        scores = strict[each.checkpoint]
        delta, interval = deltas.get(each.checkpoint, (None, None))
        points.append(
            CurvePoint(
                entry=entry,
                game=found.game,
                checkpoint=each.checkpoint,
                mean=each.score,
                scores=tuple(score for score in scores if score is not None),
                failed=scores.count(None),
                delta=delta,
                low=interval.low if interval else None,
                high=interval.high if interval else None,
            )
        )
    return tuple(points)


def _deltas(found: RunMetrics) -> dict[int, tuple[float, Interval | None]]:
    """Return Delta_k of each valid checkpoint with its interval; at x = 0 it is 0 and has none."""
    curve = found.curve
    deltas: dict[int, tuple[float, Interval | None]] = {0: (0.0, None)}
    for k in range(1, len(curve.xs)):
        interval = linear_interval(curve, delta_weights(curve.xs, k))
        told = None if isinstance(interval, str) else interval
        deltas[int(curve.xs[k])] = (curve.ys[k] - curve.ys[0], told)
    return deltas


def block_points(entry: str, preset: Preset, found: RunMetrics) -> tuple[BlockPoint, ...]:
    """Return the blocks of a run that were judged."""
    judging_range = preset.games[found.game].judging_range
    return tuple(
        BlockPoint(
            entry=entry,
            game=found.game,
            checkpoint=int(block.t),
            agreement=block.agreement,
            nmae=block.error,
            rise=block.gain,
        )
        for block in blocks(entry, found.game, found.curve, found.explored, judging_range, _UNSCALED)
    )


def calibration_bins(entry: str, preset: Preset, found: RunMetrics) -> tuple[CalibrationBin, ...]:
    """Return what the rules paid where the model said so much."""
    steps = [step for each in found.explored for step in each.steps]
    return tuple(
        CalibrationBin(
            entry=entry,
            game=found.game,
            place=each.place,
            steps=each.steps,
            self_score=each.self_score,
            reward=each.reward,
        )
        for each in calibration(steps, preset.games[found.game].judging_range)
    )
