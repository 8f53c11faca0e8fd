"""Cells that stand in more than one table."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.book import Book
from leaderboard.numbers import THIN, full, shown, shown_count
from leaderboard.terms import GAINS
from leaderboard.text import visible_line
from leaderboard.view import Cell, Notes, Piece, Tone, interval, words
from protocol.decoding import beside_temperature, one_line
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.metric_terms import Term as MetricTerm
from scoring.results import EntryResult, EntryRow, PairRow, PoolRow, Row
from scoring.statistics.trend import LEVEL

AnyRow = Row | EntryRow | PairRow | PoolRow
Pieces = tuple[Piece, ...]

_TONES: dict[int, Tone] = {1: "first", 2: "second", 3: "third"}
TIE = "="
CLOSE = "≈"
_SHOWN = 100
"""Characters of an entry's settings in a row; its page has them all."""
WHOLE_UNITS = frozenset({"games", "pairs"})
_NEEDED_FOR_GAIN: tuple[RunMetric, ...] = ("auc_plus", "trend_p_adjusted")


def entry_page(entry: str) -> str:
    """Return the page of an entry."""
    return f"entries/{entry}.html"


def game_page(game: str) -> str:
    """Return the page of a game."""
    return f"games/{game}.html"


def entry_cell(entry: EntryResult) -> Cell:
    """Return the cell that heads an entry's row: who it is, and what was set beside the temperature."""
    settings = one_line(beside_temperature(entry.decoding))
    short = settings if len(settings) <= _SHOWN else f"{settings[:_SHOWN]}…"
    return words(entry.entry, entry.model, entry.team, short, href=entry_page(entry.entry))


def place_cell(place: int, shared: bool) -> Cell:
    """Return the cell of a place among others."""
    return Cell(f"{place}{TIE if shared else ''}", str(place), tone=_TONES.get(place, ""))


def rank_cell(book: Book, notes: Notes, entry: str, game: str, metric: RunMetric) -> Cell:
    """Return the cell of a rank."""
    rank = book.ranks.get((entry, game, metric))
    if rank is None or rank.rank is None:
        return notes.missing(_why(book, entry, game, rank.reason if rank else None, "not ranked"))
    cell = place_cell(rank.rank, book.tied(rank) > 1)
    if rank.separable is not False or rank.rank == 1:
        return cell
    apart = THIN if cell.text.endswith(TIE) else ""
    return replace(cell, text=f"{cell.text}{apart}{CLOSE}", aside="not separable from the first")


def value_cell(book: Book, notes: Notes, entry: str, game: str, metric: RunMetric, *lines: Pieces) -> Cell:
    """Return the cell of a metric of a run, its interval below it where it has one.

    Args:
        book: All results.
        notes: Of the table.
        entry: Whose run.
        game: In which game.
        metric: What was measured.
        lines: Further numbers below a value.
    """
    row = book.rows.get((entry, game, metric))
    if row is None or row.value is None:
        return notes.missing(_why(book, entry, game, row.reason if row else None, "not computed"))
    return measured_cell(notes, row, RUN_METRICS[metric], *lines)


def measured_cell(notes: Notes, row: AnyRow | None, term: MetricTerm, *lines: Pieces) -> Cell:
    """Return the cell of any number of the results; what there is to say of it is a note."""
    if row is None or row.value is None:
        return notes.missing(row.reason if row and row.reason else "not computed")
    none = f"no interval: {row.no_bounds}" if row.no_bounds else None
    said = "; ".join(visible_line(each) for each in (row.reason, none) if each)
    pieces = tuple(line for line in (interval(row.low, row.high), *lines) if line)
    note = notes.number(said) if said else None
    if term.unit in WHOLE_UNITS:
        whole = int(row.value)
        assert whole == row.value, f"{row.metric}: {row.value} {term.unit}"
        return Cell(shown_count(whole), str(whole), note=note, pieces=pieces)
    return Cell(shown(row.value), full(row.value), note=note, pieces=pieces)


def piece(book: Book, entry: str, game: str, metric: RunMetric, before: str) -> Pieces:
    """Return another metric of the same run as a smaller number; nothing where it has no value."""
    row = book.rows.get((entry, game, metric))
    return () if row is None or row.value is None else (Piece(metric, shown(row.value), full(row.value), before),)


def _why(book: Book, entry: str, game: str, reason: str | None, otherwise: str) -> str:
    if reason:
        return reason
    run = book.runs.get((entry, game))
    if run is None:
        return "the entry holds no run of this game"
    return run.reason or otherwise


def gain_cell(book: Book, entry: str, game: str) -> Cell:
    """Return the cell that says in words whether a run's gain is beyond noise, the adjusted p-value below."""
    said = book.runs[entry, game].beyond_noise
    level = piece(book, entry, game, "trend_p_adjusted", "adjusted p")
    needed = [book.rows.get((entry, game, metric)) for metric in _NEEDED_FOR_GAIN]
    reasons = [row.reason for row in needed if row and row.value is None and row.reason]
    if said is None and not reasons:
        reasons = [f"so few checkpoints give no p of at most {LEVEL:g}"]
    return replace(words(GAINS[said], *reasons[:1]), pieces=(level,) if level else ())


def yes_or_no(said: bool | None) -> Cell:
    """Return a cell of one word."""
    return words("cannot be told" if said is None else "yes" if said else "no")
