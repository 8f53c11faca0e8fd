"""Results, checked once and looked up by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from games.registry import GAMES
from leaderboard.text import file_name
from protocol.context import Pathway
from protocol.preset import preset_named, preset_names
from scoring.metric_terms import EntryMetric, PairMetric, PoolMetric, RunMetric
from scoring.results import (
    RANKED_METRICS,
    CalibrationBin,
    CurvePoint,
    EntryResult,
    EntryRow,
    ExplorePoint,
    PairRow,
    PoolRow,
    Rank,
    Results,
    Row,
    RunKey,
    RunResult,
)

ValueKey = tuple[str, str, RunMetric]

PairKey = tuple[str, str, str, PairMetric]
"""The entry under Summary Memory, the one under History ICL, game, metric."""

PoolKey = tuple[str, Pathway | None, str | None, PoolMetric]
"""Protocol, pathway, game, metric; None is all of them."""

TableKey = tuple[str, str, str, int, RunMetric, int | None]
"""Protocol, pathway, game, rules version, metric, rank."""

KeyT = TypeVar("KeyT")
ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Book:
    """Results by entry, game and metric."""

    scorer: str
    entries: tuple[EntryResult, ...]
    """In an order that neither a name nor the order of files decides: that of the bundle digests."""
    runs: Mapping[RunKey, RunResult]
    rows: Mapping[ValueKey, Row]
    ranks: Mapping[ValueKey, Rank]
    curves: Mapping[RunKey, tuple[CurvePoint, ...]]
    explorations: Mapping[RunKey, tuple[ExplorePoint, ...]]
    entry_rows: Mapping[tuple[str, EntryMetric], EntryRow]
    pair_rows: Mapping[PairKey, PairRow]
    partners: Mapping[str, tuple[str, ...]]
    """The entries that each one is paired with."""
    pool_rows: Mapping[PoolKey, PoolRow]
    calibration: Mapping[RunKey, tuple[CalibrationBin, ...]]
    shared: Mapping[TableKey, int]
    """How many runs hold a rank in a table."""
    games: tuple[str, ...]
    """In their written order, then any that this version does not know."""

    def tied(self, rank: Rank) -> int:
        """Return how many runs share this rank, itself included."""
        return self.shared[_table_key(rank)]


def open_book(results: Results) -> Book:
    """Return the results by name.

    Raises:
        ValueError: If they contradict themselves, or a name in them is no safe file name.
    """
    entries = _unique(((entry.entry, entry) for entry in results.entries), "entries")
    for entry in results.entries:
        file_name(entry.entry, "results, entry")
        file_name(entry.protocol, f"results, entry {entry.entry}, protocol")
        for run in entry.runs:
            file_name(run.game, f"results, entry {entry.entry}, game")
    _check_protocols(results.entries)
    runs = _unique((((entry.entry, run.game), run) for entry in results.entries for run in entry.runs), "runs")
    rows = _unique((((row.entry, row.game, row.metric), row) for row in results.rows), "rows")
    ranks = _unique((((rank.entry, rank.game, rank.metric), rank) for rank in results.ranks), "ranks")
    curves = _grouped(((point.entry, point.game), point.checkpoint, point) for point in results.curves)
    explorations = _grouped(((point.entry, point.game), point.index, point) for point in results.explorations)
    calibration = _grouped(((each.entry, each.game), each.place, each) for each in results.calibration)
    found: set[RunKey] = {(entry, game) for entry, game, _ in (*rows, *ranks)} | curves.keys() | explorations.keys()
    found |= calibration.keys()
    found |= {(name, row.game) for row in results.pair_rows for name in (row.summary, row.history)}
    for entry_id, game in sorted(found - runs.keys()):
        raise ValueError(f"results: entry {entry_id!r} has numbers for {game!r} but no such run")
    book = Book(
        results.scorer,
        tuple(sorted(entries.values(), key=lambda entry: (entry.bundle_digest, entry.entry))),
        runs,
        rows,
        ranks,
        curves,
        explorations,
        _unique((((row.entry, row.metric), row) for row in results.entry_rows), "rows of entries"),
        _unique((((row.summary, row.history, row.game, row.metric), row) for row in results.pair_rows), "pairs"),
        _partners(results.pair_rows),
        _unique((((row.protocol, row.pathway, row.game, row.metric), row) for row in results.pool_rows), "pools"),
        calibration,
        Counter(map(_table_key, results.ranks)),
        _games(runs),
    )
    for rank in results.ranks:
        _check_rank(rank, entries[rank.entry], runs[rank.entry, rank.game])
    for row in results.rows:
        _check_group(row, entries[row.entry])
    for pair in results.pair_rows:
        _check_pair(pair, entries)
    for entry in results.entries:
        _check_complete(entry, book)
    return book


def wanted_games(protocol: str, entries: Iterable[EntryResult]) -> frozenset[str]:
    """Return the games that a complete entry of this protocol has."""
    played = {run.game for entry in entries if entry.protocol == protocol for run in entry.runs}
    return frozenset(played | set(preset_named(protocol).games) if protocol in preset_names() else played)


def _games(runs: Iterable[RunKey]) -> tuple[str, ...]:
    known = [game.id for game in GAMES]
    return (*known, *sorted({game for _, game in runs} - set(known)))


def _partners(rows: Iterable[PairRow]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row.summary, set()).add(row.history)
        found.setdefault(row.history, set()).add(row.summary)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _table_key(rank: Rank) -> TableKey:
    return (rank.protocol, rank.pathway, rank.game, rank.rules_version, rank.metric, rank.rank)


def _check_protocols(entries: Iterable[EntryResult]) -> None:
    seen: dict[str, EntryResult] = {}
    for entry in entries:
        first = seen.setdefault(entry.protocol, entry)
        if _protocol(first) != _protocol(entry):
            raise ValueError(
                f"results: {first.entry!r} and {entry.entry!r} differ in what protocol {entry.protocol} is"
            )


def _protocol(entry: EntryResult) -> tuple[str, str, bool, bool]:
    return (entry.protocol_digest, entry.protocol_title, entry.rankable, entry.released)


def _check_group(item: Row | Rank, entry: EntryResult) -> None:
    if (item.protocol, item.pathway) != (entry.protocol, entry.pathway):
        raise ValueError(
            f"results: expected {entry.entry!r} under {entry.protocol}, {entry.pathway} everywhere, "
            f"got {item.protocol}, {item.pathway} for {item.game}, {item.metric}"
        )


def _check_rank(rank: Rank, entry: EntryResult, run: RunResult) -> None:
    _check_group(rank, entry)
    if rank.rules_version != run.rules_version:
        raise ValueError(
            f"results: {rank.entry!r}, {rank.game}: ranked under rules {rank.rules_version}, played others"
        )
    if rank.rank is None and not rank.reason:
        raise ValueError(f"results: {rank.entry!r}, {rank.game}, {rank.metric}: no rank and no reason")


def _check_pair(pair: PairRow, entries: Mapping[str, EntryResult]) -> None:
    wanted = (("summary", pair.protocol), ("history", pair.protocol))
    sides = (entries[pair.summary], entries[pair.history])
    if tuple((side.pathway, side.protocol) for side in sides) != wanted:
        raise ValueError(f"results: {pair.summary!r} and {pair.history!r} are no pair under {pair.protocol}")


def _check_complete(entry: EntryResult, book: Book) -> None:
    """An entry in the main table holds every game of its protocol, ranked: a missing one never helps."""
    if entry.outside_main_table is not None:
        return
    for game in sorted(wanted_games(entry.protocol, book.entries)):
        for metric in RANKED_METRICS:
            rank = book.ranks.get((entry.entry, game, metric))
            if rank is None or rank.rank is None:
                raise ValueError(
                    f"results: entry {entry.entry!r} is in the main table but has no rank in {game}, {metric}; "
                    "give the reason in outside_main_table"
                )


def _unique(items: Iterable[tuple[KeyT, ItemT]], what: str) -> dict[KeyT, ItemT]:
    found: dict[KeyT, ItemT] = {}
    for name, item in items:
        if name in found:
            raise ValueError(f"results, {what}: expected {name} once, got it twice")
        found[name] = item
    return found


def _grouped(items: Iterable[tuple[RunKey, int, ItemT]]) -> dict[RunKey, tuple[ItemT, ...]]:
    found: dict[RunKey, list[tuple[int, ItemT]]] = {}
    for name, place, item in items:
        found.setdefault(name, []).append((place, item))
    for name, points in found.items():
        if len({place for place, _ in points}) != len(points):
            raise ValueError(f"results, points of {name}: expected each place once, got one twice")
    return {name: _in_order(points) for name, points in found.items()}


def _in_order(points: Sequence[tuple[int, ItemT]]) -> tuple[ItemT, ...]:
    return tuple(item for _, item in sorted(points, key=lambda point: point[0]))
