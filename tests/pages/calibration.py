"""The calibration page: floor and ceiling of every game beside what the paper publishes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.blind_plans import PRESETS
from benchmarks.calibration import PHASES, Row, names_of, stored
from benchmarks.ceilings import WAYS, ceiling
from benchmarks.trust_ceiling import greedy_expected
from games.base import Config
from games.registry import GAMES, AnyGame
from games.trust.config import TrustConfig
from protocol.preset import preset_named
from protocol.records import Phase
from scoring.published.tables import main_table, printed

HEAD = """\
# Calibration: floor and ceiling of every game

What the baselines of each game score, so that a figure on the board can be placed: `idle` does as little as the rules
allow, `random` draws uniformly from the legal actions, `blind` plays a schedule of actions without ever looking,
`greedy` follows a short heuristic on the text that a model sees, and `oracle` sees the whole state, hidden parts
included. Each plays {seeds:,} seeds (0 to {last:,}) under each
config. Points an episode; *sd* is the spread of single episodes, *p5* and *p95* hold nine of ten episodes between
them. Each game's page says how its baselines play.

The published range is that of the paper's Table 4 under strict play: the lowest and the highest *Avg* of its seven
models under History ICL and Summary Memory, and the highest *Max* (the best checkpoint). A checkpoint there is the mean
of three episodes. Which rules are the paper's and which are ours is told on each game's page.

The figures are a [CSV file](calibration.csv); `python -m benchmarks.calibration record` makes it anew, and the test
suite plays the first seeds of every row again.
"""

BLIND = """\
## What blind play reaches

Blind play knows the rules, the config and the number of the step, and nothing of what is on the board. Its schedule is
the best that a seeded search finds on other seeds than these (in Trust the best of all that there are, worked out
exactly); `python -m benchmarks.blind_plans record` searches again, and `--model builtin:blind` plays it. Where it comes
near to greedy, a score says little of what a model saw. In the configs of `paper-1`, which keep the paper's numbers, it
does so in some games; `rigorous-1` and `pocket-1` play variants of those games in which it stays below 60% of greedy.

| game | preset | phase | config | steps | blind | greedy | share |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: |
"""

CEILINGS = """\
## What is left above greedy

The oracle knows what no player can see. This is what a player can reach on average who sees the observation alone, or
what it cannot exceed, and what greedy leaves of it. In Trust both are worked out exactly and not taken from a sample.

| game | config | greedy | ceiling | head-room |
| --- | --- | ---: | ---: | ---: |
"""

EASIER = """\
## Where strict is not harder

Strict rules are meant to be the harder ones. Measured in points by greedy they are not in every game; points of the two
configs are no common measure, and a model that is careless loses under strict rules what greedy never risks.
"""

WHYS = {
    "chess": "The library of rules and the boards shown are the same; more pieces make more to predict, not harder.",
    "tetris": "The strict board is narrower: a row takes 8 cells and not 10, so the same 64 blocks fill at most 32 "
    "rows and not 25. Of what is possible greedy clears {strict:.0%} under strict rules and {explore:.0%} while "
    "exploring. Harder are the lower top, which ends an episode, and the end after three invalid actions in a row.",
    "snake": "Greedy makes no invalid move and is seldom caught, so the one difference, that a fault ends the episode, "
    "hardly touches it.",
    "pvz": "Greedy meets the step limit under both, so its points cannot tell them apart. There is as much sun and "
    "there are as many zombies on five rows as on three, so each row sees fewer of them; the way is one column "
    "shorter, which idle play shows.",
}
"""Why greedy scores as much under strict rules."""

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
    sections = [_section(game, rows) for game in GAMES]
    return "\n".join(
        [HEAD.format(seeds=seeds, last=seeds - 1), *sections, _blind(rows), _ceilings(rows), _easier(rows)]
    )


class Share(NamedTuple):
    """What blind play reaches of greedy in one phase of a preset."""

    game: str
    preset: str
    phase: Phase
    config: Config
    blind: float
    greedy: float

    @property
    def share(self) -> float:
        """Return the part of greedy's mean."""
        return self.blind / self.greedy


def shares(rows: list[Row]) -> Iterator[Share]:
    """Yield the share of every game in every phase of the ranked presets."""
    means = {(row.game, row.config, row.max_steps, row.baseline): row.mean for row in rows}
    for game in GAMES:
        for preset in PRESETS:
            for phase in PHASES:
                config = preset_named(preset).config(game, phase)
                blind, greedy = (means[game.id, config.id, config.max_steps, each] for each in ("blind", "greedy"))
                yield Share(game.id, preset, phase, config, blind, greedy)


def _blind(rows: list[Row]) -> str:
    lines = [
        f"| {each.game} | {each.preset} | {each.phase} | {each.config.id} | {each.config.max_steps} | "
        f"{_figure(each.blind)} | {_figure(each.greedy)} | {each.share:.0%} |"
        for each in shares(rows)
    ]
    return BLIND + "\n".join([*lines, ""])


def _ceilings(rows: list[Row]) -> str:
    lines = []
    for game in GAMES:
        for config in game.configs:
            means = _full(rows, game, config)
            greedy, most = means["greedy"], ceiling(config, means.get("oracle"))
            if isinstance(config, TrustConfig):
                greedy = greedy_expected(config)
            room = most - greedy
            lines.append(f"| {game.id} | {config.id} | {_figure(greedy)} | {_figure(most)} | {_figure(room)} |")
    ways = [f"- {game.title}: {WAYS[game.id]}." for game in GAMES]
    return CEILINGS + "\n".join([*lines, "", *ways, ""])


def easier(rows: list[Row]) -> list[tuple[AnyGame, str, float, float]]:
    """Return the variants in which greedy scores no less under strict rules, with its explore and its strict mean."""
    found = []
    for game in GAMES:
        for variant in game.variants:
            explore, strict = (_full(rows, game, config)["greedy"] for config in (variant.explore, variant.strict))
            if strict >= explore:
                found.append((game, variant.name, explore, strict))
    return found


def _easier(rows: list[Row]) -> str:
    lines: dict[str, str] = {}
    for game, variant, explore, strict in easier(rows):
        means = f"{_figure(strict)} under strict rules, {_figure(explore)} while exploring"
        parts = {"strict": strict / ceiling(game.strict, strict)}
        parts["explore"] = explore / ceiling(game.explore, explore)
        lines[game.id] = (
            f"{lines.get(game.id, '')}- {game.title}, {variant}: {means}. {WHYS[game.id].format(**parts)}\n"
        )
    return "\n".join([EASIER, *[line.rstrip("\n") for line in lines.values()], ""])


def _full(rows: list[Row], game: AnyGame, config: Config) -> Mapping[str, float]:
    """Return the mean of every baseline under a config at its own step limit."""
    wanted = game.id, config.id, config.max_steps
    return {row.baseline: row.mean for row in rows if (row.game, row.config, row.max_steps) == wanted}


def _section(game: AnyGame, rows: list[Row]) -> str:
    full = {(config.id, config.max_steps) for config in game.configs}
    found = {
        (row.config, row.baseline): row for row in rows if row.game == game.id and (row.config, row.max_steps) in full
    }
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
