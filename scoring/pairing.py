"""Summary Memory against History ICL: entries of one model that differ in nothing but the pathway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from protocol.context import Pathway
from scoring.comparison import Side, differences, warning
from scoring.measured import Measured
from scoring.metric_terms import PairMetric
from scoring.results import EntryResult, PairRow, RunKey


class Pair(NamedTuple):
    """Two entries of one model."""

    summary: EntryResult
    history: EntryResult


def pairs(entries: Sequence[EntryResult]) -> tuple[Pair, ...]:
    """Return the pairs among entries of one team and model under equal protocol, seeds, budgets and decoding.

    An entry that departs from its protocol is in none. If a team has several entries of a pathway, they are paired in
    the order of their ids, the first with the first; what is left over is in no pair.
    """
    groups: dict[tuple[object, ...], dict[Pathway, list[EntryResult]]] = defaultdict(lambda: defaultdict(list))
    for entry in sorted(entries, key=lambda entry: entry.entry):
        if not entry.deviations:
            groups[_conditions(entry)][entry.pathway].append(entry)
    found = [Pair(*both) for group in groups.values() for both in zip(group["summary"], group["history"], strict=False)]
    return tuple(sorted(found, key=lambda pair: pair.summary.entry))


def pair_rows(entries: Sequence[EntryResult], sides: Mapping[RunKey, Side]) -> tuple[PairRow, ...]:
    """Return Summary Memory minus History ICL for every pair and every game that both have ranked.

    Args:
        entries: All of them.
        sides: Every run, by entry and game.
    """
    return tuple(row for pair in pairs(entries) for row in _rows(pair, sides))


def _conditions(entry: EntryResult) -> tuple[object, ...]:
    return (
        entry.team,
        entry.model,
        entry.endpoint,
        entry.conditions,
    )


def _rows(pair: Pair, sides: Mapping[RunKey, Side]) -> Iterator[PairRow]:
    theirs = {run.game for run in pair.history.runs if run.ranked}
    for run in pair.summary.runs:
        if run.ranked and run.game in theirs:
            summary, history = sides[pair.summary.entry, run.game], sides[pair.history.entry, run.game]
            told = warning(summary, history)
            for metric, each in differences(summary, history).items():
                yield _row(pair, run.game, metric, each, told)


def _row(pair: Pair, game: str, metric: PairMetric, each: Measured, told: str | None) -> PairRow:
    return PairRow(
        summary=pair.summary.entry,
        history=pair.history.entry,
        protocol=pair.summary.protocol,
        game=game,
        metric=metric,
        warning=told,
        **each.fields,
    )
