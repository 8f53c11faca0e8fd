"""The tables of an entry's page."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.book import Book
from leaderboard.cells import gain_cell, game_page, measured_cell, rank_cell, value_cell, yes_or_no
from leaderboard.numbers import full, shown_seconds
from leaderboard.terms import GAIN_TERM, RANK_TERMS, game_title, meaning, title, told
from leaderboard.text import visible_line
from leaderboard.view import Cell, Column, Line, Notes, Table, Term, count, words
from scoring.confirmation import Confirmation
from scoring.metric_terms import ENTRY_METRICS, RunMetric
from scoring.report import Report
from scoring.results import RANKED_METRICS, EntryResult

_NO_INTERVAL = "the scores do not vary, or are fewer than two"
CURVE: tuple[RunMetric, ...] = (
    "auc_plus",
    "avg",
    "max",
    "y0",
    "final_delta",
    "naba",
    "naba_eps",
    "auc_minus",
    "net_area",
    "worst",
    "last",
    "auc_plus_floor",
    "avg_floor",
)
GAIN: tuple[RunMetric, ...] = ("trend_p", "trend_p_adjusted", "auc_plus_luck_median", "auc_plus_luck_high", "noise")
JUDGING: tuple[RunMetric, ...] = (
    "agreement",
    "base_rate",
    "over_confidence",
    "under_confidence",
    "self_rate",
    "reward_rate",
    "nmae",
    "mae",
    "bias",
    "missing_scores",
)
"""Together every metric of a run."""


def games_of(book: Book, entry: EntryResult) -> tuple[str, ...]:
    """Return the games of an entry in their written order."""
    return tuple(game for game in book.games if (entry.entry, game) in book.runs)


def measured(book: Book, entry: EntryResult) -> tuple[Table, ...]:
    """Return every metric of every run of an entry: of the curve, of the gain, and of self-judging."""
    return _curves(book, entry), _gains(book, entry), _judging(book, entry)


def _curves(book: Book, entry: EntryResult) -> Table:
    notes = Notes()
    lines = []
    columns = [Column("Game", "text")]
    for metric in CURVE:
        columns.append(Column(title(metric), metric=metric))
        if metric in RANKED_METRICS:
            columns.append(Column(f"{title(metric)} rank", metric=f"rank:{metric}"))
    columns.append(Column("Checkpoints", metric="n"))
    for game in games_of(book, entry):
        cells: list[Cell] = []
        for metric in CURVE:
            cells.append(value_cell(book, notes, entry.entry, game, metric))
            if metric in RANKED_METRICS:
                cells.append(rank_cell(book, notes, entry.entry, game, metric))
        cells.append(_rests_on(book, notes, entry, game, "avg"))
        lines.append(Line(words(game_title(game), href=game_page(game)), tuple(cells), game=game))
    terms = (*meaning(CURVE), *RANK_TERMS)
    return Table(
        "measured", "From the curve", tuple(columns), tuple(lines), tuple(notes.reasons), terms, entry=entry.entry
    )


def _gains(book: Book, entry: EntryResult) -> Table:
    notes = Notes()
    lines = []
    for game in games_of(book, entry):
        cells = (
            replace(gain_cell(book, entry.entry, game), pieces=()),
            *(value_cell(book, notes, entry.entry, game, metric) for metric in GAIN),
            yes_or_no(book.runs[entry.entry, game].never_recovered),
        )
        lines.append(Line(words(game_title(game), href=game_page(game)), cells, game=game))
    columns = (
        Column("Game", "text"),
        Column("Gain", "text", "gain"),
        *(Column(title(metric), metric=metric) for metric in GAIN),
        Column("Never recovered", "text", "never_recovered"),
    )
    never = Term("Never recovered", "whether every later checkpoint lies below y(0)")
    terms = (GAIN_TERM, *meaning(GAIN), never)
    return Table("gain", "Gain and noise", columns, tuple(lines), tuple(notes.reasons), terms, entry=entry.entry)


def _judging(book: Book, entry: EntryResult) -> Table:
    notes = Notes()
    lines = []
    for game in games_of(book, entry):
        cells = [value_cell(book, notes, entry.entry, game, metric) for metric in JUDGING]
        cells.append(_rests_on(book, notes, entry, game, "agreement"))
        lines.append(Line(words(game_title(game), href=game_page(game)), tuple(cells), game=game))
    columns = (
        Column("Game", "text"),
        *(Column(title(metric), metric=metric) for metric in JUDGING),
        Column("Steps judged", metric="n:agreement"),
    )
    terms = meaning(JUDGING)
    caption = "Self-judging while exploring"
    return Table("judged", caption, columns, tuple(lines), tuple(notes.reasons), terms, entry=entry.entry)


def _rests_on(book: Book, notes: Notes, entry: EntryResult, game: str, metric: RunMetric) -> Cell:
    row = book.rows.get((entry.entry, game, metric))
    return count(row.n) if row else notes.missing("not computed")


def over_games(book: Book, entry: EntryResult) -> Table:
    """Return what may be said of an entry over its games: counts and ranks."""
    notes = Notes()
    cells = tuple(
        measured_cell(notes, book.entry_rows.get((entry.entry, metric)), term) for metric, term in ENTRY_METRICS.items()
    )
    columns = (
        Column("Entry", "text"),
        *(Column(term.title, metric=f"entry:{metric}") for metric, term in ENTRY_METRICS.items()),
    )
    terms = tuple(told(term) for term in ENTRY_METRICS.values())
    line = Line(words(entry.entry), cells)
    caption = "Over its games"
    return Table("over-games", caption, columns, (line,), tuple(notes.reasons), terms, entry=entry.entry)


def run_costs(book: Book, entry: EntryResult) -> Table:
    """Return what each run of an entry took."""
    notes = Notes()
    lines = []
    for game in games_of(book, entry):
        totals = book.runs[entry.entry, game].totals
        cached = totals.tokens_cached
        cells = (
            *(count(value) for value in (totals.steps, totals.requests, totals.tokens_in, totals.tokens_out)),
            notes.missing("the endpoint did not report it") if cached is None else count(cached),
            Cell(shown_seconds(totals.seconds), full(totals.seconds)),
        )
        lines.append(Line(words(game_title(game), href=game_page(game)), cells, game=game))
    columns = (
        Column("Game", "text"),
        Column("Steps", metric="cost:steps"),
        Column("Requests", metric="cost:requests"),
        Column("Tokens in", metric="cost:tokens_in"),
        Column("Tokens out", metric="cost:tokens_out"),
        Column("Tokens cached", metric="cost:tokens_cached"),
        Column("Time", metric="cost:seconds"),
    )
    return Table("run-costs", "What each run took", columns, tuple(lines), tuple(notes.reasons), entry=entry.entry)


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
                    run.second_answers,
                    run.unreadable,
                    run.cut_off,
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
        Column("Another answer before", metric="second_answers"),
        Column("Unreadable replies", metric="unreadable"),
        Column("Cut off", metric="cut_off"),
        Column("Cut off before an answer", metric="truncated"),
        Column("Empty", metric="empty"),
        Column("Filtered", metric="filtered"),
        Column("Missing self-scores", metric="no_score"),
        Column("Failed explorations", metric="failed_explorations"),
        Column("Failed checkpoints", metric="failed_checkpoints"),
        Column("Rules version", "text"),
        Column("Remarks", "text"),
    )
    terms = (
        Term("Another answer before", "replies with another answer line above the one that was played"),
        Term("Cut off", "replies that ended at the token limit, answered or not"),
    )
    return Table("course", "How the runs went", columns, tuple(lines), terms=terms, entry=entry.entry)


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
