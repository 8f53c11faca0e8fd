"""The plans of blind play, one for each config and step limit that a ranked preset plays.

Run with ``python -m benchmarks.blind_plans record``. The plans go to ``games/blind.json``; one that stands there for
the game's present rules version is kept, unless --all asks to search again. A search is seeded and starts from the plan
that stands, so it finds the same on every machine and never one that is worse on the seeds that it chooses by.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, product
from pathlib import Path
from statistics import fmean
from string import ascii_lowercase
from typing import NamedTuple

from benchmarks.blind import Plan, Words, actions, score, search
from benchmarks.trust_ceiling import best_blind
from games.base import Config
from games.blind import FILE, BlindPlan, plans
from games.chess.config import ChessConfig
from games.minesweeper.config import MinesweeperConfig
from games.nullify.config import NullifyConfig
from games.pvz.config import PvzConfig
from games.registry import GAMES, AnyGame, game_named
from games.snake.config import SnakeConfig
from games.tetris.config import TetrisConfig
from games.trust.config import TrustConfig
from protocol.preset import preset_named

PATH = Path(__file__).resolve().parents[1] / "games" / FILE
PRESETS = ("paper-1", "pocket-1", "rigorous-1")
MEASURED = range(1_000)
"""The seeds of the calibration."""


_JOINT = "; "


class Task(NamedTuple):
    """What is searched for one config."""

    words: Words
    known: tuple[Plan, ...]
    evaluations: int


def chess(config: ChessConfig) -> Task:
    """Send every piece that there may be to one cell: no label is known without looking."""
    cells = product(range(config.size), repeat=2)
    tokens = [", ".join([f"{letter}:({row},{column})" for letter in ascii_lowercase]) for row, column in cells]
    return Task(Words(tuple(tokens)), tuple([((token,),) for token in tokens]), len(tokens))


def minesweeper(config: MinesweeperConfig) -> Task:
    """Uncover a cell and flag the others, the nearest first: what stays hidden beside it is often a mine."""
    cells = list(product(range(config.rows), range(config.columns)))
    tokens = tuple([f"{verb} ({row},{column})" for verb in ("uncover", "flag", "unflag") for row, column in cells])

    def around(start: tuple[int, int]) -> Plan:
        order = sorted(cells, key=lambda cell: (cell[0] - start[0]) ** 2 + (cell[1] - start[1]) ** 2)
        far = [cell for cell in order if max(abs(cell[0] - start[0]), abs(cell[1] - start[1])) > 1]
        flags = [(f"flag ({row},{column})",) for row, column in far]
        return ((f"uncover ({start[0]},{start[1]})",), *flags[: config.max_steps - 1])

    middle = config.rows // 2, config.columns // 2
    starts = [middle, (2, 2), (2, middle[1]), (0, 0)]
    few = [around(start)[:count] for start in starts for count in (2, 4, 8)]
    return Task(Words(tokens), (*map(around, starts), *few), 500)


def nullify(config: NullifyConfig) -> Task:
    """Merge units by their places."""
    pairs = [f"{first} {second}" for first, second in combinations(range(config.most_steps + 1), 2)]
    known = [((pair,),) for pair in pairs] + [tuple([(pair,) for pair in pairs])]
    return Task(Words(tuple(pairs)), tuple(known), 500)


def tetris(config: TetrisConfig) -> Task:
    """Drop blocks by a schedule of columns."""
    tokens = [f"{column} {angle}" for column in range(1, config.width) for angle in (0, 90, 180, 270)]
    paced = [tuple([(f"{column} 0",) for column in range(1, config.width, step)]) for step in (1, 2, 3)]
    return Task(Words(tuple(tokens)), tuple(paced), 1_500)


def snake() -> Task:
    """Go round."""
    ways = ("UP", "RIGHT", "DOWN", "LEFT")
    rounds = [tuple([(way,) for way in ways for _ in range(length)]) for length in (1, 2, 3, 4, 5, 6)]
    return Task(Words(ways), tuple(rounds), 2_000)


def pvz(config: PvzConfig) -> Task:
    """Place the same plants again and again, whole columns or single ones: what cannot be paid is skipped."""
    columns = range(config.columns)

    def filled(kind: str, column: int) -> str:
        return _JOINT.join([f"{kind} {row} {column}" for row in range(config.rows)])

    single = [f"{kind} {row} {column}" for kind in "XWSJHF" for row in range(config.rows) for column in columns]
    tokens = (*single, *[filled(kind, column) for kind in "XWSJHF" for column in columns])
    known: list[Plan] = [(tuple([filled("J", column) for column in columns]),)]
    for suns in range(1, config.columns + 1):
        ahead = [filled("X" if column < suns else "J", column) for column in columns]
        known += [(tuple(ahead),), ((*ahead[suns:], *ahead[:suns]),)]
    return Task(Words(tokens, most=8, joint=_JOINT), tuple(known), 1_500)


def task(config: Config) -> Task:
    """Return what is searched for a config.

    Raises:
        ValueError: If it is that of no game whose plans are searched.
    """
    match config:
        case ChessConfig():
            return chess(config)
        case MinesweeperConfig():
            return minesweeper(config)
        case NullifyConfig():
            return nullify(config)
        case TetrisConfig():
            return tetris(config)
        case SnakeConfig():
            return snake()
        case PvzConfig():
            return pvz(config)
    raise ValueError(f"config: expected one whose plans are searched, got {config.id!r}")


def found(game_id: str, config: Config, stored: tuple[str, ...] | None) -> BlindPlan:
    """Return the best plan found for a config, and its mean on the measured seeds; the stored one is tried first."""
    game = game_named(game_id)
    if isinstance(config, TrustConfig):
        cycle = best_blind(config).actions
    else:
        words, known, evaluations = task(config)
        if stored is not None:
            known = (tuple([tuple(action.split(_JOINT)) for action in stored]), *known)
        cycle = actions(words, search(game, config, words, evaluations=evaluations, known=known).plan)
    mean = fmean([score(game, game.start(config, seed), cycle) for seed in MEASURED])
    return BlindPlan(game_id, game.rules_version, config.id, config.max_steps, round(mean, 6), cycle)


def played(game: AnyGame) -> Iterator[Config]:
    """Yield every config of a game under every step limit that a ranked preset plays, each once."""
    seen = set[tuple[str, int]]()
    full = list(game.configs)
    for config in full + [
        preset_named(name).config(game, phase) for name in PRESETS for phase in ("explore", "strict")
    ]:
        if (config.id, config.max_steps) not in seen:
            seen.add((config.id, config.max_steps))
            yield config


def record(games: Iterable[AnyGame], *, anew: bool) -> None:
    """Search for what is not in the file yet, and write the file."""
    stored = plans() if PATH.is_file() else ()
    before = {(plan.game, plan.config, plan.max_steps): plan.actions for plan in stored}
    known = {} if anew else {(plan.game, plan.rules_version, plan.config, plan.max_steps): plan for plan in stored}
    every = {
        (game.id, game.rules_version, config.id, config.max_steps): config for game in GAMES for config in played(game)
    }
    ids = {game.id for game in games}
    due = [key for key in every if key not in known and key[0] in ids]
    configs = [every[key] for key in due]
    starts = [before.get((game, config, steps)) for game, _, config, steps in due]
    with ProcessPoolExecutor() as pool:
        for key, plan in zip(due, pool.map(found, [key[0] for key in due], configs, starts), strict=True):
            known[key] = plan
            write([known[made] for made in every if made in known])
            sys.stderr.write(f"{plan.game} {plan.config}, {plan.max_steps} steps: {plan.score:g}\n")


def write(found_plans: Iterable[BlindPlan]) -> None:
    """Write the file: one plan a line."""
    lines = [json.dumps(plan._asdict(), ensure_ascii=True) for plan in found_plans]
    PATH.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    """Record the plans."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind_plans", description=__doc__)
    parser.add_argument("command", choices=["record"])
    parser.add_argument("--game", action="append", choices=[game.id for game in GAMES], help="only this game (repeat)")
    parser.add_argument("--all", action="store_true", help="search again for what the file already holds")
    chosen = parser.parse_args(arguments)
    record([game for game in GAMES if not chosen.game or game.id in chosen.game], anew=chosen.all)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
