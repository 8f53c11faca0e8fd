"""Names are safe file names on every system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.names import check_name


@pytest.mark.parametrize("name", ["a", "red", "qwen3-8b", "a.b_c-d", "0", "r" * 64, "console", "com10"])
def test_plain_names_are_taken(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *["", "Red", "red team", "../x", "a/b", "a\\b", ".hidden", "a.", "-a", "a-", "r" * 65, "é", "a\n", "a*b?"],
        *["org/m:q4", "con", "nul", "com1", "lpt9.txt", "aux.json"],
    ],
)
def test_RN_13_what_some_system_cannot_store_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        check_name(name)


@given(st.text(max_size=70))
def test_a_taken_name_is_ascii_without_separators(name: str) -> None:
    try:
        check_name(name)
    except ValueError:
        return
    assert name.isascii()
    assert not set(name) & set('/\\:*?"<>| \n\t')
