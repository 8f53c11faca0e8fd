"""The report as a table on the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import NamedTuple

from rich.table import Table

from benchmarks.peers.figures import Alone, Comparison, Report, number, spread


class Grid(NamedTuple):
    """A table as plain text: every other form is made from it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def grids(report: Report) -> tuple[Grid, ...]:
    """Return the tables that have a row."""
    every = (
        _compared("Beside peers that make text", [each for each in report.comparisons if each.text and each.gated]),
        _compared(
            "Beside compiled peers that make text (not a gate)",
            [each for each in report.comparisons if each.text and not each.gated],
        ),
        _compared(
            "Beside peers that make no text (not a gate)", [each for each in report.comparisons if not each.text]
        ),
        Grid(
            "Beside KORGym, measured elsewhere (not a gate)",
            ("game", "here, steps/s", "here, resets/s", "KORGym, steps/s"),
            tuple(_alone(each) for each in report.alone),
        ),
    )
    return tuple(grid for grid in every if grid.rows)


def rich_table(grid: Grid) -> Table:
    """Return a grid for the terminal."""
    table = Table(*grid.head, title=grid.title, title_justify="left")
    for row in grid.rows:
        table.add_row(*row)
    table.caption, table.caption_justify = "\n".join(grid.notes), "left"
    return table


def markdown(report: Report) -> str:
    """Return all tables and what they were measured with."""
    blocks = [f"{', '.join(f'{name} {value}' for name, value in report.conditions)}."]
    for grid in grids(report):
        lines = [_line(grid.head), _line(["---"] * len(grid.head)), *map(_line, grid.rows)]
        blocks.append(f"{grid.title}:\n\n" + "\n".join(lines))
        if grid.notes:
            blocks.append("\n".join(f"- {note}" for note in grid.notes))
    return "\n\n".join(blocks) + "\n"


def as_json(report: Report) -> str:
    """Return every value of every repetition, with the ratios."""
    told = asdict(report)
    told["conditions"] = dict(report.conditions)
    told["missing"] = [each._asdict() for each in report.missing]
    for row, each in zip(told["comparisons"], report.comparisons, strict=True):
        row["ratio"], row["turn_ratio"] = each.ratio._asdict(), each.turn_ratio._asdict()
        row["holds"] = each.holds
    return json.dumps(told, indent=2) + "\n"


def _compared(title: str, comparisons: Sequence[Comparison]) -> Grid:
    head = (
        "game",
        "peer",
        "here, steps/s",
        "peer, steps/s",
        "ratio (range)",
        "by turn",
        "resets/s here",
        "of the peer",
    )
    return Grid(title, head, tuple(_row(each) for each in comparisons), tuple(_units(comparisons)))


def _units(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield what a step is, the peers that agree on it in one line."""
    for game, unit in dict.fromkeys((each.game, each.unit) for each in comparisons):
        peers = [each.peer for each in comparisons if (each.game, each.unit) == (game, unit)]
        yield f"{game}: a step of {' and of '.join(peers)} is {unit}."


def _row(each: Comparison) -> tuple[str, ...]:
    ratio = each.ratio
    return (
        each.game,
        each.peer,
        number(spread(each.ours.steps).median),
        number(spread(each.theirs.steps).median),
        f"{number(ratio.median)} ({number(ratio.low)} to {number(ratio.high)})",
        number(each.turn_ratio.median),
        number(spread(each.ours.resets).median),
        number(spread(each.theirs.resets).median),
    )


def _alone(each: Alone) -> tuple[str, ...]:
    elsewhere = "unknown" if each.elsewhere is None else number(each.elsewhere)
    return each.game, number(spread(each.ours.steps).median), number(spread(each.ours.resets).median), elsewhere


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
