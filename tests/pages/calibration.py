"""The calibration page: floor and ceiling of every game beside what the paper publishes."""

from __future__ import annotations

from benchmarks.calibration import Row, names_of, stored
from games.registry import GAMES, AnyGame
from scoring.published.tables import main_table, printed

HEAD = """\
# Calibration: floor and ceiling of every game

What the baselines of each game score, so that a figure on the board can be placed: `idle` does as little as the rules
allow, `random` draws uniformly from the legal actions, `greedy` follows a short heuristic on the text that a model
sees, and `oracle` sees the whole state, hidden parts included. Each plays {seeds:,} seeds (0 to {last:,}) under each
config. Points an episode; *sd* is the spread of single episodes, *p5* and *p95* hold nine of ten episodes between
them. Each game's page says how its baselines play.

The published range is that of the paper's Table 4 under strict play: the lowest and the highest *Avg* of its seven
models under History ICL and Summary Memory, and the highest *Max* (the best checkpoint). A checkpoint there is the mean
of three episodes. Which rules are the paper's and which are ours is told on each game's page.

The figures are a [CSV file](calibration.csv); `python -m benchmarks.calibration record` makes it anew, and the test
suite plays the first seeds of every row again.
"""

NOTES = {
    "chess": """\
The published values lie on a grid of 1/225 whose denominator the paper does not explain, so they are not
comparable with ours, which are the share of right predictions. Greedy knows that moves repeat after one,
two or three steps, which is most of what there is to learn in this game: its distance from random is what a
model can gain.""",
    "nullify": """\
Each episode is won or not, so single scores spread widely: a mean of three episodes moves in thirds. The
oracle plays the line that the board was built by.""",
    "tetris": """\
The oracle knows the next four blocks and looks no farther, so it is a high anchor, not the best possible
play; a count of cells bounds any play by 32 rows under strict rules.""",
    "snake": """\
The oracle plans three apples ahead, so it is a high anchor, not the best possible play.""",
    "pvz": """\
There is no oracle. What comes is known to it, but the best use of the sun is a long planning problem. Greedy
reaches the step limit of 64 turns on every seed of the standard configs, and a cycle of lists of plants that is
given without looking does on nearly all, as the game's page tells. The `sighted` variant is there for that reason.""",
    "trust": """\
Idle collaborates always and may beat random, since most opponents return a collaboration. The oracle plays
the best reply to the very opponent, coins included.""",
}
"""What a reader has to know beside a game's figures."""


def calibration_page() -> str:
    """Return the page."""
    rows = stored()
    seeds = max((row.seeds for row in rows), default=1)
    return "\n".join([HEAD.format(seeds=seeds, last=seeds - 1), *[_section(game, rows) for game in GAMES]])


def _section(game: AnyGame, rows: list[Row]) -> str:
    found = {(row.config, row.baseline): row for row in rows if row.game == game.id}
    lines = [
        f"## {game.title}\n",
        "| config | player | mean | sd | p5 | median | p95 | lowest | highest |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for config in game.configs:
        for name in names_of(game):
            row = found[config.id, name]
            spread = (row.mean, row.sd, row.p5, row.median, row.p95, row.lowest, row.highest)
            lines.append(f"| {config.id} | {name} | " + " | ".join(_figure(each) for each in spread) + " |")
    published = [row for row in main_table() if row.game == game.id]
    low, high = (printed(pick(row.avg for row in published)) for pick in (min, max))
    best = printed(max(row.max for row in published))
    lines.append(f"| strict | models, published | {low} to {high} | | | | | | {best} (best checkpoint) |")
    return "\n".join([*lines, "", *([f"{NOTES[game.id]}\n"] if game.id in NOTES else [])])


def _figure(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}".rstrip("0").rstrip(".")
