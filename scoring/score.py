"""From verified bundles to Results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from games.registry import GAMES
from protocol.checkpoints import checkpoint_records
from protocol.records import CheckpointRecord
from scoring.entry_numbers import EntryNumbers, seal
from scoring.measured import Measured
from scoring.metrics.ranks import competition_ranks
from scoring.results import (
    RANKED_METRICS,
    CurvePoint,
    EntryResult,
    ExplorePoint,
    Metric,
    Rank,
    Results,
    Row,
    RunResult,
)
from scoring.run_metrics import curve_metrics
from scoring.standing import run_result
from scoring.verified import VerifiedBundle, VerifiedRun
from scoring.verify import scorer_version


class _ScoredRun(NamedTuple):
    result: RunResult
    rows: tuple[Row, ...]
    curve: tuple[CurvePoint, ...]
    explorations: tuple[ExplorePoint, ...]


def score(bundles: Iterable[VerifiedBundle]) -> Results:
    """Return the results of verified bundles; their order does not matter.

    Of each bundle only its numbers are kept, so bundles may be made one by one as they are asked for.

    Raises:
        ValueError: If two bundles name the same entry.
    """
    return results_of(map(measure, bundles))


def measure(bundle: VerifiedBundle) -> EntryNumbers:
    """Return the numbers of a verified bundle, without its records."""
    runs = [_score_run(bundle, run) for run in bundle.runs]
    return EntryNumbers(
        entry=_entry_result(bundle, [run.result for run in runs]),
        rows=tuple(chain.from_iterable(run.rows for run in runs)),
        curves=tuple(chain.from_iterable(run.curve for run in runs)),
        explorations=tuple(chain.from_iterable(run.explorations for run in runs)),
        report=bundle.report,
        maker=seal(),
    )


def results_of(numbers: Iterable[EntryNumbers]) -> Results:
    """Return the results of scored entries; their order does not matter.

    Raises:
        ValueError: If two bundles named the same entry.
    """
    every = sorted(numbers, key=lambda each: each.entry.entry)
    for one, other in pairwise(every):
        if one.entry.entry == other.entry.entry:
            raise ValueError(f"entry: expected each entry once, got {one.entry.entry!r} twice")
    entries = [each.entry for each in every]
    rows = tuple(chain.from_iterable(each.rows for each in every))
    return Results(
        scorer=scorer_version(),
        entries=tuple(entries),
        rows=rows,
        curves=tuple(chain.from_iterable(each.curves for each in every)),
        explorations=tuple(chain.from_iterable(each.explorations for each in every)),
        ranks=_ranks(entries, rows),
    )


def _score_run(bundle: VerifiedBundle, run: VerifiedRun) -> _ScoredRun:
    manifest, game = bundle.manifest, run.game.id
    records = [episode.record for episode in run.episodes]
    checkpoints = checkpoint_records(bundle.preset, game, records)

    def row(metric: Metric, value: float | None, n: int, reason: str | None) -> Row:
        return Row(
            entry=manifest.entry,
            protocol=manifest.protocol,
            pathway=manifest.options.pathway,
            game=game,
            metric=metric,
            value=value,
            n=n,
            low=None,
            high=None,
            reason=reason,
        )

    curve = tuple(
        CurvePoint(
            entry=manifest.entry,
            game=game,
            checkpoint=checkpoint.checkpoint,
            mean=checkpoint.score,
            scores=tuple(
                record.score
                for record in records
                if record.checkpoint == checkpoint.checkpoint and record.score is not None
            ),
            failed=sum(record.checkpoint == checkpoint.checkpoint and record.status == "failed" for record in records),
        )
        for checkpoint in checkpoints
    )
    explorations = tuple(
        ExplorePoint(entry=manifest.entry, game=game, index=record.index, score=record.score)
        for record in records
        if record.phase == "explore"
    )
    rows = tuple(row(*measured) for measured in _measure(checkpoints))
    return _ScoredRun(run_result(manifest, bundle.preset, run, checkpoints), rows, curve, explorations)


def _measure(checkpoints: Sequence[CheckpointRecord]) -> list[tuple[Metric, float | None, int, str | None]]:
    """Return (metric, value, checkpoints it rests on, reason) of a run."""
    found = curve_metrics(checkpoints)
    measured: dict[Metric, Measured] = {
        "y0": found.y0,
        "avg": found.avg,
        "max": found.max,
        "avg_floor": found.avg_floor,
        "auc_plus": found.auc_plus,
        "auc_plus_floor": found.auc_plus_floor,
        "final_delta": found.final_delta,
    }
    return [(name, each.value, each.n, each.reason) for name, each in measured.items()]


def _entry_result(bundle: VerifiedBundle, runs: Sequence[RunResult]) -> EntryResult:
    manifest, preset = bundle.manifest, bundle.preset
    return EntryResult(
        entry=manifest.entry,
        team=manifest.team,
        model=manifest.model,
        pathway=manifest.options.pathway,
        protocol=manifest.protocol,
        protocol_title=preset.title,
        rankable=preset.rankable,
        bundle_digest=bundle.digest,
        keyid=bundle.keyid,
        endpoint=manifest.endpoint,
        decoding=manifest.decoding,
        input_budget=manifest.input_budget,
        output_budget=manifest.output_budget,
        deviations=manifest.deviations,
        totals=manifest.totals,
        runs=tuple(runs),
        outside_main_table=_outside(bundle, runs),
    )


def _outside(bundle: VerifiedBundle, runs: Sequence[RunResult]) -> str | None:
    played = {run.game for run in runs}
    missing = [game for game in bundle.preset.games if game not in played]
    if not bundle.preset.rankable:
        return f"protocol {bundle.preset.id} is never ranked"
    if missing:
        return f"incomplete: {len(played)} of {len(bundle.preset.games)} games, without {', '.join(missing)}"
    unranked = [run for run in runs if not run.ranked]
    return f"{unranked[0].game} is not ranked: {unranked[0].reason}" if unranked else None


def _ranks(entries: Sequence[EntryResult], rows: Sequence[Row]) -> tuple[Rank, ...]:
    values = {(row.entry, row.game, row.metric): row.value for row in rows}
    order = {game.id: place for place, game in enumerate(GAMES)}
    tables: dict[tuple[str, str, str, int], list[tuple[EntryResult, RunResult]]] = defaultdict(list)
    for entry in entries:
        for run in entry.runs:
            tables[(entry.protocol, entry.pathway, run.game, run.rules_version)].append((entry, run))
    ranks: list[Rank] = []
    for key in sorted(tables, key=lambda key: (key[0], key[1], order[key[2]], key[3])):
        for metric in RANKED_METRICS:
            ranks += _rank_table(tables[key], metric, values)
    return tuple(ranks)


def _rank_table(
    table: Sequence[tuple[EntryResult, RunResult]],
    metric: Metric,
    values: dict[tuple[str, str, Metric], float | None],
) -> list[Rank]:
    floors: dict[Metric, Metric] = {"avg": "avg_floor", "auc_plus": "auc_plus_floor"}

    def ranked_value(entry: str, game: str) -> float | None:
        """Return the value that ranks use: the lower of the two where failing could pay."""
        both = [values[(entry, game, name)] for name in (metric, floors.get(metric, metric))]
        known = [value for value in both if value is not None]
        return min(known) if len(known) == len(both) else None

    ranked = {}
    for entry, run in table:
        value = ranked_value(entry.entry, run.game)
        if run.ranked and value is not None:
            ranked[entry.entry] = value
    places = competition_ranks(ranked)
    return [
        Rank(
            protocol=entry.protocol,
            pathway=entry.pathway,
            game=run.game,
            rules_version=run.rules_version,
            metric=metric,
            entry=entry.entry,
            rank=places.get(entry.entry),
            n=len(places),
            reason=None if entry.entry in places else run.reason or "it has no value",
        )
        for entry, run in table
    ]
