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
from scoring.audit.curves import GivenCurve, matched, parse_curves
from scoring.audit.grids import Grid
from scoring.audit.printed import PrintedRow
from scoring.audit.reproduction import reproduction
from scoring.audit.sheet import MAX_BYTES, columns_of
from scoring.audit.table import grid_of, known_grid, parse_grid, parse_rows
from scoring.audit.verdict import Kind, Plan, Verdict
from scoring.audit.verdict import audit as audit_row

STYLES: dict[Kind, str] = {
    "reproduced": "bold green",
    "not reproduced": "bold red",
    "feasible": "green",
    "impossible": "bold red",
    "undecided": "yellow",
}
CONTRADICTED: tuple[Kind, ...] = ("not reproduced", "impossible")


class AuditedRow(BaseModel):
    """One row of the table with its verdict."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    pathway: str
    """Empty where the table does not say."""
    game: str
    model: str
    avg: str
    max: str
    auc_plus: str
    verdict: Kind
    reason: str
    xs: tuple[int, ...]
    """Checkpoints of the curve that was given or found; empty if there is none."""
    ys: tuple[str, ...]
    """Its means, as fractions."""
    again: tuple[str, ...]
    """Avg, Max and AUC+ as they would be printed from a curve that was given; else empty."""

    @classmethod
    def of(cls, row: PrintedRow, verdict: Verdict) -> AuditedRow:
        """Return the entry of a row."""
        numbers = {"avg": str(row.avg), "max": str(row.max), "auc_plus": str(row.auc_plus)}
        ys = tuple(map(str, verdict.ys))
        return cls(
            pathway=row.pathway,
            game=row.game,
            model=row.model,
            **numbers,
            verdict=verdict.kind,
            reason=verdict.reason,
            xs=verdict.xs,
            ys=ys,
            again=verdict.again,
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
    curves: Annotated[
        Path | None,
        typer.Option(help="CSV file with the curves of some rows: game, model and ys, or x and mean, or x and score."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Tell which rows of a table of results can be, from their printed digits and the curves that come with them.

    With a curve (--curves, or a column ys of the table) a row is reproduced if its digits follow from it, and not
    reproduced if one does not. Without, it is feasible if a learning curve gives its digits (--json shows it),
    impossible if a bound proves that none does, and undecided otherwise. Feasible is not true: it says only that the
    three numbers fit together. A row that is impossible or not reproduced gives exit code 1.
    """
    xs = tuple(range(0, checkpoints * every, every))
    plan = Plan(xs, failures, None if decimals < 0 else decimals)
    with plain_errors():
        text = _read(table)
        rows = parse_rows(text, table.name)
        known = parse_curves(text, table.name, xs, episodes) if "ys" in columns_of(text) else ()
        if curves is not None:
            known += parse_curves(_read(curves), curves.name, xs, episodes)
        runs = list(zip(rows, matched(rows, known), strict=True))
        given = dict(parse_grid(text, episodes) for text in grid or [])
        grids = {row.game: known_grid(row.game, given, episodes) for row in rows}
        for row, curve in runs:
            if curve is None:
                grid_of(row.game, given, episodes)
    with progress() as bar:
        audited = [AuditedRow.of(row, _verdict(row, curve, grids[row.game], plan)) for row, curve in bar.track(runs)]
    if as_json:
        write_json(_ROWS.dump_json(audited, indent=1).decode())
    else:
        _show(audited)
    if any(row.verdict in CONTRADICTED for row in audited):
        raise typer.Exit(REFUSED)


def _verdict(row: PrintedRow, curve: GivenCurve | None, steps: Grid | None, plan: Plan) -> Verdict:
    if curve is not None:
        return reproduction(row, curve, plan.digits, steps)
    assert steps is not None, "a row without a curve was checked to have a grid"
    return audit_row(row, steps, plan)


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_BYTES:,} bytes; split the file")
    return path.read_text(encoding="utf-8-sig")


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
    shown = [kind for kind in STYLES if counts[kind] or kind in ("feasible", "impossible", "undecided")]
    console.print(", ".join(f"{counts[kind]} {kind}" for kind in shown))
