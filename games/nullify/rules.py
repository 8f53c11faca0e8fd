"""Nullify: the rules."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Step, Variant, is_strict, limit, refusal
from games.nullify import baselines
from games.nullify.builder import Pair, build
from games.nullify.config import EXPLORE, STRICT, NullifyConfig
from games.nullify.units import FACTORS, Unit, merge, show
from games.rng import stream

ID = "nullify"
RULES_VERSION = 2
CLEARED_POINTS = 1

_CLEARED = "You cleared the board"
_MERGED = "You merged"
_NUMBERS = ("INDEX", "INDEX")
_UNREADABLE = "expected the indexes of two units, such as 0 1"
_EQUAL = "a unit cannot be merged with itself"

_NO_NUMBER = " No number is left."
_ONE_NUMBER = " A single number is left."
_NO_MERGE = " No merge is possible any more."

_TITLE = "Current game board:"
_ACTION_FORM = "<i j>"

RULES = f"""\
Nullify

You merge the units of a board two at a time and score by removing all of them.

Board: one line for each unit with its index and its content. A sign followed by an integer or a fraction is a \
number, such as +19, -19 or +3/4. Anything else is an operator:
- *k multiplies a number by the integer k, /k divides it by k; k is from {FACTORS[0]} to {FACTORS[-1]}, but not 0 or 1.
- floor makes it the greatest integer that is not above it, ceil the least integer that is not below it.
- sqrt makes it its square root, the one that is not negative. It can only be applied to a number whose square \
root is an integer or a fraction of integers, so never to a negative number.
- square makes it the number times itself, reciprocal makes it 1 divided by the number.

Rules:
- Numbers are exact fractions in lowest terms; nothing is ever rounded.
- Each action names two units by their indexes, in either order. Two numbers are added. An operator is applied to \
the number that it is merged with. Two operators cannot be merged.
- Both units leave the board and their result comes after all the others, which keep their order; then indexes \
are counted from 0 again. A result of exactly 0 vanishes: +19 and -19 remove each other.
- An action is invalid if it is anything but two different indexes of the board, if it names two operators, if the \
operator cannot be applied to the number, or if the numerator or the denominator of the result is larger in size \
than the limit. An invalid action is refused and changes nothing.
- Every board can be cleared: it is built backward from nothing. The first construction step puts two opposite \
numbers, every other one replaces a number by two units that give it when merged. So a board has one unit more \
than it has construction steps. It is shuffled at the end.
- Under strict rules boards are built in more steps and hold more operators than under permissive rules. Nothing \
else differs.
- Every action uses up one step, also one that is refused. The episode ends at the step limit, and earlier in \
four cases: the board is cleared; operators are left but no number; a single number is left; units are left but \
no two of them can be merged.

Action format: {_ACTION_FORM}

Scoring:
- {_CLEARED}: +{CLEARED_POINTS}
- {_MERGED}: 0
- Invalid action: 0
- You ended the episode: 0"""


class NullifyState(NamedTuple):
    """One moment of an episode."""

    config: NullifyConfig
    steps: int
    end: End | None
    units: tuple[Unit, ...]
    witness: tuple[Pair, ...]
    """What is left of the builder's line, empty once the player has left it; the player never sees it."""


def numbers(config: NullifyConfig) -> str:
    """Return this config's numbers in words."""
    kind = (
        "Strict rules apply: boards are built in more steps and hold more operators"
        if is_strict(config)
        else "Permissive rules apply: boards are built in fewer steps and hold fewer operators"
    )
    return (
        f"Construction steps: {config.fewest_steps} to {config.most_steps}\n"
        f"Operators at the start: {config.fewest_operators} or more\n"
        f"Numbers at the start: of size {config.largest_unit} or less, with denominators of "
        f"{config.largest_denominator} or less\n"
        f"Limit of the size of numerators and denominators of results: {config.largest_result}\n"
        f"Step limit: {config.max_steps}\n"
        f"{kind}."
    )


def start(config: NullifyConfig, seed: int) -> NullifyState:
    """Return the first state of an episode."""
    board = build(config, stream(ID, RULES_VERSION, config.id, seed, "layout"))
    return NullifyState(config, 0, None, board.units, board.witness)


def observe(state: NullifyState) -> str:
    """Return what the player sees."""
    if not state.units:
        return f"{_TITLE} empty"
    return "\n".join([_TITLE, *[f"{index}: {show(unit)}" for index, unit in enumerate(state.units)]])


def move(state: NullifyState, action: str) -> Step[NullifyState]:
    """Play one action."""
    config, steps, _, units, witness = state
    order = text.order(action, _NUMBERS)
    if order is None or order.word:
        return _refused(state, _UNREADABLE)
    low, high = sorted(order.numbers)
    if low < 0 or high >= len(units):
        return _refused(state, f"no unit has the index {low if low < 0 else high}")
    if low == high:
        return _refused(state, _EQUAL)
    first, second = units[low], units[high]
    result = merge(first, second, config.largest_result)
    if isinstance(result, str):
        return _refused(state, result)
    rest = units[:low] + units[low + 1 : high] + units[high + 1 :]
    if result[0]:
        rest = (*rest, result)
    steps += 1
    on_line = bool(witness) and low in witness[0] and high in witness[0]
    end, why = _outcome(rest, config.largest_result)
    state = NullifyState(config, steps, limit(end, steps, config), rest, witness[1:] if on_line else ())
    if end is End.WON:
        return Step(state, f"{_CLEARED}: {show(first)} and {show(second)} give 0.", CLEARED_POINTS)
    given = f"{show(result)}." if result[0] else "0, which vanishes."
    return Step(state, f"{_MERGED} {show(first)} and {show(second)} into {given}{why}", 0)


def _refused(state: NullifyState, reason: str) -> Step[NullifyState]:
    """Return the step of an invalid action: nothing changes."""
    steps = state.steps + 1
    state = state._replace(steps=steps, end=limit(None, steps, state.config))
    return Step(state, f"{refusal(reason)} Nothing changed.", 0)


def _outcome(units: tuple[Unit, ...], largest: int) -> tuple[End | None, str]:
    """Return how the episode ends with these units, if it does, and the words for it."""
    if not units:
        return End.WON, ""
    if all(isinstance(unit, str) for unit in units):
        return End.LOST, _NO_NUMBER
    if len(units) == 1:
        return End.LOST, _ONE_NUMBER
    if all(isinstance(merge(first, second, largest), str) for first, second in combinations(units, 2)):
        return End.NO_MOVES, _NO_MERGE
    return None, ""


NULLIFY: Game[NullifyConfig, NullifyState] = Game(
    id=ID,
    title="Nullify",
    rules_version=RULES_VERSION,
    variants=(Variant(STANDARD, EXPLORE, STRICT),),
    rules=RULES,
    action_form=_ACTION_FORM,
    numbers=numbers,
    start=start,
    observe=observe,
    move=move,
    layout=observe,
    distinct_layouts=True,
    streams=("layout",),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
