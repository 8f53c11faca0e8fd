"""Self-judging: shares and errors of every run, calibration, and how judging goes with gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from leaderboard.book import Book
from leaderboard.cells import entry_cell, entry_page, measured_cell, piece, value_cell
from leaderboard.entry_tables import JUDGING
from leaderboard.figures import Calibration, calibrated, key_of
from leaderboard.game_tables import GameGroup
from leaderboard.numbers import full, shown, shown_count
from leaderboard.published_tables import ALL_GAMES
from leaderboard.standings import Group
from leaderboard.terms import PATHWAYS, game_title, meaning, title, told
from leaderboard.text import visible_line
from leaderboard.view import Cell, Chart, Column, Line, Notes, Piece, Table, Term, count, rests_on, words
from protocol.context import Pathway
from scoring.metric_terms import POOL_METRICS, RUN_METRICS, PoolMetric, RunMetric
from scoring.metrics.judging import TENTHS
from scoring.results import CalibrationBin, EntryResult

BLOCKS: tuple[PoolMetric, ...] = (
    "rho_agreement_gain",
    "rho_accuracy_gain",
    "gap_agreement",
    "gap_accuracy",
    "r_agreement_gain",
    "r_accuracy_gain",
)
SCALE: tuple[PoolMetric, ...] = ("score_range",)
"""What gains are divided by: one number of a game, over the runs of both pathways."""
RUNS: tuple[PoolMetric, ...] = (
    "rho_agreement_naba",
    "rho_self_rate_naba",
    "rho_reward_rate_naba",
    "r_agreement_naba",
    "r_self_rate_naba",
    "r_reward_rate_naba",
)
BOTH = "Both pathways"
_CALIBRATION_TERM = Term(
    "In a cell",
    "the mean verifier reward of the steps whose self-score lies in that tenth of the game’s judging range, scaled to "
    "0..1; below it their mean self-score on the same scale, and how many steps they are",
)
_NO_STEP = "no self-score lies in this tenth"


def judging_page_of(game: str) -> str:
    """Return the page of self-judging in a game."""
    return f"judging/{game}.html"


def agreement(book: Book, group: Group) -> Table:
    """Return entries x games of agreement, each with its base rate."""
    notes = Notes()
    games = tuple(game for game in group.games if any((entry.entry, game) in book.runs for entry in group.entries))
    lines = []
    for entry in group.entries:
        cells = []
        for game in games:
            base = piece(book, entry.entry, game, "base_rate", "base rate")
            cell = value_cell(book, notes, entry.entry, game, "agreement")
            cells.append(cell if cell.missing else replace(cell, pieces=(base,) if base else ()))
        lines.append(Line(entry_cell(entry), tuple(cells), entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        *(Column(game_title(game), metric=f"run:agreement:{game}") for game in games),
    )
    shown_here: tuple[RunMetric, ...] = ("agreement", "base_rate")
    terms = tuple(Term(title(metric), RUN_METRICS[metric].meaning) for metric in shown_here)
    caption = f"Agreement of self-score and reward, {PATHWAYS[group.pathway]}, {group.protocol}"
    return Table(f"agreement-{group.id}", caption, columns, tuple(lines), tuple(notes.reasons), terms)


def judged(book: Book, group: GameGroup) -> Table:
    """Return everything that is measured of self-judging in the runs of a group."""
    notes = Notes()
    lines = []
    for entry in group.entries:
        cells = [value_cell(book, notes, entry.entry, group.game, metric) for metric in JUDGING]
        row = book.rows.get((entry.entry, group.game, "agreement"))
        cells.append(count(row.n) if row else notes.missing("not computed"))
        lines.append(Line(entry_cell(entry), tuple(cells), entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        *(Column(title(metric), metric=metric) for metric in JUDGING),
        Column("Steps judged", metric="n:agreement"),
    )
    caption = f"Self-judging in {game_title(group.game)}, {group.name}"
    name = f"judging-{group.id}"
    return Table(name, caption, columns, tuple(lines), tuple(notes.reasons), meaning(JUDGING), game=group.game)


def calibration(book: Book, group: GameGroup) -> Chart | None:
    """Return what the rules paid where the first entries of a group said so much; None where none said anything."""
    entries = [entry for entry in group.entries if (entry.entry, group.game) in book.calibration][: group.curves]
    if not entries:
        return None
    name = f"calibration-{group.id}"
    few = f": the first {len(entries)} of {len(group.entries)} runs" if len(entries) < len(group.entries) else ""
    return Chart(
        name,
        f"Calibration, {group.name}{few}",
        f"Mean verifier reward against mean self-score in {game_title(group.game)} for {len(entries)} entries, by "
        "tenths of the judging range; on the dashed line the two are equal.",
        calibrated([_curve(book, entry, group.game) for entry in entries]),
        calibration_table(name, book, entries, group.game, group.name),
        legend=tuple(
            key_of(place, entry.entry, entry_page(entry.entry), visible_line(entry.model))
            for place, entry in enumerate(entries)
        ),
    )


def entry_calibration(book: Book, entry: EntryResult, game: str) -> Chart | None:
    """Return what the rules paid where one entry said so much; None where it said nothing."""
    if (entry.entry, game) not in book.calibration:
        return None
    name = f"calibration-{entry.entry}-{game}"
    return Chart(
        name,
        f"Calibration in {game_title(game)}",
        f"Mean verifier reward against mean self-score of {entry.entry} in {game_title(game)}, by tenths of the "
        "judging range; on the dashed line the two are equal.",
        calibrated([_curve(book, entry, game)]),
        calibration_table(name, book, [entry], game, entry.entry),
    )


def _curve(book: Book, entry: EntryResult, game: str) -> Calibration:
    return Calibration(f"{entry.entry} · {entry.model}", book.calibration[entry.entry, game])


def calibration_table(name: str, book: Book, entries: Sequence[EntryResult], game: str, whose: str) -> Table:
    """Return the numbers of a calibration chart."""
    notes = Notes()
    lines = []
    for entry in entries:
        bins = {each.place: each for each in book.calibration[entry.entry, game]}
        cells = tuple(_bin(notes, bins.get(place)) for place in range(TENTHS))
        lines.append(Line(entry_cell(entry), cells, entry=entry.entry))
    columns = (
        Column("Entry", "text"),
        *(
            Column(f"{place / TENTHS:.1f} to {(place + 1) / TENTHS:.1f}", metric=f"calibration:{place}")
            for place in range(TENTHS)
        ),
    )
    caption = f"Reward by tenths of the self-score in {game_title(game)}, {whose}"
    notes_of = tuple(notes.reasons)
    return Table(f"{name}-table", caption, columns, tuple(lines), notes_of, (_CALIBRATION_TERM,), game=game)


def _bin(notes: Notes, each: CalibrationBin | None) -> Cell:
    if each is None:
        return notes.missing(_NO_STEP)
    said = Piece("said", shown(each.self_score), full(each.self_score), "said")
    steps = Piece("n", shown_count(each.steps), str(each.steps), "n =")
    return Cell(shown(each.reward), full(each.reward), pieces=((said,), (steps,)))


def pathways_of(book: Book, protocol: str) -> tuple[tuple[Pathway | None, str], ...]:
    """Return the pathways over whose runs something is told, both together first."""
    found = {pathway for known, pathway, _, _ in book.pool_rows if known == protocol}
    order: tuple[Pathway | None, ...] = (None, *get_args(Pathway))
    return tuple((each, BOTH if each is None else PATHWAYS[each]) for each in order if each in found)


def coupled(book: Book, protocol: str, pathway: Pathway | None, metrics: Sequence[PoolMetric], what: str) -> Table:
    """Return what is told over the runs of a protocol: of all games and of each.

    Args:
        book: All results.
        protocol: Whose runs.
        pathway: Of one pathway; None of both.
        metrics: The columns.
        what: What the columns say, for the caption.
    """
    notes = Notes()
    games = [game for game in book.games if (protocol, pathway, game, metrics[0]) in book.pool_rows]
    lines = []
    for game in (None, *games):
        head = words(ALL_GAMES) if game is None else words(game_title(game), href=judging_page_of(game))
        cells = tuple(_pooled(book, notes, (protocol, pathway, game), metric) for metric in metrics)
        lines.append(Line(head, cells, game=game))
    columns = (
        Column("Games", "text"),
        *(Column(POOL_METRICS[metric].title, metric=f"pool:{metric}") for metric in metrics),
    )
    terms = tuple(told(POOL_METRICS[metric]) for metric in metrics)
    name = f"coupling-{protocol}-{pathway or 'both'}-{metrics[0].replace('_', '-')}"
    caption = f"{what}, {BOTH.lower() if pathway is None else PATHWAYS[pathway]}, {protocol}"
    return Table(name, caption, columns, tuple(lines), tuple(notes.reasons), terms, protocol=protocol, pathway=pathway)


def _pooled(book: Book, notes: Notes, place: tuple[str, Pathway | None, str | None], metric: PoolMetric) -> Cell:
    protocol, pathway, game = place
    row = book.pool_rows.get((protocol, pathway, game, metric))
    if row is None and metric == "score_range":
        return notes.missing("ranges of several games are never pooled")
    cell = measured_cell(notes, row, POOL_METRICS[metric])
    return cell if row is None or cell.missing else replace(cell, pieces=(*cell.pieces, rests_on(row.n)))
