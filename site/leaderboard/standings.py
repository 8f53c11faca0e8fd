"""Who stands where: ranks over games, and nothing that mixes the games' own points."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leaderboard.book import Book, wanted_games
from leaderboard.terms import protocol_place, protocol_title
from protocol.context import Pathway
from scoring.metric_terms import RunMetric
from scoring.results import RANKED_METRICS, EntryResult, Rank

SCHEMA = "s3gym-standings-1"


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that may share a table: one protocol, one pathway, one version of every game's rules."""

    protocol: str
    title: str
    pathway: Pathway
    rankable: bool
    games: tuple[str, ...]
    rules: tuple[tuple[str, int | None], ...]
    """Rules versions of the games of which this protocol has seen more than one."""
    entries: tuple[EntryResult, ...]

    @property
    def id(self) -> str:
        """Return a name that is unique among the groups."""
        rules = "".join(f"-{game}-{version or 0}" for game, version in self.rules)
        return f"{self.protocol}-{self.pathway}{rules}"

    @property
    def complete(self) -> tuple[EntryResult, ...]:
        """Return the entries that hold every game, ranked."""
        return tuple(entry for entry in self.entries if entry.outside_main_table is None)


@dataclass(frozen=True, slots=True)
class Standing:
    """One complete entry in the matrix of one metric."""

    entry: EntryResult
    ranks: tuple[Rank, ...]
    """One a game, in the order of the group's games."""
    mean_rank: Fraction
    improved: int
    """Games with AUC+ > 0: the naive count."""


def groups(book: Book) -> tuple[Group, ...]:
    """Return the groups: rankable protocols first, of those the released ones, then by name."""
    found: dict[tuple[tuple[bool, bool], str, Pathway, tuple[tuple[str, int | None], ...]], list[EntryResult]] = {}
    mixed = _mixed_rules(book)
    for entry in book.entries:
        versions = {run.game: run.rules_version for run in entry.runs}
        rules = tuple((game, versions.get(game)) for game in mixed.get(entry.protocol, ()))
        found.setdefault((protocol_place(entry), entry.protocol, entry.pathway, rules), []).append(entry)
    return tuple(
        _group(book, protocol, pathway, rules, found[place, protocol, pathway, rules])
        for place, protocol, pathway, rules in sorted(found, key=repr)
    )


def _group(
    book: Book, protocol: str, pathway: Pathway, rules: tuple[tuple[str, int | None], ...], entries: list[EntryResult]
) -> Group:
    wanted = wanted_games(protocol, book.entries)
    order = [*book.games, *sorted(wanted - set(book.games))]
    first = entries[0]
    games = tuple(game for game in order if game in wanted)
    return Group(protocol, protocol_title(first), pathway, first.rankable, games, rules, tuple(entries))


def _mixed_rules(book: Book) -> dict[str, tuple[str, ...]]:
    versions: dict[tuple[str, str], set[int]] = {}
    for entry in book.entries:
        for run in entry.runs:
            versions.setdefault((entry.protocol, run.game), set()).add(run.rules_version)
    mixed: dict[str, tuple[str, ...]] = {}
    for (protocol, game), seen in sorted(versions.items()):
        if len(seen) > 1:
            mixed[protocol] = (*mixed.get(protocol, ()), game)
    return mixed


def standings(book: Book, group: Group, metric: RunMetric) -> tuple[Standing, ...]:
    """Return the complete entries by mean within-game rank; equal means stand in the order of their digests."""
    found = []
    for entry in group.complete:
        ranks = tuple(book.ranks[entry.entry, game, metric] for game in group.games)
        places = [rank.rank for rank in ranks if rank.rank is not None]
        assert len(places) == len(group.games)
        found.append(Standing(entry, ranks, Fraction(sum(places), len(places)), improved(book, group, entry)))
    return tuple(sorted(found, key=lambda standing: standing.mean_rank))


def improved(book: Book, group: Group, entry: EntryResult) -> int:
    """Return in how many games AUC+ is above zero."""
    values = (book.rows.get((entry.entry, game, "auc_plus")) for game in group.games)
    return sum(row is not None and row.value is not None and row.value > 0 for row in values)


def standings_json(book: Book) -> str:
    """Return the standings as strict JSON: what the home page adds to the results."""
    tables = list(_tables(book))
    return json.dumps({"schema_id": SCHEMA, "scorer": book.scorer, "tables": tables}, indent=1, allow_nan=False) + "\n"


def _tables(book: Book) -> Iterator[dict[str, object]]:
    for group in groups(book):
        for metric in RANKED_METRICS:
            yield {
                "protocol": group.protocol,
                "pathway": group.pathway,
                "rules": dict(group.rules),
                "metric": metric,
                "games": group.games,
                "entries": [
                    {
                        "entry": standing.entry.entry,
                        "ranks": [rank.rank for rank in standing.ranks],
                        "mean_rank": float(standing.mean_rank),
                        "games_improved_naive": standing.improved,
                        "games_beyond_noise": sum(run.beyond_noise is True for run in standing.entry.runs),
                    }
                    for standing in standings(book, group, metric)
                ],
            }
