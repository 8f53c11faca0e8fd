"""Tetris: the rules."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Step, Variant, limit, refusal
from games.rng import below, draws
from games.tetris import baselines
from games.tetris.blocks import DRAWINGS, ROTATIONS, SHAPES
from games.tetris.config import EXPLORE, STRICT, TetrisConfig
from games.tetris.stack import Stack, cleared, landed

ID = "tetris"
RULES_VERSION = 2
ROW_POINTS = 1

_NAMES = tuple(DRAWINGS)
_DRAWN = ", ".join(["/".join(rows) for rows in DRAWINGS.values()])
_ANGLES = ", ".join(map(str, ROTATIONS))
_DROPPED = "The block was dropped"
_CLEARED = "Rows cleared"
_ABOVE = "The block came to rest above the top row"
_UNREADABLE = "expected two integers, the column and the rotation"
_NUMBERS = ("COLUMN", "ROTATION")
_UNIT = "DEGREES"

_ACTION_FORM = "<column rotation>"

RULES = f"""\
Tetris

You drop blocks onto a board and score by filling its rows.

Board: the numbers of the columns, from 1 at the left, then one line for each row, the top row first, one blank \
between cells. * is a filled cell, . an empty one. Below the board # draws the cells of two blocks: Next Block, \
which your action drops, in its four rotations, and Following Block, which comes after it.

Rules:
- The board starts empty. Every block is drawn at random from seven, all equally likely whatever came before. At \
rotation 0, with / between their rows and the top row first, they are {_DRAWN}. Rotations are clockwise, in degrees.
- An action names a column and one of the rotations {_ANGLES}, in this order. Next Block is \
turned to that rotation, placed with its leftmost cell in that column, and falls straight down from above the board \
until the floor or a filled cell under one of its cells stops it. It cannot be moved while it falls.
- If a cell of the block then lies above the top row, the episode ends. No row is cleared in that step, even if \
one is full.
- Otherwise the cells of the block become filled. Every row that is full is cleared, all at once, and each row \
above moves down by the number of cleared rows below it. Nothing falls further than that: gaps stay.
- Then Following Block becomes Next Block.
- Any other rotation, a column where a cell of the block would lie left or right of the board, and anything but \
two integers are invalid actions: nothing is dropped and the blocks stay as they are.
- Under strict rules the episode ends when the limit of invalid actions in a row is reached; a dropped block \
starts their count anew. Under permissive rules they never end it.
- Every action uses up one step, also an invalid one. The episode ends at the step limit; rows cleared in the last \
step count. What you scored until then is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
- {_CLEARED}: +{ROW_POINTS} for each row
- {_DROPPED}: 0
- {_ABOVE}: 0
- Invalid action: 0
- You ended the episode: 0"""


class TetrisState(NamedTuple):
    """One moment of an episode."""

    config: TetrisConfig
    steps: int
    end: End | None
    stack: Stack
    blocks: str
    """The name of every block in the order of dropping; the player sees two of them at a time."""
    dropped: int
    """How many blocks were dropped, and so the place of Next Block."""
    invalid: int
    """How many actions in a row were invalid, up to the last one."""


def numbers(config: TetrisConfig) -> str:
    """Return this config's numbers in words."""
    outcome = (
        "Strict rules apply: so many invalid actions in a row end the episode"
        if config.invalid_limit
        else "Permissive rules apply: invalid actions never end the episode"
    )
    return (
        f"Board: {config.width} columns, {config.height} rows\n"
        f"Step limit: {config.max_steps}\n"
        f"Limit of invalid actions in a row: {config.invalid_limit}{'' if config.invalid_limit else ' (none)'}\n"
        f"{outcome}."
    )


def start(config: TetrisConfig, seed: int) -> TetrisState:
    """Return the first state of an episode.

    There are two blocks more than can be dropped, since two are shown after the last step, too.
    """
    drawn = draws(ID, RULES_VERSION, config.id, seed, "pieces", config.max_steps + 2)
    blocks = "".join([_NAMES[below(draw, len(_NAMES))] for draw in drawn])
    return TetrisState(config, 0, None, (), blocks, 0, 0)


def observe(state: TetrisState) -> str:
    """Return what the player sees."""
    config, _, _, stack, blocks, dropped, _ = state
    width = config.width
    rows = [_row(width, row) for row in reversed(stack)]
    sky = _sky(width, config.height - len(stack))
    return "\n".join([sky, *rows, _NEXT[blocks[dropped]], _FOLLOWING[blocks[dropped + 1]]])


def layout(state: TetrisState) -> str:
    """Return the names of all blocks in their order."""
    return state.blocks


def move(state: TetrisState, action: str) -> Step[TetrisState]:
    """Play one action."""
    order = text.order(action, _NUMBERS, _UNIT)
    if order is None or order.word:
        return _refused(state, _UNREADABLE)
    column, rotation = order.numbers
    config, steps, _, stack, blocks, dropped, _ = state
    shape = SHAPES[blocks[dropped]].get(rotation)
    if shape is None:
        return _refused(state, f"the rotation must be one of {_ANGLES}, not {rotation}")
    last = config.width - shape.width + 1
    if not 1 <= column <= last:
        return _refused(state, f"at rotation {rotation} the column must be from 1 to {last}, not {column}")
    steps += 1
    stack = landed(stack, shape, column)
    if len(stack) > config.height:
        return Step(state._replace(steps=steps, end=End.LOST), f"{_ABOVE}. The episode is over.", 0)
    kept = cleared(stack, config.width)
    rows = len(stack) - len(kept)
    state = TetrisState(config, steps, limit(None, steps, config), kept, blocks, dropped + 1, 0)
    return Step(state, f"{_CLEARED}: {rows}." if rows else f"{_DROPPED}.", ROW_POINTS * rows)


def _refused(state: TetrisState, reason: str) -> Step[TetrisState]:
    """Return the step of an invalid action: nothing is dropped, and under strict rules it counts towards the limit."""
    most, invalid, steps, end = state.config.invalid_limit, state.invalid + 1, state.steps + 1, None
    feedback = f"{refusal(reason)} Nothing was dropped."
    if most:
        feedback += f" Invalid actions in a row: {invalid} of {most}."
    if invalid == most:
        feedback, end = f"{feedback} The episode is over.", End.LOST
    return Step(state._replace(steps=steps, end=limit(end, steps, state.config), invalid=invalid), feedback, 0)


@lru_cache(maxsize=4096)
def _row(width: int, row: int) -> str:
    return " ".join(["*" if row >> place & 1 else "." for place in range(width)])


@lru_cache(maxsize=256)
def _sky(width: int, rows: int) -> str:
    """Return the board from its title down to its last empty row."""
    return "\n".join(["Board:", _columns(width), *[_row(width, 0)] * rows])


def _columns(width: int) -> str:
    """Return the column numbers; more than ten need a line for the tens above one for the units."""
    columns = range(1, width + 1)
    if width <= 10:
        return " ".join(map(str, columns))
    tens = " ".join([str(column // 10 or " ") for column in columns])
    units = " ".join([str(column % 10) for column in columns])
    return f"{tens}\n{units}"


_NEXT = {
    name: "\n".join([f"Next Block, rotation {rotation}:\n{shape.text}" for rotation, shape in shapes.items()])
    for name, shapes in SHAPES.items()
}
_FOLLOWING = {name: f"Following Block, rotation 0:\n{shapes[0].text}" for name, shapes in SHAPES.items()}

TETRIS: Game[TetrisConfig, TetrisState] = Game(
    id=ID,
    title="Tetris",
    rules_version=RULES_VERSION,
    variants=(Variant(STANDARD, EXPLORE, STRICT),),
    rules=RULES,
    action_form=_ACTION_FORM,
    numbers=numbers,
    start=start,
    observe=observe,
    move=move,
    layout=layout,
    distinct_layouts=True,
    streams=("pieces",),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
