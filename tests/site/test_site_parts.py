"""Long tables are shared out over pages: no row is lost, none stands twice, and no page holds too many."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.part_pages import both, rows_each, share_out
from leaderboard.view import Column, Line, Link, Table, words

SIZES = st.lists(st.integers(0, 130), min_size=1, max_size=9)
BACK = Link("Home", "index.html")


def tables(sizes: list[int]) -> list[Table]:
    return [
        Table(
            f"t{place}",
            f"Table {place}",
            (Column("Row", "text"),),
            tuple(Line(words(f"{row}"), ()) for row in range(n)),
        )
        for place, n in enumerate(sizes)
    ]


@given(SIZES, st.integers(1, 100), st.integers(9, 300))
def test_as_many_rows_as_fit_and_one_more_would_not(sizes: list[int], most: int, page: int) -> None:
    each = rows_each(sizes, most, page)
    assert 1 <= each <= most
    assert sum(min(size, each) for size in sizes) <= page
    assert each == most or sum(min(size, each + 1) for size in sizes) > page


@given(SIZES, st.integers(1, 100), st.integers(9, 300))
def test_every_row_stands_on_the_page_or_in_one_part(sizes: list[int], most: int, page: int) -> None:
    made = tables(sizes)
    shared = share_out(made, BACK, most, page)
    assert sum(len(table.lines) for table in shared.first.values()) <= page
    for table in made:
        parts = [part.table for part in shared.rest if part.table.id == table.id]
        rows = [line for part in parts for line in part.lines] if parts else list(shared.first[table.id].lines)
        assert rows == list(table.lines)
        assert shared.first[table.id].lines == table.lines[: len(shared.first[table.id].lines)]
    assert len({part.path for part in shared.rest}) == len(shared.rest)


def test_tables_cut_apart_stand_on_one_page() -> None:
    one, other = tables([3]), [Table("other", "Other", (Column("Row", "text"),), ())]
    assert set(both(share_out(one, BACK, 2, 2), share_out(other, BACK, 2, 2)).first) == {"t0", "other"}
