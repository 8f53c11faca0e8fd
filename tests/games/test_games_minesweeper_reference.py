"""Minesweeper plays as a second, plain implementation of its rules does, and its score keeps its bounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from games.minesweeper.config import EXPLORE, SIGHTED_STRICT, STRICT, MinesweeperConfig
from games.minesweeper.rules import MINESWEEPER
from tests.games.episodes import NONSENSE, drawer
from tests.games.minesweeper_boards import grid, mines
from tests.games.minesweeper_reference import Cell, Order, ReferenceMinesweeper

WAYS_TO_WRITE = (
    "{} ({},{})",
    "{}({}, {})",
    "[{} {} {}]",
    "{}: {}|{}.",
    "{} - ({},{})",
    "{} row {}, column={}",
    "  {}\t[{}][{}]\n",
)
VERBS = ("uncover", "flag", "unflag")
Wish = tuple[str, str, int, int]
"""A verb, the kind of cell, a number that chooses among them, and one that chooses how it is written."""

wishes = st.tuples(
    st.sampled_from((*VERBS, "uncover", "flag")),
    st.sampled_from(("any", "any", "safe", "mine", "right", "wrong", "beside")),
    st.integers(0, 200),
    st.integers(0, 99),
)
EVERY_MINE = [("flag", "mine", 0, 0)] * 64
EVERY_SAFE = [("uncover", "safe", 7, 0)] * 64


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> MinesweeperConfig:
    base = draw(st.sampled_from([EXPLORE, STRICT, SIGHTED_STRICT]))
    rows = draw(st.integers(1, 7))
    columns = draw(st.integers(4 if rows > 2 else 8, 9))
    empty = replace(base, rows=rows, columns=columns, fewest_mines=1, most_mines=1)
    most = draw(st.integers(1, empty.room))
    fewest = draw(st.integers(1, most))
    lives, steps = draw(st.integers(0, 3)), draw(st.integers(1, 64))
    return replace(empty, fewest_mines=fewest, most_mines=most, extra_lives=lives, max_steps=steps)


def chosen(wish: Wish, other: ReferenceMinesweeper) -> tuple[str, Order | None]:
    """The text of an action, and what it orders; now and then nonsense or a cell off the board."""
    verb, kind, number, style = wish
    if style == 99:
        return NONSENSE[number % len(NONSENSE)], None
    cells = kinds(other)[kind] or other.squares
    row, column = cells[number % len(cells)]
    if style == 98:
        row, column = row - other.config.rows, column + 1
    text = WAYS_TO_WRITE[style % len(WAYS_TO_WRITE)].format(verb.upper() if style % 2 else verb, row, column)
    return text, (verb, row, column)


def kinds(other: ReferenceMinesweeper) -> dict[str, list[Cell]]:
    hidden = other.hidden()
    return {
        "any": other.squares,
        "safe": [cell for cell in hidden if cell not in other.mines],
        "mine": [cell for cell in hidden if cell in other.mines],
        "right": sorted(other.flags & other.mines),
        "wrong": sorted(other.flags - other.mines),
        "beside": [cell for cell in hidden if any(near in other.flags for near in other.block(cell))],
    }


def compare(config: MinesweeperConfig, seed: int, given_wishes: list[Wish]) -> str | None:
    """Play both by the list and return how it ended."""
    state, other, total = MINESWEEPER.start(config, seed), ReferenceMinesweeper(config, seed), Fraction(0)
    assert MINESWEEPER.observe(state) == other.observation()
    for wish in given_wishes:
        if state.end is not None:
            break
        action, order = chosen(wish, other)
        event, reward = other.play(order)
        state, feedback, paid = MINESWEEPER.step(state, action)
        assert feedback.startswith(event)
        assert paid == reward
        assert (state.end, state.steps) == (other.end, other.steps)
        assert MINESWEEPER.observe(state) == other.observation()
        assert mines(state) == other.mines
        total += Fraction(paid)
        assert total == other.score
        assert -config.wrong_flag_cost <= total <= 1
    field = "".join("".join(line.split()[1:]) for line in MINESWEEPER.layout(state).split("\n")[1:])
    assert field == other.layout()
    return state.end


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(wishes, max_size=64))
@example(EXPLORE, 1, EVERY_MINE)
@example(STRICT, 1, EVERY_SAFE)
@example(replace(EXPLORE, rows=10, columns=10), 1, [("flag", "mine", 3, 0), ("uncover", "beside", 3, 0), *EVERY_SAFE])
def test_every_action_does_what_the_reference_does(
    config: MinesweeperConfig, seed: int, given_wishes: list[Wish]
) -> None:
    compare(config, seed, given_wishes)


def test_the_comparison_reaches_every_end_by_every_way() -> None:
    ends = Counter[str | None]()
    for seed in range(10):
        for config in (EXPLORE, STRICT):
            ends[compare(config, seed, EVERY_MINE)] += 1
            ends[compare(config, seed, EVERY_SAFE)] += 1
            ends[compare(config, seed, [EVERY_SAFE[0], *[("uncover", "mine", 1, 0)] * 3])] += 1
            ends[compare(config, seed, [("flag", "any", 5, 99)] * 64)] += 1
            ends[compare(replace(config, max_steps=3), seed, [EVERY_SAFE[0], *EVERY_MINE])] += 1
    assert set(ends) == {"won", "lost", "step_limit"}
    assert ends["won"] >= 20
    assert ends["lost"] == 20


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.integers(0, 999))
def test_greedy_episodes_are_those_of_the_reference(config: MinesweeperConfig, seed: int, player: int) -> None:
    """Sensible play goes farther into a board than actions without a plan."""
    state, other, draw = MINESWEEPER.start(config, seed), ReferenceMinesweeper(config, seed), drawer(player)
    while state.end is None:
        action = MINESWEEPER.baselines["greedy"](MINESWEEPER.observe(state), draw).action
        verb, place = action.split(" ")
        row, column = place.strip("()").split(",")
        event, reward = other.play((verb, int(row), int(column)))
        state, feedback, paid = MINESWEEPER.step(state, action)
        assert (feedback.startswith(event), paid, state.end) == (True, reward, other.end)
        assert MINESWEEPER.observe(state) == other.observation()


@given(settings_of_the_game(), st.integers(0, 2**63 - 1), st.lists(wishes, max_size=40))
def test_what_is_shown_once_stays_true(config: MinesweeperConfig, seed: int, given_wishes: list[Wish]) -> None:
    """An open number never changes, a hit stays shown, and no number of mines changes."""
    state, other = MINESWEEPER.start(config, seed), ReferenceMinesweeper(config, seed)
    for wish in given_wishes:
        if state.end is not None:
            break
        before, count = "".join(grid(state)), len(mines(state))
        action, order = chosen(wish, other)
        other.play(order)
        state = MINESWEEPER.step(state, action).state
        for sign, now in zip(before, "".join(grid(state)), strict=True):
            assert now == sign or sign in "?F"
        assert len(mines(state)) == count
