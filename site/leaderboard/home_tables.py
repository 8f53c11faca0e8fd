"""The tables of the home page: ranks over games, and who stands outside."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.book import Book
from leaderboard.cells import entry_cell, measured_cell, rank_cell
from leaderboard.standings import Group, standings
from leaderboard.terms import PATHWAYS, RANK_TERMS, game_title, meaning, title, told
from leaderboard.view import Cell, Column, Line, Notes, Piece, Table, count, words
from scoring.metric_terms import ENTRY_METRICS, EntryMetric, RunMetric
from scoring.ranking import MEAN_RANKS, RANK_SCORES
from scoring.results import RANKED_METRICS

_COUNTS: tuple[EntryMetric, ...] = ("games_improved", "games_beyond_noise")


def matrix(book: Book, group: Group, metric: RunMetric) -> Table:
    """Return entries x games of within-game ranks by one metric, and what they come to."""
    notes = Notes()
    lines = []
    over: tuple[EntryMetric, ...] = (MEAN_RANKS[metric], RANK_SCORES[metric], *_COUNTS)
    for standing in standings(book, group, metric):
        entry = standing.entry
        ranks = [rank_cell(book, notes, entry.entry, game, metric) for game in group.games]
        tail = (entry_metric(book, notes, entry.entry, name) for name in over)
        lines.append(Line(entry_cell(entry), (*ranks, *tail), entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        *(Column(game_title(game), metric=f"rank:{metric}:{game}") for game in group.games),
        *map(_column, over),
    )
    return Table(
        f"{group.id}-{metric}",
        f"Ranks by {title(metric)} within each game, {PATHWAYS[group.pathway]}, {group.protocol}",
        columns,
        tuple(lines),
        tuple(notes.reasons),
        (*meaning((metric,)), *RANK_TERMS, *map(told, map(ENTRY_METRICS.__getitem__, over))),
    )


def entry_metric(book: Book, notes: Notes, entry: str, metric: EntryMetric) -> Cell:
    """Return the cell of what is said of an entry over its games; a count says of how many games."""
    row, term = book.entry_rows.get((entry, metric)), ENTRY_METRICS[metric]
    cell = measured_cell(notes, row, term)
    if row is None or row.value is None or metric not in _COUNTS:
        return cell
    return replace(cell, pieces=((Piece("n", str(row.n), str(row.n), "of"),),))


def _column(metric: EntryMetric) -> Column:
    return Column(ENTRY_METRICS[metric].title, metric=f"entry:{metric}")


def outside(book: Book, group: Group) -> Table:
    """Return the entries that have no row in the matrix, each with its reason."""
    notes = Notes()
    lines = []
    for entry in group.entries:
        if entry.outside_main_table is None:
            continue
        ranked = sum(run.ranked for run in entry.runs)
        cells = (
            count(ranked),
            *(entry_metric(book, notes, entry.entry, metric) for metric in _COUNTS),
            words(entry.outside_main_table),
        )
        lines.append(Line(entry_cell(entry), cells, entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        Column(f"Games ranked, of\u202f{len(group.games)}", metric="games_ranked"),
        *map(_column, _COUNTS),
        Column("Why it has no row above", "text"),
    )
    caption = f"Outside the main table, {PATHWAYS[group.pathway]}, {group.protocol}"
    terms = tuple(told(ENTRY_METRICS[metric]) for metric in _COUNTS)
    return Table(f"{group.id}-outside", caption, columns, tuple(lines), tuple(notes.reasons), terms)


def matrices(book: Book, group: Group) -> tuple[Table, ...]:
    """Return one matrix for each ranked metric, the gain first."""
    order: tuple[RunMetric, ...] = ("auc_plus", *(metric for metric in RANKED_METRICS if metric != "auc_plus"))
    return tuple(matrix(book, group, metric) for metric in order)
