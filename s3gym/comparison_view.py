"""A comparison for people: a table that fits the terminal, who is higher in words, and what makes it no fair one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from runner.printable import printable
from s3gym.comparing import ComparedGame, ComparedMetric, Comparison, Told
from s3gym.numbers import NONE, number, plural, signed, span
from s3gym.tables import Column, fitted, remarks
from s3gym.wording import SURENESS, gathered
from scoring.metric_terms import PAIR_METRICS, PairMetric

HEADINGS: dict[PairMetric, str] = {
    "delta_avg": "Avg",
    "delta_max": "Max",
    "delta_final": "final\ndelta",
    "delta_auc_plus": "AUC+",
    "delta_net_area": "net\narea",
    "delta_naba": "NABA",
}
INTERVALS: tuple[PairMetric, ...] = ("delta_avg", "delta_final", "delta_net_area")
_STYLES: dict[Told, str] = {"A higher": "bold", "B higher": "bold", "not separable": "", "cannot be told": "yellow"}
_LEVEL = 0.95


def show_comparison(console: Console, comparison: Comparison, names: dict[str, str]) -> None:
    """Print a comparison.

    Args:
        console: Where.
        comparison: What.
        names: What each entry is, by its id.
    """
    for letter, entry in (("A", comparison.a), ("B", comparison.b)):
        console.print(Text.assemble((f"{letter}  {entry}", "bold"), f"  {printable(names[entry])}"), soft_wrap=False)
    _say(console, _what(comparison))
    for told in comparison.unequal:
        _say(console, f"unequal conditions: {told}", "yellow")
    for told in comparison.alone:
        _say(console, f"not compared: {told}", "yellow")
    if not comparison.games:
        _say(console, "There is no game to compare.", "yellow")
        return
    games = comparison.games
    labels = Column("game", [each.game for each in games])
    for table in fitted(console.width, labels, tuple(_columns(games))):
        console.print()
        console.print(table)
    said = gathered([(each.game, tuple(_remarks(each))) for each in games])
    if said:
        console.print()
        console.print(remarks([(about, printable(told)) for about, told in said]))
    console.print()
    for line in _summary(games):
        _say(console, line)


def _what(comparison: Comparison) -> str:
    if comparison.pathways:
        return "A minus B: Summary Memory minus History ICL of one model; its NABA is Delta-NABA"
    return "A minus B, on the checkpoints that are valid in both"


def _say(console: Console, line: str, style: str = "") -> None:
    console.print(printable(line), style=style, soft_wrap=False, markup=False, highlight=False)


def _columns(games: tuple[ComparedGame, ...]) -> Iterator[tuple[Column, ...]]:
    yield (
        Column("y(0)\nof A", [number(each.y0_a) for each in games]),
        Column("y(0)\nof B", [number(each.y0_b) for each in games]),
    )
    for metric, heading in HEADINGS.items():
        found = [_metric(each, metric) for each in games]
        value = Column(heading, [signed(each.value) for each in found])
        if metric not in INTERVALS:
            yield (value,)
            continue
        told = [each.told for each in found]
        words = Column(
            "A or B?", [each or NONE for each in told], True, [_STYLES[each] if each else "" for each in told]
        )
        yield value, Column("95%", [span(each.low, each.high) for each in found]), words


def _metric(game: ComparedGame, metric: PairMetric) -> ComparedMetric:
    return next(each for each in game.metrics if each.metric == metric)


def _remarks(game: ComparedGame) -> Iterator[str]:
    if game.warning is not None:
        yield f"no fair pair: {game.warning}"
    yield from game.remarks
    reasons: dict[str, list[str]] = defaultdict(list)
    for each in game.metrics:
        told = each.reason if each.value is None else each.no_bounds
        if told is not None:
            kind = "no" if each.value is None else "no interval of the"
            reasons[f"{kind} {{}}: {told}"].append(PAIR_METRICS[each.metric].title)
    yield from (form.replace("{}", ", ".join(titles), 1) for form, titles in reasons.items())


def _summary(games: tuple[ComparedGame, ...]) -> Iterator[str]:
    for metric in INTERVALS:
        counts: dict[Told, list[str]] = defaultdict(list)
        for each in games:
            told = _metric(each, metric).told
            if told is not None:
                counts[told].append(each.game)
        parts = [f"{told} in {plural(len(counts[told]), 'game')}" for told in _STYLES if counts[told]]
        yield f"{HEADINGS[metric].replace(chr(10), ' ')}: {', '.join(parts)}."
    chance = 1 - _LEVEL ** len(games)
    yield (
        f"Each interval stands alone, at 95% and conditional on this round's seeds: of {plural(len(games), 'game')} "
        f"played equally well, one or more would be told apart in {chance:.0%} of such comparisons ({SURENESS})."
    )
