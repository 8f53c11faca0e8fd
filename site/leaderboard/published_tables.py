"""The published numbers as tables: the digits as printed, and the ranks that follow from them."""

from __future__ import annotations

from decimal import Decimal

from leaderboard.cells import place_cell
from leaderboard.numbers import full, shown
from leaderboard.terms import IMPROVED_TERM, MEAN_RANK_TERM, PATHWAYS, game_title, title
from leaderboard.view import Cell, Column, Line, Notes, Table, count, words
from protocol.context import Pathway
from scoring.published.derived import PUBLISHED_METRICS, metric_of, model_facts, ranks_in_game
from scoring.published.tables import (
    AGENTS,
    core16_table,
    coupling_table,
    judging_table,
    main_table,
    pairs_table,
    printed,
    training_table,
)

NOT_PUBLISHED = "no number was published"
ALL_GAMES = "All games, pooled"


def _number(value: Decimal) -> Cell:
    return Cell(printed(value).replace("-", "−"), printed(value))


def main_games() -> tuple[str, ...]:
    """Return the games in the order in which the main table prints them."""
    return tuple(dict.fromkeys(row.game for row in main_table()))


def main_of(pathway: Pathway, game: str) -> Table:
    """Return the main table's numbers of one game and pathway, each with its rank."""
    rows = [row for row in main_table() if (row.pathway, row.game) == (pathway, game)]
    ranks = {metric: dict(ranks_in_game(main_table(), pathway, game, metric)) for metric in PUBLISHED_METRICS}
    lines = []
    for row in rows:
        cells: list[Cell] = []
        for metric in PUBLISHED_METRICS:
            place = ranks[metric][row.model]
            shared = sum(other == place for other in ranks[metric].values()) > 1
            cells += (_number(metric_of(row, metric)), place_cell(place, shared))
        lines.append(Line(words(row.model), tuple(cells)))
    columns = [Column("Model", "text")]
    for metric in PUBLISHED_METRICS:
        columns += (Column(title(metric), metric=metric), Column(f"{title(metric)} rank", metric=f"rank:{metric}"))
    caption = f"{game_title(game)}, {PATHWAYS[pathway]}"
    return Table(f"published-{pathway}-{game}", caption, tuple(columns), tuple(lines), game=game)


def facts_of(pathway: Pathway) -> Table:
    """Return what may be counted over the games of the main table."""
    lines = []
    for fact in model_facts(main_table(), pathway):
        means = [float(mean) for mean in fact.mean_ranks]
        cells = (count(fact.games_improved), *(Cell(shown(mean), full(mean)) for mean in means))
        lines.append(Line(words(fact.model), cells))
    columns = (
        Column("Model", "text"),
        Column(f"Improved (naive), of\u202f{len(main_games())}", metric="improved"),
        *(Column(f"Mean {title(metric)} rank", metric=f"mean_rank:{metric}") for metric in PUBLISHED_METRICS),
    )
    caption = f"Counted from the main table, {PATHWAYS[pathway]}"
    return Table(f"published-facts-{pathway}", caption, columns, tuple(lines), terms=(IMPROVED_TERM, MEAN_RANK_TERM))


def judging() -> Table:
    """Return the self-judging table."""
    lines = tuple(
        Line(
            words(game_title(row.game)),
            tuple(map(_number, (row.agreement, row.nmae, row.over_confidence, row.under_confidence))),
        )
        for row in judging_table()
    )
    labels = ("Agreement", "NMAE", "Over-confidence", "Under-confidence")
    return Table("published-judging", "Self-judging by game", _columns("Game", labels), lines)


def coupling() -> Table:
    """Return the coupling table."""
    lines = tuple(
        Line(
            words(game_title(row.game) if row.game else ALL_GAMES),
            tuple(map(_number, (row.rho_agreement_gain, row.rho_neg_error_gain, row.gap_agreement, row.gap_error))),
        )
        for row in coupling_table()
    )
    labels = (
        "ρ(agreement, gain)",
        "ρ(−error, gain)",
        "Tertile gap, agreement",
        "Tertile gap, error",
    )
    return Table("published-coupling", "Judging quality and gain between checkpoints", _columns("Scope", labels), lines)


def pairs() -> Table:
    """Return the comparison of the pathways."""
    lines = tuple(
        Line(
            words(game_title(row.game)),
            (
                *(count(value) for value in (row.pairs, row.summary_wins, row.history_wins, row.ties)),
                _number(row.mean_delta_naba),
            ),
        )
        for row in pairs_table()
    )
    labels = ("Pairs", "Summary wins", "History wins", "Ties", "Mean ΔNABA")
    return Table("published-pairs", "Summary Memory against History ICL", _columns("Game", labels), lines)


def training() -> Table:
    """Return the training results."""
    notes = Notes()
    lines = []
    for row in training_table():
        values = (row.avg, row.max, row.delta_final, row.auc_plus)
        cells = (_number(value) if value is not None else notes.missing(NOT_PUBLISHED) for value in values)
        lines.append(Line(words(game_title(row.game)), (_number(row.y0), *cells, words(row.note or ""))))
    labels = ("y(0)", "Avg, epochs 1–19", "Max, epochs 1–19", "Final Δ", "AUC+")
    columns = (*_columns("Game", labels), Column("In words", "text"))
    return Table("published-training", "Parameter training", columns, tuple(lines), tuple(notes.reasons))


def core16() -> Table:
    """Return EvoPolicyGym's Core16 scores."""
    lines = tuple(Line(words(row.environment), tuple(map(_number, row.scores))) for row in core16_table())
    return Table("published-core16", "Core16 scores", _columns("Environment", AGENTS), lines)


def _columns(head: str, labels: tuple[str, ...]) -> tuple[Column, ...]:
    return (Column(head, "text"), *(Column(label, metric=label) for label in labels))
