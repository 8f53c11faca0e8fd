"""Tables that fit a terminal: columns that have no room stand in a further table below, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

_GAP = 2


class Column(NamedTuple):
    """One column."""

    heading: str
    """May have two lines."""
    cells: Sequence[str]
    """One a row; text, never markup."""
    left: bool = False
    styles: Sequence[str] = ()
    """One a row; none: plain."""

    @property
    def width(self) -> int:
        """Return its width without the gap before it, in cells of a terminal."""
        return max(map(cell_len, (*self.heading.split("\n"), *self.cells)))


def fitted(width: int, labels: Column, groups: Sequence[Sequence[Column]]) -> Iterator[Table]:
    """Yield tables that show all columns, each with the labels first, and none wider than asked for.

    Of the ways to make as few tables as can be, the one whose widest is narrowest.

    Args:
        width: Of the terminal.
        labels: What each row is about; it alone folds, where even one column has no room beside it.
        groups: Columns that belong together stay together where there is room for them.
    """
    if not groups:
        return
    room = width - labels.width
    parts = [part for group in groups for part in ([group] if _width(group) <= room else [[each] for each in group])]
    packed = _packed(room, parts)
    for narrower in range(max(map(_width, parts)), room):
        fewer = _packed(narrower, parts)
        if len(fewer) == len(packed):
            packed = fewer
            break
    for columns in packed:
        yield _table(labels, columns)


def remarks(lines: Sequence[tuple[str, str]]) -> Table:
    """Return remarks, each beside what it is about, folded to the width of the console."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for about, told in lines:
        table.add_row(Text(about, style="dim"), Text(told))
    return table


def _width(columns: Sequence[Column]) -> int:
    return sum(_GAP + column.width for column in columns)


def _packed(room: int, parts: Sequence[Sequence[Column]]) -> list[list[Column]]:
    """Return the parts in order, in as few tables as hold them."""
    packed: list[list[Column]] = []
    for part in parts:
        if packed and _width([*packed[-1], *part]) <= room:
            packed[-1].extend(part)
        else:
            packed.append(list(part))
    return packed


def _table(labels: Column, columns: Sequence[Column]) -> Table:
    # The gap is a blank and what parts columns: nothing in this box, a line where the terminal knows ASCII alone.
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(Text(labels.heading), overflow="fold", vertical="bottom")
    for column in columns:
        table.add_column(Text(column.heading), justify="left" if column.left else "right", no_wrap=True)
    for place in range(len(labels.cells)):
        table.add_row(*(_cell(column, place) for column in (labels, *columns)))
    return table


def _cell(column: Column, place: int) -> Text:
    return Text(column.cells[place], style=column.styles[place] if column.styles else "")
