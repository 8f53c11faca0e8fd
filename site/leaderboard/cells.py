"""Cells that stand in more than one table."""

from __future__ import annotations

from leaderboard.book import Book
from leaderboard.numbers import full, shown
from leaderboard.text import visible_line
from leaderboard.view import Cell, Notes, Tone, words
from scoring.metric_terms import RunMetric
from scoring.results import EntryResult

_TONES: dict[int, Tone] = {1: "first", 2: "second", 3: "third"}
TIE = "="


def entry_page(entry: str) -> str:
    """Return the page of an entry."""
    return f"entries/{entry}.html"


def game_page(game: str) -> str:
    """Return the page of a game."""
    return f"games/{game}.html"


def entry_cell(entry: EntryResult) -> Cell:
    """Return the cell that heads an entry's row."""
    return words(entry.entry, entry.model, entry.team, href=entry_page(entry.entry))


def place_cell(place: int, shared: bool) -> Cell:
    """Return the cell of a place among others."""
    return Cell(f"{place}{TIE if shared else ''}", str(place), tone=_TONES.get(place, ""))


def rank_cell(book: Book, notes: Notes, entry: str, game: str, metric: RunMetric) -> Cell:
    """Return the cell of a rank."""
    rank = book.ranks.get((entry, game, metric))
    if rank is None or rank.rank is None:
        return notes.missing(_why(book, entry, game, rank.reason if rank else None, "not ranked"))
    return place_cell(rank.rank, book.tied(rank) > 1)


def value_cell(book: Book, notes: Notes, entry: str, game: str, metric: RunMetric) -> Cell:
    """Return the cell of a metric, its interval below it where it has one."""
    row = book.rows.get((entry, game, metric))
    if row is None or row.value is None:
        return notes.missing(_why(book, entry, game, row.reason if row else None, "not computed"))
    note = notes.number(visible_line(row.reason)) if row.reason else None
    under = (f"{shown(row.low)} to {shown(row.high)}",) if row.low is not None and row.high is not None else ()
    return Cell(shown(row.value), full(row.value), note=note, under=under)


def _why(book: Book, entry: str, game: str, reason: str | None, otherwise: str) -> str:
    if reason:
        return reason
    run = book.runs.get((entry, game))
    if run is None:
        return "the entry holds no run of this game"
    return run.reason or otherwise
