"""Ranks within one game, who cannot be told from the first, and what ranks say over an entry's games."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from games.registry import GAMES
from scoring.measured import Measured, missing
from scoring.metric_terms import EntryMetric, RunMetric
from scoring.metrics.curve import Curve
from scoring.metrics.ranks import competition_ranks, rank_score
from scoring.results import RANKED_METRICS, EntryResult, EntryRow, Rank, RunResult
from scoring.statistics.noise import average_weights, net_area_weights
from scoring.statistics.ties import Weights, difference

_FLOORS: Mapping[RunMetric, RunMetric] = {"avg": "avg_floor", "auc_plus": "auc_plus_floor"}
_LINEAR: Mapping[RunMetric, Weights] = {"avg": average_weights, "auc_plus": net_area_weights}
MEAN_RANKS: Mapping[RunMetric, EntryMetric] = {
    "avg": "mean_rank_avg",
    "max": "mean_rank_max",
    "auc_plus": "mean_rank_auc_plus",
}
RANK_SCORES: Mapping[RunMetric, EntryMetric] = {
    "avg": "rank_score_avg",
    "max": "rank_score_max",
    "auc_plus": "rank_score_auc_plus",
}


class RankedRun(NamedTuple):
    """A run as it enters a table."""

    entry: EntryResult
    run: RunResult
    values: Mapping[RunMetric, float | None]
    curve: Curve
    """Valid checkpoints."""


class _Behind(NamedTuple):
    value: float | None = None
    low: float | None = None
    high: float | None = None
    separable: bool | None = None
    reason: str | None = None


def ranks(runs: Sequence[RankedRun]) -> tuple[Rank, ...]:
    """Return the place of every run in its tables: one for each protocol, pathway, game, rules version and metric."""
    order = {game.id: place for place, game in enumerate(GAMES)}
    tables: dict[tuple[str, str, int, int], list[RankedRun]] = defaultdict(list)
    for each in runs:
        key = (each.entry.protocol, each.entry.pathway, order[each.run.game], each.run.rules_version)
        tables[key].append(each)
    return tuple(
        rank for key in sorted(tables) for metric in RANKED_METRICS for rank in _rank_table(tables[key], metric)
    )


def ranked_value(values: Mapping[RunMetric, float | None], metric: RunMetric) -> float | None:
    """Return the value that ranks use: the lower of the two where failing could pay."""
    both = [values[metric], values[_FLOORS.get(metric, metric)]]
    known = [value for value in both if value is not None]
    return min(known) if len(known) == len(both) else None


def entry_rows(entries: Sequence[EntryResult], table: Sequence[Rank]) -> tuple[EntryRow, ...]:
    """Return what may be said of every entry over its games: counts and ranks, never a mean of scores."""
    places: dict[tuple[str, RunMetric], list[Rank]] = defaultdict(list)
    for rank in table:
        places[rank.entry, rank.metric].append(rank)
    return tuple(
        _entry_row(entry, metric, each)
        for entry in entries
        for metric, each in _over_games(entry, {name: places[entry.entry, name] for name in RANKED_METRICS})
    )


def _rank_table(table: Sequence[RankedRun], metric: RunMetric) -> Iterator[Rank]:
    values: dict[str, float] = {}
    for each in table:
        value = ranked_value(each.values, metric)
        if each.run.ranked and value is not None:
            values[each.entry.entry] = value
    places = competition_ranks(values)
    first = min(values, key=lambda name: (-values[name], name), default=None)
    curves = {each.entry.entry: each.curve for each in table}
    for each in table:
        name = each.entry.entry
        behind = _behind(name, first, curves, metric) if first is not None and name in places else _Behind()
        yield Rank(
            protocol=each.entry.protocol,
            pathway=each.entry.pathway,
            game=each.run.game,
            rules_version=each.run.rules_version,
            metric=metric,
            entry=name,
            rank=places.get(name),
            n=len(places),
            reason=None if name in places else each.run.reason or "it has no value",
            behind=behind.value,
            behind_low=behind.low,
            behind_high=behind.high,
            separable=behind.separable,
            behind_reason=behind.reason if name in places else "it has no rank",
        )


def _behind(name: str, first: str, curves: Mapping[str, Curve], metric: RunMetric) -> _Behind:
    """Return how far a run is behind the first of its table, on the checkpoints that both have.

    By AUC+ a run may be first that is not ahead by net area: then none that is ahead of it is apart from it.
    """
    weights = _LINEAR.get(metric)
    if weights is None:
        return _Behind(reason="a maximum is no linear function of the checkpoints, so it has no interval")
    if name == first:
        return _Behind(0.0, separable=False, reason="it is the first")
    found = difference(curves[first], curves[name], weights)
    low, high = found.interval or (None, None)
    return _Behind(found.value, low, high, found.ahead, found.reason)


def _over_games(
    entry: EntryResult, places: Mapping[RunMetric, Sequence[Rank]]
) -> Iterator[tuple[EntryMetric, Measured]]:
    improved = [run.improved for run in entry.runs if run.improved is not None]
    beyond = [run.beyond_noise for run in entry.runs if run.beyond_noise is not None]
    yield "games_improved", _count(improved, "no game has an AUC+")
    yield "games_beyond_noise", _count(beyond, "no game has an AUC+ and enough checkpoints for a trend")
    for metric, name in MEAN_RANKS.items():
        yield name, _mean_rank(entry, places[metric])
    for metric, name in RANK_SCORES.items():
        yield name, _mean_score(entry, places[metric])


def _count(told: Sequence[bool], none: str) -> Measured:
    return Measured(sum(told), len(told)) if told else missing(none)


def _mean_rank(entry: EntryResult, places: Sequence[Rank]) -> Measured:
    """Return the mean rank of a complete entry; over the games that an incomplete one has it would look too good."""
    known = [rank.rank for rank in places if rank.rank is not None]
    if entry.outside_main_table is not None:
        return missing(entry.outside_main_table, len(known))
    return Measured(sum(known) / len(known), len(known))


def _mean_score(entry: EntryResult, places: Sequence[Rank]) -> Measured:
    if entry.outside_main_table is not None:
        return missing(entry.outside_main_table, len(places))
    scores = [rank_score(rank.rank, rank.n) for rank in places if rank.rank is not None]
    known = [score for score in scores if score is not None]
    if len(known) < len(scores):
        return missing("in a table of one there is no rank score", len(known))
    return Measured(math.fsum(known) / len(known), len(known))


def _entry_row(entry: EntryResult, metric: EntryMetric, each: Measured) -> EntryRow:
    return EntryRow(
        entry=entry.entry,
        protocol=entry.protocol,
        pathway=entry.pathway,
        metric=metric,
        **each.fields,
    )
