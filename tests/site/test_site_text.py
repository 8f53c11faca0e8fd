"""Text from outside: what is invisible shows, and nothing in it is read as mark-up."""

import html
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.text import file_name, island, plotly_label, visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x00b", "a␀b"),
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\rb", "a␍b"),
        ("a\x7fb", "a␡b"),
        ("a\x85b", "a⟦U+0085⟧b"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
        ("a\u200bb", "a⟦U+200B⟧b"),
        ("\ufeffa", "⟦U+FEFF⟧a"),
        ("a\ud800b", "a⟦U+D800⟧b"),
        ("a\U000e0041b", "a⟦U+E0041⟧b"),
        ("naïve 模型 שלום", "naïve 模型 שלום"),
    ],
)
def test_a_hidden_character_shows(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_line_ends_stay_in_long_text_and_show_in_a_label() -> None:
    assert visible("a\nb\tc") == "a\nb␉c"
    assert visible_line("a\nb") == "a␊b"


@given(st.text())
def test_nothing_but_hidden_characters_changes(text: str) -> None:
    assert visible_line(text) == text or any(not 0x20 <= ord(sign) < 0x7F for sign in text)
    assert visible_line(visible_line(text)) == visible_line(text)


@given(st.text())
def test_an_island_is_strict_json_without_any_mark_up(text: str) -> None:
    written = island({"label": text})
    assert json.loads(written) == {"label": text}
    assert not set(written) & set("<>&\u2028\u2029")


def test_an_island_holds_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        island([float("nan")])


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_a_plotly_label_reads_back_as_the_text(text: str) -> None:
    label = plotly_label(text)
    assert "<" not in label
    assert ">" not in label
    assert html.unescape(label) == text or "&" in text


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "UPPER", "x\n", "a b", "con\u202e", "x" * 65])
def test_a_name_that_is_no_safe_file_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="entry: expected lower-case"):
        file_name(name, "entry")
