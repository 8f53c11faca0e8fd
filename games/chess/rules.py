"""Chess: the rules."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Step, Variant, is_strict, limit, refusal
from games.chess import baselines
from games.chess.config import EXPLORE, LETTERS, STRICT, ChessConfig
from games.chess.library import KINDS, LIBRARY, Rule, path, settled
from games.rng import below, shuffled, stream

ID = "chess"
RULES_VERSION = 2
DRAWS = 10_000
"""How many pieces are drawn for one board at most; a shipped config needs fewer than a hundred."""

MOST_CHARACTERS = 4_000
"""A longer action is not read."""

_NUMBERS = ("ROW", "COLUMN")
_EMPTY = "."
_MARCH = "pause"
_PREDICTED = "You predicted"
_UNREADABLE = f"expected predictions such as A:(3,4), b:(0,12) in at most {MOST_CHARACTERS} characters"

_ACTION_FORM = "<LABEL:(ROW,COLUMN), LABEL:(ROW,COLUMN), ...>"

RULES = f"""\
Chess

You watch pieces move on a square board and score by predicting the next cell of each of them.

Board: one line for each row, one blank between cells. A letter is a piece and names it, {_EMPTY} is an empty cell. \
No letter stands for two pieces, not even in the other case. A cell is written (row,column), both counted from 0: \
(0,0) is the first cell of the first line, (1,0) the first cell of the second line.

Rules:
- All pieces move at once, each once in every step; a move may leave a piece where it is. Each piece follows a \
hidden rule of movement of its own, which stays the same for the whole episode. There is no chance in it.
- Pieces never interact, and no two ever stand on one cell at the same time. Nothing that you do changes where \
they go.
- The kinds of rules are the same in all episodes; which piece follows which rule is drawn anew for every \
episode. The boards of the first step are always enough: all rules of these kinds that fit them agree on every \
move until the end of the episode.
- You see the board of the present and those of the times just before it, oldest first. The present is time 0 in \
the first step and one later in every further step. You predict where each piece stands one time later. After \
your action that time is the present, and the next boards show where the pieces went.
- Write one prediction for each piece, in any order; its letter may be in upper or lower case. Predictions for a \
letter that no piece has and predictions of a cell that is off the board are ignored. Of several predictions for \
one piece the first that is left counts. A letter with more or fewer than two numbers cannot be read and is \
ignored.
- An action without any readable prediction is an invalid action, and so is one of more than {MOST_CHARACTERS} \
characters. Where a digit stands before the first single letter, nothing is read up to the next semicolon.
- Under strict rules there are more pieces than under permissive rules; nothing else differs.
- Every action uses up one step and all pieces move, also when it is invalid. The episode ends at the step \
limit. What you scored until then is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
- {_PREDICTED}: the number of right predictions divided by (the number of pieces times the step limit)
- Invalid action: 0
- You ended the episode: 0"""


class ChessState(NamedTuple):
    """One moment of an episode. A cell is its row times the board's size plus its column."""

    config: ChessConfig
    steps: int
    end: End | None
    labels: str
    """One letter a piece, no letter twice in any case."""
    paths: tuple[tuple[int, ...], ...]
    """The cells of each piece, from the oldest board of the first step to the end of the episode."""

    @property
    def now(self) -> int:
        """Return the place of the present in a path."""
        return self.config.history + self.steps


def numbers(config: ChessConfig) -> str:
    """Return this config's numbers in words."""
    mine, other = ("Strict", "permissive") if is_strict(config) else ("Permissive", "strict")
    return (
        f"Board: {config.size} x {config.size} cells\n"
        f"Pieces: {config.pieces}\n"
        f"Boards shown: the present one and the {config.history} before it\n"
        f"Step limit: {config.max_steps}\n"
        f"One right prediction: 1/{config.pieces * config.max_steps}\n"
        f"{mine} rules apply: only the number of pieces differs from {other} rules."
    )


def start(config: ChessConfig, seed: int) -> ChessState:
    """Return the first state of an episode."""
    labels = _labels(config, stream(ID, RULES_VERSION, config.id, seed, "labels"))
    return ChessState(config, 0, None, labels, lay_out(config, stream(ID, RULES_VERSION, config.id, seed, "pieces")))


def observe(state: ChessState) -> str:
    """Return what the player sees."""
    return _boards(state, state.config.history + 1)


def recall(state: ChessState) -> str:
    """Return what is new in the observation: all boards at first, then one a step."""
    return _boards(state, 1) if state.steps else observe(state)


def layout(state: ChessState) -> str:
    """Return where each piece goes in the whole episode."""
    size = state.config.size
    lines = zip(state.labels, state.paths, strict=True)
    return "\n".join(
        [f"{label}: {' '.join(['({},{})'.format(*divmod(cell, size)) for cell in cells])}" for label, cells in lines]
    )


def move(state: ChessState, action: str) -> Step[ChessState]:
    """Play one action."""
    config, steps, _, labels, paths = state
    entries = list(text.orders(action, _NUMBERS)) if len(action) <= MOST_CHARACTERS else []
    read = [entry for entry in entries if entry is not None]
    steps += 1
    after = ChessState(config, steps, limit(None, steps, config), labels, paths)
    if not read:
        return Step(after, f"{refusal(_UNREADABLE)} The pieces moved.", 0)
    size, now, known = config.size, after.now, labels.lower()
    chosen: dict[int, int] = {}
    unknown = outside = repeated = 0
    for letter, (row, column) in read:
        piece = known.find(letter.lower())
        if piece < 0:
            unknown += 1
        elif not (0 <= row < size and 0 <= column < size):
            outside += 1
        elif piece in chosen:
            repeated += 1
        else:
            chosen[piece] = row * size + column
    right = sum([paths[piece][now] == cell for piece, cell in chosen.items()])
    notes = _notes(len(entries) - len(read), unknown, outside, repeated)
    feedback = f"{_PREDICTED} {len(chosen)} of {config.pieces} pieces.{notes}"
    return Step(after, feedback, Fraction(right, config.pieces * config.max_steps))


def lay_out(config: ChessConfig, world: Random, most: int = DRAWS) -> tuple[tuple[int, ...], ...]:
    """Draw the pieces one by one, each anew until it meets no earlier one and what is seen of it settles the rest.

    Should the draws run out, all pieces march in step instead: each pauses at every second move, and no two that make
    the same moves ever meet.
    """
    size, area = config.size, config.size**2
    paths: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for _ in range(most):
        kind = KINDS[below(world.random(), len(KINDS))]
        rule = Rule(kind, LIBRARY[kind][below(world.random(), len(LIBRARY[kind]))])
        cells = path(rule, below(world.random(), area), size, config.moves)
        visits = {time * area + cell for time, cell in enumerate(cells)}
        if taken.isdisjoint(visits) and settled(cells, config.history + 1, size):
            taken |= visits
            paths.append(cells)
            if len(paths) == config.pieces:
                return tuple(paths)
    rule = Rule(_MARCH, LIBRARY[_MARCH][below(world.random(), len(LIBRARY[_MARCH]))])
    return tuple([path(rule, cell, size, config.moves) for cell in shuffled(area, world)[: config.pieces]])


def _labels(config: ChessConfig, world: Random) -> str:
    """Return the letters of the pieces in the order of the alphabet, each in a case of its own."""
    letters = "".join([ascii_lowercase[place] for place in sorted(shuffled(LETTERS, world)[: config.pieces])])
    return "".join([letter.upper() if world.random() < 0.5 else letter for letter in letters])


def _notes(unreadable: int, unknown: int, outside: int, repeated: int) -> str:
    """Return the words for the entries of an action that did not count."""
    ignored = (
        (unreadable, "unreadable"),
        (unknown, "of an unknown letter"),
        (outside, "off the board"),
        (repeated, "repeated"),
    )
    notes = ", ".join([f"{count} {what}" for count, what in ignored if count])
    return f" Ignored: {notes}." if notes else ""


@lru_cache(maxsize=64)
def _frame(config: ChessConfig, steps: int, boards: int) -> tuple[bytes, tuple[int, ...]]:
    """Return the observation without pieces and the places where its boards begin; a cell c of one stands 2 * c on."""
    empty = text.board([_EMPTY * config.size] * config.size)
    shown = f"Step {min(steps + 1, config.max_steps)} of {config.max_steps}"
    places = []
    for time in range(steps + 1 - boards, steps + 1):
        shown += f"\nTime {time}:\n"
        places.append(len(shown))
        shown += empty
    return shown.encode(), tuple(places)


def _boards(state: ChessState, boards: int) -> str:
    """Return the last boards up to the present one as text."""
    frame, places = _frame(state.config, state.steps, boards)
    cells = bytearray(frame)
    end = state.now + 1
    for label, track in zip(state.labels.encode(), state.paths, strict=True):
        for place, cell in zip(places, track[end - boards : end], strict=True):
            cells[place + 2 * cell] = label
    return cells.decode()


CHESS: Game[ChessConfig, ChessState] = Game(
    id=ID,
    title="Chess",
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
    streams=("labels", "pieces"),
    recall=recall,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
