"""Snake: the rules."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Step, Variant, limit, refusal
from games.rng import below, draws, stream
from games.snake import baselines
from games.snake.config import EXPLORE, STRICT, SnakeConfig
from games.snake.field import free, refill

ID = "snake"
RULES_VERSION = 2
APPLE_POINTS = 1

_WAYS = {"LEFT": (0, -1), "RIGHT": (0, 1), "UP": (-1, 0), "DOWN": (1, 0)}
_START_HEADING = "UP"
_WALL, _OBSTACLE, _APPLE, _HEAD, _BODY = b"#XAHS"

_MOVED = "You moved"
_ATE = "You ate an apple"
_HIT_WALL = "You hit the wall"
_HIT_OBSTACLE = "You hit an obstacle"
_HIT_BODY = "You hit your own body"
_REVERSED = "the snake cannot turn back on itself"
_UNREADABLE = f"expected exactly one of {', '.join(_WAYS)}"

_ACTION_FORM = f"<{'|'.join(_WAYS)}>"

RULES = f"""\
Snake

You steer a snake on a square board and score by eating apples.

Board: one line for each row, one blank between cells. # is the wall around the board, X an obstacle, A an \
apple, H the head of the snake, S the rest of its body, . a free cell. UP leads towards the first line, LEFT \
towards the start of a line.

Rules:
- The snake starts as a head alone, heading {_START_HEADING}. Its current direction is the direction of its \
last move.
- Each action moves the head by one cell and the body follows. Nothing moves between actions.
- A head that moves onto an apple eats it. The snake grows by one cell, because its tail stays where it is in \
that step, and a new apple appears at once on a free cell drawn at random. Where fewer cells are free than \
apples are due, as many appear as fit.
- Without an apple the tail leaves its cell, and the head may enter that cell in the same step.
- Moving onto the wall, an obstacle or the body is a collision.
- A snake of two or more cells cannot move opposite to its current direction: that is an invalid action. So is \
anything but exactly one of the four directions, in upper or lower case.
- Under strict rules a collision or an invalid action ends the episode. Under permissive rules it is refused \
and nothing moves.
- Every action uses up one step, also one that is refused. The episode ends at the step limit, and earlier when \
the snake fills the board. What you scored until then is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
- {_ATE}: +{APPLE_POINTS}
- {_MOVED}: 0
- {_HIT_WALL}: 0
- {_HIT_OBSTACLE}: 0
- {_HIT_BODY}: 0
- Invalid action: 0
- You ended the episode: 0"""


class SnakeState(NamedTuple):
    """One moment of an episode. A cell is its row times the board's size plus its column, rim included."""

    config: SnakeConfig
    steps: int
    end: End | None
    direction: str
    body: tuple[int, ...]
    """From the head to the tail."""
    apples: tuple[int, ...]
    obstacles: tuple[int, ...]
    food: tuple[float, ...]
    """One draw for each apple that can be eaten, in the order of eating."""


def numbers(config: SnakeConfig) -> str:
    """Return this config's numbers in words."""
    outcome = (
        "Strict rules apply: a collision or an invalid action ends the episode"
        if config.faults_end
        else "Permissive rules apply: a collision or an invalid action is refused and nothing moves"
    )
    return (
        f"Board: {config.size} x {config.size} cells with the wall, {config.inner} x {config.inner} within it\n"
        f"Apples on the board: {config.apples}\n"
        f"Obstacles: {config.obstacles}\n"
        f"Step limit: {config.max_steps}\n"
        f"{outcome}."
    )


def start(config: SnakeConfig, seed: int) -> SnakeState:
    """Return the first state of an episode."""
    world = stream(ID, RULES_VERSION, config.id, seed, "layout")
    middle = config.size // 2
    head = middle * config.size + middle
    obstacles = _place_obstacles(config, head, world)
    cells = free(config.size, {head, *obstacles})
    apples = [cells.pop(below(world.random(), len(cells))) for _ in range(min(config.apples, len(cells)))]
    food = draws(ID, RULES_VERSION, config.id, seed, "food", min(config.max_steps, config.inner**2))
    return SnakeState(config, 0, None, _START_HEADING, (head,), tuple(apples), obstacles, food)


def observe(state: SnakeState) -> str:
    """Return what the player sees."""
    return f"Current direction: {state.direction}\n{_board(state, state.body)}"


def layout(state: SnakeState) -> str:
    """Return the board with its apples and obstacles, without the snake."""
    return _board(state, ())


def move(state: SnakeState, action: str) -> Step[SnakeState]:
    """Play one action."""
    direction = text.word(action)
    if direction not in _WAYS:
        return _fault(state, refusal(_UNREADABLE))
    config, steps, _, _, body, apples, obstacles, food = state
    down, right = _WAYS[direction]
    target = body[0] + down * config.size + right
    if len(body) > 1 and target == body[1]:
        return _fault(state, refusal(_REVERSED))
    eats = target in apples
    kept = body if eats else body[:-1]
    if target in kept:
        return _fault(state, f"{_HIT_BODY}.")
    if target in obstacles:
        return _fault(state, f"{_HIT_OBSTACLE}.")
    if _frame(config.size)[2 * target] == _WALL:
        return _fault(state, f"{_HIT_WALL}.")
    steps += 1
    body = (target, *kept)
    if not eats:
        end = limit(None, steps, config)
        return Step(SnakeState(config, steps, end, direction, body, apples, obstacles, food), f"{_MOVED}.", 0)
    apples = refill(config.size, body, apples, obstacles, food[len(kept) - 1])
    end = limit(None if apples else End.WON, steps, config)
    state = SnakeState(config, steps, end, direction, body, apples, obstacles, food)
    return Step(state, f"{_ATE}." if apples else f"{_ATE}. The board is full.", APPLE_POINTS)


def _fault(state: SnakeState, feedback: str) -> Step[SnakeState]:
    """Return the step of a collision or an invalid action: nothing moves, and under strict rules the episode ends."""
    steps = state.steps + 1
    if state.config.faults_end:
        return Step(state._replace(steps=steps, end=End.LOST), f"{feedback} The episode is over.", 0)
    return Step(state._replace(steps=steps, end=limit(None, steps, state.config)), f"{feedback} Nothing moved.", 0)


def _place_obstacles(config: SnakeConfig, head: int, world: Random) -> tuple[int, ...]:
    """Draw obstacles one by one, each anew from the cells not yet tried until it leaves all others connected.

    While a cell is left that does not touch the start there is always such a one: the farthest from the start, since no
    shortest way to another cell leads through it and no cell that touches the start is farther.
    """
    size = config.size
    around = {head + row * size + column for row in (-1, 0, 1) for column in (-1, 0, 1)}
    obstacles: list[int] = []
    while len(obstacles) < config.obstacles:
        candidates = free(config.size, {*around, *obstacles})
        while True:
            cell = candidates.pop(below(world.random(), len(candidates)))
            if _connected(config, {*obstacles, cell}, head):
                obstacles.append(cell)
                break
    return tuple(obstacles)


def _connected(config: SnakeConfig, obstacles: set[int], head: int) -> bool:
    """Return whether every cell without an obstacle can be reached from the head."""
    waiting = set(free(config.size, obstacles))
    waiting.discard(head)
    edge = [head]
    while edge:
        cell = edge.pop()
        for near in (cell - config.size, cell - 1, cell + 1, cell + config.size):
            if near in waiting:
                waiting.discard(near)
                edge.append(near)
    return not waiting


@lru_cache(maxsize=16)
def _frame(size: int) -> bytes:
    """Return the text of an empty board; cell number c stands at place 2 * c."""
    rim = "#" * size
    return text.board([rim, *["#" + "." * (size - 2) + "#"] * (size - 2), rim]).encode()


def _board(state: SnakeState, body: tuple[int, ...]) -> str:
    """Return the board as text, with a snake or without one."""
    cells = bytearray(_frame(state.config.size))
    for cell in state.obstacles:
        cells[2 * cell] = _OBSTACLE
    for cell in state.apples:
        cells[2 * cell] = _APPLE
    for cell in body:
        cells[2 * cell] = _BODY
    if body:
        cells[2 * body[0]] = _HEAD
    return cells.decode()


SNAKE: Game[SnakeConfig, SnakeState] = Game(
    id=ID,
    title="Snake",
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
    streams=("layout", "food"),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
