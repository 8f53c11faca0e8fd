"""``s3gym audit``: whether printed results can be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, TypeAdapter
from rich import box
from rich.table import Table

from s3gym.output import REFUSED, out, plain, plain_errors, progress, write_json
from scoring.audit.printed import PrintedRow
from scoring.audit.table import MAX_BYTES, grid_of, parse_grid, parse_rows
from scoring.audit.verdict import Kind, Plan, Verdict
from scoring.audit.verdict import audit as audit_row

STYLES: dict[Kind, str] = {"feasible": "green", "impossible": "bold red", "undecided": "yellow"}


class AuditedRow(BaseModel):
    """One row of the table with its verdict."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    game: str
    model: str
    avg: str
    max: str
    auc_plus: str
    verdict: Kind
    reason: str
    xs: tuple[int, ...]
    """Checkpoints of a curve that gives the digits; empty if none was found."""
    ys: tuple[str, ...]
    """Its means, as fractions."""

    @classmethod
    def of(cls, row: PrintedRow, verdict: Verdict) -> AuditedRow:
        """Return the entry of a row."""
        numbers = {"avg": str(row.avg), "max": str(row.max), "auc_plus": str(row.auc_plus)}
        ys = tuple(map(str, verdict.ys))
        return cls(
            game=row.game, model=row.model, **numbers, verdict=verdict.kind, reason=verdict.reason, xs=verdict.xs, ys=ys
        )


_ROWS: TypeAdapter[list[AuditedRow]] = TypeAdapter(list[AuditedRow])


def audit(
    table: Annotated[Path, typer.Argument(help="CSV file with the columns game, model, avg, max and auc_plus.")],
    checkpoints: Annotated[int, typer.Option(min=2, max=21, help="Checkpoints of a run, x = 0 included.")] = 11,
    every: Annotated[int, typer.Option(min=1, max=1000, help="Exploration episodes between checkpoints.")] = 3,
    episodes: Annotated[int, typer.Option(min=1, max=16, help="Strict episodes a checkpoint.")] = 3,
    failures: Annotated[int, typer.Option(min=0, max=2, help="Checkpoints that may have failed.")] = 1,
    decimals: Annotated[
        int, typer.Option(min=-1, max=9, help="Decimals that means may have been rounded to; -1: not rounded.")
    ] = 4,
    grid: Annotated[
        list[str] | None,
        typer.Option(help="GAME=STEP or GAME=STEP:LOW:HIGH: what an episode can score, in points (repeat)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Tell which rows of a table of results can be, from their printed digits alone.

    A row is feasible if a learning curve gives its digits (--json shows it), impossible if a bound proves that none
    does, and undecided otherwise. Feasible is not true: it says only that the three numbers fit together.
    """
    with plain_errors():
        if table.stat().st_size > MAX_BYTES:
            raise ValueError(f"{table}: expected at most {MAX_BYTES:,} bytes; split the table")
        rows = parse_rows(table.read_text(encoding="utf-8-sig"), table.name)
        given = dict(parse_grid(text, episodes) for text in grid or [])
        grids = {row.game: grid_of(row.game, given, episodes) for row in rows}
    xs = tuple(range(0, checkpoints * every, every))
    plan = Plan(xs, failures, None if decimals < 0 else decimals)
    with progress() as bar:
        audited = [AuditedRow.of(row, audit_row(row, grids[row.game], plan)) for row in bar.track(rows)]
    if as_json:
        write_json(_ROWS.dump_json(audited, indent=1).decode())
    else:
        _show(audited)
    if any(row.verdict == "impossible" for row in audited):
        raise typer.Exit(REFUSED)


def _show(audited: list[AuditedRow]) -> None:
    listing = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("game", "model", "Avg", "Max", "AUC+", "verdict", "why"):
        listing.add_column(column, overflow="fold")
    for row in audited:
        cells = [plain(cell) for cell in (row.game, row.model, row.avg, row.max, row.auc_plus)]
        listing.add_row(*cells, f"[{STYLES[row.verdict]}]{row.verdict}[/]", plain(row.reason))
    console = out()
    console.print(listing)
    counts = Counter(row.verdict for row in audited)
    console.print(", ".join(f"{counts[kind]} {kind}" for kind in STYLES))
