"""Chess plays as a second, plain implementation of its rules does."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from games.chess.config import EXPLORE, STRICT, ChessConfig
from games.chess.library import LIBRARY, Rule, fitting, path
from games.chess.rules import CHESS
from tests.games.chess_reference import (
    KINDS,
    WHOLE,
    Cell,
    Parameters,
    ReferenceChess,
    first_cells,
    parameters,
    that_fit,
)
from tests.games.episodes import drawer

SEEDS = st.integers(0, 2**63 - 1)
SIGNS = [
    *"AbKz0137,;:()[] .-=>|&!+*'\"",
    "and",
    " and ",
    "->",
    "=>",
    "\u2192",
    "12",
    "\u2212",
    "\uff13",
    "\uff08",
    "\n",
]
CELLS = st.tuples(st.integers(-1, 16), st.integers(-1, 16))
FORMS = st.sampled_from(
    ["{}:({},{})", "{}: {},{}", "{}=({}, {})", "{} ({} {})", "{}->({},{})", "{}{};{}", '"{}": [{}, {}]', "{} {}",
     "{}:({},{}) or so", "{}:({},{},0)", "{}:({}.{},1)", "{}{}{}"]
)  # fmt: skip
LETTERS = st.sampled_from([*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"])


@st.composite
def entries(draw: st.DrawFn) -> str:
    """An entry of an action, most of them readable."""
    return draw(FORMS).format(draw(LETTERS), *draw(CELLS))


ACTIONS = st.one_of(
    st.lists(entries(), max_size=30).map(", ".join),
    st.lists(entries(), max_size=30).map(" and ".join),
    st.lists(st.sampled_from(SIGNS), max_size=30).map("".join),
    st.lists(st.sampled_from(SIGNS), max_size=20).map(lambda signs: "A:(3,4)" + "".join(signs)),
    st.sampled_from(["oracle", "greedy", "random", "", "I do not know", "a" * 4_001]),
)


@st.composite
def settings_of_the_game(draw: st.DrawFn) -> ChessConfig:
    name = draw(st.sampled_from(["explore", "strict", "other"]))
    size, history, steps = draw(st.integers(7, 16)), draw(st.integers(3, 9)), draw(st.integers(1, 8))
    room = 3 * size * size // (history + steps + 1)
    return ChessConfig(name, size, draw(st.integers(1, min(8, room))), history, steps)


def reference(config: ChessConfig, seed: int) -> ReferenceChess:
    return ReferenceChess(
        config=config.id,
        seed=seed,
        size=config.size,
        pieces=config.pieces,
        history=config.history,
        max_steps=config.max_steps,
    )


def compare(config: ChessConfig, seed: int, actions: list[str]) -> ReferenceChess:
    """Play both; the name of a baseline stands for what it answers."""
    state, other, draw = CHESS.start(config, seed), reference(config, seed), drawer(seed)
    oracle = CHESS.oracle
    assert oracle is not None
    assert CHESS.observe(state) == CHESS.recall(state) == other.observation()
    for action in actions:
        if state.end is not None:
            break
        if action == "oracle":
            action = oracle(state, draw).action
        elif action in CHESS.baselines:
            action = CHESS.baselines[action](CHESS.observe(state), draw).action
        state, feedback, paid = CHESS.step(state, action)
        assert (feedback, paid) == other.play(action)
        assert state.end == other.end
        assert state.steps == other.steps
        assert CHESS.observe(state) == other.observation()
        head, newest = other.observation().split("\n", 1)[0], other.board(other.steps)
        assert CHESS.recall(state) == f"{head}\n{newest}"
    return other


@settings(deadline=None)
@given(settings_of_the_game(), SEEDS, st.lists(ACTIONS, max_size=8))
@example(EXPLORE, 1, ["greedy", "A:(0,0)", "oracle", "random", "END it"])
def test_every_action_does_what_the_reference_does(config: ChessConfig, seed: int, actions: list[str]) -> None:
    compare(config, seed, actions)


@pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
def test_the_shipped_boards_are_those_of_the_reference(config: ChessConfig) -> None:
    thrown = 0
    for seed in (*range(12), 2**63 - 1):
        other = compare(config, seed, ["greedy"] * 5)
        way = [f"{letter}: {' '.join(f'({y},{x})' for y, x in cells)}" for letter, cells in other.where.items()]
        assert CHESS.layout(CHESS.start(config, seed)) == "\n".join(way)
        thrown += other.thrown
    assert thrown > 2


def test_the_library_is_the_written_one() -> None:
    """Kinds, vectors and their order are those of the table in the README, since draws count in them."""
    assert list(LIBRARY) == KINDS
    for kind, cycles in LIBRARY.items():
        assert len(set(cycles)) == len(cycles) == len(parameters(kind))
    for kind, choice in WHOLE:
        cycle = LIBRARY[kind][parameters(kind).index(choice)] if kind != "triple" else choice
        cells = path(Rule(kind, cycle), 4 * 9 + 4, 9, 12)
        assert [divmod(cell, 9) for cell in cells] == first_cells(kind, choice, (4, 4), 9, 13)
    assert list(LIBRARY["triple"]) == parameters("triple")
    readme = (Path(__file__).resolve().parents[2] / "games" / "chess" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\w+) \| (\d+) \| .+ \|$", readme, re.MULTILINE) == [
        (kind, str(len(cycles))) for kind, cycles in LIBRARY.items()
    ]


def same(rule: Rule) -> tuple[str, Parameters]:
    """The rule as the reference writes it."""
    return rule.kind, rule.cycle[:1] if rule.kind in ("pause", "ramp") else rule.cycle


def check_fitting(kind: str, choice: Parameters, start: Cell, size: int, count: int) -> int:
    seen = first_cells(kind, choice, start, size, count)
    found = [same(rule) for rule in fitting([row * size + column for row, column in seen], size)]
    assert sorted(found) == sorted(that_fit(seen, size, WHOLE))
    assert (kind, choice) in found
    return len(found)


def test_the_rules_that_fit_are_found_as_by_trying_all_of_them() -> None:
    """Every kind, on small boards too, where sides are met often; from four cells on."""
    draw, several = Random(5), 0
    for count in range(84):
        kind = KINDS[count % 7]
        choices, size = parameters(kind), draw.choice([7, 7, 8, 9, 15])
        start = draw.randrange(size), draw.randrange(size)
        several += check_fitting(kind, draw.choice(choices), start, size, draw.choice([4, 5, 6, 8, 8])) > 1
    assert several > 10


@pytest.mark.parametrize("start", [(0, 0), (1, 0), (0, 6), (6, 5), (5, 1), (3, 3)])
def test_a_bounce_beside_the_sides_is_found_as_by_trying_all_rules(start: Cell) -> None:
    for choice in parameters("bounce"):
        check_fitting("bounce", choice, start, 7, 4)


@settings(deadline=None)
@given(st.integers(7, 12), st.lists(st.integers(0, 10**6), min_size=4, max_size=8))
def test_nothing_but_rules_of_the_library_fits_any_cells(size: int, places: list[int]) -> None:
    """Cells that no rule leads through have no rule, and no rule is made up."""
    cells = [place % size**2 for place in places]
    for rule in fitting(cells, size):
        assert same(rule) in WHOLE
        assert path(rule, cells[0], size, len(cells) - 1) == tuple(cells)
