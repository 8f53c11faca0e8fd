"""Lines of a foreign CSV file by column name; it is untrusted, and the work on it is bounded."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

MAX_BYTES = 1_000_000
MAX_TEXT = 200


class Line(NamedTuple):
    """One line of cells."""

    number: int
    """In the file, the header being 1; of a line that a quoted cell goes on, its last."""
    cells: Mapping[str, str]
    """By column; blanks at the ends are gone."""


class Sheet(NamedTuple):
    """A CSV file."""

    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def read_sheet(text: str, name: str, needed: Sequence[str], known: Sequence[str] = ()) -> Sheet:
    """Return the lines of a CSV text with the columns that are asked for; empty lines are passed over.

    Args:
        text: The file.
        name: What errors call it.
        needed: Columns that must stand there once.
        known: Columns that may stand there once; all others are passed over.

    Raises:
        ValueError: If it is no CSV file, is too large, lacks a column or has one twice, or a line has too few cells
            or too many.
    """
    if len(text) > MAX_BYTES:
        raise ValueError(f"{name}: expected at most {MAX_BYTES:,} characters, got {len(text):,}; split the file")
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise ValueError(
            f"{name}, line {reader.line_num}: not a CSV file: {error}; close every quote, and separate cells by commas"
        ) from error
    header = tuple(cell.strip().lower() for cell in rows[0][1]) if rows else ()
    if any(header.count(column) != 1 for column in needed) or any(header.count(column) > 1 for column in known):
        raise ValueError(
            f"{name}, line 1: expected each of {', '.join(needed)} once, got {','.join(header)[:MAX_TEXT]!r}; "
            "name every column in the first line"
        )
    lines = []
    for number, cells in rows[1:]:
        if not cells:
            continue
        if len(cells) != len(header):
            raise ValueError(
                f"{name}, line {number}: expected {len(header)} cells, got {len(cells)}; "
                "give as many as the first line has, and quote a cell that holds a comma"
            )
        wanted = (*needed, *(column for column in known if column in header))
        lines.append(Line(number, {column: cells[header.index(column)].strip() for column in wanted}))
    return Sheet(header, tuple(lines))


def columns_of(text: str) -> tuple[str, ...]:
    """Return the columns of a CSV text; none if its first line cannot be read."""
    try:
        first = next(csv.reader(io.StringIO(text[:MAX_BYTES]), strict=True), [])
    except csv.Error:
        return ()
    return tuple(cell.strip().lower() for cell in first)
