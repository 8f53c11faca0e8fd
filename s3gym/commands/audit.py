"""``s3gym audit``: whether printed results can be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.output import REFUSED, plain_errors, progress, write_json


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
    from s3gym.auditing import CONTRADICTED, ROWS, AuditedRow, read_table, show_audited, verdict_of
    from scoring.audit.curves import matched, parse_curves
    from scoring.audit.sheet import columns_of
    from scoring.audit.table import grid_of, known_grid, parse_grid, parse_rows
    from scoring.audit.verdict import Plan

    xs = tuple(range(0, checkpoints * every, every))
    plan = Plan(xs, failures, None if decimals < 0 else decimals)
    with plain_errors():
        text = read_table(table)
        rows = parse_rows(text, table.name)
        known = parse_curves(text, table.name, xs, episodes) if "ys" in columns_of(text) else ()
        if curves is not None:
            known += parse_curves(read_table(curves), curves.name, xs, episodes)
        runs = list(zip(rows, matched(rows, known), strict=True))
        given = dict(parse_grid(text, episodes) for text in grid or [])
        grids = {row.game: known_grid(row.game, given, episodes) for row in rows}
        for row, curve in runs:
            if curve is None:
                grid_of(row.game, given, episodes)
    with progress() as bar:
        audited = [AuditedRow.of(row, verdict_of(row, curve, grids[row.game], plan)) for row, curve in bar.track(runs)]
    if as_json:
        write_json(ROWS.dump_json(audited, indent=1).decode())
    else:
        show_audited(audited)
    if any(row.verdict in CONTRADICTED for row in audited):
        raise typer.Exit(REFUSED)
