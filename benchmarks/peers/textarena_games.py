"""TextArena, twice: as registered, and raw.

As registered, an observation is all that a player was told since the episode began; raw, it is what is new, which costs
less and suffices where the board is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

import textarena

from benchmarks.peers import setting
from benchmarks.peers.measure import Contender, Recorded, replayer

LIBRARY = "textarena"
CELLS = range(setting.SNAKE_CELLS)
WAYS = {"[up]": (0, 1), "[down]": (0, -1), "[left]": (-1, 0), "[right]": (1, 0)}


class Play(NamedTuple):
    """How one game is made, played and counted."""

    name: str
    options: Mapping[str, int]
    players: int
    """The fewest that the game takes."""
    choose: Callable[[textarena.Env, Random], str | None]
    """Returns a legal action; None: there is none."""
    calls_a_turn: int
    """Calls of ``step`` that together do what one step of this project does."""
    unit: str


def _safe_cell(env: textarena.Env, chance: Random) -> str | None:
    every = [(row, column) for row in range(env.rows) for column in range(env.cols)]
    cells = [(row, column) for row, column in every if not env.revealed[row][column] and env.grid[row][column] != -1]
    return "[{} {}]".format(*chance.choice(cells)) if cells else None


def _free_way(env: textarena.Env, chance: Random) -> str:
    snakes = env.state.game_state["snakes"]
    taken = {cell for snake in snakes.values() for cell in snake.positions}
    x, y = snakes[env.state.current_player_id].head
    ways = [way for way, (right, up) in WAYS.items() if _free(x + right, y + up, taken)]
    return chance.choice(ways or list(WAYS))


def _free(x: int, y: int, taken: set[tuple[int, int]]) -> bool:
    return x in CELLS and y in CELLS and (x, y) not in taken


def _word(env: textarena.Env, chance: Random) -> str:
    deciding = env.state.game_state["phase"] == "decision"
    return chance.choice(["[Cooperate]", "[Defect]"]) if deciding else "Hello."


PLAYS = {
    "minesweeper": Play(
        "Minesweeper-v0",
        {
            "rows": setting.MINES_SIZE,
            "cols": setting.MINES_SIZE,
            "num_mines": setting.MINES,
            "max_turns": setting.STEP_LIMIT,
        },
        1,
        _safe_cell,
        1,
        "an action",
    ),
    "snake": Play(
        "Snake-v0",
        {
            "width": setting.SNAKE_CELLS,
            "height": setting.SNAKE_CELLS,
            "num_apples": setting.SNAKE_APPLES,
            "max_turns": 2 * setting.STEP_LIMIT,
        },
        2,
        _free_way,
        2,
        "one player's action; two make a turn",
    ),
    "trust": Play(
        "IteratedPrisonersDilemma-v0",
        {"num_rounds": setting.TRUST_ROUNDS, "communication_turns": 1},
        2,
        _word,
        4,
        "one player's message or decision; four make a turn",
    ),
}


def _contender(game: str, suffix: str) -> Contender:
    kind = PLAYS[game]

    def reset(seed: int) -> textarena.Env:
        # A new one each time: the registered wrapper goes on telling the episode before.
        env = textarena.make(f"{kind.name}{suffix}", **kind.options)
        env.reset(num_players=kind.players, seed=seed)
        env.get_observation()
        return env

    def run(env: textarena.Env, actions: Sequence[str]) -> str:
        step, observe = env.step, env.get_observation
        seen: str | list[tuple[int, str, textarena.ObservationType]] = ""
        for action in actions:
            step(action)
            _, seen = observe()
        return seen if isinstance(seen, str) else "\n".join(message for _, message, _ in seen)

    def record(seed: int) -> Recorded[str]:
        env, chance, actions, done = reset(seed), Random(seed), list[str](), False
        while not done and (action := kind.choose(env, chance)) is not None:
            actions.append(action)
            done, _ = env.step(action)
        return Recorded(seed, actions, len(actions), len(actions) // kind.calls_a_turn)

    play = replayer(reset, run, [record(seed) for seed in setting.SEEDS])
    return Contender(game, f"{LIBRARY}{suffix.replace('-', ', ')}", True, kind.unit, play)


GAMES: dict[str, Callable[[], Contender]] = {game: partial(_contender, game, "") for game in PLAYS}
RAW: dict[str, Callable[[], Contender]] = {game: partial(_contender, game, "-raw") for game in PLAYS}
