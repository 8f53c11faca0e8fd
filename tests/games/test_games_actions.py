"""All games read an action by the one rule of docs/reference/actions.md: every spelling it allows, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.registry import GAMES, AnyGame
from games.rng import bounded
from games.text import order, orders, word
from tests.games.action_reference import ALWAYS, many, one

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "actions.md").read_text(encoding="utf-8")
FORMS = {
    "snake": ([], ""),
    "trust": ([], ""),
    "minesweeper": (["ROW", "COLUMN"], ""),
    "nullify": (["INDEX", "INDEX"], ""),
    "tetris": (["COLUMN", "ROTATION"], "DEGREES"),
    "chess": (["ROW", "COLUMN"], "AND"),
    "pvz": (["ROW", "COLUMN"], "AND"),
}
"""By game: the names of an action's numbers, and what may stand after the last one."""
LISTS = {"chess", "pvz"}
CELL = ("ROW", "COLUMN")

pieces = st.sampled_from(
    ["flag", "A", "b", "X", "row", "column", "index", "rotation", "degrees", "and", "UP", "END", "none", "é", "_",
     "0", "3", "12", "90", "+1", "-3", "007", "1234567", "1.5", ".5", "0/1", "1-2", "1e3", "²", "°",
     " ", "  ", "\n", "\t", "(", ")", "[", "]", "<", ">", "'", '"', "`", "*", ",", ":", "|", "&", ".", "!", ";",
     "=", "==", "-", "--", "->", "=>", "→", "\N{EN DASH}", "；", "，", "（", "\N{FULLWIDTH DIGIT THREE}", "\xa0"]
)  # fmt: skip
texts = st.lists(pieces, max_size=12).map("".join) | st.text(max_size=30)


@given(texts, st.sampled_from(["snake", "minesweeper", "nullify", "tetris"]))
def test_what_one_order_says_is_what_the_page_says(text: str, game: str) -> None:
    names, last = FORMS[game]
    assert order(text, tuple(names), last) == one(text, names, last)


@given(texts)
def test_what_a_list_says_is_what_the_page_says(text: str) -> None:
    assert list(orders(text, CELL)) == many(text)


marks = st.text(st.sampled_from(ALWAYS), max_size=3)
between = st.builds(str.__add__, st.sampled_from(ALWAYS), marks)
links = st.sampled_from(["=", "==", "->", "-->", "=>", "\N{RIGHTWARDS ARROW}", "-(", "- [", "-\t{"])
linked = st.builds("{}{}{}".format, marks, links, marks)
ends = st.text(st.sampled_from(ALWAYS + ";\n"), max_size=3)


@st.composite
def spellings(draw: st.DrawFn, game: AnyGame, plain: str) -> str:
    """The same action in a spelling that the page allows; a plain one is words and numbers with blanks between them."""
    names, last = FORMS[game.id]
    spelled, after, place = draw(ends), "", 0
    for piece in plain.split(" "):
        if piece.isalpha():
            parted = draw(st.sampled_from(["; ", ";", "\n", " and "])) if game.id in LISTS and after else ""
            spelled += parted or (draw(between) if after else "")
            spelled += draw(st.sampled_from([piece.lower(), piece.upper(), piece.capitalize()]))
            after, place = "word", 0
            continue
        if draw(st.booleans()):
            spelled += draw(between) if after else ""
            spelled += draw(st.sampled_from([names[place].lower(), names[place]]))
            after = "word"
        gap = draw({"": st.just(""), "word": between | linked | st.just(""), "number": between}[after])
        spelled += gap + draw(st.sampled_from([piece, f"0{piece}", *([f"+{piece}"] if gap or not after else [])]))
        after, place = "number", place + 1
        if place == len(names) and last == "DEGREES":
            spelled += draw(st.sampled_from(["", "\N{DEGREE SIGN}", " degrees", "\N{DEGREE SIGN} ", ", DEGREES"]))
    return spelled + draw(st.sampled_from(["", ".", "!", "...", " . "])) + draw(ends)


@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
@given(st.data())
def test_every_spelling_of_a_legal_action_is_the_same_move(game: AnyGame, data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 7))
    state = game.start(game.explore, seed)
    action = game.baselines["random"](game.observe(state), bounded(Random(data.draw(st.integers(0, 99))))).action
    plain = " ".join(re.findall(r"[A-Za-z]+|[0-9]+", action))
    if plain:
        spelled = data.draw(spellings(game, plain))
        assert game.step(state, spelled) == game.step(state, action), spelled


@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
@given(texts)
def test_what_the_page_does_not_read_is_an_invalid_action(game: AnyGame, text: str) -> None:
    names, last = FORMS[game.id]
    read = [each for each in many(text) if each] if game.id in LISTS else [one(text, names, last)]
    state = game.start(game.explore, 1)
    if not any(read) and word(text) not in ("END", "NONE") and (game.id != "pvz" or many(text)):
        assert "Invalid action: " in game.step(state, text).feedback


def test_the_page_lists_the_forms_that_the_games_read() -> None:
    rows = {}
    for line in re.findall(r"^\| (.+) \|$", PAGE, re.MULTILINE)[1:]:
        titles, _, names, last = [cell.strip() for cell in line.split("|")]
        for title in titles.split(", "):
            rows[title] = (re.findall(r"`(\w+)`", names), last.strip("`"))
    assert rows == {
        game.title: ([name.lower() for name in FORMS[game.id][0]], FORMS[game.id][1].lower()) for game in GAMES
    }


@pytest.mark.parametrize(("opening", "closing", "read"), [("So `flag", "are the same action", ("FLAG", (3, 4))),
                                                          ("and\n`flag.3 4`", "are none", None)])  # fmt: skip
def test_the_examples_of_the_page_are_read_as_it_says(opening: str, closing: str, read: object) -> None:
    passage = PAGE[PAGE.index(opening) : PAGE.index(closing)]
    examples = re.findall(r"`([^`]+)`", passage.split("are the same action, and")[0])
    assert len(examples) > 4
    for example in examples:
        assert order(example, CELL) == read, example


def test_the_lists_of_the_page_are_read_as_it_says() -> None:
    same, spoiled = PAGE[PAGE.index("So `A:(3,4)") :].split("are the same\nlist")
    for example in re.findall(r"`([^`]+)`", same):
        assert list(orders(example, CELL)) == [("A", (3, 4)), ("B", (5, 6))], example
    for example in re.findall(r"`([^`]+)`", spoiled):
        assert not any(found and found.word == "A" for found in orders(example, CELL)), example
    assert list(orders("(3,4) A, (5,6) b", CELL)) == [None]


@pytest.mark.parametrize("unit", ["((((", "X 0 0;", "X(((", "- ", "=", "A-", "A=", "A.", "1", "+", "A & ", "a->"])
def test_a_megabyte_is_read_at_once(unit: str) -> None:
    """A reading that goes back and forth would take hours."""
    text = unit * (1_000_000 // len(unit))
    assert order(text, CELL) is None
    assert list(orders(text, CELL)) is not None
