"""Minesweeper: the rules."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Points, Step, Variant, limit, refusal
from games.minesweeper import baselines
from games.minesweeper.board import (
    BLOCK,
    FLAG,
    HIDDEN,
    MINE,
    cells,
    cleared,
    hidden,
    marked,
    numbered,
    opened,
    right_flags,
)
from games.minesweeper.config import EXPLORE, SIGHTED_EXPLORE, SIGHTED_STRICT, STRICT, MinesweeperConfig
from games.rng import below, draws, stream

ID = "minesweeper"
RULES_VERSION = 2

_UNCOVER, _FLAG, _UNFLAG = "UNCOVER", "FLAG", "UNFLAG"
_NUMBERS = ("ROW", "COLUMN")
_FORMS = [f"{verb.lower()} (r,c)" for verb in (_UNCOVER, _FLAG, _UNFLAG)]

_SAFE = "You uncovered a safe cell"
_HIT = "You hit a mine"
_FLAGGED = "You placed a flag"
_UNFLAGGED = "You removed a flag"
_ALL_OPEN = "Every cell without a mine is open: you won."
_ALL_FLAGGED = "Flags stand on all mines that were not hit and on no other cell: you won."
_UNREADABLE = f"expected exactly one of {', '.join(_FORMS)}"

_ACTION_FORM = f"<{' or '.join(_FORMS)}>"

RULES = f"""\
Minesweeper

Some cells of a board hide a mine. You score by placing flags on the mines, or by opening every other cell.

Board: above it stand the number of mines, the flags used and the extra lives left. The board has one line for each \
row, one blank between cells. The line above the rows numbers the columns, the start of each line numbers the row, \
both from 0. {HIDDEN} is a hidden cell, {FLAG} a hidden cell with a flag, 0 to 8 an open cell, {MINE} a mine that was \
hit. The number of an open cell says how many of its neighbours hold a mine, mines that were hit included. The \
neighbours of a cell are the up to 8 cells that touch it at a side or a corner.

Rules:
- The number of mines is drawn from the given range, then their places, each possibility equally likely.
- uncover (r,c) uncovers the hidden cell in row r and column c. If it holds no mine, it opens. If its number is 0, all \
its hidden neighbours open too, and in turn those of every 0 that opens in this way. A cell with a flag does not open \
in this way.
- The first cell that you uncover is always safe, and so are its neighbours: before it opens, every mine in these \
cells moves to a cell drawn at random from those that are not among them and have neither a mine nor a flag. A flag \
whose mine moves away stays and is a wrong flag from then on.
- If the cell that you uncover holds a mine, the mine is hit. It is shown from then on and costs an extra life. If no \
extra life was left, the episode ends. Under strict rules there are no extra lives, so the first hit ends the episode; \
under permissive rules there are some.
- flag (r,c) places a flag on a hidden cell, unflag (r,c) removes it. There are as many flags as mines, mines that \
were hit included. You are not told whether a flag is right, that is, whether it stands on a mine.
- You win when every cell without a mine is open, or when flags stand on all mines that were not hit and on no other \
cell. This is checked after every action that is carried out, unless a hit has just ended the episode.
- Invalid are: anything but exactly one of these actions with one row and one column, in upper or lower case; a cell \
that is not on the board; uncovering a cell, or placing a flag on one, that is open, was hit or has a flag; placing a \
flag when all are used; removing a flag where there is none. An invalid action is refused and nothing changes.
- Every action uses up one step, also one that is refused. The episode ends at the step limit; a win or a last hit in \
that very step still counts as such.
- With M for the number of mines and W for the cost of a wrong flag, your score is (right flags - W x wrong flags) / M \
as long as you have not won. A win makes it (M - H) / M, where H is the number of mines that were hit. What you scored \
until the end is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
- {_FLAGGED}: +1/M if the cell holds a mine, otherwise -W/M
- {_UNFLAGGED}: -1/M if the cell holds a mine, otherwise +W/M
- {_SAFE}: 0, but -(1 + W)/M for each right flag that becomes wrong because its mine moves away, and, if it wins, \
what is then missing to (M - H) / M
- {_HIT}: 0
- Invalid action: 0
- You ended the episode: 0"""


class MinesweeperState(NamedTuple):
    """One moment of an episode."""

    config: MinesweeperConfig
    steps: int
    end: End | None
    field: str
    """The board with every mine and every number; the player never sees it."""
    view: str
    """The board as the player sees it."""
    moves: tuple[float, ...]
    """One draw for each mine that the first uncovering may move away."""


def numbers(config: MinesweeperConfig) -> str:
    """Return this config's numbers in words."""
    outcome = (
        "Permissive rules apply: a mine that is hit costs an extra life and ends the episode only if none was left"
        if config.extra_lives
        else "Strict rules apply: the first mine that is hit ends the episode"
    )
    return (
        f"Board: {config.rows} rows and {config.columns} columns\n"
        f"Mines: {config.fewest_mines} to {config.most_mines}\n"
        f"Extra lives: {config.extra_lives}\n"
        f"Cost of a wrong flag: {config.wrong_flag_cost}\n"
        f"Step limit: {config.max_steps}\n"
        f"{outcome}."
    )


def start(config: MinesweeperConfig, seed: int) -> MinesweeperState:
    """Return the first state of an episode."""
    world = stream(ID, RULES_VERSION, config.id, seed, "layout")
    count = config.fewest_mines + below(world.random(), config.most_mines - config.fewest_mines + 1)
    rows, columns = config.rows, config.columns
    free = list(cells(rows, columns))
    mines = {free.pop(below(world.random(), len(free))) for _ in range(count)}
    moves = draws(ID, RULES_VERSION, config.id, seed, "moves", BLOCK)
    return MinesweeperState(config, 0, None, numbered(rows, columns, mines), hidden(rows, columns), moves)


def observe(state: MinesweeperState) -> str:
    """Return what the player sees."""
    config, _, _, field, view, _ = state
    return (
        f"Mines: {field.count(MINE)}\n"
        f"Flags used: {view.count(FLAG)}\n"
        f"Extra lives left: {max(0, config.extra_lives - view.count(MINE))}\n"
        f"{view}"
    )


def layout(state: MinesweeperState) -> str:
    """Return the board with every mine and every number."""
    return state.field


def move(state: MinesweeperState, action: str) -> Step[MinesweeperState]:
    """Play one action."""
    order = text.order(action, _NUMBERS)
    if order is None or order.word not in _ORDERS:
        return _refused(state, _UNREADABLE)
    row, column = order.numbers
    config = state.config
    name = f"({row},{column})"
    if not (0 <= row < config.rows and 0 <= column < config.columns):
        last = f"rows 0 to {config.rows - 1} and columns 0 to {config.columns - 1}"
        return _refused(state, f"{name} is not on the board, which has {last}")
    cell = cells(config.rows, config.columns)[row * config.columns + column]
    return _ORDERS[order.word](state, cell, name)


def _uncover(state: MinesweeperState, cell: int, name: str) -> Step[MinesweeperState]:
    config, _, _, field, view, moves = state
    if view[cell] == FLAG:
        return _refused(state, f"{name} has a flag")
    if view[cell] != HIDDEN:
        return _refused(state, f"{name} is uncovered already")
    rows, columns = config.rows, config.columns
    if view.count(HIDDEN) + view.count(FLAG) == rows * columns:
        field = cleared(rows, columns, field, view, cell, moves)
    if field[cell] == MINE:
        return _hit(state, cell, name)
    after = opened(rows, columns, field, view, cell)
    count = view.count(HIDDEN) - after.count(HIDDEN)
    return _carried_out(state, field, after, f"{_SAFE} at {name}. Cells opened: {count}.")


def _hit(state: MinesweeperState, cell: int, name: str) -> Step[MinesweeperState]:
    view = marked(state.view, cell, MINE)
    left = state.config.extra_lives - view.count(MINE)
    if left < 0:
        feedback = f"{_HIT} at {name}. No extra life was left: the episode is over."
        return Step(state._replace(steps=state.steps + 1, end=End.LOST, view=view), feedback, 0)
    return _carried_out(state, state.field, view, f"{_HIT} at {name}. Extra lives left: {left}.")


def _flag(state: MinesweeperState, cell: int, name: str) -> Step[MinesweeperState]:
    field, view = state.field, state.view
    if view[cell] == FLAG:
        return _refused(state, f"{name} has a flag already")
    if view[cell] != HIDDEN:
        return _refused(state, f"{name} is uncovered")
    if view.count(FLAG) == field.count(MINE):
        return _refused(state, "all flags are used")
    view = marked(view, cell, FLAG)
    return _carried_out(state, field, view, f"{_FLAGGED} on {name}.")


def _unflag(state: MinesweeperState, cell: int, name: str) -> Step[MinesweeperState]:
    field, view = state.field, state.view
    if view[cell] != FLAG:
        return _refused(state, f"{name} has no flag")
    view = marked(view, cell, HIDDEN)
    return _carried_out(state, field, view, f"{_UNFLAGGED} from {name}.")


_ORDERS: dict[str, Callable[[MinesweeperState, int, str], Step[MinesweeperState]]] = {
    _UNCOVER: _uncover,
    _FLAG: _flag,
    _UNFLAG: _unflag,
}


def _refused(state: MinesweeperState, reason: str) -> Step[MinesweeperState]:
    steps = state.steps + 1
    return Step(state._replace(steps=steps, end=limit(None, steps, state.config)), refusal(reason), 0)


def _carried_out(state: MinesweeperState, field: str, view: str, feedback: str) -> Step[MinesweeperState]:
    """Return the step of an action that ends the episode by a win or not at all.

    Args:
        state: The state before.
        field: The field after.
        view: The view after.
        feedback: What happened.
    """
    config, steps = state.config, state.steps + 1
    mines, flags, hits = field.count(MINE), view.count(FLAG), view.count(MINE)
    end, worth = None, _worth(config, field, view)
    if view.count(HIDDEN) + flags + hits == mines:
        end, feedback, worth = End.WON, f"{feedback} {_ALL_OPEN}", mines - hits
    elif flags + hits == mines and right_flags(field, view) == flags:
        end, feedback = End.WON, f"{feedback} {_ALL_FLAGGED}"
    after = MinesweeperState(config, steps, limit(end, steps, config), field, view, state.moves)
    return Step(after, feedback, _share(worth - _worth(config, state.field, state.view), mines))


def _worth(config: MinesweeperConfig, field: str, view: str) -> int:
    """Return the score that flags make before a win, in the worth of a right one."""
    right = right_flags(field, view)
    return right - config.wrong_flag_cost * (view.count(FLAG) - right)


@lru_cache(maxsize=1024)
def _share(part: int, whole: int) -> Points:
    return Fraction(part, whole) if part else 0


MINESWEEPER: Game[MinesweeperConfig, MinesweeperState] = Game(
    id=ID,
    title="Minesweeper",
    rules_version=RULES_VERSION,
    variants=(Variant(STANDARD, EXPLORE, STRICT), Variant("sighted", SIGHTED_EXPLORE, SIGHTED_STRICT)),
    rules=RULES,
    action_form=_ACTION_FORM,
    numbers=numbers,
    start=start,
    observe=observe,
    move=move,
    layout=layout,
    distinct_layouts=True,
    streams=("layout", "moves"),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
