"""Curves that give the paper's printed numbers, and how often a changed number is found out.

Run with ``python -m benchmarks.published_curves record`` (some minutes). Curves go to
``docs/reference/published-curves.csv``, rates to ``docs/reference/audit-rates.csv``.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from scoring.audit.grids import published_grid
from scoring.audit.printed import PrintedRow
from scoring.audit.verdict import Plan, Verdict, audit
from scoring.published.tables import MainRow, main_table

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
CURVES = REFERENCE / "published-curves.csv"
RATES = REFERENCE / "audit-rates.csv"
PLAN = Plan(tuple(range(0, 31, 3)), failures=1, digits=4)
NUMBERS = ("avg", "max", "auc_plus")
CHANGES = ("digit", "1.1", "1.5", "2")
"""One more in the last digit, or so many times as much."""


class Changed(NamedTuple):
    """A row with one number changed."""

    number: str
    change: str
    row: PrintedRow


def printed_row(row: MainRow) -> PrintedRow:
    """Return a published row as the auditor takes it."""
    return PrintedRow(row.game, row.model, row.avg, row.max, row.auc_plus)


def changed(row: MainRow) -> list[Changed]:
    """Return copies of a row with one number changed each; a change that changes nothing is left out."""
    found = []
    for number in NUMBERS:
        for change in CHANGES:
            values = dict(zip(NUMBERS, (row.avg, row.max, row.auc_plus), strict=True))
            old, unit = values[number], Decimal("0.001")
            values[number] = old + unit if change == "digit" else (old * Decimal(change)).quantize(unit)
            if values[number] != old:
                copy = PrintedRow(row.game, row.model, values["avg"], values["max"], values["auc_plus"])
                found.append(Changed(number, change, copy))
    return found


def verdict_of(row: PrintedRow) -> Verdict:
    """Return the full verdict on a published row."""
    grid = published_grid(row.game)
    assert grid is not None
    return audit(row, grid, PLAN)


def found_out(row: PrintedRow) -> bool:
    """Return whether a row is proved impossible, by bounds or by trying every curve."""
    grid = published_grid(row.game)
    assert grid is not None
    return audit(row, grid, PLAN, rounds=(0,)).kind == "impossible"


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    return text.getvalue()


def record_curves(pool: ProcessPoolExecutor) -> None:
    """Search for a curve of every published row."""
    verdicts = list(pool.map(verdict_of, map(printed_row, main_table())))
    rows = [
        [row.pathway, row.game, row.model, found.kind, " ".join(map(str, found.xs)), " ".join(map(str, found.ys))]
        for row, found in zip(main_table(), verdicts, strict=True)
    ]
    CURVES.write_text(_csv(("pathway", "game", "model", "verdict", "xs", "ys"), rows), encoding="utf-8", newline="\n")


def record_rates(pool: ProcessPoolExecutor) -> None:
    """Change every published number and count what is found out."""
    copies = [copy for row in main_table() for copy in changed(row)]
    caught = list(pool.map(found_out, [copy.row for copy in copies], chunksize=8))
    games = list(dict.fromkeys(row.game for row in main_table()))
    rows = []
    for game in games:
        for number in NUMBERS:
            for change in CHANGES:
                hits = [
                    hit
                    for copy, hit in zip(copies, caught, strict=True)
                    if (copy.row.game, copy.number, copy.change) == (game, number, change)
                ]
                rows.append([game, number, change, len(hits), sum(hits)])
    RATES.write_text(_csv(("game", "number", "change", "copies", "found"), rows), encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    """Record curves and rates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.published_curves", description=__doc__)
    parser.add_argument("command", choices=["record"])
    parser.add_argument("--only", choices=["curves", "rates"], help="record one of the two")
    chosen = parser.parse_args(arguments)
    with ProcessPoolExecutor() as pool:
        if chosen.only != "rates":
            record_curves(pool)
        if chosen.only != "curves":
            record_rates(pool)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
