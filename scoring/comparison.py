"""Two runs of one game beside each other: differences, and what makes them no fair pair."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from protocol.comparable import unequal
from scoring.measured import Measured, missing
from scoring.metric_terms import PairMetric, RunMetric
from scoring.metrics.curve import Curve
from scoring.results import CurvePoint, EntryResult, Row, RunKey
from scoring.statistics.noise import (
    NO_VARIATION,
    average_weights,
    baselines_differ,
    delta_weights,
    independent_repeats,
    net_area_weights,
)
from scoring.statistics.ties import Weights, difference

LINEAR: dict[PairMetric, Weights] = {
    "delta_avg": average_weights,
    "delta_final": delta_weights,
    "delta_net_area": net_area_weights,
}
PLAIN: dict[PairMetric, RunMetric] = {"delta_max": "max", "delta_auc_plus": "auc_plus", "delta_naba": "naba"}
_ORDER: tuple[PairMetric, ...] = (
    "delta_avg",
    "delta_max",
    "delta_final",
    "delta_auc_plus",
    "delta_net_area",
    "delta_naba",
)
Ahead = Literal["one", "other", "neither"]

BASELINES_DIFFER = "the two differ at x = 0 beyond noise, before anything was carried"


class Side(NamedTuple):
    """One run of a comparison."""

    name: str
    """Who it is, in messages."""
    curve: Curve
    """Valid checkpoints."""
    based: bool
    """Whether its x = 0 checkpoint is valid."""
    ended: bool
    """Whether its last checkpoint is valid."""
    values: dict[RunMetric, Measured]
    """Its metrics; those of ``PLAIN`` at least."""


def side(name: str, points: Sequence[CurvePoint], values: dict[RunMetric, Measured]) -> Side:
    """Return one run of a comparison from its checkpoints, in order of x."""
    valid = [(float(point.checkpoint), point.mean) for point in points if point.mean is not None]
    curve = Curve(tuple(x for x, _ in valid), tuple(y for _, y in valid), _plays(points))
    return Side(name, curve, points[0].mean is not None, points[-1].mean is not None, values)


def _plays(points: Sequence[CurvePoint]) -> int:
    """Return as how many plays x = 0 counts: its scores are those of its repeats, one after the other."""
    strict = next((len(point.scores) for point in points[1:] if point.mean is not None), 0)
    scores = points[0].scores
    if points[0].mean is None or not strict or len(scores) % strict:
        return 1
    repeats = [scores[first : first + strict] for first in range(0, len(scores), strict)]
    return independent_repeats([math.fsum(each) / strict for each in repeats])


def sides(rows: Iterable[Row], curves: Iterable[CurvePoint]) -> dict[RunKey, Side]:
    """Return every run of the results as one side of a comparison.

    Args:
        rows: All metrics of the runs.
        curves: All their checkpoints; those of a run in order of x.
    """
    values: dict[RunKey, dict[RunMetric, Measured]] = defaultdict(dict)
    for row in rows:
        values[row.entry, row.game][row.metric] = Measured(row.value, row.n, row.reason)
    points: dict[RunKey, list[CurvePoint]] = defaultdict(list)
    for point in curves:
        points[point.entry, point.game].append(point)
    return {key: side(key[0], each, values[key]) for key, each in points.items()}


def differences(one: Side, other: Side) -> dict[PairMetric, Measured]:
    """Return one run minus another of the same game, protocol and round.

    Linear functionals are taken over the checkpoints that are valid in both, and have an interval: all entries of a
    round play the same strict seeds, so that the seeds' luck cancels within a pair. The rest is the difference of two
    values, and has none.
    """
    linear = {metric: _linear(one, other, metric, weights) for metric, weights in LINEAR.items()}
    plain = {metric: _plain(one, other, name) for metric, name in PLAIN.items()}
    both = {**linear, **plain}
    return {metric: both[metric] for metric in _ORDER}


def ahead(one: Side, other: Side) -> dict[PairMetric, Ahead | None]:
    """Return which of two runs is ahead beyond noise, by each metric that has an interval; None where nothing tells.

    Differences that are the same at every checkpoint have no noise: then any that is more than rounding tells.
    """
    return {metric: _ahead(one, other, metric, weights) for metric, weights in LINEAR.items()}


def warning(one: Side, other: Side) -> str | None:
    """Return why two pathways of one model may be no pair: before anything was carried they should score alike."""
    if not (one.based and other.based):
        return None
    return BASELINES_DIFFER if baselines_differ(one.curve, other.curve) is True else None


def obstacles(one: EntryResult, other: EntryResult) -> tuple[str, ...]:
    """Return what differs between two entries beside what is compared: without any they ran under equal conditions."""
    departures = [f"{each.entry} departs from the protocol" for each in (one, other) if each.deviations]
    return (*unequal(one.conditions, other.conditions), *departures)


def _linear(one: Side, other: Side, metric: PairMetric, weights: Weights) -> Measured:
    n = len(set(one.curve.xs) & set(other.curve.xs))
    for each in (one, other):
        if metric != "delta_avg" and not each.based:
            return missing(f"{each.name} has no baseline: its x = 0 checkpoint failed", n)
        if metric == "delta_final" and not each.ended:
            return missing(f"the last checkpoint of {each.name} failed", n)
    if metric != "delta_avg" and n < 2:
        return missing("no checkpoint after x = 0 is valid in both", n)
    found = difference(one.curve, other.curve, weights)
    if found.value is None:
        return missing(found.reason or "there is no difference", n)
    return Measured(found.value, n).within(found.interval or found.reason or "there is no interval")


def _ahead(one: Side, other: Side, metric: PairMetric, weights: Weights) -> Ahead | None:
    if _linear(one, other, metric, weights).value is None:
        return None
    found = difference(one.curve, other.curve, weights)
    if found.value is None or (found.interval is None and found.reason != NO_VARIATION):
        return None
    if not found.separable:
        return "neither"
    return "one" if found.value > 0 else "other"


def _plain(one: Side, other: Side, metric: RunMetric) -> Measured:
    mine, theirs = one.values[metric], other.values[metric]
    n = min(mine.n, theirs.n)
    for each, found in ((one, mine), (other, theirs)):
        if found.value is None:
            return missing(f"{each.name} has none: {found.reason}", n)
    assert mine.value is not None
    assert theirs.value is not None
    return Measured(mine.value - theirs.value, n)
