"""The log as pages: every line, and a page for each entry that stands in no table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from leaderboard.cells import entry_page
from leaderboard.make_pages import LOG_PAGE
from leaderboard.page_kinds import LogPage, TombstonePage
from leaderboard.part_pages import NAME
from leaderboard.view import Column, Line, Table, count, words
from scoring.acceptance import Standing, State, head_of
from scoring.board import Board

STATES: Mapping[State, str] = {
    "standing": "in the tables",
    "held": "held for the organisers",
    "withdrawn": "withdrawn by its team",
    "disqualified": "disqualified by the organisers",
}
_OUTSIDE: tuple[State, ...] = ("held", "withdrawn", "disqualified")


def log_page(board: Board) -> LogPage:
    """Return the page of the log."""
    return LogPage(
        LOG_PAGE,
        f"Log · {NAME}",
        f"{board.keyring.words[:1].upper()}{board.keyring.words[1:]}.",
        board.keyring.mark is not None,
        head_of(board.lines),
        _outside(board),
        _lines(board),
    )


def tombstones(board: Board) -> Iterator[TombstonePage]:
    """Return a page for every entry that stands in no table, so that no link to it ever dies."""
    for standing in board.in_state(*_OUTSIDE):
        subject = standing.subject
        yield TombstonePage(
            entry_page(subject.entry),
            f"{subject.entry} · {NAME}",
            subject.entry,
            subject.team,
            STATES[standing.state],
            standing.reason or "",
            str(standing.changed_at),
            subject.bundle_digest,
        )


def _outside(board: Board) -> Table | None:
    lines = tuple(_outside_line(each) for each in board.in_state(*_OUTSIDE))
    columns = (Column("Entry", "text"), Column("State", "text"), Column("Why", "text"), Column("Position"))
    return Table("outside", "Entries that stand in no table", columns, lines) if lines else None


def _outside_line(standing: Standing) -> Line:
    subject = standing.subject
    head = words(subject.entry, subject.team, href=entry_page(subject.entry))
    cells = (words(STATES[standing.state]), words(standing.reason or ""), count(standing.changed_at))
    return Line(head, cells, entry=subject.entry)


def _lines(board: Board) -> Table:
    columns = (
        Column("Position"),
        Column("What happened", "text"),
        Column("Entry", "text"),
        Column("Team", "text"),
        Column("Key", "text"),
        Column("Registry", "text"),
        Column("Time, as claimed", "text"),
        Column("Why", "text"),
    )
    lines = []
    for line in board.lines:
        subject = line.subject
        registry = "unsigned" if line.registry is None else f"version {line.registry.version}"
        cells = (
            words(line.action),
            words(subject.entry, href=entry_page(subject.entry)),
            words(subject.team),
            words(subject.keyid[:12]),
            words(registry),
            words(line.claimed_time or ""),
            words(line.reason or ""),
        )
        lines.append(Line(count(line.position), cells))
    return Table("log", "Every line, in the order that decides", columns, tuple(lines))
