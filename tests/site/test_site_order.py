"""The order of a column: total, missing last in both directions, the right one for each type."""

from functools import cmp_to_key

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.order import Kind, compare

ODD = [None, "", "NaN", "N/A", "nan", "null", "-0", "0", "0.0", "1e999", "-1e999", "Infinity", "5", "-3", "1e3", "—"]
cells = st.one_of(st.sampled_from(ODD), st.text(), st.floats(allow_nan=True).map(repr), st.integers().map(str))
kinds = st.sampled_from(["number", "text"])


def ordered(column: list[str | None], kind: Kind, *, descending: bool = False) -> list[str | None]:
    def order(a: str | None, b: str | None) -> int:
        return compare(a, b, kind, descending=descending)

    return sorted(column, key=cmp_to_key(order))


@given(cells, cells, kinds, st.booleans())
def test_A08_the_order_is_antisymmetric(a: str | None, b: str | None, kind: Kind, down: bool) -> None:
    assert compare(a, b, kind, descending=down) == -compare(b, a, kind, descending=down)


@given(cells, cells, cells, kinds, st.booleans())
def test_A08_the_order_is_transitive(a: str | None, b: str | None, c: str | None, kind: Kind, down: bool) -> None:
    first, second, third = (compare(*pair, kind, descending=down) for pair in ((a, b), (b, c), (a, c)))
    if first <= 0 and second <= 0:
        assert third <= 0
    if first == 0:
        assert second == third


@given(cells, cells)
def test_only_equal_texts_tie(a: str | None, b: str | None) -> None:
    if compare(a, b, "text") == 0:
        assert (a or None) == (b or None)


@pytest.mark.parametrize("down", [False, True])
def test_LB_01_and_A07_missing_is_last_in_both_directions(down: bool) -> None:
    column = ordered(["5", None, "1", "N/A", "NaN", "3", "1e999"], "number", descending=down)
    assert column[:3] == (["5", "3", "1"] if down else ["1", "3", "5"])
    assert set(column[3:]) == {None, "N/A", "NaN", "1e999"}


def test_minus_zero_is_zero() -> None:
    assert compare("-0", "0.0", "number") == 0
    assert compare("-0", "-1", "number") == 1


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["alpha", "Beta", "gamma", "Über", "模型"], "text"),
        (["run 2", "run 9", "run 10", "run 100"], "text"),
        (["2025-12-31", "2026-01-02", "2026-01-10"], "text"),
        (["v0.9.1", "v0.10.0", "v1.2", "v1.10"], "text"),
        (["-5", "0", "0.5", "9", "10", "1e2"], "number"),
    ],
)
def test_LB_11_names_dates_versions_and_numbers_each_have_their_order(column: list[str | None], kind: Kind) -> None:
    assert ordered(column[::-1], kind) == column
    assert ordered(column, kind, descending=True) == column[::-1]
