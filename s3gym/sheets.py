"""Results as one looks things up in them: a sheet for each entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from scoring.metric_terms import EntryMetric, RunMetric
from scoring.results import EntryResult, EntryRow, Rank, Results, Row, RunResult

Place = tuple[str, RunMetric]
"""Game, metric."""


class Strict(NamedTuple):
    """How a run was examined."""

    checkpoints: int
    """All of the protocol, failed ones too."""
    episodes: int
    """Strict episodes of a checkpoint, repeats of x = 0 left out."""


class Sheet(NamedTuple):
    """One entry with its numbers."""

    entry: EntryResult
    rows: Mapping[Place, Row]
    totals: Mapping[EntryMetric, EntryRow]
    ranks: Mapping[Place, Rank]
    tied: frozenset[Place]
    """Where it and another entry cannot be told apart at the top of a table."""
    strict: Mapping[str, Strict]
    """By game."""

    def run(self, game: str) -> RunResult | None:
        """Return how the run of a game went, if the entry has one."""
        return next((run for run in self.entry.runs if run.game == game), None)


def sheets(results: Results) -> tuple[Sheet, ...]:
    """Return a sheet for each entry, in the order of the results."""
    rows: dict[str, dict[Place, Row]] = defaultdict(dict)
    for row in results.rows:
        rows[row.entry][row.game, row.metric] = row
    totals: dict[str, dict[EntryMetric, EntryRow]] = defaultdict(dict)
    for total in results.entry_rows:
        totals[total.entry][total.metric] = total
    ranks: dict[str, dict[Place, Rank]] = defaultdict(dict)
    for rank in results.ranks:
        ranks[rank.entry][rank.game, rank.metric] = rank
    tied, strict = _tied(results), _strict(results)
    return tuple(
        Sheet(
            entry,
            rows[entry.entry],
            totals[entry.entry],
            ranks[entry.entry],
            tied[entry.entry],
            strict[entry.entry],
        )
        for entry in results.entries
    )


def _tied(results: Results) -> Mapping[str, frozenset[Place]]:
    """Return where each entry cannot be told from another at the top: who is not separable from the first, and it."""
    tables: dict[tuple[object, ...], list[Rank]] = defaultdict(list)
    for rank in results.ranks:
        if rank.separable is False:
            tables[rank.protocol, rank.pathway, rank.game, rank.rules_version, rank.metric].append(rank)
    found: dict[str, set[Place]] = defaultdict(set)
    for table in tables.values():
        for rank in table if len(table) > 1 else ():
            found[rank.entry].add((rank.game, rank.metric))
    return defaultdict(frozenset, {entry: frozenset(places) for entry, places in found.items()})


def _strict(results: Results) -> Mapping[str, Mapping[str, Strict]]:
    found: dict[str, dict[str, Strict]] = defaultdict(dict)
    for point in results.curves:
        seen = found[point.entry].get(point.game, Strict(0, 0))
        # x = 0 may be played several times over.
        episodes = len(point.scores) + point.failed if point.checkpoint > 0 else 0
        found[point.entry][point.game] = Strict(seen.checkpoints + 1, max(seen.episodes, episodes))
    return found
