"""Texts are folded to ASCII by one short written list, the same under every Python version."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.text import board, fold, word


@pytest.mark.parametrize(
    "sign", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19\uff08\uff09\uff0c\uff1b\uff1a\uff0d\u3000"
)
def test_full_width_signs_fold_as_unicode_says(sign: str) -> None:
    assert fold(sign) == unicodedata.normalize("NFKC", sign)


def test_a_degree_sign_is_a_blank_and_an_arrow_a_link() -> None:
    assert fold("90\N{DEGREE SIGN} A \N{RIGHTWARDS ARROW} 3") == "90  A = 3"


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
    [(" (up)! ", "UP"), ("[ up ]", "UP"), ("''", ""), ("", ""), ("a b", ""), ("-a", ""), ("(1,2)", ""), ("a-b", ""),
     ("\N{LATIN SMALL LETTER LONG S}", ""), ("\N{LATIN SMALL LETTER DOTLESS I}", ""), ("\N{NO-BREAK SPACE}up", "")],
)  # fmt: skip
def test_a_word_is_what_stands_between_blanks_and_punctuation(text: str, read: str) -> None:
    assert word(text) == read


@given(st.text())
def test_a_word_is_letters_in_upper_case_and_is_read_as_itself(text: str) -> None:
    assert re.fullmatch("[A-Z]*", word(text))
    assert word(word(text)) == word(text)


def test_a_board_has_one_blank_between_cells() -> None:
    assert board(["ab", ["c", "d"]]) == "a b\nc d"
