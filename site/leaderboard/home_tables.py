"""The tables of the home page: ranks over games, and who stands outside."""

from __future__ import annotations

from leaderboard.book import Book
from leaderboard.cells import entry_cell, rank_cell
from leaderboard.numbers import full, shown
from leaderboard.standings import Group, improved, standings
from leaderboard.terms import IMPROVED_TERM, MEAN_RANK_TERM, PATHWAYS, RANK_TERMS, game_title, meaning, title
from leaderboard.view import Cell, Column, Line, Notes, Table, count, words
from scoring.metric_terms import RunMetric
from scoring.results import RANKED_METRICS


def matrix(book: Book, group: Group, metric: RunMetric) -> Table:
    """Return entries x games of within-game ranks by one metric."""
    notes = Notes()
    lines = []
    for standing in standings(book, group, metric):
        entry = standing.entry
        ranks = [rank_cell(book, notes, entry.entry, game, metric) for game in group.games]
        mean = float(standing.mean_rank)
        tail = (Cell(shown(mean), full(mean)), count(standing.improved))
        lines.append(Line(entry_cell(entry), (*ranks, *tail), entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        *(Column(game_title(game), metric=f"rank:{metric}:{game}") for game in group.games),
        Column("Mean rank", metric=f"mean_rank:{metric}"),
        Column(f"Improved (naive), of\u202f{len(group.games)}", metric="improved"),
    )
    return Table(
        f"{group.id}-{metric}",
        f"Ranks by {title(metric)} within each game, {PATHWAYS[group.pathway]}, {group.protocol}",
        columns,
        tuple(lines),
        tuple(notes.reasons),
        (*meaning((metric,)), *RANK_TERMS, MEAN_RANK_TERM, IMPROVED_TERM),
    )


def outside(book: Book, group: Group) -> Table:
    """Return the entries that have no row in the matrix, each with its reason."""
    lines = []
    for entry in group.entries:
        if entry.outside_main_table is None:
            continue
        ranked = sum(run.ranked for run in entry.runs)
        cells = (
            count(ranked),
            count(improved(book, group, entry)),
            words(entry.outside_main_table),
        )
        lines.append(Line(entry_cell(entry), cells, entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        Column(f"Games ranked, of\u202f{len(group.games)}", metric="games_ranked"),
        Column("Improved (naive)", metric="improved"),
        Column("Why it has no row above", "text"),
    )
    caption = f"Outside the main table, {PATHWAYS[group.pathway]}, {group.protocol}"
    return Table(f"{group.id}-outside", caption, columns, tuple(lines), terms=(IMPROVED_TERM,))


def matrices(book: Book, group: Group) -> tuple[Table, ...]:
    """Return one matrix for each ranked metric, the gain first."""
    order: tuple[RunMetric, ...] = ("auc_plus", *(metric for metric in RANKED_METRICS if metric != "auc_plus"))
    return tuple(matrix(book, group, metric) for metric in order)
