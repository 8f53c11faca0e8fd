"""From verified bundles to Results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from protocol.comparable import outside
from protocol.preset import is_released
from scoring.comparison import Side, sides
from scoring.entry_numbers import EntryNumbers, seal
from scoring.pairing import pair_rows
from scoring.pools import Pooled, pool_rows
from scoring.ranking import RankedRun, entry_rows, ranks
from scoring.results import (
    BlockPoint,
    CalibrationBin,
    CurvePoint,
    EntryResult,
    ExplorePoint,
    Results,
    Row,
    RunKey,
    RunResult,
)
from scoring.run_rows import bundle_rows
from scoring.verified import VerifiedBundle
from scoring.verify import scorer_version


def score(bundles: Iterable[VerifiedBundle]) -> Results:
    """Return the results of verified bundles; their order does not matter.

    Of each bundle only its numbers are kept, so bundles may be made one by one as they are asked for.

    Raises:
        ValueError: If two bundles name the same entry, or one protocol name stands for two protocols.
    """
    return results_of(map(measure, bundles))


def measure(bundle: VerifiedBundle) -> EntryNumbers:
    """Return the numbers of a verified bundle, without its records."""
    runs = bundle_rows(bundle)
    return EntryNumbers(
        entry=_entry_result(bundle, [run.result for run in runs]),
        rows=tuple(chain.from_iterable(run.rows for run in runs)),
        curves=tuple(chain.from_iterable(run.curve for run in runs)),
        explorations=tuple(chain.from_iterable(run.explorations for run in runs)),
        blocks=tuple(chain.from_iterable(run.blocks for run in runs)),
        calibration=tuple(chain.from_iterable(run.calibration for run in runs)),
        report=bundle.report,
        maker=seal(),
    )


def results_of(numbers: Iterable[EntryNumbers]) -> Results:
    """Return the results of scored entries; their order does not matter.

    Raises:
        ValueError: If two bundles named the same entry, or one protocol name stands for two protocols.
    """
    every = sorted(numbers, key=lambda each: each.entry.entry)
    for each in every:
        if each.report.scorer != scorer_version():
            raise ValueError(f"entry {each.entry.entry}: measured by scorer {each.report.scorer}; score it again")
    return assembled(
        Parts(
            entries=tuple(each.entry for each in every),
            rows=tuple(chain.from_iterable(each.rows for each in every)),
            curves=tuple(chain.from_iterable(each.curves for each in every)),
            explorations=tuple(chain.from_iterable(each.explorations for each in every)),
            blocks=tuple(chain.from_iterable(each.blocks for each in every)),
            calibration=tuple(chain.from_iterable(each.calibration for each in every)),
        )
    )


class Parts(NamedTuple):
    """The numbers of all entries, in order of the entries' ids."""

    entries: tuple[EntryResult, ...]
    rows: tuple[Row, ...]
    curves: tuple[CurvePoint, ...]
    explorations: tuple[ExplorePoint, ...]
    blocks: tuple[BlockPoint, ...]
    calibration: tuple[CalibrationBin, ...]


def assembled(parts: Parts) -> Results:
    """Return what follows from the numbers of all entries together: ranks, pairs and pools beside them.

    Raises:
        ValueError: If an entry is there twice, or one protocol name stands for two protocols.
    """
    _check(parts.entries)
    runs = sides(parts.rows, parts.curves)
    table = ranks(_ranked_runs(parts.entries, runs))
    pairs = pair_rows(parts.entries, runs)
    return Results(
        scorer=scorer_version(),
        entries=parts.entries,
        rows=parts.rows,
        entry_rows=entry_rows(parts.entries, table),
        pair_rows=pairs,
        pool_rows=pool_rows(Pooled(parts.entries, parts.rows, parts.curves, parts.blocks, pairs)),
        curves=parts.curves,
        explorations=parts.explorations,
        blocks=parts.blocks,
        calibration=parts.calibration,
        ranks=table,
    )


def _check(entries: Sequence[EntryResult]) -> None:
    for one, other in pairwise(entries):
        if one.entry == other.entry:
            raise ValueError(f"entry: expected each entry once, got {one.entry!r} twice")
    first: dict[str, EntryResult] = {}
    for each in entries:
        entry = first.setdefault(each.protocol, each)
        if entry.protocol_digest != each.protocol_digest:
            raise ValueError(
                f"protocol {entry.protocol}: expected one protocol of this name, got two, by {entry.entry!r} and "
                f"{each.entry!r}; score them apart"
            )


def _ranked_runs(entries: Iterable[EntryResult], sides_of: Mapping[RunKey, Side]) -> list[RankedRun]:
    found = []
    for entry in entries:
        for run in entry.runs:
            here = sides_of[entry.entry, run.game]
            values = {name: each.value for name, each in here.values.items()}
            found.append(RankedRun(entry, run, values, here.curve))
    return found


def _entry_result(bundle: VerifiedBundle, runs: Sequence[RunResult]) -> EntryResult:
    manifest, preset = bundle.manifest, bundle.preset
    return EntryResult(
        entry=manifest.entry,
        team=manifest.team,
        model=manifest.model,
        pathway=manifest.options.pathway,
        protocol=manifest.protocol,
        protocol_digest=preset.digest,
        protocol_title=preset.title,
        rankable=preset.rankable,
        released=is_released(preset),
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
    reason = outside(bundle.preset, {run.game for run in runs})
    unranked = next((run for run in runs if not run.ranked), None)
    if reason is None and unranked is not None:
        return f"{unranked.game} is not ranked: {unranked.reason}"
    return reason
