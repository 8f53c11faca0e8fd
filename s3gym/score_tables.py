"""Results as tables in a terminal: of each entry its games, or of each game its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from games.registry import GAMES
from runner.printable import printable
from s3gym.numbers import NONE, number, span
from s3gym.sheets import Sheet
from s3gym.tables import Column, fitted, remarks
from s3gym.wording import (
    JUDGING_LEGEND,
    LEGEND,
    Gain,
    by_luck,
    caution,
    conditions,
    gain,
    game_remarks,
    gathered,
    improved,
    rank_text,
)
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.results import Row, RunResult

CURVE_METRICS: tuple[RunMetric, ...] = (
    "y0",
    "avg",
    "max",
    "final_delta",
    "auc_plus",
    "auc_plus_luck_median",
    "auc_plus_luck_high",
    "naba",
    "trend_p_adjusted",
)
JUDGING_METRICS: tuple[RunMetric, ...] = (
    "agreement",
    "base_rate",
    "over_confidence",
    "under_confidence",
    "nmae",
    "bias",
    "missing_scores",
)
SHOWN: tuple[RunMetric, ...] = (*CURVE_METRICS, *JUDGING_METRICS)
LOWER_FIRST: frozenset[RunMetric] = frozenset(
    {"trend_p_adjusted", "over_confidence", "under_confidence", "nmae", "missing_scores"}
)
"""Metrics of which less is better."""
GAIN_STYLES: Mapping[Gain, str] = {"beyond noise": "bold green", "within noise": "", "cannot be told": "yellow"}


class _Line(NamedTuple):
    """One row of a table: one run."""

    sheet: Sheet
    run: RunResult

    def row(self, metric: RunMetric) -> Row:
        return self.sheet.rows[self.run.game, metric]


@dataclass(frozen=True, slots=True)
class View:
    """What of the results is shown, and how."""

    games: tuple[str, ...] = ()
    """Only these; none: all."""
    by_game: bool = False
    sort: RunMetric | None = None
    """Rows in order of this metric, best first; None: as the protocol has its games, or by rank."""
    judging: bool = True
    """Whether the tables of self-judging are shown."""

    def lines(self, sheet: Sheet) -> list[_Line]:
        """Return the runs of an entry that are shown."""
        return [_Line(sheet, run) for run in sheet.entry.runs if run.game in self.games or not self.games]


def show_results(console: Console, sheets: Sequence[Sheet], view: View) -> None:
    """Print results for people; nothing is averaged over games."""
    if view.by_game:
        _show_games(console, sheets, view)
    else:
        _show_entries(console, sheets, view)
    for line in dict.fromkeys(f"{sheet.entry.protocol}: {line}" for sheet in sheets for line in caution(sheet)):
        console.print(printable(line), soft_wrap=False, markup=False, highlight=False)
    console.print(remarks((*LEGEND, *JUDGING_LEGEND) if view.judging else LEGEND), style="dim")


def _show_entries(console: Console, sheets: Sequence[Sheet], view: View) -> None:
    for sheet in sheets:
        entry = sheet.entry
        console.print()
        _head(console, entry.entry, conditions(entry))
        if entry.outside_main_table:
            _say(console, f"outside the main table: {entry.outside_main_table}", "yellow")
        _say(console, improved(sheet))
        lines = _sorted(view.lines(sheet), view.sort)
        if lines:
            _show(console, "game", lines, lambda line: line.run.game, view)
        console.print()


def _show_games(console: Console, sheets: Sequence[Sheet], view: View) -> None:
    tables: dict[tuple[str, str, int, int], list[_Line]] = {}
    place = {game.id: number for number, game in enumerate(GAMES)}
    for line in (line for sheet in sheets for line in view.lines(sheet)):
        entry = line.sheet.entry
        key = (entry.protocol, entry.pathway, place[line.run.game], line.run.rules_version)
        tables.setdefault(key, []).append(line)
    for (protocol, pathway, game, version), lines in sorted(tables.items(), key=lambda each: each[0]):
        console.print()
        _head(console, GAMES[game].id, f"{pathway}, {protocol}, rules {version}")
        lines = _sorted(lines, view.sort) if view.sort else _ranked(lines)
        _show(console, "entry", lines, lambda line: line.sheet.entry.entry, view)
        console.print()


def _head(console: Console, name: str, told: str) -> None:
    console.print(Text.assemble((name, "bold"), f"  {printable(told)}"), soft_wrap=False)


def _say(console: Console, line: str, style: str = "") -> None:
    console.print(printable(line), style=style, soft_wrap=False, markup=False, highlight=False)


def _sorted(lines: list[_Line], metric: RunMetric | None) -> list[_Line]:
    """Return lines with the best first and those without a value last, equal ones as they were."""
    if metric is None:
        return lines
    sign = 1 if metric in LOWER_FIRST else -1
    values = [(line, line.row(metric).value) for line in lines]
    known = sorted(((line, sign * value) for line, value in values if value is not None), key=lambda each: each[1])
    return [line for line, _ in known] + [line for line, value in values if value is None]


def _ranked(lines: list[_Line]) -> list[_Line]:
    def key(line: _Line) -> tuple[bool, int]:
        rank = line.sheet.ranks[line.run.game, "auc_plus"].rank
        return rank is None, rank or 0

    return sorted(lines, key=key)


def _show(console: Console, about: str, lines: Sequence[_Line], label: Callable[[_Line], str], view: View) -> None:
    labels = Column(about, [label(line) for line in lines])
    shown = SHOWN if view.judging else CURVE_METRICS
    for groups in (tuple(_curve_columns(lines)), tuple(_judging_columns(lines)) if view.judging else ()):
        for table in fitted(console.width, labels, groups):
            console.print()
            console.print(table)
    said = gathered([(label(line), game_remarks(line.sheet, line.run, shown)) for line in lines])
    if said:
        console.print()
        console.print(remarks([(about, printable(remark)) for about, remark in said]))


def _curve_columns(lines: Sequence[_Line]) -> Iterator[tuple[Column, ...]]:
    yield _value(lines, "y0", "y(0)"), *_span(lines, "y0", optional=True)
    yield _value(lines, "avg", "Avg"), *_span(lines, "avg")
    yield (_value(lines, "max", "Max"),)
    yield _value(lines, "final_delta", "final\ndelta"), *_span(lines, "final_delta")
    yield (
        _value(lines, "auc_plus", "AUC+"),
        Column("by luck:\nmedian, 95%", [by_luck(line.sheet, line.run.game) for line in lines]),
    )
    yield (_value(lines, "naba", "NABA"),)
    gains = [gain(line.run) for line in lines]
    words = Column("gain", gains, left=True, styles=[GAIN_STYLES[each] for each in gains])
    yield _value(lines, "trend_p_adjusted", "adjusted\np"), words
    yield (Column("rank", [rank_text(line.sheet, line.run.game, "auc_plus") for line in lines], left=True),)


def _judging_columns(lines: Sequence[_Line]) -> Iterator[tuple[Column, ...]]:
    yield _value(lines, "agreement", "A"), *_span(lines, "agreement"), _value(lines, "base_rate", "base\nrate")
    yield _value(lines, "over_confidence", "over"), _value(lines, "under_confidence", "under")
    yield (_value(lines, "nmae", "NMAE"),)
    yield (_value(lines, "bias", "bias"),)
    yield (_value(lines, "missing_scores", "missing"),)


def _value(lines: Sequence[_Line], metric: RunMetric, heading: str) -> Column:
    assert heading.replace("\n", " ") == RUN_METRICS[metric].title
    return Column(heading, [number(line.row(metric).value) for line in lines])


def _span(lines: Sequence[_Line], metric: RunMetric, *, optional: bool = False) -> Iterator[Column]:
    cells = [span(line.row(metric).low, line.row(metric).high) for line in lines]
    if not optional or any(cell != NONE for cell in cells):
        yield Column("95%", cells)


def metric_named(name: str) -> RunMetric:
    """Return the metric of this name that tables show.

    Raises:
        ValueError: If they show none of it.
    """
    found = next((metric for metric in SHOWN if metric == name), None)
    if found is None:
        raise ValueError(f"sort: expected one of {', '.join(SHOWN)}, got {name[:80]!r}")
    return found
