"""Long tables: their first rows on the page they belong to, all of them on pages of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leaderboard.page_kinds import PartPage
from leaderboard.view import Link, Table, part_page, parts

NAME = "s3gym"


class Shared(NamedTuple):
    """The tables of one page, none of them too long."""

    first: Mapping[str, Table]
    """By the table's id: the whole table, or its first rows with links to the others."""
    rest: tuple[PartPage, ...]


def share_out(tables: Sequence[Table], back: Link, lines_a_part: int, rows_a_page: int) -> Shared:
    """Return the tables of a page, cut so that neither one of them nor all together are too long.

    Args:
        tables: Of one page.
        back: That page.
        lines_a_part: Rows that any table may have.
        rows_a_page: Rows that all tables of the page may have together.
    """
    most = rows_each([len(table.lines) for table in tables], lines_a_part, rows_a_page)
    cut = [parts(table, most) for table in tables]
    rest = (page for each in cut for page in _part_pages(each, back))
    return Shared({each[0].id: each[0] for each in cut}, tuple(rest))


def both(one: Shared, other: Shared) -> Shared:
    """Return the tables of one page that are cut apart from each other as one."""
    return Shared({**one.first, **other.first}, (*one.rest, *other.rest))


def rows_each(sizes: Sequence[int], lines_a_part: int, rows_a_page: int) -> int:
    """Return how many rows each table of a page may have, so that all of them together stay within the page's."""
    most = lines_a_part
    while most > 1 and sum(min(size, most) for size in sizes) > rows_a_page:
        most -= 1
    return most


def _part_pages(cut: Sequence[Table], back: Link) -> Iterator[PartPage]:
    """Return the pages of a table that is too long for one; none of a short one."""
    if len(cut) == 1:
        return
    for place, part in enumerate(cut, 1):
        yield PartPage(part_page(part.id, place), f"{part.caption} · {NAME}", part.caption, back, part)
