"""Summary Memory against History ICL: the tables of pairs, and what is told over pairs within a game."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from leaderboard.book import Book
from leaderboard.cells import entry_page, measured_cell
from leaderboard.terms import game_title, told
from leaderboard.text import visible_line
from leaderboard.view import Cell, Column, Line, Notes, Table, Term, count, rests_on, words
from scoring.metric_terms import PAIR_METRICS, POOL_METRICS, PoolMetric
from scoring.results import EntryResult, PairRow

POOLED: tuple[PoolMetric, ...] = ("pairs", "summary_wins", "history_wins", "pathway_ties", "mean_delta_naba")
MINUS_TERM = Term(
    "Minus", "the entry under History ICL, which is taken off: a positive difference is for Summary Memory"
)
WARNING_TERM = Term("Warning", "why the two may be no fair pair: nothing is carried yet at x = 0")


class Pair(NamedTuple):
    """Two entries of one model under one protocol."""

    summary: EntryResult
    history: EntryResult


def pathways_page_of(game: str) -> str:
    """Return the page of the pairs of a game."""
    return f"pathways/{game}.html"


def pairs_of(book: Book, protocol: str, game: str | None = None) -> tuple[Pair, ...]:
    """Return the pairs of a protocol, of one game or of any, in the order of the entries."""
    entries = {entry.entry: entry for entry in book.entries}
    partner = {
        row.summary: row.history
        for row in book.pair_rows.values()
        if row.protocol == protocol and game in (None, row.game)
    }
    return tuple(Pair(entry, entries[partner[entry.entry]]) for entry in book.entries if entry.entry in partner)


def paired_games(book: Book, protocol: str) -> tuple[str, ...]:
    """Return the games of which a protocol has a pair."""
    found = {row.game for row in book.pair_rows.values() if row.protocol == protocol}
    return tuple(game for game in book.games if game in found)


def pooled(book: Book, protocol: str) -> Table:
    """Return how often each pathway is ahead, game by game, and the mean Delta-NABA of the game."""
    notes = Notes()
    lines = []
    for game in paired_games(book, protocol):
        cells = []
        for metric in POOLED:
            row = book.pool_rows.get((protocol, None, game, metric))
            cell = measured_cell(notes, row, POOL_METRICS[metric])
            if metric == "mean_delta_naba" and row is not None and row.value is not None:
                cell = replace(cell, pieces=(*cell.pieces, rests_on(row.n)))
            cells.append(cell)
        lines.append(Line(words(game_title(game), href=pathways_page_of(game)), tuple(cells), game=game))
    columns = (
        Column("Game", "text"),
        *(Column(POOL_METRICS[metric].title, metric=f"pool:{metric}") for metric in POOLED),
    )
    terms = tuple(told(POOL_METRICS[metric]) for metric in POOLED)
    caption = f"Who is ahead by Delta-NABA, {protocol}"
    name = f"pathways-{protocol}"
    return Table(name, caption, columns, tuple(lines), tuple(notes.reasons), terms, protocol=protocol)


def overview(book: Book, protocol: str) -> Table:
    """Return pairs x games of Delta-NABA."""
    notes = Notes()
    games = paired_games(book, protocol)
    term = PAIR_METRICS["delta_naba"]
    lines = []
    for pair in pairs_of(book, protocol):
        cells = [_minus(pair)]
        for game in games:
            row = book.pair_rows.get((pair.summary.entry, pair.history.entry, game, "delta_naba"))
            if row is None:
                cells.append(notes.missing("one of the two runs is not ranked"))
                continue
            cell = measured_cell(notes, row, term)
            warned = row.warning and not cell.missing
            cells.append(replace(cell, note=notes.number(visible_line(row.warning or ""))) if warned else cell)
        lines.append(_line(pair, cells))
    columns = (
        Column("Summary Memory", "text"),
        Column("Minus", "text"),
        *(Column(game_title(game), metric=f"pair:delta_naba:{game}") for game in games),
    )
    caption = f"Delta-NABA of every pair, {protocol}"
    name = f"pathways-{protocol}-pairs"
    return Table(name, caption, columns, tuple(lines), tuple(notes.reasons), (told(term), MINUS_TERM))


def game_pairs(book: Book, protocol: str, game: str) -> Table:
    """Return every difference of every pair in a game."""
    notes = Notes()
    lines = []
    for pair in pairs_of(book, protocol, game):
        rows = {metric: book.pair_rows[pair.summary.entry, pair.history.entry, game, metric] for metric in PAIR_METRICS}
        cells = [_minus(pair), *(measured_cell(notes, row, PAIR_METRICS[metric]) for metric, row in rows.items())]
        cells += (count(rows["delta_avg"].n), _warning(notes, rows["delta_avg"]))
        lines.append(_line(pair, cells))
    columns = (
        Column("Summary Memory", "text"),
        Column("Minus", "text"),
        *(Column(term.title, metric=f"pair:{metric}") for metric, term in PAIR_METRICS.items()),
        Column("Shared checkpoints", metric="n:pair:delta_avg"),
        Column("Warning", "text", "warning"),
    )
    terms = (MINUS_TERM, *map(told, PAIR_METRICS.values()), WARNING_TERM)
    caption = f"Summary Memory minus History ICL in {game_title(game)}, {protocol}"
    name = f"pathways-{protocol}-{game}"
    return Table(name, caption, columns, tuple(lines), tuple(notes.reasons), terms, game=game)


def _warning(notes: Notes, row: PairRow) -> Cell:
    if not row.warning:
        return words("no")
    return Cell("yes", note=notes.number(visible_line(row.warning)))


def _minus(pair: Pair) -> Cell:
    return words(pair.history.entry, href=entry_page(pair.history.entry))


def _line(pair: Pair, cells: list[Cell]) -> Line:
    summary = pair.summary
    head = words(summary.entry, summary.model, summary.team, href=entry_page(summary.entry))
    return Line(head, tuple(cells), entry=summary.entry, other=pair.history.entry)
