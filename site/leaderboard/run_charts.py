"""The charts of a run, each with its numbers in a table."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.book import Book
from leaderboard.cells import entry_page
from leaderboard.figures import Range, exploring, learning
from leaderboard.numbers import shown
from leaderboard.terms import game_title
from leaderboard.text import visible_line
from leaderboard.view import Cell, Chart, Column, Line, Notes, Table, Term, count, interval, words
from scoring.results import CurvePoint, EntryResult

FAILED_CHECKPOINT = "failed: fewer than all its strict episodes have an outcome"
FAILED_EPISODE = "failed: the episode has no outcome"
NO_BASELINE = "the x = 0 checkpoint failed, so there is no baseline"
NO_INTERVAL = "no interval: fewer than 3 checkpoints, or no variation"
DELTA_TERM = Term("Minus y(0)", "below it its 95% interval, conditional on this round’s seeds")


def curve_chart(book: Book, entry: EntryResult, game: str, limits: Range, facet: int | None = None) -> Chart | None:
    """Return the learning curve of a run; None where it has no checkpoint.

    Args:
        book: All results.
        entry: Whose run.
        game: In which game.
        limits: The vertical axis.
        facet: The curve's place in the chart of all, for a small chart that goes with it.
    """
    points = book.curves.get((entry.entry, game), ())
    if not points:
        return None
    name = f"curve-{entry.entry}-{game}"
    title = game_title(game)
    label = f"Learning curve of {entry.entry} in {title}: {_course(points)}"
    table = _curve_table(name, entry.entry, game, points)
    if facet is None:
        return Chart(name, f"Learning curve in {title}", label, learning(points, limits), table)
    figure = learning(points, limits, facet)
    return Chart(name, entry.entry, label, figure, table, entry_page(entry.entry), (visible_line(entry.model),), True)


def _course(points: tuple[CurvePoint, ...]) -> str:
    valid = [(point.checkpoint, point.mean) for point in points if point.mean is not None]
    if not valid:
        return "every checkpoint failed."
    (x, first), (last_x, last) = valid[0], valid[-1]
    top = max(mean for _, mean in valid)
    return (
        f"the mean strict score goes from {shown(first)} at x = {x} to {shown(last)} at x = {last_x}; "
        f"its highest checkpoint is {shown(top)}."
    )


def _curve_table(name: str, entry: str, game: str, points: tuple[CurvePoint, ...]) -> Table:
    notes = Notes()
    lines = []
    for point in points:
        low, high = (min(point.scores), max(point.scores)) if point.scores else (None, None)
        cells = (
            notes.score(point.mean, None if point.mean is not None else FAILED_CHECKPOINT),
            _delta(notes, point),
            notes.score(low, None if low is not None else "no valid episode"),
            notes.score(high, None if high is not None else "no valid episode"),
            Cell(", ".join(shown(score) for score in point.scores)),
            count(point.failed),
        )
        lines.append(Line(count(point.checkpoint), cells))
    columns = (
        Column("x"),
        Column("Mean", metric="mean"),
        Column("Minus y(0)", metric="delta"),
        Column("Lowest", metric="low"),
        Column("Highest", metric="high"),
        Column("Strict episodes", "text", metric="scores"),
        Column("Failed", metric="failed"),
    )
    caption = f"Strict scores of {entry} in {game_title(game)}"
    return Table(
        f"{name}-table", caption, columns, tuple(lines), tuple(notes.reasons), (DELTA_TERM,), game=game, entry=entry
    )


def _delta(notes: Notes, point: CurvePoint) -> Cell:
    if point.delta is None:
        return notes.missing(FAILED_CHECKPOINT if point.mean is None else NO_BASELINE)
    bounded = point.low is not None and point.high is not None
    cell = notes.score(point.delta, None if bounded or point.checkpoint == 0 else NO_INTERVAL)
    return replace(cell, pieces=(interval(point.low, point.high),) if bounded else ())


def exploration_chart(book: Book, entry: EntryResult, game: str) -> Chart | None:
    """Return the exploration scores of a run; None where it has none."""
    points = book.explorations.get((entry.entry, game), ())
    if not points:
        return None
    name = f"explore-{entry.entry}-{game}"
    title = game_title(game)
    notes = Notes()
    cells = tuple(notes.score(point.score, None if point.score is not None else FAILED_EPISODE) for point in points)
    columns = (
        Column("Exploration episode", "text"),
        *(Column(str(point.index + 1), metric=f"explore:{point.index}") for point in points),
    )
    table = Table(
        f"{name}-table",
        f"Exploration scores of {entry.entry} in {title}, under the explore configuration",
        columns,
        (Line(words("Score"), cells, entry=entry.entry),),
        tuple(notes.reasons),
        game=game,
    )
    valid = sum(point.score is not None for point in points)
    label = f"Scores of {valid} exploration episodes of {entry.entry} in {title}, in the order they were played."
    return Chart(name, f"Exploration in {title}", label, exploring(points), table)
