"""The tables of an entry's page."""

from __future__ import annotations

from leaderboard.book import Book
from leaderboard.cells import game_page, rank_cell, value_cell
from leaderboard.terms import LABELS, RANK_TERM, game_title, meaning
from leaderboard.text import visible_line
from leaderboard.view import Cell, Column, Line, Notes, Table, count, words
from scoring.confirmation import Confirmation
from scoring.metric_terms import RunMetric
from scoring.report import Report
from scoring.results import RANKED_METRICS, EntryResult

_NO_INTERVAL = "the scores do not vary, or are fewer than two"
_METRICS: tuple[RunMetric, ...] = ("auc_plus", "avg", "max", "y0", "final_delta", "auc_plus_floor", "avg_floor")


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


def rerun_table(confirmation: Confirmation) -> Table:
    """Return what a re-run gave, each mean with its interval, beside what the entry claims."""
    notes = Notes()
    lines = []
    for game in confirmation.games:
        cells = (
            notes.score(game.mean, None if game.mean is not None else "every episode of the re-run failed"),
            notes.score(game.low, None if game.low is not None else _NO_INTERVAL),
            notes.score(game.high, None if game.high is not None else _NO_INTERVAL),
            count(len(game.scores)),
            count(game.failed),
            notes.score(game.claimed, None if game.claimed is not None else "the last checkpoint failed"),
            count(game.claimed_episodes),
        )
        lines.append(Line(words(game_title(game.game), href=game_page(game.game)), cells, game=game.game))
    columns = (
        Column("Game", "text"),
        Column("Re-run, mean"),
        Column("95% from"),
        Column("95% to"),
        Column("Episodes"),
        Column("Failed"),
        Column(f"Claimed at x\u202f=\u202f{confirmation.checkpoint}"),
        Column("Of episodes"),
    )
    return Table(
        f"rerun-{confirmation.round}",
        f"Re-run of the last checkpoint: {visible_line(confirmation.model)}, round {confirmation.round}",
        columns,
        tuple(lines),
        tuple(notes.reasons),
    )


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
