"""Plants-vs-Zombies: the rules."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from games.base import STANDARD, End, Game, Step, Variant, is_strict, limit
from games.pvz import baselines
from games.pvz.config import EXPLORE, SIGHTED_EXPLORE, SIGHTED_STRICT, STRICT, PvzConfig
from games.pvz.field import Row, Zombie, fought, work
from games.pvz.placing import NOTHING, placed, read
from games.pvz.units import CHILI, EMPTY, PLANTS, STAGE_KINDS, SUNFLOWER, THREE_LINE, TORCH, ZOMBIES
from games.rng import below, draws

ID = "pvz"
RULES_VERSION = 2
TURN_POINTS = 1

Wave = tuple[tuple[int, Zombie], ...]
"""The zombies that appear at once, each with its row."""

_ZOMBIE, _BOTH = b"z*"
_FIELD = "Field, row 0 and column 0 first:"
_BETWEEN, _NONE = "; ", "none"

_SURVIVED = "You survived the turn"
_BREACHED = "A zombie reached the house"

_ACTION_FORM = "<PLANT ROW COLUMN; PLANT ROW COLUMN; ...>"


def _plant_line(letter: str) -> str:
    plant = PLANTS[letter]
    return f"- {letter} {plant.name}: {plant.cost} sun{f', {plant.hp} hp' if plant.hp else ''}; {plant.does}."


def _kinds(letters: str) -> str:
    return f"{', '.join(letters[:-1])} or {letters[-1]}" if letters[1:] else f"only {letters}"


_PLANT_LINES = "\n".join(map(_plant_line, PLANTS))
_ZOMBIE_LINES = "\n".join([f"- {letter}: {kind.hp} hp, {kind.attack} damage." for letter, kind in ZOMBIES.items()])

RULES = f"""\
Plants-vs-Zombies

Zombies come in at the right edge of a field and walk towards the house at its left edge. You place plants that \
hold them up or kill them, and score for every turn in which none of them reaches the house.

Field: one line for each row, one blank between cells. {EMPTY} is an empty cell, a letter a plant, {chr(_ZOMBIE)} \
one or more zombies, {chr(_BOTH)} a plant and one or more zombies. Rows are counted from 0 at the top, columns from \
0 at the left, next to the house. Below the field stand all plants as letter, row, column and hp, and all zombies \
as kind, row, column and hp: row by row, the plants of a row from the left, its zombies in the order in which they \
appeared. A cell holds at most one plant, and any number of zombies with it or without.

Plants, with their cost:
{_PLANT_LINES}

Zombies, with the damage of one attack:
{_ZOMBIE_LINES}

Each action is one turn. Turns are counted from 0; above the field stands the number of the turn to be played. What \
happens in a turn, in this order:
1. Your placements are carried out in the order given. Each costs its sun at once, and the sun of this turn has not \
come in yet. A placement is skipped, and the turn goes on, if it cannot be read, if there is no such plant, if the \
cell lies outside the field or holds a plant, or if your sun is not enough. Zombies in a cell are no obstacle.
2. Each {CHILI} placed in this turn kills all zombies in its row, whatever their hp, and its cell is free again. \
Until then the cell is taken.
3. The sun of the turn comes in, and that of every {SUNFLOWER} on the field, those placed in this turn included.
4. The shooters shoot row by row, those of a row from the left. A shot along a row hits the nearest zombie there that \
stands in the column of the shooter or further right; among several in that cell, the one that appeared first. A \
zombie without hp is gone at once and later shots pass it; damage beyond its hp is lost. {TORCH} makes every shot of \
the shooter directly left of it stronger, all three of {THREE_LINE} included.
5. The zombies act row by row, those of a row in the order in which they appeared. A zombie in a cell with a plant \
attacks the plant and stays; any other zombie steps one cell to the left. A plant without hp is gone at once: the \
next zombie in that cell already steps. A zombie that steps out of column 0 reaches the house, and the episode ends \
at once.
6. A wave appears if the number of the turn is divisible by the turns from wave to wave, so first in turn 0. It \
belongs to stage s, the number of the turn divided by the turns in a stage and rounded down, and has 1 + s zombies. \
Each appears in the last column of a row drawn at random, every row equally likely, with the hp of its kind and s \
times the added hp of a stage. Its kind is drawn too, each equally likely: {_kinds(STAGE_KINDS[0])} in stage 0, \
{_kinds(STAGE_KINDS[1])} in stage 1, {_kinds(STAGE_KINDS[2])} later. What you do does not change what appears.

Rules:
- An action lists the placements of a turn, separated by semicolons: each the letter of a plant, a row and a column, \
as in X 0 1; W 2 0. Case, brackets and commas do not matter. An empty action, or {NOTHING}, places nothing. At most \
as many placements are read as the field has cells.
- Between strict rules and permissive rules nothing differs but the size of the field: under permissive rules it has \
fewer rows, and the way to the house is longer.
- Every action uses up one step, whatever it places. The episode ends at the step limit, and earlier when a zombie \
reaches the house. What you scored until then is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
- {_SURVIVED}: +{TURN_POINTS}
- {_BREACHED}: 0
- You ended the episode: 0"""


class PvzState(NamedTuple):
    """One moment of an episode."""

    config: PvzConfig
    steps: int
    """The number of the turn."""
    end: End | None
    sun: int
    rows: tuple[Row, ...]
    waves: tuple[Wave, ...]
    """What appears at the end of each turn."""


def numbers(config: PvzConfig) -> str:
    """Return this config's numbers in words."""
    return (
        f"Field: {config.rows} rows (0 to {config.rows - 1}), {config.columns} columns (0 to {config.columns - 1})\n"
        f"Sun at the start: {config.start_sun}\n"
        f"Sun of a turn: {config.sun_a_turn}\n"
        f"Turns from wave to wave: {config.spawn_every}\n"
        f"Turns in a stage: {config.stage_turns}\n"
        f"Added hp of a stage: {config.stage_hp}\n"
        f"Step limit: {config.max_steps}\n"
        f"{'Strict' if is_strict(config) else 'Permissive'} rules apply."
    )


def start(config: PvzConfig, seed: int) -> PvzState:
    """Return the first state of an episode."""
    row: Row = (EMPTY * config.columns, (0,) * config.columns, ())
    return PvzState(config, 0, None, config.start_sun, (row,) * config.rows, _waves(config, seed))


def observe(state: PvzState) -> str:
    """Return what the player sees."""
    board: list[str] = []
    plants_listed: list[str] = []
    zombies_listed: list[str] = []
    for number, (plants, health, zombies) in enumerate(state.rows):
        text, listed, places = _drawn(number, plants, health)
        if listed:
            plants_listed.append(listed)
        if zombies:
            cells = bytearray(text, "ascii")
            for kind, column, hp in zombies:
                cells[2 * column] = _BOTH if health[column] else _ZOMBIE
                zombies_listed.append(f"{kind}{places[column]}{hp}")
            text = cells.decode()
        board.append(text)
    rows = "\n".join(board)
    return (
        f"Turn: {state.steps}\nSun: {state.sun}\n{_FIELD}\n{rows}\n"
        f"Plants: {_BETWEEN.join(plants_listed) or _NONE}\nZombies: {_BETWEEN.join(zombies_listed) or _NONE}"
    )


def layout(state: PvzState) -> str:
    """Return the waves of the episode."""
    waves = [
        (turn, [f"{kind} {row} {column} hp {hp}" for row, (kind, column, hp) in wave])
        for turn, wave in enumerate(state.waves)
        if wave
    ]
    return "\n".join([f"Turn {turn}: {_BETWEEN.join(listed)}" for turn, listed in waves])


def move(state: PvzState, action: str) -> Step[PvzState]:
    """Play one turn."""
    config, steps, _, sun, rows, waves = state
    placements, more = read(action, config.rows * config.columns)
    report = "."
    if placements:
        sun, rows, told = placed(sun, rows, placements)
        report = f". {told} Only the first {len(placements)} placements were read." if more else f". {told}"
    works = [work(plants) for plants, _, _ in rows]
    sun += config.sun_a_turn + sum([each.sun for each in works])
    rows, breach = fought(rows, works)
    if breach is not None:
        state = PvzState(config, steps + 1, End.LOST, sun, rows, waves)
        return Step(state, f"{_BREACHED} in row {breach}{report}", 0)
    if waves[steps]:
        rows = _joined(rows, waves[steps])
    steps += 1
    state = PvzState(config, steps, limit(None, steps, config), sun, rows, waves)
    return Step(state, f"{_SURVIVED}{report}", TURN_POINTS)


def _joined(rows: tuple[Row, ...], wave: Wave) -> tuple[Row, ...]:
    """Return the rows with a wave that appeared."""
    left = list(rows)
    for number, zombie in wave:
        plants, health, zombies = left[number]
        left[number] = plants, health, (*zombies, zombie)
    return tuple(left)


def _waves(config: PvzConfig, seed: int) -> tuple[Wave, ...]:
    """Return what appears at the end of each turn: a function of seed and turn, two draws for each zombie."""
    sizes = [config.wave(turn) for turn in range(config.max_steps)]
    chances = iter(draws(ID, RULES_VERSION, config.id, seed, "waves", 2 * sum(sizes)))
    waves = []
    for turn, size in enumerate(sizes):
        stage = turn // config.stage_turns
        kinds = STAGE_KINDS[min(stage, len(STAGE_KINDS) - 1)]
        wave: list[tuple[int, Zombie]] = []
        for _ in range(size):
            row, kind = below(next(chances), config.rows), kinds[below(next(chances), len(kinds))]
            wave.append((row, (kind, config.columns - 1, ZOMBIES[kind].hp + stage * config.stage_hp)))
        waves.append(tuple(wave))
    return tuple(waves)


@lru_cache(maxsize=4096)
def _drawn(number: int, plants: str, health: tuple[int, ...]) -> tuple[str, str, tuple[str, ...]]:
    """Return a row as text, where column c stands at place 2 * c, its plants as listed, and the middle of a listing."""
    places = tuple([f" {number} {column} hp " for column in range(len(plants))])
    listed = [f"{plant}{place}{hp}" for plant, place, hp in zip(plants, places, health, strict=True) if plant != EMPTY]
    return " ".join(plants), _BETWEEN.join(listed), places


PVZ: Game[PvzConfig, PvzState] = Game(
    id=ID,
    title="Plants-vs-Zombies",
    rules_version=RULES_VERSION,
    variants=(Variant(STANDARD, EXPLORE, STRICT), Variant("sighted", SIGHTED_EXPLORE, SIGHTED_STRICT)),
    rules=RULES,
    action_form=_ACTION_FORM,
    numbers=numbers,
    start=start,
    observe=observe,
    move=move,
    layout=layout,
    distinct_layouts=False,
    streams=("waves",),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=None,
)
