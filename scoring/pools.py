"""What is told over many runs of a protocol: how judging and gains go together, and which pathway is ahead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from games.registry import GAMES
from protocol.context import Pathway
from scoring.measured import Interval, Measured, missing
from scoring.metric_terms import PoolMetric
from scoring.metrics.coupling import Block, RunPoint, coupling, run_level, score_range
from scoring.results import BlockPoint, CurvePoint, EntryResult, PairRow, PoolRow, Row, RunKey
from scoring.statistics.means import mean_interval


class Pooled(NamedTuple):
    """The numbers of all entries."""

    entries: Sequence[EntryResult]
    rows: Sequence[Row]
    curves: Sequence[CurvePoint]
    blocks: Sequence[BlockPoint]
    pairs: Sequence[PairRow]


class _Run(NamedTuple):
    entry: EntryResult
    game: str
    curve: tuple[float, ...]
    blocks: tuple[BlockPoint, ...]
    point: RunPoint


def pool_rows(pooled: Pooled) -> tuple[PoolRow, ...]:
    """Return what is told over the ranked runs of each protocol: of both pathways and each, of all games and each."""
    runs = _ranked_runs(pooled)
    rows: list[PoolRow] = []
    for protocol in sorted({run.entry.protocol for run in runs}):
        here = [run for run in runs if run.entry.protocol == protocol]
        ranges = _ranges(here)
        for pathway in (None, *get_args(Pathway)):
            within = [run for run in here if pathway in (None, run.entry.pathway)]
            for game in (None, *_games(within)):
                chosen = [run for run in within if game in (None, run.game)]
                rows += [_row(protocol, pathway, game, *each) for each in _coupled(chosen, ranges).items()]
                if game is not None and pathway is None:
                    rows.append(_row(protocol, None, game, "score_range", Measured(ranges[game], len(chosen))))
    rows += _pathways_compared(pooled.pairs)
    return tuple(rows)


def _ranked_runs(pooled: Pooled) -> list[_Run]:
    curves: dict[RunKey, list[float]] = defaultdict(list)
    for point in pooled.curves:
        if point.mean is not None:
            curves[point.entry, point.game].append(point.mean)
    blocks: dict[RunKey, list[BlockPoint]] = defaultdict(list)
    for block in pooled.blocks:
        blocks[block.entry, block.game].append(block)
    values = {(row.entry, row.game, row.metric): row.value for row in pooled.rows}

    def point_of(entry: str, game: str) -> RunPoint:
        return RunPoint(
            values[entry, game, "agreement"],
            values[entry, game, "self_rate"],
            values[entry, game, "reward_rate"],
            values[entry, game, "naba"],
        )

    return [
        _Run(
            entry,
            run.game,
            tuple(curves[entry.entry, run.game]),
            tuple(blocks[entry.entry, run.game]),
            point_of(entry.entry, run.game),
        )
        for entry in pooled.entries
        for run in entry.runs
        if run.ranked
    ]


def _games(runs: Sequence[_Run]) -> Iterator[str]:
    found = {run.game for run in runs}
    yield from (game.id for game in GAMES if game.id in found)


def _ranges(runs: Sequence[_Run]) -> dict[str, float]:
    """Return the span of checkpoint scores of each game over all runs of a protocol, both pathways, points."""
    curves: dict[str, list[Sequence[float]]] = defaultdict(list)
    for run in runs:
        curves[run.game].append(run.curve)
    return {game: score_range(each) for game, each in curves.items()}


def _coupled(runs: Sequence[_Run], ranges: Mapping[str, float]) -> Mapping[PoolMetric, Measured]:
    scaled = [
        Block(run.entry.entry, run.game, block.checkpoint, block.agreement, block.nmae, block.rise / ranges[run.game])
        for run in runs
        for block in run.blocks
        if ranges[run.game] > 0
    ]
    over_blocks, over_runs = coupling(scaled), run_level([run.point for run in runs])
    return {
        "rho_agreement_gain": over_blocks.rho_agreement,
        "rho_accuracy_gain": over_blocks.rho_error,
        "r_agreement_gain": over_blocks.r_agreement,
        "r_accuracy_gain": over_blocks.r_error,
        "gap_agreement": over_blocks.gap_agreement,
        "gap_accuracy": over_blocks.gap_error,
        "rho_agreement_naba": over_runs.rho_agreement,
        "r_agreement_naba": over_runs.r_agreement,
        "rho_self_rate_naba": over_runs.rho_self_rate,
        "r_self_rate_naba": over_runs.r_self_rate,
        "rho_reward_rate_naba": over_runs.rho_reward_rate,
        "r_reward_rate_naba": over_runs.r_reward_rate,
    }


def _pathways_compared(pairs: Sequence[PairRow]) -> Iterator[PoolRow]:
    """Yield how often each pathway is ahead in a game, and the mean Delta-NABA (the paper's Table 7)."""
    groups: dict[tuple[str, str], list[PairRow]] = defaultdict(list)
    for pair in pairs:
        if pair.metric == "delta_naba":
            groups[pair.protocol, pair.game].append(pair)
    place = {game.id: place for place, game in enumerate(GAMES)}
    for (protocol, game), group in sorted(groups.items(), key=lambda each: (each[0][0], place[each[0][1]])):
        known = [pair.value for pair in group if pair.value is not None]
        counts: dict[PoolMetric, int] = {
            "summary_wins": sum(value > 0 for value in known),
            "history_wins": sum(value < 0 for value in known),
            "pathway_ties": sum(value == 0 for value in known),
        }
        yield _row(protocol, None, game, "pairs", Measured(len(group), len(group)))
        for metric, count in counts.items():
            yield _row(protocol, None, game, metric, Measured(count, len(known)))
        yield _row(protocol, None, game, "mean_delta_naba", _mean(known))


def _mean(values: Sequence[float]) -> Measured:
    if not values:
        return missing("no pair has a Delta-NABA")
    found = mean_interval(values)
    if found.low is None or found.high is None:
        return Measured(found.mean, len(values)).within("one pair" if len(values) == 1 else "no variation")
    return Measured(found.mean, len(values)).within(Interval(found.low, found.high))


def _row(protocol: str, pathway: Pathway | None, game: str | None, metric: PoolMetric, each: Measured) -> PoolRow:
    return PoolRow(
        protocol=protocol,
        pathway=pathway,
        game=game,
        metric=metric,
        **each.fields,
    )
