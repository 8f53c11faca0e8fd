"""The tables and charts of a game's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from leaderboard.book import Book
from leaderboard.cells import Pieces, entry_cell, entry_page, gain_cell, piece, rank_cell, value_cell, yes_or_no
from leaderboard.figures import SERIES, Curve, comparison, curve_span, key_of
from leaderboard.part_pages import rows_each
from leaderboard.run_charts import FAILED_CHECKPOINT, FAILED_EPISODE, curve_chart
from leaderboard.terms import (
    BEHIND_TERM,
    GAIN_TERM,
    LUCK_TERM,
    PATHWAYS,
    RANK_TERMS,
    game_title,
    meaning,
    protocol_place,
    protocol_title,
    title,
)
from leaderboard.text import visible_line
from leaderboard.view import Cell, Chart, Column, Line, Notes, Table, count, interval, words
from protocol.context import Pathway
from scoring.metric_terms import RunMetric
from scoring.results import EntryResult, Rank
from scoring.statistics.power import power_note

_PLAIN: tuple[RunMetric, ...] = ("auc_minus", "y0")
_COMPARED: Mapping[RunMetric, str] = {"auc_plus": "net area", "avg": "Avg"}
"""What is ranked, and the linear number by which two runs are told apart in it."""
_FLOORS: tuple[tuple[RunMetric, RunMetric], ...] = (("avg", "avg_floor"), ("auc_plus", "auc_plus_floor"))

CURVES_A_PAGE = 16
"""Each is drawn by itself too, with its numbers; more of them would outgrow a page."""


@dataclass(frozen=True, slots=True)
class GameGroup:
    """Runs of one game that may share a table."""

    game: str
    protocol: str
    title: str
    pathway: Pathway
    rankable: bool
    rules_version: int
    entries: tuple[EntryResult, ...]
    """In the order of their rank by AUC+, unranked ones last."""
    curves: int
    """How many of them are drawn: all groups of a game share one page."""

    @property
    def name(self) -> str:
        """Return the words that tell the group from the others on the page."""
        return f"{PATHWAYS[self.pathway]}, {self.protocol}"

    @property
    def id(self) -> str:
        """Return a name that is unique on the page."""
        return f"{self.game}-{self.protocol}-{self.pathway}-rules-{self.rules_version}"


def game_groups(book: Book, game: str) -> tuple[GameGroup, ...]:
    """Return the groups of a game: rankable protocols first, of those the released ones, then by name."""
    found: dict[tuple[tuple[bool, bool], str, int, Pathway], list[EntryResult]] = {}
    for entry in book.entries:
        run = book.runs.get((entry.entry, game))
        if run is not None:
            found.setdefault((protocol_place(entry), entry.protocol, run.rules_version, entry.pathway), []).append(
                entry
            )
    groups = []
    curves = rows_each([len(entries) for entries in found.values()], SERIES, CURVES_A_PAGE)
    for place, protocol, version, pathway in sorted(found):
        entries = sorted(found[place, protocol, version, pathway], key=lambda entry: _place(book, entry.entry, game))
        title, rankable = protocol_title(entries[0]), entries[0].rankable
        groups.append(GameGroup(game, protocol, title, pathway, rankable, version, tuple(entries), curves))
    return tuple(groups)


def _place(book: Book, entry: str, game: str) -> tuple[bool, int]:
    rank = book.ranks.get((entry, game, "auc_plus"))
    return (True, 0) if rank is None or rank.rank is None else (False, rank.rank)


def ranking(book: Book, group: GameGroup) -> Table:
    """Return the ranking table of one game under one protocol and pathway."""
    notes = Notes()
    game = group.game
    rest: tuple[RunMetric, ...] = (*_PLAIN, *_floors_shown(book, group))
    lines = []
    for entry in group.entries:
        name = entry.entry
        cells = (
            value_cell(book, notes, name, game, "auc_plus", *_by_luck(book, name, game)),
            rank_cell(book, notes, name, game, "auc_plus"),
            gain_cell(book, name, game),
            value_cell(book, notes, name, game, "avg"),
            rank_cell(book, notes, name, game, "avg"),
            value_cell(book, notes, name, game, "max"),
            rank_cell(book, notes, name, game, "max"),
            value_cell(book, notes, name, game, "final_delta"),
            value_cell(book, notes, name, game, "naba", piece(book, name, game, "naba_eps", "eps")),
            *(value_cell(book, notes, name, game, metric) for metric in rest),
            _checkpoints(book, notes, name, game),
            words("; ".join(book.runs[name, game].marks)),
        )
        lines.append(Line(entry_cell(entry), cells, entry=name))
    columns = (
        Column("Entry", "text"),
        *_value_and_rank("auc_plus"),
        Column("Gain", "text", "gain"),
        *_value_and_rank("avg"),
        *_value_and_rank("max"),
        *(Column(title(metric), metric=metric) for metric in ("final_delta", "naba", *rest)),
        Column("Checkpoints", metric="n"),
        Column("Remarks", "text"),
    )
    ranked = sum(book.runs[entry.entry, game].ranked for entry in group.entries)
    caption = f"{game_title(game)}, {group.name}: {ranked} ranked of {len(lines)} runs"
    shown: tuple[RunMetric, ...] = ("auc_plus", "avg", "max", "final_delta", "naba", *rest)
    terms = (*meaning(shown), LUCK_TERM, GAIN_TERM, *RANK_TERMS)
    return Table(group.id, caption, columns, tuple(lines), tuple(notes.reasons), terms, game=game)


def _value_and_rank(metric: RunMetric) -> tuple[Column, Column]:
    return Column(title(metric), metric=metric), Column(f"{title(metric)} rank", metric=f"rank:{metric}")


def _by_luck(book: Book, entry: str, game: str) -> tuple[Pieces, Pieces]:
    return (
        piece(book, entry, game, "auc_plus_luck_median", "luck"),
        piece(book, entry, game, "auc_plus_luck_high", "95%"),
    )


def power(book: Book, group: GameGroup) -> str | None:
    """Return the sentence that says how little so many episodes can show; None where there is no curve."""
    curves = [
        book.curves[entry.entry, group.game] for entry in group.entries if (entry.entry, group.game) in book.curves
    ]
    if not curves:
        return None
    episodes = max(len(point.scores) + point.failed for curve in curves for point in curve[-1:])
    return power_note(max(map(len, curves)), episodes)


def behind(book: Book, group: GameGroup) -> Table | None:
    """Return how far each ranked run is behind the first; None where there are no two."""
    notes = Notes()
    lines = []
    for entry in group.entries:
        found = [book.ranks.get((entry.entry, group.game, metric)) for metric in _COMPARED]
        ranks = [rank for rank in found if rank is not None and rank.rank is not None]
        if len(ranks) == len(_COMPARED):
            cells = [cell for rank in ranks for cell in _behind(notes, rank)]
            lines.append(Line(entry_cell(entry), tuple(cells), entry=entry.entry))
    if len(lines) < 2:
        return None
    columns = [Column("Entry", "text")]
    for metric in _COMPARED:
        columns += (
            Column(f"Behind in {_COMPARED[metric]}", metric=f"behind:{metric}"),
            Column(f"Separable by {title(metric)}", "text", f"separable:{metric}"),
        )
    return Table(
        f"{group.id}-behind",
        f"How far behind the first, {group.name}",
        tuple(columns),
        tuple(lines),
        tuple(notes.reasons),
        (BEHIND_TERM,),
        game=group.game,
    )


def _behind(notes: Notes, rank: Rank) -> tuple[Cell, Cell]:
    if rank.behind is None:
        gap = notes.missing(rank.behind_reason or "not computed")
    else:
        gap = notes.score(rank.behind, rank.behind_reason)
        gap = replace(gap, pieces=tuple(line for line in (interval(rank.behind_low, rank.behind_high),) if line))
    return gap, yes_or_no(rank.separable)


def _checkpoints(book: Book, notes: Notes, entry: str, game: str) -> Cell:
    row = book.rows.get((entry, game, "avg"))
    return count(row.n) if row else notes.missing("not computed")


def _floors_shown(book: Book, group: GameGroup) -> tuple[RunMetric, ...]:
    """Floors have columns only where one differs from its value: elsewhere they say nothing new."""
    shown = []
    for metric, floor in _FLOORS:
        pairs = [
            (book.rows.get((entry.entry, group.game, metric)), book.rows.get((entry.entry, group.game, floor)))
            for entry in group.entries
        ]
        if any((a.value if a else None) != (b.value if b else None) for a, b in pairs):
            shown.append(floor)
    return tuple(shown)


def drawn(group: GameGroup) -> Sequence[EntryResult]:
    """Return the entries whose curves are drawn."""
    return group.entries[: group.curves]


def _with_curve(book: Book, group: GameGroup) -> tuple[EntryResult, ...]:
    return tuple(entry for entry in drawn(group) if (entry.entry, group.game) in book.curves)


def overview(book: Book, group: GameGroup) -> Chart | None:
    """Return the mean curves of the best entries in one chart; None where there is no curve."""
    entries = _with_curve(book, group)
    if not entries:
        return None
    return Chart(
        f"{group.id}-chart",
        _overview_caption(group, len(entries)),
        f"Mean strict score against exploration episodes in {game_title(group.game)} for {len(entries)} entries.",
        comparison([_named_curve(book, entry, group.game) for entry in entries]),
        _means(book, group),
        legend=tuple(
            key_of(place, entry.entry, entry_page(entry.entry), visible_line(entry.model))
            for place, entry in enumerate(entries)
        ),
    )


def _named_curve(book: Book, entry: EntryResult, game: str) -> Curve:
    return Curve(f"{entry.entry} · {entry.model}", book.curves[entry.entry, game])


def _overview_caption(group: GameGroup, curves: int) -> str:
    text = f"Learning curves, {group.name}"
    return f"{text}: the first {curves} of {len(group.entries)} runs" if curves < len(group.entries) else text


def _means(book: Book, group: GameGroup) -> Table:
    entries = drawn(group)
    notes = Notes()
    curves = {
        entry.entry: {point.checkpoint: point for point in book.curves.get((entry.entry, group.game), ())}
        for entry in entries
    }
    places = sorted({x for curve in curves.values() for x in curve})
    lines = []
    for entry in entries:
        cells = []
        for x in places:
            point = curves[entry.entry].get(x)
            if point is None:
                cells.append(notes.missing("no such checkpoint"))
            else:
                cells.append(notes.score(point.mean, None if point.mean is not None else FAILED_CHECKPOINT))
        lines.append(Line(entry_cell(entry), tuple(cells), entry=entry.entry))
    columns = (Column("Entry", "text"), *(Column(f"x = {x}", metric=f"mean:{x}") for x in places))
    caption = f"Mean strict score at each checkpoint, {group.name}"
    return Table(f"{group.id}-means", caption, columns, tuple(lines), tuple(notes.reasons), game=group.game)


def facets(book: Book, group: GameGroup) -> tuple[Chart, ...]:
    """Return one small chart an entry, all on one scale: strict episodes, their spread, mean and baseline."""
    points = [point for entry in drawn(group) for point in book.curves.get((entry.entry, group.game), ())]
    limits = curve_span(points)
    charts = (
        curve_chart(book, entry, group.game, limits, place) for place, entry in enumerate(_with_curve(book, group))
    )
    return tuple(chart for chart in charts if chart is not None)


def explorations(book: Book, group: GameGroup) -> Table | None:
    """Return the exploration scores of the entries whose curves are drawn; None where there are none."""
    found = {
        entry.entry: {point.index: point for point in book.explorations.get((entry.entry, group.game), ())}
        for entry in drawn(group)
    }
    places = sorted({index for points in found.values() for index in points})
    if not places:
        return None
    notes = Notes()
    lines = []
    for entry in drawn(group):
        cells = []
        for index in places:
            point = found[entry.entry].get(index)
            score = point.score if point else None
            reason = None if score is not None else FAILED_EPISODE if point else "no such episode"
            cells.append(notes.score(score, reason))
        lines.append(Line(entry_cell(entry), tuple(cells), entry=entry.entry))
    columns = (Column("Entry", "text"), *(Column(str(index + 1), metric=f"explore:{index}") for index in places))
    caption = f"Scores of the exploration episodes, in the order they were played, {group.name}"
    return Table(f"{group.id}-explorations", caption, columns, tuple(lines), tuple(notes.reasons), game=group.game)
