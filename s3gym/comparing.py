"""Two entries of one protocol beside each other, game by game; nothing is averaged over games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from s3gym.sheets import Sheet, sheets
from scoring.comparison import Ahead, ahead, differences, obstacles, sides, warning
from scoring.measured import Measured
from scoring.metric_terms import PairMetric
from scoring.results import EntryResult, Results

SCHEMA = "s3gym-comparison-1"
Told = Literal["A higher", "B higher", "not separable", "cannot be told"]
_TOLD: Mapping[Ahead | None, Told] = {
    "one": "A higher",
    "other": "B higher",
    "neither": "not separable",
    None: "cannot be told",
}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class ComparedMetric(_Frozen):
    """One metric of A minus the same of B."""

    metric: PairMetric
    value: float | None
    n: int
    """Checkpoints that it rests on."""
    low: float | None
    """Lower bound of its 95% interval, conditional on this round's seeds."""
    high: float | None
    reason: str | None
    """Why there is no value."""
    no_bounds: str | None
    """Why there is no interval where one could be."""
    told: Told | None
    """Which is higher, where 0 lies outside the interval; None for what never has an interval."""


class ComparedGame(_Frozen):
    """One game that both have played."""

    game: str
    y0_a: float | None
    y0_b: float | None
    metrics: tuple[ComparedMetric, ...]
    warning: str | None
    """Why the two may be no pair: one model, and different where nothing was carried yet."""
    remarks: tuple[str, ...]


class Comparison(_Frozen):
    """A minus B."""

    schema_id: str = SCHEMA
    scorer: str
    protocol: str
    a: str
    b: str
    pathways: bool
    """Whether they are the pathways of one model; then A is Summary Memory and B is History ICL."""
    unequal: tuple[str, ...]
    """What differs beside what is compared."""
    alone: tuple[str, ...]
    """What is not compared, and why."""
    games: tuple[ComparedGame, ...]


def compare(results: Results, one: str, other: str) -> Comparison:
    """Return the first entry minus the second; of the pathways of one model always Summary Memory minus History ICL.

    Raises:
        ValueError: If one is not there, they are the same, or they played different protocols.
    """
    a, b = _sheet(results, one), _sheet(results, other)
    if one == other:
        raise ValueError(f"entries: expected two, got {one!r} twice")
    if a.entry.protocol_digest != b.entry.protocol_digest or a.entry.protocol != b.entry.protocol:
        raise ValueError(
            f"protocol: expected two entries of one protocol, got {a.entry.protocol} ({a.entry.protocol_digest[:12]}) "
            f"and {b.entry.protocol} ({b.entry.protocol_digest[:12]}); scores of different protocols cannot be compared"
        )
    pathways = a.entry.model == b.entry.model and a.entry.pathway != b.entry.pathway
    if pathways and a.entry.pathway == "history":
        a, b = b, a
    return Comparison(
        scorer=results.scorer,
        protocol=a.entry.protocol,
        a=a.entry.entry,
        b=b.entry.entry,
        pathways=pathways,
        unequal=obstacles(a.entry, b.entry),
        alone=tuple(_alone(a, b)),
        games=tuple(_games(results, a, b)),
    )


def _sheet(results: Results, entry: str) -> Sheet:
    found = {sheet.entry.entry: sheet for sheet in sheets(results)}
    if entry not in found:
        names = ", ".join(found) if len(found) <= 10 else f"one of {len(found)}"
        raise ValueError(f"entry: expected {names or 'one, but there is none'}, got {entry[:80]!r}")
    return found[entry]


def _alone(a: Sheet, b: Sheet) -> Iterator[str]:
    for mine, theirs in ((a, b), (b, a)):
        games = [run.game for run in mine.entry.runs if theirs.run(run.game) is None]
        if games:
            yield f"only {mine.entry.entry} has played {', '.join(games)}"
    for run in a.entry.runs:
        same = b.run(run.game)
        if same is not None and same.rules_version != run.rules_version:
            yield f"{run.game} has rules version {run.rules_version} and {same.rules_version}"


def _games(results: Results, a: Sheet, b: Sheet) -> Iterator[ComparedGame]:
    both = sides(results.rows, results.curves)
    for run in a.entry.runs:
        other = b.run(run.game)
        if other is None or other.rules_version != run.rules_version:
            continue
        mine, theirs = both[a.entry.entry, run.game], both[b.entry.entry, run.game]
        found, told = differences(mine, theirs), ahead(mine, theirs)
        yield ComparedGame(
            game=run.game,
            y0_a=a.rows[run.game, "y0"].value,
            y0_b=b.rows[run.game, "y0"].value,
            metrics=tuple(
                _metric(metric, each, _TOLD[told[metric]] if metric in told else None) for metric, each in found.items()
            ),
            warning=warning(mine, theirs) if a.entry.model == b.entry.model else None,
            remarks=tuple(_remarks(a.entry, b.entry, run.game)),
        )


def _remarks(a: EntryResult, b: EntryResult, game: str) -> Iterator[str]:
    for entry in (a, b):
        for run in entry.runs:
            if run.game == game:
                yield from ([f"{entry.entry} is not ranked: {run.reason}"] if run.reason else [])
                yield from (f"{entry.entry}: {mark}" for mark in run.marks)


def _metric(metric: PairMetric, each: Measured, told: Told | None) -> ComparedMetric:
    return ComparedMetric(
        metric=metric,
        told=told,
        **each.fields,
    )
