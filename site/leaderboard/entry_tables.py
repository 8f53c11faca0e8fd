"""The tables of an entry's page."""

from __future__ import annotations

from leaderboard.book import Book
from leaderboard.cells import game_page, rank_cell, value_cell
from leaderboard.terms import LABELS, RANK_TERM, game_title, meaning
from leaderboard.view import Cell, Column, Line, Notes, Table, count, words
from scoring.report import Report
from scoring.results import RANKED_METRICS, EntryResult, Metric

_METRICS: tuple[Metric, ...] = ("auc_plus", "avg", "max", "y0", "final_delta", "auc_plus_floor", "avg_floor")


def games_of(book: Book, entry: EntryResult) -> tuple[str, ...]:
    """Return the games of an entry in their written order."""
    return tuple(game for game in book.games if (entry.entry, game) in book.runs)


def measured(book: Book, entry: EntryResult) -> Table:
    """Return every metric of every run of an entry."""
    notes = Notes()
    lines = []
    columns = [Column("Game", "text")]
    for metric in _METRICS:
        columns.append(Column(LABELS[metric], metric=metric))
        if metric in RANKED_METRICS:
            columns.append(Column(f"{LABELS[metric]} rank", metric=f"rank:{metric}"))
    columns.append(Column("Checkpoints", metric="n"))
    for game in games_of(book, entry):
        cells: list[Cell] = []
        for metric in _METRICS:
            cells.append(value_cell(book, notes, entry.entry, game, metric))
            if metric in RANKED_METRICS:
                cells.append(rank_cell(book, notes, entry.entry, game, metric))
        row = book.rows.get((entry.entry, game, "avg"))
        cells.append(count(row.n) if row else notes.missing("not computed"))
        lines.append(Line(words(game_title(game), href=game_page(game)), tuple(cells), game=game))
    terms = (*meaning(_METRICS), RANK_TERM)
    return Table(
        "measured", "What was measured", tuple(columns), tuple(lines), tuple(notes.reasons), terms, entry=entry.entry
    )


def course(book: Book, entry: EntryResult) -> Table:
    """Return how each run went: replies, failures, and whether it is ranked."""
    lines = []
    for game in games_of(book, entry):
        run = book.runs[entry.entry, game]
        cells = (
            words("ranked") if run.ranked else words("not ranked", run.reason or ""),
            *(
                count(value)
                for value in (
                    run.steps,
                    run.unreadable,
                    run.truncated,
                    run.empty,
                    run.filtered,
                    run.missing_scores,
                    run.failed_explorations,
                    run.failed_checkpoints,
                )
            ),
            words(str(run.rules_version)),
            words("; ".join(run.marks)),
        )
        lines.append(Line(words(game_title(game), href=game_page(game)), cells, game=game))
    columns = (
        Column("Game", "text"),
        Column("Standing", "text"),
        Column("Steps", metric="steps"),
        Column("Unreadable replies", metric="unreadable"),
        Column("Truncated", metric="truncated"),
        Column("Empty", metric="empty"),
        Column("Filtered", metric="filtered"),
        Column("Missing self-scores", metric="missing_scores"),
        Column("Failed explorations", metric="failed_explorations"),
        Column("Failed checkpoints", metric="failed_checkpoints"),
        Column("Rules version", "text"),
        Column("Remarks", "text"),
    )
    return Table("course", "How the runs went", columns, tuple(lines), entry=entry.entry)


def checks(report: Report) -> Table:
    """Return the verification, step by step."""
    lines = tuple(
        Line(
            words(str(check.number)), (words(check.title), words(check.code), words(check.status), words(check.detail))
        )
        for check in report.checks
    )
    columns = (
        Column("Step", "number"),
        Column("What is checked", "text"),
        Column("Code", "text"),
        Column("Outcome", "text"),
        Column("Detail", "text"),
    )
    return Table("checks", "Verification, step by step", columns, lines)
