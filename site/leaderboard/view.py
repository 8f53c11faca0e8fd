"""What a page is made of: tables and charts as plain values, before any HTML."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from leaderboard.numbers import DASH, full, shown, shown_count
from leaderboard.order import Kind
from leaderboard.text import visible_line

Tone = Literal["", "first", "second", "third"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    label: str
    kind: Kind = "number"
    metric: str | None = None
    """What a test looks the cells up by."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A smaller number in a cell: a bound, a count, a band."""

    part: str
    """``low``, ``high`` or ``n`` of the cell's own metric, or the name of another metric of the same row."""
    text: str
    value: str
    before: str = ""
    """Words that lead to it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; a missing one shows a dash and points to the note with its reason."""

    text: str
    value: str | None = None
    """The full number, for sorting and checking; None for text."""
    href: str | None = None
    """A page, relative to the root of the site."""
    under: tuple[str, ...] = ()
    """Smaller lines below the text."""
    pieces: tuple[tuple[Piece, ...], ...] = ()
    """Smaller lines of numbers below those."""
    aside: str = ""
    """What a mark in the text means, for those who hear it."""
    note: int | None = None
    title: str | None = None
    missing: bool = False
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table."""

    head: Cell
    cells: tuple[Cell, ...]
    entry: str | None = None
    game: str | None = None
    other: str | None = None
    """Of a pair the entry that is taken off."""


@dataclass(frozen=True, slots=True)
class Term:
    """A short explanation of a column."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table, with its notes."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    """The first one heads the rows."""
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    game: str | None = None
    entry: str | None = None
    protocol: str | None = None
    pathway: str | None = None
    """Of a table over many runs: whose."""
    first: int = 1
    """Place of the first line in the whole table."""
    total: int = 0
    more: tuple[Link, ...] = ()
    """Where the other parts of a long table are."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page, relative to the root of the site."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Key:
    """One line of a chart's legend."""

    series: int
    glyph: str
    dashes: str
    text: str
    href: str
    under: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure, its label for those who cannot see it, and the same numbers as a table."""

    id: str
    caption: str
    label: str
    figure: str
    """Plotly JSON, safe inside a script element."""
    table: Table
    href: str | None = None
    under: tuple[str, ...] = ()
    small: bool = False
    legend: tuple[Key, ...] = ()


@dataclass(slots=True)
class Notes:
    """The notes of one table, each reason once, in the order of their first use."""

    reasons: list[str] = field(default_factory=list)

    def number(self, reason: str) -> int:
        """Return the number of the note that gives this reason."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason) + 1

    def missing(self, reason: str) -> Cell:
        """Return the cell of a value that there is none of."""
        line = visible_line(reason)
        return Cell(DASH, None, note=self.number(line), title=line, missing=True)

    def score(self, value: float | None, reason: str | None) -> Cell:
        """Return the cell of a score; a reason beside a value is a note on it."""
        if value is None:
            assert reason is not None
            return self.missing(reason)
        note = self.number(visible_line(reason)) if reason else None
        return Cell(shown(value), full(value), note=note)


def words(text: str, *under: str, href: str | None = None) -> Cell:
    """Return a cell of text."""
    return Cell(visible_line(text), href=href, under=tuple(visible_line(line) for line in under if line))


def count(value: int) -> Cell:
    """Return the cell of a whole number."""
    return Cell(shown_count(value), str(value))


def interval(low: float | None, high: float | None) -> tuple[Piece, ...]:
    """Return the line of an interval; none where there is none."""
    if low is None or high is None:
        return ()
    return Piece("low", shown(low), full(low)), Piece("high", shown(high), full(high), "to")


def rests_on(n: int) -> tuple[Piece, ...]:
    """Return the line that says how many a number rests on."""
    return (Piece("n", shown_count(n), str(n), "n ="),)


def parts(table: Table, lines_a_part: int) -> tuple[Table, ...]:
    """Cut a long table into parts that link to each other; a short one stays as it is."""
    total = len(table.lines)
    if total <= lines_a_part:
        return (replace(table, total=total),)
    starts = range(0, total, lines_a_part)
    links = tuple(
        Link(f"{start + 1}–{min(start + lines_a_part, total)}", part_page(table.id, place))
        for place, start in enumerate(starts, 1)
    )
    cut = []
    for place, start in enumerate(starts):
        lines, others = table.lines[start : start + lines_a_part], links[:place] + links[place + 1 :]
        cut.append(replace(table, lines=lines, first=start + 1, total=total, more=others))
    return tuple(cut)


def part_page(table: str, part: int) -> str:
    """Return the page that holds one part of a long table."""
    return f"parts/{table}-{part}.html"
