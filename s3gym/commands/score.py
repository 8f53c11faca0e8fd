"""``s3gym score``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.progress import Progress
from rich.table import Table

from s3gym.commands.verify import REGISTRY, Keys, Protocols, open_keys, presets, show_report
from s3gym.output import REFUSED, err, out, plain, plain_errors, write_json
from scoring.checks.signature import KeyOf
from scoring.results import EntryResult, Metric, Results, RunResult
from scoring.score import score as score_bundles
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, RefusedError, verify

HEADINGS: dict[Metric, str] = {"y0": "y(0)", "avg": "Avg", "max": "Max", "auc_plus": "AUC+", "final_delta": "final"}
SHOWN: tuple[Metric, ...] = tuple(HEADINGS)


def verify_all(bundles: list[Path], keys: Path, preset_of: PresetOf, *, quiet: bool = False) -> list[VerifiedBundle]:
    """Verify bundles one after the other, with a progress bar; the first refusal ends it.

    Raises:
        RefusedError: If a bundle is refused.
    """
    registry = open_keys(keys)
    return verify_each([(bundle, registry) for bundle in bundles], preset_of, quiet=quiet)


def verify_each(
    bundles: Sequence[tuple[Path, KeyOf]], preset_of: PresetOf, *, quiet: bool = False
) -> list[VerifiedBundle]:
    """Verify bundles, each with its own registry, with a progress bar; the first refusal ends it.

    Raises:
        RefusedError: If a bundle is refused.
    """
    verified = []
    with Progress(console=err(), transient=True, disable=quiet) as progress:
        task = progress.add_task("Verifying", total=len(bundles))
        for bundle, key_of in bundles:
            progress.update(task, description=f"Verifying {plain(bundle.name)}")
            verified.append(verify(bundle, key_of, preset_of))
            progress.advance(task)
    return verified


def show_results(results: Results) -> None:
    """Print results for people: one table an entry, games as rows; nothing is averaged over games."""
    values = {(row.entry, row.game, row.metric): row for row in results.rows}
    ranks = {(rank.entry, rank.game): rank for rank in results.ranks if rank.metric == "auc_plus"}
    console = out()
    for entry in results.entries:
        console.print(f"\n[bold]{plain(entry.entry)}[/]  {plain(entry.model)}, {entry.pathway}, {entry.protocol}")
        if entry.outside_main_table:
            console.print(f"outside the main table: {plain(entry.outside_main_table)}", style="yellow")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("game")
        for metric in SHOWN:
            table.add_column(HEADINGS[metric], justify="right", no_wrap=True)
        table.add_column("rank", justify="right", no_wrap=True)
        table.add_column("remarks", overflow="fold")
        for run in entry.runs:
            cells = [values[(entry.entry, run.game, metric)] for metric in SHOWN]
            rank = ranks[(entry.entry, run.game)]
            table.add_row(
                run.game,
                *("-" if cell.value is None else f"{cell.value:.3f}" for cell in cells),
                "-" if rank.rank is None else f"{rank.rank} of {rank.n}",
                plain("; ".join(_remarks(entry, run))),
            )
        console.print(table)
    console.print(
        "y(0): before exploration. Avg, Max: over checkpoints. AUC+: area above y(0). Rank: by AUC+, within a game."
    )


def _remarks(entry: EntryResult, run: RunResult) -> list[str]:
    """Return what the row of one run has to say beyond its entry."""
    remarks = list(run.marks)
    if run.reason and run.reason != entry.outside_main_table:
        remarks.insert(0, f"not ranked: {run.reason}")
    if run.unreadable:
        remarks.append(f"unreadable replies: {run.unreadable} of {run.steps}")
    return remarks


def score(
    bundles: Annotated[list[Path], typer.Argument(help="Bundle folders.")],
    keys: Keys = REGISTRY,
    protocol_file: Protocols = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the metric rows as CSV.")] = False,
) -> None:
    """Verify bundles and print their metrics; nothing that is not verified is ever scored.

    Exit code 0: all accepted and scored; 1: a bundle was refused, and nothing is scored; 2: could not.
    """
    with plain_errors():
        try:
            verified = verify_all(bundles, keys, presets(protocol_file), quiet=as_json or as_csv)
        except RefusedError as refusal:
            if as_json:
                write_json(refusal.report.to_json())
            else:
                show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
        results = score_bundles(verified)
        if as_json:
            write_json(results.to_json())
        elif as_csv:
            write_json(results.rows_csv())
        else:
            show_results(results)
