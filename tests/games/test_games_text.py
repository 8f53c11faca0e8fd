"""Texts are folded to ASCII by one short written list, the same under every Python version."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.text import board, fold, integers, word


@pytest.mark.parametrize(
    "sign", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19\uff08\uff09\uff0c\uff1b\uff1a\uff0d\u3000"
)
def test_full_width_signs_fold_as_unicode_says(sign: str) -> None:
    assert fold(sign) == unicodedata.normalize("NFKC", sign)


@pytest.mark.parametrize("name", ["MINUS SIGN", "EN DASH", "EM DASH", "HYPHEN", "NON-BREAKING HYPHEN"])
def test_every_kind_of_minus_folds_to_the_ascii_one(name: str) -> None:
    assert fold(f"{unicodedata.lookup(name)}5") == "-5"


@given(st.text())
def test_folding_changes_no_length_and_nothing_twice(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="ascii")))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert fold(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [(" (a-b)! ", "A-B"), ("[ up ]", "UP"), ("''", ""), ("", ""), ("a b", "A B"), ("-a", "-A"), ("(1,2)", "1,2"),
     ("\N{LATIN SMALL LETTER LONG S}", ""), ("\N{LATIN SMALL LETTER DOTLESS I}", ""), ("\N{NO-BREAK SPACE}up", "")],
)  # fmt: skip
def test_a_word_is_what_stands_between_blanks_and_punctuation(text: str, read: str) -> None:
    assert word(text) == read


@given(st.text())
def test_a_word_is_ascii_and_is_read_as_itself(text: str) -> None:
    assert word(text).isascii()
    assert word(word(text)) == word(text)


def test_a_board_has_one_blank_between_cells() -> None:
    assert board(["ab", ["c", "d"]]) == "a b\nc d"


@pytest.mark.parametrize(
    ("text", "read"),
    [("3 90", (3, 90)), ("(3, 90)", (3, 90)), ("[3][90].", (3, 90)), (" 3;90 ", (3, 90)), ("3:90", (3, 90)),
     ("\N{FULLWIDTH DIGIT THREE}\N{FULLWIDTH COMMA}9", (3, 9)), ("\N{MINUS SIGN}1 +2", (-1, 2)), ("007 1", (7, 1)),
     ("5", (5,)), ("", ()), ("()", ())],
)  # fmt: skip
def test_integers_are_read_in_the_ways_that_models_write_them(text: str, read: tuple[int, ...]) -> None:
    assert integers(text, 2) == read


@pytest.mark.parametrize(
    "text",
    ["1 2 3", "1.5 2", "1 two", "1-2", "- 1", "--1", "1e3", "1234567", "x", "1/2", "1 2 x",
     "\N{ARABIC-INDIC DIGIT ONE}", "\N{SUPERSCRIPT TWO}",
     "1\N{NO-BREAK SPACE}2", "1_0", "9" * 1_000_000, "1," * 500_000],
    ids=range(17),
)  # fmt: skip
def test_integers_are_never_guessed(text: str) -> None:
    assert integers(text, 2) is None


@given(st.lists(st.integers(-999_999, 999_999), max_size=6), st.sampled_from([" ", ", ", ",", "; ", ") ("]))
def test_integers_that_were_written_are_read(numbers: list[int], between: str) -> None:
    assert integers(between.join(map(str, numbers)), 6) == tuple(numbers)
